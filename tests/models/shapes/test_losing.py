"""Malleable jobs on machines that change: they lose processors, and go on with what is left."""

from typing import Any

import numpy as np
import pytest

import thinktime as tt
from thinktime.workloads.shapes.shape import Shape

NODES = tt.Nodes.uniform(2, 4)
Stage = tuple[float, float, int]


def stages(machine: dict[str, Any], *jobs: tuple[float, tt.Job], **changes: Any) -> dict[int, list[Stage]]:
    """The stages of jobs that are submitted at their times."""

    def user(env: Any, machine: tt.Machine) -> Any:
        for time, job in jobs:
            yield env.timeout(time - env.now)
            machine.submit(job)

    given = {"on_failure": "shrink"} | changes
    spec = tt.MachineSpec(policy="shapes:expand=oldest,base=easy", changes=tt.Changes(**given), **machine)
    runs = tt.run(spec, user).history.runs
    columns = runs.row, runs.start, runs.end, runs.processors
    found: dict[int, list[Stage]] = {}
    for row, *stage in zip(*(each.tolist() for each in columns), strict=True):
        found.setdefault(row, []).append(tuple(stage))
    return found


@pytest.mark.parametrize(
    ("machine", "failing", "left"),
    [({"processors": 8}, "0-3", 4), ({"nodes": NODES}, "1", 4), ({"processors": 8}, "7", 7)],
)
def test_a_failure(machine: dict[str, Any], failing: str, left: int) -> None:
    """Of 100 s on 8 processors, 20 s are done; then 10 s pass on what is left, and the rest on all again."""
    job = tt.Job(runtime=100, shape=Shape("2-8", 8))
    rest = 80 - 10 * left / 8
    expected = [(0.0, 20.0, 8), (20.0, 30.0, left), (30.0, 30.0 + rest, 8)]
    assert stages(machine, (0, job), outages=tt.Outages.of([(20, 30, failing)])) == {0: expected}


def test_too_little_is_left() -> None:
    """A job that needs two processors, and has one left, is requeued, and so is one that is moldable."""
    for shape, failing in ((Shape("2-8", 8), "0-6"), (Shape("2-8", 8, kind="moldable"), "0")):
        found = stages(
            {"processors": 8}, (0, tt.Job(runtime=100, shape=shape)), outages=tt.Outages.of([(20, 30, failing)])
        )
        assert found == {0: [(0.0, 20.0, 8), (30.0, 130.0, 8)]}


def test_a_resize_by_a_failure_costs_what_others_do() -> None:
    """Work stands still for 5 s at the failure, and for 5 s when the job grows again: 20 + 3.75 s are done at 30."""
    job = tt.Job(runtime=100, shape=Shape("2-8", 8, cost=5))
    found = stages({"processors": 8}, (0, job), outages=tt.Outages.of([(20, 30, "1-2")]))
    assert found == {0: [(0.0, 20.0, 8), (20.0, 30.0, 6), (30.0, 111.25, 8)]}


@pytest.mark.parametrize("announced", [10, 20])
def test_a_window_on_processors(announced: int) -> None:
    """A window takes 3 of 8: the younger job gives back two, the older one, as many as they can, and nobody leaves."""
    jobs = (0, tt.Job(runtime=100, shape=Shape("3-4", 4))), (1, tt.Job(runtime=100, shape=Shape("2-4", 4)))
    window = tt.Window(20, 500, processors=3, rule="requeue", announced=announced)
    found = stages({"processors": 8}, *jobs, windows=[window])
    assert found == {
        0: [(0.0, 20.0, 4), (20.0, 20 + 80 * 4 / 3 // 2**-10 * 2**-10 + 2**-10, 3)],
        1: [(1.0, 20.0, 4), (20.0, found[1][1][1], 2), *found[1][2:]],
    }


def test_a_window_on_nodes() -> None:
    """A window takes the second of two nodes, and the job goes on on the first."""
    window = tt.Window(20, 30, processors=(NODES.names[1],), rule="kill", announced=20)
    found = stages({"nodes": NODES}, (0, tt.Job(runtime=100, shape=Shape("2-8", 8))), windows=[window])
    assert found == {0: [(0.0, 20.0, 8), (20.0, 30.0, 4), (30.0, 105.0, 8)]}


def test_others_plan_with_sizes_that_do_not_change() -> None:
    """Jobs go on with what is left under policies alone that know of sizes."""
    with pytest.raises(ValueError, match="on_failure = 'shrink' cannot be combined with policies that choose no sizes"):
        tt.run(tt.MachineSpec(8, "easy", changes=tt.Changes(on_failure="shrink")), tt.sources.log(log(4)))


def log(jobs: int) -> tt.Trace:
    """Jobs of some sizes and run times."""
    rng = np.random.default_rng(jobs)
    return tt.Trace({"submit": np.sort(rng.integers(0, 900, jobs)), "runtime": rng.integers(1, 300, jobs),
                     "allocated": rng.integers(1, 9, jobs)})  # fmt: skip


@pytest.mark.parametrize("machine", [{"processors": 12}, {"nodes": tt.Nodes.uniform(4, 3)}], ids=["pool", "nodes"])
@pytest.mark.parametrize("seed", range(4))
def test_work_adds_up_whatever_fails(machine: dict[str, Any], seed: int) -> None:
    """With random failures, every job finishes, and its stages have done its work, but for what runs have lost."""
    rng = np.random.default_rng(seed)
    jobs = [
        (float(time), tt.Job(runtime=int(rng.integers(20, 200)), shape=Shape("2-8", int(rng.integers(2, 9)))))
        for time in np.sort(rng.integers(0, 400, 25))
    ]

    def user(env: Any, machine: tt.Machine) -> Any:
        for time, job in jobs:
            yield env.timeout(time - env.now)
            machine.submit(job)

    failures = tt.Failures(mtbf="10min", mttr="1min", seed=seed)
    changes = tt.Changes(failures=failures, on_failure="shrink")
    policy = "shapes:expand=smallest,shrink=latest,base=easy"
    result = tt.run(tt.MachineSpec(policy=policy, changes=changes, **machine), user)
    runs = result.history.runs
    assert runs.ended("resized").any() and (runs.processors >= 2).all() and (runs.processors <= 8).all()
    done = runs.summed(runs.processors * runs.progress, len(result))
    assert np.allclose(done, [job.runtime * job.processors for _, job in jobs], atol=0.05)
