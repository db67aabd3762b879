"""On request, a result says why each job last did not start."""

from itertools import product

import numpy as np
import pytest

import thinktime as tt
from tests.models.engine.schedules import PROCESSORS, workload
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.models.state import Reason
from thinktime.workloads.nodes import Nodes

NONE, ROOM, HEAD, RESERVATION, POLICY, LIMIT = Reason


def trace(jobs):
    """A log from (submit, run time, processors)."""
    submit, runtime, width = zip(*jobs, strict=True)
    return tt.Trace({"submit": submit, "runtime": runtime, "allocated": width})


CROWD = trace([(0, 10, 3), (1, 10, 4), (2, 20, 1), (3, 5, 1), (30, 1, 1)])
"""A head that waits for the whole machine, one job that would delay it, one that would not, and a latecomer."""


def own(view, now):
    """A policy that lets one job run at a time."""
    return view.waiting[:1] if view.free == view.capacity else None


@pytest.mark.parametrize(
    ("policy", "reasons"),
    [
        ("none", [NONE, ROOM, ROOM, ROOM, NONE]),
        ("easy", [NONE, ROOM, ROOM, NONE, NONE]),
        ("no-guarantee", [NONE, ROOM, NONE, ROOM, ROOM]),
        ("conservative", [NONE, ROOM, ROOM, NONE, NONE]),
        (own, [NONE, ROOM, ROOM, POLICY, POLICY]),
    ],
)
def test_the_last_pass_that_found_a_job_waiting(policy, reasons):
    """A job's reason is that of the last pass in which it did not start."""
    result = tt.replay(CROWD, policy, 4, reasons=True)
    assert result["reason"].tolist() == reasons
    assert result.jobs["reason"].tolist() == [reason.label for reason in reasons]


@pytest.mark.parametrize(
    ("policy", "reason"), [("none", HEAD), ("easy", RESERVATION), ("slack:awt=0", RESERVATION), (own, POLICY)]
)
def test_who_has_room_waits_for_another_reason(policy, reason):
    """While the head waits, a long narrow job has room, and waits all the same."""
    result = tt.run(tt.MachineSpec(4, policy, reasons=True), tt.sources.log(CROWD.select(np.arange(5) < 3)), until=5)
    assert result["reason"].tolist() == [NONE, ROOM, reason]


def test_who_is_beyond_a_limit_waits_for_that():
    """Of three jobs of one user, one may run at a time; there is room for the second, and not for the third."""
    site = tt.Site(qos=[QOS("normal", limits=Limits(max_jobs=1))], enforce=frozenset({"limits"}))
    jobs = trace([(0, 10, 2), (1, 10, 1), (2, 10, 4)]).with_columns(user=[1, 1, 1])
    result = tt.run(tt.MachineSpec(4, "easy", reasons=True, site=site), tt.sources.log(jobs), until=5)
    assert result["reason"].tolist() == [NONE, LIMIT, LIMIT]
    assert result.labels("limit").tolist() == [None, *["max_jobs of QOS normal"] * 2]
    assert result.jobs["limit"].fillna("").tolist() == ["", *["max_jobs of QOS normal"] * 2]


@pytest.mark.parametrize("changes", [None, tt.Changes()], ids=["as it is", "changing"])
@pytest.mark.parametrize("size", [{"processors": 4}, {"nodes": Nodes.uniform(4, 1)}], ids=["processors", "nodes"])
def test_each_is_told_the_limit_that_binds_it(size, changes):
    """One limit is on a user's jobs, one on the processors of all, and one on those of a job."""
    limits = {"a": Limits(max_jobs=1), "b": Limits(group_tres={"cpu": 1}), "c": Limits(max_tres={"cpu": 1})}
    site = tt.Site(qos=[QOS(name, limits=each) for name, each in limits.items()], enforce=frozenset({"limits"}))
    jobs = trace([(0, 20, 1)] * 4 + [(0, 20, 2), (0, 20, 1)])
    jobs = jobs.with_columns(user=[1, 1, 2, 3, 4, 4], queue=[0, 0, 1, 1, 2, 2])
    jobs = jobs.with_names({"queue": {0: "a", 1: "b", 2: "c"}})
    spec = tt.MachineSpec(policy="easy", reasons=True, site=site, changes=changes, **size)
    result = tt.run(spec, tt.sources.log(jobs), until=5)
    assert result["reason"].tolist() == [NONE, LIMIT, NONE, LIMIT, LIMIT, NONE]
    found = result.labels("limit").tolist()
    assert found == [None, "max_jobs of QOS a", None, "group_tres (cpu) of QOS b", "max_tres (cpu) of QOS c", None]


@pytest.mark.parametrize("policy", ["none", "easy:order=lxf", "conservative", "cplant:starve=10s", "slack:awt=30"])
@pytest.mark.parametrize("overrun", ["kill", "until_needed"])
def test_asking_changes_no_schedule_and_leaps_give_the_same_reasons(monkeypatch, policy, overrun):
    """With reasons the schedule is the same, and so are the reasons without leaps."""
    log = workload(60, 3)
    plain = tt.replay(log, policy, PROCESSORS, overrun=overrun)
    found = []
    for value in ("1", "0"):
        monkeypatch.setenv("THINKTIME_LEAP", value)
        found.append(tt.replay(log, policy, PROCESSORS, overrun=overrun, reasons=True))
    assert np.array_equal(found[0]["start"], plain["start"], equal_nan=True)
    assert found[0]["reason"].tolist() == found[1]["reason"].tolist()
    waited = found[0]["start"] > found[0]["submit"]
    assert (found[0]["reason"][waited] != NONE).all()
    assert "reason" not in plain.columns


@pytest.mark.parametrize(("policy", "reason"), [("none", HEAD), ("easy", RESERVATION)])
def test_who_has_room_on_nodes_waits_for_another_reason(policy, reason):
    """The same on nodes: a job that has room on them is not said to have none."""
    spec = tt.MachineSpec(policy=policy, nodes=Nodes.uniform(2, 2), reasons=True)
    result = tt.run(spec, tt.sources.log(CROWD.select(np.arange(5) < 3)), until=5)
    assert result["reason"].tolist() == [NONE, ROOM, reason]


def test_on_nodes_room_is_on_the_nodes():
    """Two halves of two nodes are no room for a whole one."""
    jobs = [tt.Job(runtime=9, processors=1, nodes="1:ppn=1")] * 2 + [tt.Job(runtime=9, processors=2, nodes="1:ppn=2")]
    import simpy

    env = simpy.Environment()
    machine = tt.Machine(env, policy="easy", nodes=Nodes.uniform(2, 2), allocator="worst-fit", reasons=True)
    for job in jobs:
        machine.submit(job)
    env.run(until=5)
    assert machine.result()["reason"].tolist() == [NONE, NONE, ROOM]
    assert np.isnan(machine.result()["start"][2])


MACHINES = {
    "processors": {"processors": 16},
    "nodes": {"nodes": Nodes.uniform(16, 1)},
    "changing": {"processors": 16, "changes": tt.Changes(windows=(tt.Window(100, 150, processors=8),))},
}


SEGMENTS = [(machine, "easy:runtime_limit=15s") for machine in ("processors", "nodes")]  # not on those that change


@pytest.mark.parametrize(("machine", "policy"), [*product(MACHINES, ["easy", "conservative"]), *SEGMENTS])
def test_the_limit_that_is_named_was_reached(machine, policy):
    """At the last event before its start, the user of such a job has two, or with it too many processors are in use."""
    limits = Limits(max_jobs=2, group_tres={"cpu": 12})
    site = tt.Site(qos=[QOS("normal", limits=limits)], enforce=frozenset({"limits"}))
    log = workload(120, 5)
    log = log.with_columns(user=np.random.default_rng(1).integers(1, 6, len(log)))
    result = tt.run(tt.MachineSpec(policy=policy, site=site, reasons=True, **MACHINES[machine]), tt.sources.log(log))
    start, end, user, width = (result[name] for name in ("start", "end", "user", "processors"))
    events, named = np.unique(np.concatenate([result["submit"], start, end])), result.labels("limit")
    held = [row for row in np.flatnonzero(result["reason"] == LIMIT).tolist() if np.isfinite(start[row])]
    for row in held:
        then = events[np.searchsorted(events, start[row]) - 1]
        runs = (start <= then) & (end > then)
        if named[row] == "max_jobs of QOS normal":
            assert (runs & (user == user[row])).sum() == 2
        else:
            assert named[row] == "group_tres (cpu) of QOS normal"
            assert width[runs].sum() <= 12 < width[runs].sum() + width[row]
    assert len({named[row] for row in held}) == 2
    assert all((label is None) == (reason != LIMIT) for label, reason in zip(named, result["reason"], strict=True))
