"""Laws of caps on power that hold for all rules."""

import random
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from tests.models.power.test_cap_against_reference import runs_of
from thinktime.models.policies.spec import RULES

OVERRUN = ("kill", "extend", "until_needed")
MACHINES = ("pool", "nodes", "nodes of several processors")


def overrun_of(rule: str, seed: int) -> str:
    """What happens at estimates: each in turn, of what can be combined with a rule."""
    some = OVERRUN[:2] if rule == "shapes" else OVERRUN
    return some[(seed + len(rule)) % len(some)]


def under(rule: str) -> str:
    """A rule as it is used where nothing is known of users before."""
    return "slack:awt=100" if rule == "slack" else rule


def asked(seed: int, whole: int = 1, power: int | None = None) -> list[tuple[float, tt.Job]]:
    """Jobs of three users with their submissions. ``whole`` is how many processors are asked for together."""
    rng = random.Random(f"{seed} {whole}")
    found, time = [], 0
    for number in range(1, rng.randint(8, 20) + 1):
        time += rng.choice([0, 0, 1, 3, 8])
        estimate = rng.choice([1, 2, 5, 8, 10, 20])
        width = rng.randint(1, 4)
        job = tt.Job(
            id=number,
            runtime=rng.choice([estimate, rng.randint(0, 25)]),
            estimate=estimate,
            processors=width * whole,
            nodes=f"{width}:ppn={whole}" if whole > 1 else None,
            power=rng.choice([0, 5, 10, 15, 30]) if power is None else power,
            user=rng.choice("abc"),
        )
        found.append((time, job))
    return found


def ran(machine: tt.MachineSpec, jobs: list[tuple[float, tt.Job]]) -> tt.Result:
    """The result of the jobs on a machine."""

    def users(env, machine):
        for time, job in jobs:
            if time > env.now:
                yield env.timeout(time - env.now)
            machine.submit(job)
        yield env.timeout(0)

    return tt.run(machine, users)


def times(result: tt.Result) -> list[list[float]]:
    """Starts and ends; -1 where there is none."""
    return [np.nan_to_num(result[name], nan=-1.0).tolist() for name in ("start", "end")]


def sized(kind: str, processors: int) -> dict[str, object]:
    """The size of a machine of a kind; several processors to a node are four."""
    if kind == "pool":
        return {"processors": processors}
    return {"nodes": tt.Nodes.uniform(processors // 4, 4) if kind == MACHINES[2] else tt.Nodes.uniform(processors, 1)}


def changing(machine: tt.MachineSpec, *windows: tt.Window) -> tt.MachineSpec | None:
    """The machine with windows; None where the table of impossible combinations has it."""
    if machine.overrun == "until_needed":
        machine = replace(machine, overrun="kill")
    machine = replace(machine, changes=tt.Changes(windows))
    try:
        machine.check()
    except ValueError:
        return None
    return machine


ALL = [name for name in RULES if name != "recorded"]
COUNTING = ("none", "no-guarantee", "easy", "cplant", "creasy")
"""Rules that reserve no nodes: whole nodes that are alike are a number to them."""
EQUAL = [
    *((rule, kind) for rule in ALL if rule not in ("ostrich", "faircamp") for kind in MACHINES[:2]),
    *((rule, MACHINES[2]) for rule in COUNTING),
]
"""Rules for which a cap is as fewer processors: virtual schedules and deadlines go by all that the machine has."""


def check_never_binding(rule: str, kind: str, overrun: str, seed: int) -> None:
    """A cap of what all processors could draw together, and a step as high, change no start."""
    plain = tt.MachineSpec(policy=under(rule), overrun=overrun, **sized(kind, 8))
    jobs, idle, most = asked(seed), 2, 8 * (2 + 30)
    assert times(ran(replace(plain, power=tt.Power(idle=idle, cap=most)), jobs)) == times(ran(plain, jobs))
    step = tt.Window(10, 30, kind="cap", watts=most, announced=5, rule="kill")
    if (without := changing(plain)) and (capped := changing(replace(plain, power=tt.Power(idle=idle)), step)):
        assert times(ran(capped, jobs)) == times(ran(without, jobs))


def check_equal_watts(rule: str, kind: str, overrun: str, seed: int) -> None:
    """If all processors draw the same, a cap for some of them is a machine that has only these.

    Where jobs have nodes, those are evicted on the smaller machine that are on the nodes of one that starts, and below
    the cap those that have outlived their estimates for longest.
    """
    whole = 4 if kind == MACHINES[2] else 1
    if whole > 1 and overrun == "until_needed":
        overrun = "extend"
    small = tt.MachineSpec(policy=under(rule), overrun=overrun, **sized(kind, 5 * whole))
    large = replace(small, power=tt.Power(cap=5 * whole * 20), **sized(kind, 8 * whole))
    jobs = asked(seed, whole, power=20)
    assert times(ran(large, jobs)) == times(ran(small, jobs))


def check_as_memory(rule: str, overrun: str, seed: int) -> None:
    """On a single node memory is a number, too, so watts are what memory is, whatever each job draws."""
    rule, jobs = under(rule), below(75, asked(seed))
    roomy = tt.MachineSpec(policy=rule, overrun=overrun, nodes=tt.Nodes.uniform(1, 6, memory=75))
    capped = replace(roomy, nodes=tt.Nodes.uniform(1, 6), power=tt.Power(cap=75))
    with_memory = [
        (time, replace(job, nodes=f"1:ppn={job.processors}:mem={job.processors * int(job.power or 0)}b"))
        for time, job in jobs
    ]
    assert times(ran(capped, jobs)) == times(ran(roomy, with_memory))


def check_alike(rule: str, overrun: str, seed: int) -> None:
    """Nodes of one processor make the schedule of a pool below a cap as well, whatever each job draws."""
    rule, jobs = under(rule), below(75, asked(seed))
    pool = tt.MachineSpec(8, rule, overrun, power=tt.Power(cap=75))
    nodes = replace(pool, processors=None, nodes=tt.Nodes.uniform(8, 1))
    assert times(ran(nodes, jobs)) == times(ran(pool, jobs))


def below(cap: int, jobs: list[tuple[float, tt.Job]]) -> list[tuple[float, tt.Job]]:
    """The jobs that may run at all."""
    return [(time, job) for time, job in jobs if job.processors * (job.power or 0) <= cap]


def check_below_cap(rule: str, kind: str, overrun: str, seed: int) -> None:
    """Second by second, what runs draws no more than the cap of that second, if jobs leave where it falls."""
    rng = random.Random(seed)
    cap = rng.choice([70, 100, 120])
    manner = rng.choice(["kill", "requeue", "suspend"])
    steps = [(15, 40, cap // 2), (40, 50, cap // 4), (60, 80, cap // 3)]
    caps = [
        tt.Window(start, end, kind="cap", watts=watts, announced=rng.choice([None, start - 5]), rule=manner)
        for start, end, watts in steps
    ]
    machine = tt.MachineSpec(policy=under(rule), overrun=overrun, power=tt.Power(cap=cap), **sized(kind, 8))
    jobs = below(cap, asked(seed))
    assert seconds_above(ran(machine, jobs), cap) == []
    if stepping := changing(machine, *caps):
        assert seconds_above(ran(stepping, jobs), cap, steps) == []


def seconds_above(result: tt.Result, cap: float, steps: Iterable[tuple[int, int, float]] = ()) -> list[int]:
    """The seconds in which what runs draws together more than the cap of that second."""
    watts = dict(zip(result["id"].tolist(), (result["processors"] * result["power"]).tolist(), strict=True))
    runs = runs_of(result)
    found = []
    for second in range(max((run.end for run in runs), default=0)):
        drawn_now = sum(watts[run.job] for run in runs if run.start <= second < run.end)
        if drawn_now > min([cap, *(less for start, end, less in steps if start <= second < end)]):
            found.append(second)
    return found


@pytest.mark.parametrize("many", few_or_many(1, 60))
@pytest.mark.parametrize(("rule", "kind"), in_turn(3, ALL, MACHINES))
def test_a_cap_that_never_binds_changes_no_start_to_the_watt(rule: str, kind: str, many: int) -> None:
    """The cap is the most that jobs ever draw together without it."""
    for seed in range(many):
        check_never_binding(rule, kind, overrun_of(rule, seed), seed)


@pytest.mark.parametrize("many", few_or_many(1, 60))
@pytest.mark.parametrize("pair", in_turn(3, EQUAL), ids=str)
def test_a_cap_with_equal_watts_is_a_machine_of_fewer_processors(pair: tuple[str, str], many: int) -> None:
    """But for rules that go by the size of the machine, and those whose reservations hold nodes."""
    rule, kind = pair
    for seed in range(many):
        check_equal_watts(rule, kind, overrun_of(rule, seed), seed)


@pytest.mark.parametrize("many", few_or_many(1, 60))
@pytest.mark.parametrize("rule", ALL)
def test_below_a_cap_watts_are_as_memory_and_nodes_of_one_processor_as_a_pool(rule: str, many: int) -> None:
    """On one node memory is a number, as watts are; whatever each job draws."""
    for seed in range(many):
        check_as_memory(rule, overrun_of(rule, seed), seed)
        check_alike(rule, overrun_of(rule, seed), seed)


@pytest.mark.parametrize("many", few_or_many(1, 60))
@pytest.mark.parametrize(("rule", "kind"), in_turn(3, ALL, MACHINES))
def test_what_runs_never_draws_more_than_the_cap(rule: str, kind: str, many: int) -> None:
    """Second by second, also below caps at which jobs leave."""
    for seed in range(many):
        check_below_cap(rule, kind, overrun_of(rule, seed), seed)
