"""The law of the cut: what goes on from a state is the rest of the run that was never cut, to the last bit.

It is so of states in memory and of states in files: a few of them in each run of the tests, all in a thorough one.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.frozen.cases import OVERRUNS, POLICIES, PROCESSORS, log, machines
from tests.how_many import few_or_many, in_turn
from tests.models.machine.cuts import MOMENTS, digest, going_on, meters, persons, taking, through_a_file
from tests.users.calibrated.fitting import at_random
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.time_limits import TimeLimits

MACHINES = list(machines())
UNTIL = 700.0
"""After all that can happen; a hold may last for ever."""
SOURCES = ("log", "dependencies", "feedback", "calibrated")


def _source(name: str, given: tt.Trace) -> Any:
    """A source of a log's jobs."""
    of: Any = getattr(tt.sources, name)
    return of(given, at_random(given, 1, never=0.0, spread=0.3)) if name == "calibrated" else of(given)


def _run(spec: tt.MachineSpec, *sources: Any, **how: Any) -> tt.Result | None:
    """The result; None if these cannot be combined."""
    try:
        return tt.run(spec, *sources, **how)
    except ValueError as error:
        if "cannot be combined" not in str(error):
            raise
        return None


def _random(*case: Any) -> np.random.Generator:
    return np.random.default_rng(list(repr(case).encode()))


def _check_log(machine: str, policy: str, overrun: str, source: str, in_files: slice) -> int:
    """Cut a replay at random instants, some of the states being in files; how many cuts there were."""
    if source == "dependencies" and "limits" in machine:
        return 0  # jobs whose predecessors a limit keeps waiting would never be submitted
    spec, rng = replace(machines()[machine], policy=policy, overrun=overrun), _random(machine, policy, overrun, source)
    given = _source(source, log(int(rng.integers(100))))
    times = np.append(np.sort(rng.integers(0, 320 * 8, 2) / 8), rng.integers(320, 400))
    states: list[tt.MachineState] = []
    if (alone := _run(spec, given)) is None:
        return 0
    whole = tt.run(spec, given, taking(times.tolist(), states))
    assert digest(whole) == digest(alone), "to take a state changes nothing"
    states[in_files] = map(through_a_file, states[in_files])
    for state in states:
        assert digest(tt.run(tt.MachineSpec(begin=state))) == digest(whole), state
    return len(states)


def _check_persons(machine: str, policy: str, overrun: str, moment: str, in_files: slice) -> int:
    """Cut a run in which users act, who go home at the cut; how many cuts there were."""
    spec, rng = replace(machines()[machine], policy=policy, overrun=overrun), _random(machine, policy, overrun, moment)
    states: list[tt.MachineState] = []
    seed, until = int(rng.integers(99)), float(rng.integers(1, 600) / 4)
    whole = _run(spec, persons(seed, until, moment, states), until=UNTIL)
    if whole is None or policy == "recorded":
        return 0
    states[in_files] = map(through_a_file, states[in_files])
    for state in states:
        assert digest(tt.run(spec, begin=state, until=UNTIL)) == digest(whole), state
    return len(states)


def _in_files(place: int, turns: int) -> slice:
    """Which of three states go through files: one, or all."""
    return slice(None) if turns > 1 else slice(place % 3, place % 3 + 1)


@pytest.mark.compiled
@pytest.mark.parametrize("turns", few_or_many(1, 9))
@pytest.mark.parametrize(("machine", "part"), in_turn(24, MACHINES, range(24)))
def test_replays_that_are_cut_go_on(machine, part, turns):
    """Under every policy, on every machine: a log, dependencies, feedback and hazards, which go on by themselves."""
    every = [(policy, place, k) for place, policy in enumerate(POLICIES[part::24]) for k in range(turns)]
    cuts = (
        _check_log(machine, p, OVERRUNS[(place + k) % 3], SOURCES[(place + k // 3) % 4], _in_files(place, turns))
        for p, place, k in every
    )
    assert sum(cuts)


@pytest.mark.compiled
@pytest.mark.parametrize("turns", few_or_many(1, 12))
@pytest.mark.parametrize(("machine", "part"), in_turn(24, MACHINES, range(24)))
def test_what_users_have_done_goes_on(machine, part, turns):
    """Jobs of users with holds, cancellations, conditions and arrays, cut at any moment of an instant."""
    every = [(policy, place + k) for place, policy in enumerate(POLICIES[part::24]) for k in range(turns)]
    assert sum(
        _check_persons(machine, policy, OVERRUNS[k % 3], MOMENTS[k % 4], _in_files(k, turns)) for policy, k in every
    )


METERED = [
    ("pool of a site with limits", "easy:order=multifactor"),
    ("nodes of a site with limits", "slurm:bf_interval=7s,order=multifactor"),
    ("pool with estimates of the last two", "easy:order=fairshare,half_life=30s"),
    ("pool", "easy:order=age*9+fairshare*99,accrual=slurm,ticks=9s"),
]


@pytest.mark.parametrize(("machine", "policy"), METERED)
def test_meters_go_on(machine, policy):
    """What limits and accounts have counted, and what estimators have learned, is the same later on, bit by bit."""
    spec, states, found = replace(machines()[machine], policy=policy), [], []

    def look(env: simpy.Environment, machine: tt.Machine) -> Any:
        for time in (100.5, 180, 250, 300):
            if time > env.now:
                yield env.timeout(time - env.now)
                states.append(machine.state())
                found.append((time, meters(machine)))

    tt.run(spec, log(4), look)
    whole, first = list(found), through_a_file(states[0])
    assert any(any(each) for each in whole[0][1]), "something was counted"
    found.clear()
    tt.run(spec, look, begin=first)
    assert found == whole[1:]


def _site(mode: str, kept: str) -> tt.Site:
    """Partitions with tiers, a QOS that preempts, limits, and ends of jobs at sweeps."""
    return tt.Site(
        nodes=tt.Nodes([tt.Cluster("n", 4, {"processors": 4})]),
        partitions=(Partition("low", default=True), Partition("high", nodes=("n1", "n2"), tier=2)),
        qos=(QOS("urgent", preempts=("normal",), preempt_mode=mode), QOS("normal", limits=Limits(max_jobs=5))),
        preemption=Preemption("qos", mode, requeue_delay=9),
        time_limits=TimeLimits(kept, sweep=30),
        priority=PriorityRules("multifactor", age=500, max_age=60, fairshare=1000, job_size=90),
        enforce=frozenset({"limits", "qos"}),
    )


@pytest.mark.parametrize(("mode", "kept"), in_turn(2, ["requeue", "cancel", "suspend"], ["exact", "slurm"]))
def test_a_site_goes_on(mode, kept):
    """Jobs in several partitions, that preempt others or were suspended, and are ended at sweeps; users come again."""
    rng = _random(mode, kept)
    jobs = []
    for time in np.sort(rng.integers(0, 300, 60)).tolist():
        estimate = float(rng.choice([10, 40, 70, 130]))
        job = tt.Job(
            runtime=float(rng.integers(0, 1.3 * estimate)), estimate=estimate, processors=int(rng.choice([1, 2, 4, 8])),
            user=f"u{rng.integers(3)}", queue="urgent" if rng.random() < 0.2 else "normal",
            partition=str(rng.choice(["low", "high", "low,high"])),
        )  # fmt: skip
        jobs.append((float(time), job))
    spec, states = tt.MachineSpec.of_site(_site(mode, kept)), list[tt.MachineState]()
    whole = tt.run(spec, going_on(jobs), taking([50.5, 101.5, 190.25, 333], states))
    assert whole["runs"].any() and len(whole) == 60
    for state in (*states[:2], *map(through_a_file, states[2:])):
        assert digest(tt.run(spec, going_on(jobs), begin=state)) == digest(whole), state


def test_what_comes_can_be_replaced():
    """Without arrivals, the rest of the log is submitted by another source; or another log is, or nothing."""
    given, states = log(5), []
    for machine in ("pool", "nodes of a site with limits", "changing nodes"):
        for policy in ("conservative", "slurm:bf_interval=7s", "easy:order=fairshare,half_life=30s", "slack:awt=30"):
            spec = replace(machines()[machine], policy=policy)
            if (whole := _run(spec, given, taking([93.25], states))) is None:
                continue
            alone = states.pop().without_arrivals()
            assert digest(tt.run(spec, given.between(93.25), begin=alone)) == digest(whole)
            none = tt.run(spec, begin=alone)
            assert none["submit"].max() < 93.25 and len(none) < len(whole)
            again = tt.run(spec, given.between(150), begin=alone)
            assert len(none) < len(again) < len(whole)
            assert digest(tt.run(spec, begin=alone)) == digest(none), "runs do not disturb each other"


@pytest.mark.parametrize("source", SOURCES[1:])
def test_no_batch_comes_without_arrivals(source):
    """Batches that wait for others are not submitted either."""
    states: list[tt.MachineState] = []
    tt.run(tt.MachineSpec(PROCESSORS), _source(source, log(5)), taking([93.25], states))
    rest = tt.run(tt.MachineSpec(begin=states[0].without_arrivals()))
    assert (rest["submit"] < 93.25).all() and (rest["state"] != tt.State.WAITING).all()


def test_branches_of_one_state_do_not_leak():
    """Two runs from one state with other newcomers, and then a third one: each is as if it were the only one."""
    states: list[tt.MachineState] = []
    spec = replace(machines()["failing pool"], policy="conservative:order=fairshare,half_life=30s")
    whole = digest(tt.run(spec, log(6), taking([80.5], states)))
    (state,) = states

    def newcomers(env: simpy.Environment, machine: tt.Machine) -> Any:
        for k in range(20):
            machine.submit(tt.Job(runtime=9, processors=1 + k % 9, user=f"new{k % 3}"))
            yield env.timeout(3)

    with_newcomers = digest(tt.run(spec, newcomers, begin=state))
    assert digest(tt.run(spec, begin=state)) == whole
    assert digest(tt.run(spec, newcomers, begin=state)) == with_newcomers != whole


def test_a_cut_of_a_cut_is_a_cut():
    """A state of a run that began from a state is that of the whole run."""
    first, second = [], []
    spec = replace(machines()["changing pool"], policy="easy:preempt=suspend,ranks=1:1,grace=4,victims=lowest")
    whole = tt.run(spec, log(7), taking([70], first))
    tt.run(spec, taking([140], second), begin=first[0])
    assert digest(tt.run(spec, begin=second[0])) == digest(whole)


class Narrow(tt.policies.Policy):
    """A policy of one's own with a memory: at most as many jobs at once as have ended by threes."""

    knows_interruptions = True

    def __init__(self) -> None:
        self.ended: list[int] = []

    def on_end(self, view, rows, now):
        """Count."""
        self.ended.extend(rows.tolist())

    def select(self, view, now):
        """Yield what fits, up to the limit."""
        for request in view.queue:
            if len(view.running) + 1 <= 2 + len(self.ended) // 3 and view.fits(request):
                yield request
                return


def test_agents_that_are_functions_go_on():
    """An agent is asked again and again; what it has seen is no part of it."""
    states: list[tt.MachineState] = []
    spec = tt.MachineSpec(PROCESSORS, tt.policies.Agent(lambda seen, mask: int(mask.nonzero()[0][0])))
    whole = tt.run(spec, log(9), taking([33, 95.5, 200], states))
    assert [digest(tt.run(spec, begin=each)) for each in states] == [digest(whole)] * 3


@pytest.mark.parametrize("machine", ["pool", "nodes", "failing pool", "pool with half of the run times"])
def test_policies_of_ones_own_go_on(machine):
    """A policy in Python is copied, with what it remembers; a function has nothing to remember."""
    for policy in (Narrow(), lambda view, now: [each for each in view.queue if view.fits(each)][:1]):
        states: list[tt.MachineState] = []
        spec = replace(machines()[machine], policy=policy)
        whole = tt.run(spec, log(8), taking([33, 95.5, 200], states))
        assert [digest(tt.run(spec, begin=each)) for each in states] == [digest(whole)] * 3
