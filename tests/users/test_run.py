"""One run: every source on every machine, what a run's end is, and jobs that the machine splits."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import in_turn
from tests.users.busy import PROFILE, busy_log
from thinktime import sources
from thinktime.analysis.fairness import NoLaterArrivals
from thinktime.users.source import Source
from thinktime.workloads.node_log import read_requests
from thinktime.workloads.nodes import Nodes


@pytest.fixture(scope="module")
def trace() -> tt.Trace:
    """The log of a busy machine."""
    return busy_log()


SOURCES = {
    "log": sources.log,
    "dependencies": sources.dependencies,
    "feedback": sources.feedback,
    "drawn": lambda trace: sources.drawn(trace, seed=3),
    "fitted": lambda trace: sources.drawn(trace, seed=3, draw="fitted"),
    "campaigns": lambda trace: sources.campaigns({"ada": PROFILE, "bob": PROFILE}, seed=1, campaigns=20),
}
ON_NODES = ["none", "no-guarantee", "easy", "easy:reservations=3", "conservative", "conservative-dynamic"]


@pytest.mark.parametrize(("source", "policy"), in_turn(2, SOURCES, ON_NODES))
def test_nodes_of_one_processor_are_a_pool(trace: tt.Trace, source: str, policy: str) -> None:
    """Every source starts every job on eight nodes of one processor as on eight processors."""
    pool = tt.run(tt.MachineSpec(8, policy), SOURCES[source](trace))
    nodes = tt.run(tt.MachineSpec(policy=policy, nodes=Nodes.uniform(8, 1)), SOURCES[source](trace))
    assert len(pool) > 20
    for column in ("id", "submit", "start", "end", "think_time"):
        assert np.array_equal(pool[column], nodes[column], equal_nan=True), column
    assert nodes.nodes is not None and len(nodes.nodes.of(0)) == pool["processors"][0]


PLANNED = [(policy, "exact") for policy in ON_NODES] + [
    (policy, estimates)
    for policy in ("none", "no-guarantee", "easy", "easy:reservations=3", "easy:order=lxf")
    for estimates in ("factor=2", "factor=0.5", "last-two", "user-average")
]
"""Under conservative, reservations have nodes of their own, so that equal numbers of free nodes are not enough."""


@pytest.mark.parametrize("planned", in_turn(3, PLANNED))
def test_estimates_on_nodes_of_one_processor(trace: tt.Trace, planned: tuple[str, str]) -> None:
    """Policies plan with predicted estimates on nodes of one processor as on processors."""
    policy, estimates = planned
    for overrun in ("kill", "extend"):
        pool = tt.replay(trace, policy, 8, overrun=overrun, estimates=estimates)
        nodes = tt.replay(trace, policy, overrun=overrun, estimates=estimates, nodes=Nodes.uniform(8, 1))
        assert np.array_equal(pool["start"], nodes["start"], equal_nan=True)
        assert np.array_equal(pool["promised"], nodes["promised"], equal_nan=True)


@pytest.mark.parametrize(("estimates", "policy"), in_turn(2, ["same", "exact"], ON_NODES))
def test_forecasts_on_nodes_of_one_processor(trace: tt.Trace, policy: str, estimates: str) -> None:
    """Fair start times are the same on nodes of one processor as on processors, and so is the schedule."""
    on_pool, on_nodes = NoLaterArrivals(estimates), NoLaterArrivals(estimates)
    some = trace.select(np.arange(len(trace)) < 80)
    pool = tt.replay(some, policy, 8, observers=[on_pool])
    nodes = tt.replay(some, policy, nodes=Nodes.uniform(8, 1), observers=[on_nodes])
    assert np.array_equal(pool["start"], nodes["start"], equal_nan=True)
    assert np.array_equal(on_pool.fst(pool), on_nodes.fst(nodes), equal_nan=True)


@pytest.mark.parametrize(("nodes", "source"), in_turn(2, [None, Nodes.uniform(8, 1)], SOURCES))
def test_a_runtime_limit_splits_jobs_of_every_source(trace: tt.Trace, source: str, nodes: Nodes | None) -> None:
    """No segment exceeds the limit, segments of a job follow each other at once, and all of the work is done."""
    size = 8 if nodes is None else None
    spec = tt.MachineSpec(size, "easy:runtime_limit=100s", nodes=nodes)
    result = tt.run(spec, SOURCES[source](trace))
    whole = tt.run(spec.under("easy"), SOURCES[source](trace))
    assert (result["runtime"] <= 100).all() and (whole["runtime"] > 100).any()
    assert (result["state"] == tt.State.FINISHED).all()
    work, same = (float((each["runtime"] * each["processors"]).sum()) for each in (result, whole))
    assert work == same
    assert len(result) == np.ceil(whole["runtime"] / 100).clip(min=1).sum()
    if source != "campaigns":  # whose jobs the machine numbers as they come
        later = ~np.isin(result["id"], whole["id"])
        ends = set(zip(result["user"].tolist(), result["end"].tolist(), strict=True))
        assert set(zip(result["user"][later].tolist(), result["submit"][later].tolist(), strict=True)) <= ends
    assert "jobs were split" in result.notes[-1]


@pytest.mark.parametrize("source", in_turn(2, SOURCES))
def test_slack_measures_its_average_wait_by_the_same_run(trace: tt.Trace, source: str) -> None:
    """With awt=auto the mean wait is that of the baseline on the same source, whatever it is."""
    spec = tt.MachineSpec(8, "slack")
    found = tt.run(spec, SOURCES[source](trace))
    baseline = tt.run(spec.under("conservative:compress=scheduled"), SOURCES[source](trace))
    assert f"awt={np.nanmean(tt.measures.wait(baseline)):.6g} s" in found.notes[0]


@pytest.mark.parametrize("source", SOURCES)
def test_observers_see_every_source(trace: tt.Trace, source: str) -> None:
    """An observer is shown each submission once, on processors and on nodes."""

    class Count:
        def __init__(self) -> None:
            self.jobs = 0

        def before_submissions(self, instants: object, rows: np.ndarray, now: float) -> None:
            self.jobs += len(rows)

    for spec in (tt.MachineSpec(8), tt.MachineSpec(nodes=Nodes.uniform(4, 2))):
        count = Count()
        assert len(tt.run(spec, SOURCES[source](trace), observers=[count])) == count.jobs > 0


def test_sources_share_a_machine(trace: tt.Trace) -> None:
    """A log with feedback, campaign users and a process of one's own in one run, up to a horizon."""
    until = float(trace.submit[-1])

    def own(env: simpy.Environment, machine: tt.Machine):
        yield machine.submit(tt.Job(runtime=5, user="mine"))

    users = sources.campaigns({"ada": PROFILE}, seed=1)
    result = tt.run(tt.MachineSpec(8), sources.feedback(trace), users, own, until=until)
    assert result.now == until
    names = [result.names["user"][code] for code in result["user"].tolist() if code >= 0]
    assert {"ada", "mine"} < set(names)
    logged = trace.id[np.isin(trace.id, result["id"])]
    assert np.array_equal(result["id"][: len(logged)], logged), "the log's jobs come first, in its order"


def test_a_run_ends_when_its_sources_do() -> None:
    """A run waits for processes that go on after their last job, and for its jobs."""

    def late(env: simpy.Environment, machine: tt.Machine):
        machine.submit(tt.Job(runtime=500))
        yield env.timeout(100)

    assert tt.run(tt.MachineSpec(1), late).now == 500
    assert tt.run(tt.MachineSpec(1), lambda env, machine: env.timeout(700)).now == 700
    assert len(tt.run(tt.MachineSpec(1), lambda env, machine: None)) == 0


@pytest.mark.parametrize("source", [sources.log, sources.feedback])
def test_progress_goes_up_to_all_jobs(trace: tt.Trace, source: Callable[[tt.Trace], Source]) -> None:
    """Progress is reported at most 200 times, ascends, and ends with all jobs over."""
    told: list[tuple[float, int, int]] = []
    tt.run(tt.MachineSpec(8), source(trace), progress=lambda *each: told.append(each))
    assert told[-1][1:] == (len(trace), len(trace)) and 10 < len(told) <= 201
    assert told == sorted(told)


# -- jobs in segments, as their users see them ----------------------------------------------------------------


def test_one_event_for_all_segments() -> None:
    """A job of 250 s under a limit of 100 s: one event, the first start, the last end, and the run times between."""
    env = simpy.Environment()
    machine = tt.Machine(env, 1, "none:runtime_limit=100s")
    event = machine.submit(tt.Job(runtime=250, estimate=300))
    other = machine.submit(tt.Job(runtime=10))
    seen = []
    event.started.callbacks.append(lambda each: seen.append(("start", env.now)))
    event.callbacks.append(lambda each: seen.append(("end", env.now)))
    env.run()
    assert seen == [("start", 0), ("end", 260)]
    record = event.value
    assert record.segments == ((0, 100), (110, 210), (210, 260))
    assert (record.id, record.start, record.end, record.runtime, record.estimate) == (1, 0, 260, 250, 300)
    assert other.value.start == 100
    assert sorted(machine.result()["id"].tolist()) == [1, 2, 3, 4]


@pytest.mark.parametrize(("at", "segments"), [(50, 1), (105, 1), (150, 2)])
def test_cancel_takes_the_rest(at: float, segments: int) -> None:
    """A cancelled job has no further segments, whether one runs or the next one waits."""
    env = simpy.Environment()
    machine = tt.Machine(env, 1, "none:runtime_limit=100s")
    event = machine.submit(tt.Job(runtime=250))
    machine.submit(tt.Job(runtime=10))  # runs from 100 to 110
    env.run(until=at)
    event.cancel()
    env.run()
    assert event.processed and len(event.value.segments) == segments
    assert event.value.state in (tt.State.KILLED, tt.State.WITHDRAWN)
    assert machine.count == 0 and machine.pool.truth.to_come == 0


def test_a_campaign_ends_with_its_last_segment() -> None:
    """Campaign events, watches and think times wait for whole jobs."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "easy:runtime_limit=100s")
    campaign = machine.submit_campaign([tt.Job(runtime=250, user=1), tt.Job(runtime=30, user=1)])
    record = env.run(until=campaign)
    assert env.now == 250 and [job.runtime for job in record.jobs] == [250, 30]
    assert (machine.result()["campaign"] == 0).all()
    rows = machine.load_jobs(2, 1, runtime=[150.0], processors=[1], estimate=[150.0])
    over = machine.watch(rows)
    machine.submit_rows(rows)
    assert env.run(until=over) == 400


# -- odd input ---------------------------------------------------------------------------------------------


def few(**more: object) -> tt.Trace:
    """Three jobs of two users."""
    columns = {"submit": [0, 1, 2], "runtime": [250, 30, 40], "allocated": [1, 1, 1], "wait": [0, 0, 0]}
    return tt.Trace({**columns, "user": [1, 1, 2], **more})


def test_segments_never_share_a_number_with_a_log() -> None:
    """Segments of users' jobs get out of the way of a log that is loaded after them."""
    users = sources.campaigns({"ada": dataclasses.replace(PROFILE, processors=1)}, campaigns=1)
    result = tt.run(tt.MachineSpec(8, "easy:runtime_limit=100s"), users, sources.log(few()))
    assert len(result) == len(set(result["id"].tolist())) == 3 * 2 + 3 + 2
    names = result.names["user"]
    logged = [i for i, code in enumerate(result["user"].tolist()) if names[code] != "ada"]
    assert set(result["id"][logged].tolist()) >= {1, 2, 3}


def test_two_logs_need_numbers_of_their_own() -> None:
    """Two logs share a machine if no job number occurs in both."""
    with pytest.raises(ValueError, match="the log has a job 1, and so has this machine"):
        tt.run(tt.MachineSpec(4), sources.log(few()), sources.log(few()))
    result = tt.run(tt.MachineSpec(4), sources.log(few()), sources.log(few(id=[11, 12, 13])))
    assert sorted(result["id"].tolist()) == [1, 2, 3, 11, 12, 13]


def test_odd_words_are_answered_in_one_sentence(tmp_path: Path) -> None:
    """A run without time, a key that there is not, what is no TOML, and a log of nodes on processors."""
    with pytest.raises(ValueError, match="until must be a time after 0 s, not -5"):
        tt.run(tt.MachineSpec(4), sources.log(few()), until=-5)
    with pytest.raises(ValueError, match="a machine has no key 'polcy'; did you mean 'policy'"):
        tt.MachineSpec.from_toml('polcy = "easy"')
    with pytest.raises(ValueError, match="the machine is not in TOML"):
        tt.MachineSpec.from_toml("policy = easy")
    with pytest.raises(ValueError, match="this log was read for nodes"):
        tt.replay(read_requests(few(), Nodes.uniform(2, 2)), "easy", 4)


def test_a_script_is_run_once_and_errors_of_processes_are_heard(tmp_path: Path) -> None:
    """A policy's script runs once per run; what a source's process raises comes out, with a horizon or without."""
    script, runs = tmp_path / "mine.py", tmp_path / "runs"
    script.write_text(
        f"open({str(runs)!r}, 'a').write('x')\n\ndef first(view, now):\n    return view.waiting[:view.free]\n"
    )
    assert len(tt.run(tt.MachineSpec(4, f"{script}:first"), sources.log(few()))) == 3
    assert runs.read_text() == "x"

    def broken(env: simpy.Environment, machine: tt.Machine):
        yield env.timeout(1)
        raise KeyError("mine")

    for until in (None, 10.0):
        with pytest.raises(KeyError, match="mine"):
            tt.run(tt.MachineSpec(4), broken, until=until)


def test_a_log_is_a_source_itself():
    """`run(spec, trace)` is the same as with `sources.log(trace)`."""
    log = tt.Trace({"submit": [0, 5], "runtime": [60, 60], "allocated": [1, 1]})
    spec = tt.MachineSpec(processors=1)
    assert tt.run(spec, log)["start"].tolist() == tt.run(spec, tt.sources.log(log))["start"].tolist() == [0.0, 60.0]


def test_users_may_be_a_list_of_profiles():
    """They are called user 1, user 2, …; one profile is one user; what is no profile is named."""
    profile = tt.Profile(runtime=60, jobs=1, think_time=3600)
    env = simpy.Environment()
    machine = tt.Machine(env, processors=4)
    tt.population(env, machine, [profile, profile])
    env.run(until=60)
    assert machine.result().jobs["user"].tolist() == ["user 1", "user 2"]
    result = tt.run(tt.MachineSpec(processors=4), tt.sources.campaigns(profile), until=60)
    assert result.jobs["user"].tolist() == ["user 1"]
    with pytest.raises(TypeError, match=r"users are profiles by name, such as .*'user 1' has 'ada'"):
        tt.population(env, machine, ["ada"])
