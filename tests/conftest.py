"""Every result that any test takes from a machine must be a possible schedule."""

import contextlib
import functools
import gc
import hashlib
import importlib
import os
import pickle
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import settings

from tests.how_many import few_or_many
from tests.small_pictures import small_pictures
from thinktime.compiled import how
from thinktime.models.engine.codes.nodes import CHUNK
from thinktime.models.machine.machine import Machine
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.workloads import Trace, read_swf
from thinktime.workloads.calibration import calibrate as fitting
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.grid import TICK
from thinktime.workloads.shapes import Shape
from thinktime.workloads.user_models import marginal_fits
from thinktime.workloads.user_models.fits import Fit

settings.register_profile("thinktime", deadline=None)  # machines are of all speeds
settings.load_profile("thinktime")


def _assert_order_of_times(result: Result) -> None:
    """Times ascend from submission to start to end to the horizon, as far as these times have come, all on the grid."""
    submit, start, end = result["submit"], result["start"], result["end"]
    for early, late, what in ((submit, start, "start before submission"), (start, end, "end before start")):
        known = np.isfinite(early) & np.isfinite(late)
        assert (early[known] <= late[known]).all(), what
    for name in ("submit", "start", "end"):
        times = result[name][np.isfinite(result[name])]
        assert (times == np.round(times * 1024) / 1024).all(), f"{name} off the grid"
        assert (times <= np.ceil(result.now * 1024) / 1024).all(), f"{name} after the horizon"


def _assert_states(result: Result) -> None:
    """A job has exactly the times that its state says, and runs no longer than it may."""
    state, start, end = result["state"], result["start"], result["end"]
    ran = np.isin(state, [State.RUNNING, State.FINISHED, State.KILLED])
    if result.history is not None:  # a job that waits to run again has run
        ran |= (state == State.WAITING) & (result["runs"] > 0)
    assert (np.isfinite(start) == ran).all(), "a start where there was none, or none where there was one"
    assert (np.isfinite(end) == (state >= State.FINISHED)).all(), "an end of a job that is not over"
    assert (state != State.FUTURE).all(), "a job that was not submitted"
    assert (result["processors"][ran] <= result.processors).all(), "a job wider than the machine ran"
    if result.history is not None:
        _assert_runs(result)
        return
    whole = (state == State.FINISHED) & np.isfinite(result["runtime"])
    assert (end[whole] - start[whole] == result["runtime"][whole]).all(), "finished before its own end"
    if result.overrun == "kill" and not any("ended at sweeps" in note for note in result.notes):
        over = ran & np.isfinite(end)
        assert (end[over] - start[over] <= result["estimate"][over]).all(), "ran beyond its estimate"


def _work_of_runs(result: Result) -> tuple[npt.NDArray[np.float64], ...]:
    """What each run did of the job's work, and used of its limit, at its size; how far the grid's rounding may go."""
    assert result.history is not None
    every = result.history.runs
    passed, charged, rounded = every.progress.copy(), every.progress.copy(), np.zeros(len(result))
    shape = result.columns.get("shape", np.full(len(result), -1))
    for code, text in enumerate(result.names.get("shape", [])):
        mine, of = shape[every.row] == code, Shape.parse(text)
        assert np.isin(every.processors[mine], of.every).all(), "a run has none of the sizes of its job"
        rate, believed = of.rate(every.processors[mine]), of.believed(every.processors[mine])
        passed[mine] *= rate
        charged[mine] *= believed
        rounded += np.bincount(every.row[mine], TICK * np.maximum(rate, believed), len(result))
    return passed, charged, rounded


def _assert_runs(result: Result) -> None:
    """Every second of a run is accounted for, no work is done twice, and no two runs share a processor at a time."""
    assert result.history is not None
    every = result.history.runs
    assert (every.progress + every.overhead + every.lost == every.length).all(), "time that is not accounted for"
    assert (np.stack([every.progress, every.overhead, every.lost]) >= 0).all(), "a negative part of a run"
    passed, charged, rounded = _work_of_runs(result)
    done = np.bincount(every.row, passed, len(result))
    finished = (result["state"] == State.FINISHED) & np.isfinite(result["runtime"])
    assert (abs(done - result["runtime"])[finished] <= rounded[finished]).all(), "a finished job whose work is not done"
    if result.overrun == "kill":
        used = np.bincount(every.row, charged, len(result))
        assert (used <= result["estimate"] + rounded).all(), "work beyond the limit"
    rigid = result.columns.get("shape", np.full(len(result), -1))[every.row] < 0
    asked = result["processors"][every.row]
    assert (every.processors == asked)[rigid].all(), "a run has not what its job asks"
    if result.nodes is not None:  # `assert_nodes_hold` looks at them
        return
    begin, stop = every.places[_all_from(every.first_range, every.ranges)][:, :2].T
    run = np.repeat(np.arange(len(every)), every.ranges)
    wide = np.bincount(run, stop - begin, len(every))
    assert (wide == every.processors).all(), "a run has not as many processors as it says"
    run, processor = np.repeat(run, stop - begin), _all_from(begin, stop - begin)
    lasting = every.length[run] > 0
    run, processor = run[lasting], processor[lasting]
    order = np.lexsort((every.end[run], every.start[run], processor))
    run, processor = run[order], processor[order]
    apart = (processor[:-1] != processor[1:]) | (every.end[run[:-1]] <= every.start[run[1:]])
    assert apart.all(), f"two runs on processor {processor[:-1][~apart]}"


def _all_from(first: Any, count: Any) -> Any:
    """So many numbers from each of these on, one list after the other."""
    return np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())


def most_in_use(result: Result) -> int:
    """The most processors in use at once, ends before starts."""
    ran = np.isfinite(result["start"])
    start, processors = result["start"][ran], result["processors"][ran]
    end = np.where(np.isnan(result["end"][ran]), np.inf, result["end"][ran])
    lasting = end > start  # a run of no length uses nothing over time
    changes = np.concatenate([processors[lasting], -processors[lasting]])
    times = np.concatenate([start[lasting], end[lasting]])
    in_use = np.cumsum(changes[np.lexsort((changes, times))])
    return int(in_use.max(initial=0))


def assert_valid(result: Result) -> None:
    """Check what holds for every schedule under every policy but the log's own."""
    _assert_states(result)
    _assert_order_of_times(result)
    if result.history is None:
        assert most_in_use(result) <= result.processors, "more processors in use than there are"


def assert_nodes_hold(machine: Machine, result: Result) -> None:
    """No node ever gives more of any resource than it has, and jobs are where they asked to be, and nowhere else."""
    pool = machine.pool
    site = getattr(pool, "site", None)
    if site is None:
        return
    rows = np.flatnonzero(pool.requests.state[: pool.requests.size] != State.FUTURE)
    wanted = functools.cache(lambda kind: _wanted(site, kind))
    changes = []
    for i, row, start, end, begin, size in _stays(site, rows, result):
        kind = int(site.shape[row])
        if size:  # of the stage: a job that changes its size has asked for others
            kind = int(np.searchsorted(site.first, site.places[begin, CHUNK], side="right")) - 1
        request, first = site.kinds[kind], int(site.first[kind])
        needs, having = wanted(kind)
        used, pieces, nodes = np.zeros_like(site.capacity), [0] * len(request.chunks), []
        for first_node, stop, chunk, units in site.places[begin : begin + size].tolist():
            each, here = chunk - first, slice(first_node, stop)
            used[here] += site.capacity[here] if request.exclusive else units * needs[each]
            pieces[each] += units * (stop - first_node)
            nodes += range(first_node, stop)
            assert having[each][here].all(), "a node without the property"
        assert pieces == [chunk.count for chunk in request.chunks], "not all chunks have a place"
        if request.apart or request.exclusive:
            assert len(set(nodes)) == len(nodes), "chunks share a node"
        if begin == site.offset[row] and not (result.history is not None and np.isnan(pool.requests.start[row])):
            assert result.nodes is not None
            assert result.nodes.of(i) == sorted(set(nodes))
        if not end <= start:
            changes += [(start, 1, used), (np.inf if np.isnan(end) else end, 0, -used)]
    in_use = np.zeros_like(site.capacity)
    for _, _, used in sorted(changes, key=lambda change: change[:2]):
        in_use += used
        assert (in_use <= site.capacity).all(), "a node is over-committed"
    if result.history is not None:
        _assert_up(result)
        return
    running = result["state"] == State.RUNNING
    assert running.any() or (site.free == site.capacity).all(), "no job runs, and not everything is free"


def _wanted(site, kind: int) -> tuple[list[Any], list[Any]]:
    """For each chunk of a kind of request: how much of each resource it needs, and which nodes have its properties."""
    chunks = site.kinds[kind].chunks
    needs = [np.array([dict(chunk.resources).get(name, 0) for name in site.nodes.resources]) for chunk in chunks]
    return needs, [np.asarray(site.nodes.having(chunk.properties)) for chunk in chunks]


def _stays(site, rows, result: Result):
    """Row in the result and in the pool, start, end, and places of each run."""
    if result.history is None:
        for i, row in enumerate(rows.tolist()):
            start, end = result["start"][i], result["end"][i]
            if np.isfinite(start):
                yield i, row, start, end, int(site.offset[row]), int(site.size[row])
        return
    runs = result.history.runs
    for k, i in enumerate(runs.row.tolist()):
        yield i, rows.item(i), runs.start[k], runs.end[k], int(runs.first_range[k]), int(runs.ranges[k])


def _assert_up(result: Result) -> None:
    """Nothing runs on a node that is down."""
    down, runs = result.history.outages, result.history.runs
    for start, end, node in zip(down.start.tolist(), down.end.tolist(), down.index.tolist(), strict=True):
        for k in np.flatnonzero((runs.start < end) & (runs.end > start) & (runs.end > runs.start)).tolist():
            places = runs.places[runs.first_range[k] :, :2][: runs.ranges[k]].tolist()
            assert not any(first <= node < stop for first, stop in places), "a job runs on a node that is down"


def assert_none_lost(machine: Machine, result: Result) -> None:
    """Each job that the machine was given before now is in the result, and once."""
    requests = machine.pool.requests
    known = requests.id[: requests.size][requests.submit[: requests.size] < machine.env.now]
    assert np.isin(known, result["id"]).all(), "a job was lost"
    assert len(result) <= requests.size, "a job is there twice"


@pytest.fixture(name="assert_valid")
def assert_valid_fixture() -> Callable[[Result], None]:
    """The checker, for results that do not come from a machine."""
    return assert_valid


@pytest.fixture(autouse=True, scope="session")
def every_result_is_valid() -> Iterator[None]:
    """Check each result at the moment it is taken, except under the log's own schedule, which need not fit."""
    take = Machine.result

    @wraps(take)
    def result(machine: Machine, first: Any = None) -> Result:
        taken = take(machine)
        if taken.policy != "recorded":
            assert_valid(taken)
            assert_none_lost(machine, taken)
            assert_nodes_hold(machine, taken)
        return taken if first is None else take(machine, first)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Machine, "result", result)
        yield


# -- compiled tests -----------------------------------------------------------------------------------------


NO_CASE = SimpleNamespace(params=())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """As plain Python, tests that would take minutes are left out; fewer examples are for those that have examples."""
    for item in items:
        if "part_of_examples" in getattr(item, "callspec", NO_CASE).params:
            item.fixturenames.append("part_of_examples")
    if how() == "plain Python":
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(pytest.mark.skip("it would take long as plain Python"))


gc.set_threshold(100_000)
"""Tests leave few objects that refer to each other in a circle, so these are looked for more rarely than usual."""


def pytest_collection_finish() -> None:
    """What there is before the first test stays: nobody looks through it again for what may go."""
    gc.freeze()


# -- several processes --------------------------------------------------------------------------------------


def pytest_sessionstart(session: pytest.Session) -> None:
    """Each process begins with other modules of tests: in a new tree, none is made ready by all processes."""
    worker = getattr(session.config, "workerinput", {"workerid": "gw0", "workercount": 1})
    number, of = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    if number == 0:  # it collects them in this order
        return
    places = [Path(argument.partition("::")[0]).resolve() for argument in session.config.args]
    files = sorted(path for place in places if place.is_dir() for path in place.rglob("test_*.py"))
    first = len(files) * number // of
    for path in files[first:] + files[:first]:
        name = path.relative_to(session.config.rootpath).with_suffix("").as_posix().replace("/", ".")
        with contextlib.suppress(Exception, pytest.skip.Exception):  # collecting says so
            importlib.import_module(name)


# -- random examples ----------------------------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test of random examples has a twelfth of them in each run of the tests, and all in a thorough run."""
    if getattr(metafunc.function, "is_hypothesis_test", False):
        metafunc.fixturenames.append("part_of_examples")
        metafunc.parametrize("part_of_examples", few_or_many(12, 1), ids=["some", "all"], indirect=True)


@pytest.fixture
def part_of_examples(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One in so many of the examples that the test asks for, but at least 6."""
    asked = request.function._hypothesis_internal_use_settings
    fewer = settings(asked, max_examples=max(asked.max_examples // request.param, min(asked.max_examples, 6)))
    monkeypatch.setattr(request.function, "_hypothesis_internal_use_settings", fewer)


# -- pictures -----------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Pictures are small from the beginning of a test on, since the fixtures of modules come before those of tests."""
    with pytest.MonkeyPatch.context() as patch:
        small_pictures(item, patch)
        return (yield)


# -- fitted users -------------------------------------------------------------------------------------------


FITTED: dict[bytes, Users] = {}
"""Users by the log and the options of their fit."""
fit = fitting._calibrated


def fit_once(trace: Trace, score: bool, until: float | None, progress: Any) -> Users:
    """As a fit, but one that was made before is not made again, unless somebody watches or fits are tested."""
    key = hashlib.sha256(pickle.dumps((trace, score, until))).digest()
    if progress is not None or key not in FITTED or "/calibration/" in os.environ["PYTEST_CURRENT_TEST"]:
        FITTED[key] = fit(trace, score, until, progress)
    return FITTED[key]


@functools.cache
def fit_of(values: bytes) -> list[Fit]:
    """The fits to a sample of a user."""
    return marginals_fit(np.frombuffer(values))


marginals_fit = marginal_fits.fit


@pytest.fixture(autouse=True, scope="session")
def fits_are_kept() -> Iterator[None]:
    """A fit is a function of the log, so the tests of what is done with it may share it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting, "_calibrated", fit_once)
        patch.setattr(marginal_fits, "fit", lambda values: fit_of(values.tobytes()))
        yield


# -- logs ---------------------------------------------------------------------------------------------------

LOGS = {
    "CTC": "CTC-SP2-1996-3.1-cln", "Curie": "CEA-Curie-2011-2.1-cln", "KTH": "KTH-SP2-1996-2.1-cln",
    "KTH-unfiltered": "KTH-SP2-1996-2", "LANL": "LANL-CM5-1994-4.1-cln", "Lublin": "lublin_256",
    "MetaCentrum": "MetaCentrum-wagap-2013", "Sandia": "Sandia-Ross-2001-1.1-cln",
    "SDSC": "SDSC-SP2-1998-4.2-cln",
}  # fmt: skip


@pytest.fixture(scope="session")
def log_file() -> Callable[[str], Path]:
    """Give a function that finds the log of a real machine by its short or full name, or skips the test."""
    root = Path(__file__).resolve().parents[1]
    beside = next(iter(sorted(root.parent.glob("*/traces"))), root / "traces")
    folder = Path(os.environ.get("THINKTIME_TRACES") or beside)

    def find(name: str) -> Path:
        full = LOGS.get(name, name)
        path = folder / f"{full}.swf.gz"
        if not path.exists():
            pytest.skip(f"the log {full} is not at hand")
        return path

    return find


@pytest.fixture(scope="session")
def log(log_file: Callable[[str], Path]) -> Callable[[str], Trace]:
    """Give a function that reads a log by its short name, each once."""
    return functools.cache(lambda name: read_swf(log_file(name)))


os.environ.pop("COLUMNS", None)
"""Commands print in 100 columns, however wide the terminal is that the tests run in."""
