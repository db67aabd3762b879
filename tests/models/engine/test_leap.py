"""No result, no event and nothing that can be seen depends on leaping."""

from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from tests.models.changes.machines import CHANGING, EVERY, changing_nodes
from tests.models.engine.people import both, people, schedule, seen_by_people
from tests.models.engine.schedules import PROCESSORS
from tests.models.engine.sources import NODES, SOURCES, Count, from_sources, trace
from tests.models.policies.multifactor.test_schedules import OF_SITES, SITE
from thinktime import Job

RULES = [
    "none", "no-guarantee:order=sjf", "easy", "easy:order=largest", "easy:reservations=3", "easy:order=lxf",
    "none:order=unicef", "easy:order=wfp3,reservations=2", "easy:order=fairshare", "conservative:order=lxf",
    "conservative:order=fairshare,compress=event", "conservative-dynamic:order=fairshare,half_life=30s",
    "easy:order=relshare", "easy:order=relshare,resort=start,window=6h", "conservative:order=relshare",
    "cplant:starve=10s,barred=heavy,order=relshare", "creasy", "conservative", "conservative:compress=event,order=sjf",
    "conservative:compress=scheduled", "conservative:compress=none", "conservative-dynamic", "cplant:starve=20s",
    "cplant:starve=20s,barred=heavy", "cplant:starve=10s,barred=heavy,quantile=0.4,order=fairshare,half_life=30s",
    "cplant:starve=10s,order=sjf", "tradeoff:limit=20", "tradeoff-fs:limit=20,algorithm=lds,prune=yes", "recorded",
    "ostrich", "ostrich:corrected=yes,threshold=20,shares=ada*0.1+bob*3",
    "ostrich:held_back=no,within=mlpt,threshold=5,backfilling=none", "ostrich-slurm:shares=eve*2",
    "faircamp:threshold=3,within=fcfs", "slack:awt=30", "slack:awt=10+40,classes=10,heuristic=dp,delayed=removed",
    "slack:awt=30,every=2,tick=yes", "easy:runtime_limit=15s", "conservative:order=f2,runtime_limit=15s",
]  # fmt: skip
OVERRUNS = ["kill", "extend", "until_needed"]
ON_NODES = [
    "none:order=lxf", "no-guarantee", "easy", "easy:order=fairshare", "easy:reservations=2", "easy:runtime_limit=15s",
    "conservative", "conservative:compress=event,order=sjf", "conservative:compress=scheduled,order=lxf",
    "conservative-dynamic:order=fairshare,half_life=30s", "cplant:starve=10s,barred=heavy", "creasy",
    "ostrich:corrected=yes,threshold=5", "ostrich-slurm", "faircamp",
]  # fmt: skip
ON_CHANGES = [
    "none", "no-guarantee:order=sjf", "easy", "easy:reservations=3,order=lxf", "easy:order=fairshare,half_life=30s",
    "conservative", "conservative:compress=event,order=sjf", "conservative:compress=none", "ostrich:corrected=yes",
    "conservative-dynamic:order=fairshare,half_life=30s", "cplant:starve=20s,order=fairshare,half_life=30s",
    "ostrich-slurm:threshold=9",
]  # fmt: skip
ON_CHANGING_NODES = [*ON_CHANGES[:9], "cplant:starve=20s", "ostrich", "faircamp"]
MACHINES: dict[str, dict[str, Any]] = {
    "pool": {}, "nodes": {"nodes": NODES}, "site": {"site": SITE},
    **{f"pool, {name}": {"changes": changes} for name, changes in CHANGING.items()},
    "nodes, usual": {"nodes": NODES, "changes": changing_nodes()},
    "nodes, told": {"nodes": NODES, "changes": changing_nodes(repairs="told")},
}  # fmt: skip
CHANGING_POOLS = [name for name in MACHINES if name.startswith("pool, ")]
CHANGING_NODES = ["nodes, usual", "nodes, told"]


@pytest.mark.parametrize("how_many", few_or_many(1, 4))
@pytest.mark.parametrize(
    ("policy", "machine", "overrun"),
    [
        *in_turn(9, RULES, ["pool"], OVERRUNS),
        *in_turn(9, ON_NODES, ["nodes"], OVERRUNS),
        *in_turn(31, ON_CHANGES, CHANGING_POOLS, OVERRUNS[:2]),
        *in_turn(31, ON_CHANGING_NODES, CHANGING_NODES, OVERRUNS[:2]),
        *in_turn(2, OF_SITES, ["site"], ["kill", "until_needed"]),
    ],
)
def test_people_see_the_same(monkeypatch, policy, machine, overrun, how_many):
    """On every machine, users who wait, cancel, hold, watch, look around and worry see the same in the same order."""
    for seed in range(how_many):
        step_by_step, leaping = both(monkeypatch, seen_by_people, seed, policy, overrun, **MACHINES[machine])
        assert step_by_step == leaping


@pytest.mark.parametrize("how_many", few_or_many(2, 4))
@pytest.mark.parametrize("policy", ["easy", "conservative:compress=event", "conservative-dynamic"])
def test_two_machines_in_one_environment(monkeypatch, policy, how_many):
    """Machines that share a clock leap from one's events to the other's."""
    for seed in range(how_many):
        step_by_step, leaping = both(monkeypatch, seen_by_people, seed, policy, "kill", 2)
        assert step_by_step == leaping


def by_hand(seed, policy):
    """A script goes from event to event, and looks at the machine after each time that has come."""
    env, diary = people(seed, policy, "kill")
    time = 0.0
    while env.peek() < float("inf"):
        env.step()
        if env.peek() > env.now > time:
            time = env.now
            diary.look()
    return diary.lines, [schedule(machine) for machine in diary.machines]


def in_pieces(seed, policy):
    """A script runs for a while, looks at the machine, submits, and runs on."""
    env, diary = people(seed, policy, "kill")
    for piece in (0.25, 3, 17, 60.5, 200, 1000):
        env.run(until=env.now + piece)
        diary.look()
        event = diary.machines[0].submit(Job(runtime=3, processors=2, estimate=5))
        diary.note("own", env.run(until=event))
        diary.look()
    env.run()
    return diary.lines, [schedule(machine) for machine in diary.machines], env.now


@pytest.mark.parametrize("how_many", few_or_many(1, 4))
@pytest.mark.parametrize("model", [by_hand, in_pieces])
@pytest.mark.parametrize("policy", ["easy", "conservative", "conservative:compress=event", "ostrich"])
def test_whoever_looks_between_events_sees_the_same(monkeypatch, model, policy, how_many):
    """A machine is never ahead of the clock for a script that steps by hand or runs in pieces."""
    for seed in range(how_many):
        step_by_step, leaping = both(monkeypatch, model, seed, policy)
        assert step_by_step == leaping


def one_at_a_time(view, now):
    """A policy of one's own, which returns a part of the queue itself."""
    return view.waiting[:1] if view.free == view.capacity else None


def polite(view, now):
    """A policy of one's own: the first waiting job that fits."""
    return next(([job] for job in view.queue if view.fits(job)), None)


OF_LOGS = [
    "easy", "conservative", "easy:runtime_limit=15s", "conservative:order=f2", "easy:order=f1,runtime_limit=15s",
    "easy:order=fairshare", "ostrich:corrected=yes", "easy:order=age*10+fairshare*100,accrual=slurm", one_at_a_time,
]  # fmt: skip
WAYS = {
    "usual": {}, "last two": {"estimates": "last-two"}, "factor": {"estimates": "factor=0.5", "overrun": "extend"},
    "until needed": {"overrun": "until_needed"}, "observed": {"observed": True},
}  # fmt: skip


@pytest.mark.parametrize(
    ("source", "policy", "machine", "way"),
    [
        *in_turn(8, SOURCES, OF_LOGS, ["pool"], ["usual", "last two", "factor", "observed"]),
        *in_turn(8, SOURCES, ON_NODES[2:12:4], ["nodes"], ["last two", "factor", "until needed"]),
        *in_turn(22, EVERY, ["easy", "conservative", polite], CHANGING_POOLS, ["usual"]),
        *in_turn(22, EVERY, ["easy", "conservative", "cplant", "ostrich", polite], CHANGING_NODES, ["usual"]),
        *in_turn(2, ["open", "feedback", "drawn"], [*OF_SITES[1:4], OF_SITES[-2]], ["site"], ["usual"]),
    ],
)
def test_every_source_is_the_same(monkeypatch, source, policy, machine, way):
    """Logs, dependencies, feedback, drawn users, campaigns and processes give the same results on every machine."""
    step_by_step, leaping = both(monkeypatch, from_sources, policy, EVERY[source], **MACHINES[machine], **WAYS[way])
    assert step_by_step == leaping


@pytest.mark.parametrize("every", few_or_many(20, 2))
@pytest.mark.parametrize("policy", in_turn(2, RULES))
def test_an_observer_may_come_at_any_time(policy, every):
    """An observer that begins in the middle, at an end before its pass too, changes no start."""

    def observed_from(moment, job=None):
        env, observer = simpy.Environment(), Count()
        machine = tt.Machine(env, PROCESSORS, policy)
        rows = machine.load(trace(6))

        def later():
            yield env.timeout(moment) if job is None else machine.watch(rows[job : job + 1])
            machine.observe(observer)

        env.process(later())
        machine.announce(rows)
        env.run()
        return schedule(machine)[0], len(observer.seen)

    starts, seen = observed_from(0)
    assert seen > 20
    for moment in np.arange(0.5, 160, 4.75 * every).tolist():
        assert repr(observed_from(moment)[0]) == repr(starts)
    for job in range(0, 40, every):
        assert repr(observed_from(0, job)[0]) == repr(starts)
