"""The machine with a cap on its power against a brute-force reference, start by start."""

import random
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many
from tests.models.power.cases import Case, Job, Outcome, Run, Step
from tests.models.power.reference import schedule
from tests.models.source_text import source

POLICIES = (
    "none",
    "no-guarantee",
    "easy",
    "easy:reservations=2",
    "easy:reservations=4",
    "conservative",
    "conservative:compress=event",
    "conservative:compress=scheduled",
    "conservative:compress=none",
    "conservative-dynamic",
)
OVERRUNS = {
    "": ["kill", "kill", "extend", "until_needed"],
    "wait": ["kill", "extend"],
    "late": ["kill", "extend"],
    "leave": ["kill", "extend"],
    "suspend": ["kill"],
}
"""What may become of overruns, by the kind of steps: none, all known from the beginning, announced late, below which
jobs leave, below which they are suspended. Machines that change have no `until_needed`."""


def drawn(seed: int, steps: str = "", most: int = 20) -> Case:
    """A case in which the cap often binds. ``steps`` says what its steps may be (`OVERRUNS`)."""
    rng = random.Random(f"{seed} {steps}")
    processors = rng.randint(4, 8)
    powers = rng.sample([0, 5, 10, 15, 30, 60], rng.randint(2, 5))
    close, widest = rng.choice([5, 15, 30]), rng.choice([2, processors // 2, processors])
    jobs = []
    for number in range(1, rng.randint(6, most) + 1):
        estimate = rng.choice([1, 2, 3, 5, 8, 10, 20])
        runtime = rng.choice([estimate, estimate, rng.randint(0, estimate), rng.randint(0, 25)])
        jobs.append(Job(number, rng.randint(0, close), rng.randint(1, widest), runtime, estimate, rng.choice(powers)))
    rng.shuffle(jobs)
    most_watts = max(job.watts for job in jobs)
    idle = rng.choice([0, 0, 3])
    cap = idle * processors + most_watts + rng.randint(0, most_watts // 2)
    policy = rng.choice(POLICIES)
    rule, _, option = policy.partition(":")
    return Case(
        processors,
        tuple(jobs),
        None if steps and rng.random() < 0.1 else cap,
        idle,
        tuple(_steps(rng, cap, idle * processors, steps)),
        rule,
        int(option.partition("=")[2]) if rule == "easy" and option else 1,
        option.partition("=")[2] if rule == "conservative" and option else "completion",
        rng.choice(OVERRUNS[steps]),
    )


def _steps(rng: random.Random, cap: int, idle: int, kind: str) -> Iterable[Step]:
    """Up to three steps that do not overlap, some of which touch."""
    time = rng.randint(0, 15)
    for _ in range(rng.randint(1, 3) if kind else 0):
        start, end = time, time + rng.choice([1, 3, 7, 15])
        announced = None if kind == "wait" or rng.random() < 0.3 else max(0, start - rng.choice([0, 1, 4, 9]))
        rule = "wait"
        if kind in ("leave", "suspend") and rng.random() < 0.8:
            rule = rng.choice(["kill", "requeue"]) if kind == "leave" else "suspend"
        yield Step(start, end, idle + (cap - idle) * rng.randint(0, 4) // 5, announced, rule)
        time = end + rng.choice([0, 0, 2, 10])


def policy(case: Case) -> str:
    """The policy of a case."""
    if case.rule == "easy":
        return f"easy:reservations={case.reservations}"
    return f"conservative:compress={case.compress}" if case.rule == "conservative" else case.rule


def spec(case: Case) -> tt.MachineSpec:
    """The machine of a case."""
    caps = [
        tt.Window(step.start, step.end, kind="cap", watts=step.watts, announced=step.announced, rule=step.rule)
        for step in case.steps
    ]
    return tt.MachineSpec(
        case.processors,
        policy(case),
        overrun=case.overrun,
        power=tt.Power(idle=case.idle, cap=case.cap),
        changes=tt.Changes(caps) if caps else None,
    )


def opened(case: Case) -> tt.Machine:
    """The machine of a case, at the end of everything, its jobs submitted by processes."""
    env = simpy.Environment()
    machine = spec(case).open(env)

    def owner(job: Job):
        yield env.timeout(job.submit)
        machine.submit(
            tt.Job(id=job.id, processors=job.processors, runtime=job.runtime, estimate=job.estimate, power=job.power)
        )

    for job in case.jobs:
        env.process(owner(job))
    env.run()
    return machine


def logged(case: Case) -> tt.Result:
    """The result of a replay of the jobs as a log."""
    jobs = case.jobs
    log = tt.Trace(
        {
            "id": [job.id for job in jobs],
            "submit": [job.submit for job in jobs],
            "runtime": [job.runtime for job in jobs],
            "requested_processors": [job.processors for job in jobs],
            "requested_time": [job.estimate for job in jobs],
        },
        further={"power": np.array([float(job.watts) for job in jobs])},
    )
    return tt.run(spec(case), tt.sources.log(log))


def outcome(result: tt.Result) -> Outcome:
    """A result in the words of the reference."""
    numbers = result["id"].tolist()
    states = {number: tt.State(state).name.lower() for number, state in zip(numbers, result["state"], strict=True)}
    promised = {n: time for n, time in zip(numbers, result["promised"].tolist(), strict=True) if not np.isnan(time)}
    return Outcome(sorted(runs_of(result), key=_order), states, promised)


def runs_of(result: tt.Result) -> list[Run]:
    """All runs of all jobs."""
    if result.history is not None:
        rows = result.runs[["job", "start", "end"]].to_numpy().tolist()
    else:
        rows = zip(*(result[name].tolist() for name in ("id", "start", "end")), strict=True)
    return [Run(*map(int, row)) for row in rows if not np.isnan(row[1])]


def _order(run: Run) -> tuple[int, int, int]:
    return run.job, run.start, run.end


def expected(case: Case) -> Outcome:
    """What the reference makes of a case, in an order that can be compared."""
    found = schedule(case)
    found.runs.sort(key=_order)
    return found


def differences(case: Case, through_log: bool = False) -> list[str]:
    """What a machine does otherwise than the reference, in words; empty if nothing."""
    wanted = expected(case)
    if through_log:
        broken, found = wanted.broken, outcome(logged(case))
    else:
        machine = opened(case)
        broken, found = getattr(machine.policy, "broken", 0), outcome(machine.result())
    told = []
    for name in ("runs", "states", "promised"):
        if name == "promised" and case.rule != "conservative":
            continue
        one, other = getattr(wanted, name), getattr(found, name)
        if one != other:
            told.append(f"{name}: reference {one}, machine {other}")
    if case.rule == "conservative" and broken != wanted.broken:
        told.append(f"broken: reference {wanted.broken}, machine {broken}")
    return told


def smallest(case: Case, through_log: bool = False) -> str:
    """Where machine and reference differ, in the smallest case that was found; empty if they do not."""
    told = differences(case, through_log)
    while told:
        for other in _smaller(case):
            if _is_possible(other) and (still := differences(other, through_log)):
                case, told = other, still
                break
        else:
            return "\n".join([source(case), *told])
    return ""


def _smaller(case: Case) -> Iterable[Case]:
    for k in range(len(case.jobs)):
        yield replace(case, jobs=case.jobs[:k] + case.jobs[k + 1 :])
    for k in range(len(case.steps)):
        yield replace(case, steps=case.steps[:k] + case.steps[k + 1 :])
    if case.idle:
        yield replace(case, idle=0)
    for k, job in enumerate(case.jobs):
        for name, least in (("submit", 0), ("processors", 1), ("runtime", 0), ("estimate", 1), ("power", 0)):
            for value in {least, getattr(job, name) // 2, getattr(job, name) - 1}:
                if least <= value < getattr(job, name):
                    yield replace(case, jobs=(*case.jobs[:k], replace(job, **{name: value}), *case.jobs[k + 1 :]))


def _is_possible(case: Case) -> bool:
    return bool(case.jobs) and all(job.watts <= (case.cap or 10**9) - case.idle * case.processors for job in case.jobs)


@pytest.mark.parametrize("many", few_or_many(range(20), range(1000, 3000)))
def test_a_constant_cap_makes_the_schedule_of_the_reference(many: Iterable[int]) -> None:
    """All rules with a contract of one page, under all three overruns."""
    for seed in many:
        assert not smallest(drawn(seed))


@pytest.mark.parametrize("many", few_or_many(range(6), range(1000, 2000)))
@pytest.mark.parametrize("steps", ["wait", "late", "leave", "suspend"])
def test_a_cap_with_steps_makes_the_schedule_of_the_reference(steps: str, many: Iterable[int]) -> None:
    """Steps known from the beginning, announced late, and those below which jobs leave."""
    for seed in many:
        assert not smallest(drawn(seed, steps))


@pytest.mark.parametrize("many", few_or_many(range(4), range(1000, 1500)))
@pytest.mark.parametrize("steps", ["", "late"])
def test_a_log_under_a_cap_makes_the_schedule_of_the_reference(steps: str, many: Iterable[int]) -> None:
    """The power of jobs is a column of the log."""
    for seed in many:
        assert not smallest(drawn(seed, steps), through_log=True)
