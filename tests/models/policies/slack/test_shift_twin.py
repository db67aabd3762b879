"""Shift, insert, compress: the engine against a twin that was written without sight of them, start by start."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import few_or_many
from tests.models.policies.slack.shift_schedules import HEURISTICS, Job, Outcome
from tests.models.policies.slack.shift_twin import simulate
from thinktime.models.policies.slack import Slack
from thinktime.models.state import State

PROCESSORS = 4
CONTRACT = {"removals": "gone", "start_before_inserts": True}
"""The instant's contract, where the paper is silent: all ends come first, and what is due starts before newcomers."""


def workload(rng: np.random.Generator, over: bool = False, unit: int = 1, overruns: bool = False) -> list[Job]:
    """Close together and often alike, so that ties, full machines and used-up slacks are common."""
    jobs, now = [], 0
    for number in range(1, int(rng.integers(3, 15)) + 1):
        now += unit * int(rng.choice([0, 0, 1, 1, 2, 5]))
        estimate = unit * int(rng.choice([1, 2, 2, 3, 5, 8, 12]))
        runtime = int(rng.choice([0, estimate // 4, estimate // 2, estimate, estimate]))
        if overruns and rng.random() < 0.4:
            runtime = estimate + int(rng.integers(1, estimate))
        up, pp = rng.choice([0, 0, 0.5, 1]), rng.choice([0, 0, 0.25, 1])
        if over and rng.random() < 0.3:
            pp = -inf
        size = int(rng.integers(1, PROCESSORS + 1))
        user = int(rng.integers(1, 4))
        jobs.append(Job(number, now, size, estimate, runtime, exact(up), exact(pp), user))
    return jobs


def exact(value: float) -> Fraction | float:
    return Fraction(value) if value > -inf else -inf


def run(jobs: list[Job], options: dict) -> tt.Result:
    """The package's schedule of the twin's jobs."""
    table = {job.id: (float(job.user_priority), float(job.political_priority)) for job in jobs}
    given = {name: float(value) if name.startswith("alpha") else value for name, value in options.items()}
    if given.pop("tick_priority", None) == "half":
        given["tick"] = "half"
    if given.pop("compress", None) == "reinsert":
        given["delayed"] = "removed"
    if "quotas" in given:
        given["quotas"] = list(given["quotas"])
    columns = {
        "id": [job.id for job in jobs],
        "submit": [float(job.submit) for job in jobs],
        "allocated": [job.processors for job in jobs],
        "requested_time": [float(job.estimate) for job in jobs],
        "runtime": [float(job.runtime) for job in jobs],
        "user": [job.user for job in jobs],
    }
    return tt.replay(tt.Trace(columns), Slack(priorities=lambda job: table[job.id], **given), PROCESSORS)


def compare(jobs: list[Job], **options: object) -> None:
    """Starts, ends, first reservations, bounds, kills."""
    there = simulate(jobs, PROCESSORS, **{**CONTRACT, **options})
    result = run(jobs, options)
    columns = zip(*(result[name].tolist() for name in ("id", "start", "end", "promised", "latest_start")), strict=True)
    ours = {number: tuple(rest) for number, *rest in columns}
    killed = dict(zip(result["id"].tolist(), (result["state"] == State.KILLED).tolist(), strict=True))
    for job in jobs:
        twin: Outcome = there[job.id]
        expected = tuple(float(x) for x in (twin.start, twin.end, twin.promised, twin.latest_start))
        assert ours[job.id] == expected, (job, options, jobs)
        assert killed[job.id] == twin.killed, (job, options, jobs)


def several(rng: np.random.Generator) -> dict:
    return {"slack_factor": int(rng.choice([0, 1, 3, 9])), "awt": int(rng.choice([1, 4, 10, 40]))}


KINDS = {
    "plain": lambda rng: ({}, {}),
    "weights": lambda rng: ({}, {f"alpha_{x}": rng.choice([0, Fraction(1, 2), 1]) for x in "utpf"}),
    "classes": lambda rng: ({}, {"classes": (3,), "awt": (2, 20)}),
    "permutations": lambda rng: ({}, {"permutations": int(rng.integers(2, 5))}),
    "over quota": lambda rng: ({"over": True}, {}),
    "quotas": lambda rng: (
        {},
        {"quotas": tuple({"user": user, "processor_hours": Fraction(user, 360)} for user in (1, 2))},
    ),
    "tick": lambda rng: ({"unit": 10, "overruns": True, "over": True}, {"tick": True}),
    "tick half": lambda rng: ({"unit": 10, "overruns": True}, {"tick": True, "tick_priority": "half"}),
    "inserted afresh": lambda rng: ({"over": True}, {"compress": "reinsert"}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("heuristic", HEURISTICS)
@pytest.mark.parametrize("count", few_or_many(4, 25))
def test_every_start_is_that_of_the_independent_twin(heuristic: str, kind: str, count: int, seed: int = 1) -> None:
    """With every heuristic and option, starts, reservations, bounds and kills are the independent twin's."""
    rng = np.random.default_rng([seed, HEURISTICS.index(heuristic), list(KINDS).index(kind)])
    for _ in range(count):
        shape, options = KINDS[kind](rng)
        compare(workload(rng, **shape), heuristic=heuristic, **(several(rng) | options))


def test_in_order_of_reserved_start_compressing_is_inserting_afresh() -> None:
    """AST keeps every start, whether the delayed jobs are shifted and compressed or taken out and inserted afresh."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        jobs = workload(rng, over=True)
        options = {"heuristic": "ast", **several(rng)}
        shifted, afresh = (run(jobs, options | {"compress": how}) for how in ("in_place", "reinsert"))
        assert shifted["start"].tolist() == afresh["start"].tolist()


def test_a_delayed_job_may_be_in_the_way_of_another() -> None:
    """By size, compressing leaves a job behind one that inserting afresh lets it pass.

    By size B goes first. It stands at 14 behind A, which stands at 10, so it stays; inserted afresh it gets 10.
    """
    from tests.models.policies.slack.shift_schedules import Live, Options
    from tests.models.policies.slack.shift_twin import Scheduler

    for how, expected in (("in_place", {1: 0, 2: 14}), ("reinsert", {1: 0, 2: 10})):
        twin = Scheduler([], 2, Options(awt=100, heuristic="du", compress=how))
        twin.now = 0
        sixth = Fraction(1, 6)
        one = Live(Job(1, 0, 1, 4, 4), 1, 4, 0, 0, False, 0, p=sixth, s=100, s0=100)
        two = Live(Job(2, 0, 2, 3, 3), 2, 3, 4, 0, False, 0, p=sixth, s=100, s0=100)
        twin.waiting = [one, two]
        newcomer = Live(Job(3, 0, 1, 10, 10), 1, 10, None, 0, False, 0, p=sixth)
        places = twin.candidate(newcomer, 0, twin.order([one, two], newcomer))
        assert {job.id: place for job, place in places} == expected
