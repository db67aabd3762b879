"""Simulated worlds: persons of one family on one machine, whose answer to any change can be simulated.

A world runs from a Monday, midnight, for six weeks; who is there goes on to the end. The numbers of its persons depend
on the study's seed, the family, the number of the world and their own number, not on the policy or the machine (common
random numbers). Other dice are the same persons with other run times and think times.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import simpy

import thinktime as tt
from thinktime.analysis.studies.prediction.persons import GRAIN, Person, person
from thinktime.analysis.studies.prediction.pipelines import pipelining
from thinktime.users import draws
from thinktime.workloads.generators import weekly

PROCESSORS = 64
END = 6 * tt.WEEK
FAMILIES = ("campaign", "linear", "session", "patience", "hours", "rhythm", "pipeline", "deadline")
SENSITIVITY = ("mix", "clock 1/4", "clock 1/2")
"""Families beside the eight. A campaign user has a share of the clock of 0, and one with hours of 1."""
MISLEADING = ("half waiting", "cron")
"""Families whose logs are easily taken for those of users who wait."""
ALL = (*FAMILIES, *SENSITIVITY, *MISLEADING)
MORE = 0.6
"""The probability of another campaign in a session of a person with deadlines."""
AS_MUCH = 3
"""How many times as often persons with deadlines begin sessions where half of all wait, for about half of the work."""
PERIODS = (1, 2, 3, 4)
"""Hours from one job of a series to the next, one of these for each person."""
SERIES = 6
"""The mean number of jobs in a series, and of intervals between series."""
SPARE = (8, 68)
"""How much shorter run times are than the interval, in grains: from 64 s to 9 min."""


@dataclass(frozen=True, slots=True)
class World:
    """So many persons of a family; ``number`` is that of the world."""

    family: str
    number: int
    users: int
    seed: int

    @property
    def seeds(self) -> tuple[int, int, int]:
        """The seed of all its numbers."""
        return self.seed, ALL.index(self.family), self.number

    def truth(self, spec: tt.MachineSpec, users: float = 1.0, dice: int = 0, end: float = END) -> tt.Result:
        """What the persons do on a machine; ``users`` is how many there are per user of the world.

        Persons who look at no result submit nothing after ``end``, and all others look at nothing that happens later.
        """
        return tt.run(spec, *self.sources(users, dice, end), until=None if self.family in UNREACTING else end)

    def sources(self, users: float = 1.0, dice: int = 0, end: float = END) -> tuple[Any, ...]:
        """The persons as sources of jobs; those who look at no result submit nothing after ``end`` (s)."""
        return _sources(self, max(1, round(self.users * users)), dice, end)


@lru_cache(8)  # one world has eight, by dice and users; what they have drawn is kept
def _sources(world: World, count: int, dice: int, end: float) -> tuple[Any, ...]:
    persons = {number: person(world.seeds, number) for number in range(1, count + 1)}
    seed = (*world.seeds, dice)
    if world.family in UNREACTING:
        return (tt.sources.log(unreacting(persons, seed, end, UNREACTING[world.family])),)
    if world.family == "pipeline":
        return (_Pipelines(persons, seed),)
    if world.family == "half waiting":
        waiting = {number: each for number, each in persons.items() if number % 2}
        others = {number: replace(each, gap=each.gap / AS_MUCH) for number, each in persons.items() if not number % 2}
        jobs = unreacting(others, seed, end)
        return _waiting(waiting, "campaign", seed), *([tt.sources.log(jobs)] if len(jobs) else [])
    return (_waiting(persons, world.family, seed),)


def _waiting(persons: dict[int, Person], family: str, seed: tuple[int, ...]) -> Any:
    profiles: dict[str | int, tt.Profile] = {number: each.reacting(family) for number, each in persons.items()}
    return tt.sources.campaigns(profiles, seed, again=True)


@dataclass(frozen=True, slots=True)
class _Pipelines:
    """Persons who submit the next campaign before the last one has ended, as a source."""

    persons: dict[int, Person]
    seed: tuple[int, ...]

    def __call__(self, env: simpy.Environment, machine: tt.Machine) -> list[Any]:
        """A process for each person."""
        return [pipelining(env, machine, number, self.seed, each.profile) for number, each in self.persons.items()]


Submissions = Callable[[Person, int, tuple[int, ...], float], Iterator[tuple[float, ...]]]
"""Submission, run time, processors and estimate of each job of a person, by number and seed, until an end (s)."""


def deadlines(one: Person, number: int, seed: tuple[int, ...], end: float) -> Iterator[tuple[float, ...]]:
    """Sessions at random on the weekly cycle, of campaigns in a row."""
    names = ("runtime", "jobs", "think_time", "processors", "overestimate")
    drawn = {name: draws(getattr(one.profile, name), tt.stream(seed, number, name), name) for name in names}
    rng = tt.stream(seed, number, "sessions")
    gaps = rng.exponential(one.gap, int(4 * end / one.gap) + 50)
    begins = np.ceil(weekly().warp(np.cumsum(gaps)))
    for begin in begins[begins < end].tolist():
        at = begin
        while True:
            for _ in range(int(next(drawn["jobs"]))):
                runtime = next(drawn["runtime"])
                estimate = runtime * next(drawn["overestimate"])
                if at < end:
                    yield at, runtime, next(drawn["processors"]), estimate
            if rng.random() >= MORE:
                break
            at += next(drawn["think_time"])


def cron(one: Person, number: int, seed: tuple[int, ...], end: float) -> Iterator[tuple[float, ...]]:
    """Series of jobs at equal intervals, each of which is done a few minutes before the next if it need not wait."""
    names = ("processors", "overestimate")
    drawn = {name: draws(getattr(one.profile, name), tt.stream(seed, number, name), name) for name in names}
    rng = tt.stream(seed, number, "series")
    period = tt.HOUR * rng.choice(PERIODS)
    at = float(np.ceil(rng.uniform(0.0, period)))
    while True:
        for _ in range(rng.geometric(1 / SERIES)):
            if at >= end:
                return
            runtime = period - GRAIN * rng.integers(*SPARE)
            yield at, runtime, next(drawn["processors"]), runtime * next(drawn["overestimate"])
            at += period
        at += period * rng.geometric(1 / SERIES)


UNREACTING: dict[str, Submissions] = {"deadline": deadlines, "cron": cron}
"""What the persons do of families that look at no result."""


def unreacting(
    persons: dict[int, Person], seed: tuple[int, ...], end: float, submissions: Submissions = deadlines
) -> tt.Trace:
    """The jobs of persons who look at no result."""
    columns: dict[str, list[float]] = {
        name: [] for name in ("user", "submit", "runtime", "requested_processors", "requested_time")
    }
    for number, each in persons.items():
        for row in submissions(each, number, seed, end):
            for column, value in zip(columns.values(), (number, *row), strict=True):
                column.append(value)
    whole = {name: np.array(columns[name], np.int64) for name in ("user", "requested_processors")}
    return tt.Trace({name: np.array(values) for name, values in columns.items()} | whole)
