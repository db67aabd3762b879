"""Scenarios on machines of nodes: the same as in Python, files that count, and errors before anything runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.analysis.experiments import Scenario, sweep
from thinktime.analysis.experiments.measured_run import simulate
from thinktime.analysis.experiments.plan import runs
from thinktime.analysis.experiments.window import Measured
from thinktime.models.results.windowed import chosen
from thinktime.workloads.node_log import read_requests

GB = 2**30
MACHINES = "0\tfat\t1\t8\t1\t67108864\n1\tthin\t3\t4\t1\t16777216\n"
TABLES = """
[[machine.nodes]]
name = "fat"
processors = 8
memory = "64 GB"
[[machine.nodes]]
name = "thin"
count = 3
processors = 4
memory = 17179869184
"""
ASKS = (("{1} q 1:ppn=4:mem=40gb", 4), ("{1} q 2:ppn=2:mem=8gb", 4), ("", 3), ("{1} q 1:ppn=1#excl", 1))
HOPELESS = ("{1} q 1:ppn=1:mem=100gb", 1)


def line(n: int, asked: str, processors: int) -> str:
    """A job of a log, with a request behind field 18."""
    runtime = 300 + 37 * n % 200
    first = f"{n} {60 * n} 0 {runtime} {processors} -1 -1 {processors} {runtime + 50}"
    return f"{first} -1 1 {n % 3 + 1} 1 -1 1 -1 -1 -1 {asked}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log with requests, one of which no node could meet, and the description of its nodes."""
    jobs = [line(n, *ASKS[n % 4]) for n in range(1, 41)] + [line(41, *HOPELESS)]
    (tmp_path / "log.swf").write_text("; UnixStartTime: 0\n; MaxProcs: 20\n" + "".join(jobs))
    (tmp_path / "site.machines").write_text(MACHINES)
    return tmp_path


def of_log(folder: Path, machine: str = 'machine.machines = "site.machines"', more: str = "") -> Scenario:
    """A replay of the log under EASY."""
    text = f'policies = ["easy"]\n{more}\ntrace.file = "log.swf"\n{machine}\n'
    return Scenario.from_text(text, "my.toml", folder)


@pytest.mark.parametrize("allocator", ["first-fit", "best-fit", "worst-fit"])
def test_a_log_is_replayed_as_in_python(folder: Path, allocator: str) -> None:
    """A scenario has the starts and places of `replay` on nodes, described by a file or by tables."""
    trace = tt.read_swf(folder / "log.swf")
    nodes = tt.Nodes.read(folder / "site.machines")
    expected = tt.replay(trace, "easy", nodes=nodes, allocator=allocator)
    for machine in ('machine.machines = "site.machines"', TABLES):
        scenario = of_log(folder, machine, f'machine.allocator = "{allocator}"' if "[[" not in machine else "")
        if "[[" in machine:
            scenario = scenario.resolved({"machine.allocator": allocator})
        found = simulate(scenario, "easy", 1)
        np.testing.assert_array_equal(found["start"], expected["start"])
        assert found.nodes.interval_sets() == expected.nodes.interval_sets()
        assert found.dropped == expected.dropped == {"no node has what it asks for": 1}
        assert found.processors == 20
    plain = tt.replay(trace, "easy", processors=20)
    assert plain["start"][:40].tolist() != expected["start"].tolist()


def test_with_a_horizon_the_same(folder: Path) -> None:
    """With a horizon, a log alone on the machine starts its jobs at the same times."""
    whole, part = (simulate(of_log(folder), "easy", 1), simulate(of_log(folder, more="horizon = 1200"), "easy", 1))
    early = whole["start"][: len(part)] < 60 + 1200
    assert 10 < early.sum() < 40
    np.testing.assert_array_equal(part["start"][early], whole["start"][: len(part)][early])
    assert part.dropped == whole.dropped and part.names["queue"] == whole.names["queue"]


def test_load_is_that_of_the_jobs_that_the_nodes_can_run(folder: Path) -> None:
    """The load counts the nodes' processors and the jobs that they can run."""
    trace = tt.read_swf(folder / "log.swf")
    nodes = tt.Nodes.read(folder / "site.machines")
    log = read_requests(trace, nodes)
    scaled = simulate(of_log(folder, more='trace.load = 0.5\ntrace.scaling = "times"'), "easy", 1)
    work = (log.trace.processors * log.trace.runtime).sum()
    assert work / np.ptp(scaled["submit"]) / 20 == pytest.approx(0.5, rel=0.01)
    told = simulate(of_log(folder, more='trace.memory_unit = "bytes-per-chunk"'), "easy", 1)
    assert any("bytes per chunk" in note for note in told.notes)
    own = tt.replay(log, "easy", nodes=nodes)
    assert own["start"].tolist() == told["start"].tolist()


def test_users_drawn_from_a_log_keep_their_requests(folder: Path) -> None:
    """A resampled log asks for the nodes that its users asked for."""
    found = simulate(of_log(folder, more="trace.resample = true\nmetrics = ['jobs']"), "easy", 3)
    asked = {job["processors"] for job in found.jobs.to_dict("records")}
    assert asked <= {1, 3, 4} and "q" in found.names["queue"]
    assert any(found.nodes.of(i) for i in range(len(found)))


USERS = (
    """\
policies = ["easy"]
metrics = ["finished", "utilization", "violated_expectations"]
horizon = "6 h"
replications = 1
[machine]
allocator = "best-fit"
[users.big]
runtime = { kind = "uniform", low = 60, high = 600 }
jobs = 4
think_time = 300
nodes = "1:ppn=2:mem=20gb"
[users.small]
runtime = 100
jobs = 3
think_time = 60
processors = 2
"""
    + TABLES
)


def test_users_in_the_loop_as_in_python() -> None:
    """Users with and without node requests do what they do in the same model in Python."""
    scenario = Scenario.from_text(USERS)
    found = simulate(scenario, "easy", 5)
    env = simpy.Environment()
    nodes = tt.Nodes([
        tt.Cluster("fat", 1, {"processors": 8, "memory": 64 * GB}),
        tt.Cluster("thin", 3, {"processors": 4, "memory": 16 * GB}),
    ])  # fmt: skip
    machine = tt.Machine(env, policy="easy", nodes=nodes, allocator="best-fit")
    runtime: Callable[[Any], float] = scenario.users["big"].made().runtime  # type: ignore[assignment]
    profiles = {
        "big 1": tt.Profile(runtime=runtime, jobs=4, think_time=300, nodes="1:ppn=2:mem=20gb"),
        "small 1": tt.Profile(runtime=100, jobs=3, think_time=60, processors=2),
    }
    tt.population(env, machine, profiles, 5, until=6 * 3600)
    env.run(until=6 * 3600)
    expected = machine.result()
    assert len(found) > 50
    np.testing.assert_array_equal(found["start"], expected["start"])
    assert found.nodes.interval_sets() == expected.nodes.interval_sets()
    big = np.flatnonzero(found["user"] == found.names["user"].index("big 1"))
    assert {tuple(found.nodes.of(i)) for i in big} <= {(0,), ()}
    assert (found["processors"][big] == 2).all()


@pytest.mark.parametrize("mode", ["dependencies", "feedback", "generative"])
def test_every_mode_of_a_log_runs_on_nodes_beside_users(folder: Path, mode: str) -> None:
    """A log in any mode shares nodes with users of the scenario, up to a horizon."""
    users = '[users.a]\nprofile = "short"\nnodes = "1:ppn=1"'
    how = f'machine.machines = "site.machines"\ntrace.mode = "{mode}"\nhorizon = "1 d"\n{users}'
    found = simulate(of_log(folder, how), "easy", 3)
    names = [found.names["user"][code] for code in found["user"].tolist() if code >= 0]
    assert "a 1" in names and len({*names}) > 1
    assert found.now == 86_400 and found.nodes is not None


def test_made_up_jobs_on_nodes() -> None:
    """The jobs of a recipe take processors on any node, with users in the loop or without."""
    for recipe in (
        '{ recipe = "lublin", jobs = 40 }',
        '{ recipe = "short-long", jobs = 60, users = 3, mode = "closed" }',
    ):
        scenario = Scenario.from_text(f"workload = {recipe}\n{TABLES}")
        found = simulate(scenario, "conservative", 1)
        plain = scenario.model_copy(
            update={"machine": Scenario.from_text(f"workload = {recipe}\nmachine.processors = 20").machine}
        )
        np.testing.assert_array_equal(found["start"], simulate(plain, "conservative", 1)["start"])
        assert found.nodes is not None


def test_nodes_are_part_of_a_sweep(folder: Path) -> None:
    """Node descriptions and allocators can be swept, and changing one makes another scenario."""
    (folder / "small.machines").write_text("0 fat 1 8 1 67108864\n")
    (folder / "mine.py").write_text("def last(free, chunk, nodes):\n    return -free[:, 0]\n")
    scenario = Scenario.from_tables(
        {
            "policies": ["easy"],
            "metrics": ["jobs", "utilization"],
            "machine": {"machines": "site.machines"},
            "trace": {"file": "log.swf"},
            "sweep": {
                "grid": {
                    "machine.machines": ["site.machines", "small.machines"],
                    "machine.allocator": ["worst-fit", "mine.py:last"],
                }
            },
        },
        folder=folder,
    )
    table = sweep(scenario, folder / "out", processes=1).table
    assert table.groupby("machine.machines")["jobs"].first().to_dict() == {"site.machines": 40, "small.machines": 30}
    by_allocator = [part["utilization"].tolist() for _, part in table.groupby("machine.allocator")]
    assert by_allocator[0] == by_allocator[1]
    assert Scenario.from_text(scenario.text, folder=folder) == scenario
    digests = [run.digest for run in runs(scenario)]
    (folder / "small.machines").write_text("0 fat 2 8 1 67108864\n")
    changed = [run.digest for run in runs(scenario)]
    assert [a == b for a, b in zip(digests, changed, strict=True)] == [True, True, False, False]
    (folder / "mine.py").write_text("def last(free, chunk, nodes):\n    return free[:, 0]\n")
    again = [run.digest for run in runs(scenario)]
    assert [a == b for a, b in zip(changed, again, strict=True)] == [True, False, True, False]


def test_measured_jobs_keep_their_nodes(folder: Path) -> None:
    """Jobs selected by the warm-up or by user keep their nodes."""
    found = simulate(of_log(folder), "easy", 1)
    rows = found["submit"] >= 1200
    places = np.array(found.nodes.interval_sets())
    assert 5 < rows.sum() < 30
    assert Measured(found, 1200.0).jobs.nodes.interval_sets() == places[rows].tolist()
    assert chosen(found, found["user"] == 0).nodes.interval_sets() == places[found["user"] == 0].tolist()


TRACE = 'trace.file = "log.swf"\n'
USER = '[users.a]\nprofile = "short"\n'
DAY = 'horizon = "1 d"\n'
NODES = "[[machine.nodes]]\nprocessors = 8\n"
WRONG = {
    f'policies = ["recorded"]\n{TRACE}{NODES}': "line 3: machine: policy recorded",
    f"machine.processors = 9\n{TRACE}machine.machines = 'x'": "line 1: machine has both processors and nodes",
    f'{TRACE}machine = {{ processors = 8, machines = "x" }}': "line 2: machine has both processors and nodes",
    f'{TRACE}[machine]\nmachines = "x"\n{NODES}': "line 2: machine has both machines and nodes",
    f'{TRACE}[machine]\nallocator = "best-fit"': "line 2: machine has an allocator, but no nodes",
    f'{TRACE}[machine]\nallocator = "best"\n{NODES}': "line 3: machine.allocator must be one of first-fit, best-fit,",
    f"{TRACE}{NODES}{NODES}": "machine.nodes: the name 'node' is used for two clusters",
    f'{TRACE}{NODES}memory = "much"': "line 4: machine.nodes 1.memory must be bytes or a text such",
    f"{TRACE}{NODES}procesors = 4": "line 4: machine.nodes 1 has no key 'procesors'; did you mean 'processors'?",
    f"{TRACE}[[machine.nodes]]\ncount = 4": "machine.nodes 1 needs processors",
    f"{TRACE}{NODES}[[machine.nodes]]\nname = 'b'\nprocessors = 0": "line 6: machine.nodes 2.processors must be",
    f"{TRACE}{NODES}[[machine.nodes]]\nprocessors = 2\n[machine.nodes.resources]\nlicences = -1": (
        "line 7: machine.nodes 2.resources.licences must be at least 0, not -1"
    ),
    f"{TRACE}{NODES}resources = {{ memory = 4 }}": "machine.nodes 1 has memory in resources",
    f'{TRACE}{DAY}{NODES}{USER}nodes = "2:ppn=x"': "line 7: users.a.nodes: request '2:ppn=x'",
    f'{TRACE}{DAY}machine.processors = 8\n{USER}nodes = "2:ppn=1"': "a asks for nodes, but",
    f'{TRACE}{DAY}{NODES}{USER}nodes = "2"\nprocessors = 2': "users.a has both processors",
    f'{TRACE}{DAY}{NODES}{USER}nodes = "2"\nbehaviours.degrade.when.crowded = 2': "a: users who degrade",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_errors_have_a_place(text: str) -> None:
    """An error is one sentence with the line and the key."""
    with pytest.raises(ValueError, match=r"^my\.toml") as error:
        Scenario.from_text(text, "my.toml")
    assert WRONG[text] in str(error.value) and "\n" not in str(error.value)


def test_what_lies_outside_is_told_before_anything_is_written(folder: Path) -> None:
    """Missing descriptions and users whom no node can serve are refused before anything is written."""
    out = folder / "out"
    with pytest.raises(ValueError, match=r"machine.machines: there is no file no.machines beside the scenario"):
        sweep(of_log(folder, 'machine.machines = "no.machines"'), out, processes=1)
    (folder / "bad.machines").write_text("0 fat two 8 1 1\n")
    with pytest.raises(ValueError, match=r"bad.machines, line 1, column 3 \(nodes\): 'two' is not a whole number"):
        sweep(of_log(folder, 'machine.machines = "bad.machines"'), out, processes=1)
    with pytest.raises(ValueError, match=r"users.big.nodes: jobs ask for 1:ppn=2:mem=99gb, which the nodes could"):
        sweep(Scenario.from_text(USERS.replace("20gb", "99gb")), out, processes=1)
    assert not out.exists()
