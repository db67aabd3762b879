"""Simulated worlds: persons of one family on one machine, whose answer to any change can be simulated.

A world runs from a Monday, midnight, for six weeks; who is there goes on to the end. The numbers of its persons depend
on the study's seed, the family, the number of the world and their own number, not on the policy or the machine (common
random numbers). Other dice are the same persons with other run times and think times.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import simpy

from thinktime.analysis.studies.prediction.persons import Person, person
from thinktime.analysis.studies.prediction.pipelines import pipelining
from thinktime.models.machine import Machine
from thinktime.models.machine_spec import MachineSpec
from thinktime.models.results.result import Result
from thinktime.users import sources
from thinktime.users.profiles import Profile
from thinktime.users.run import run
from thinktime.users.sampling import draws
from thinktime.workloads.generators.cycles import weekly
from thinktime.workloads.streams import stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import WEEK

PROCESSORS = 64
END = 6 * WEEK
FAMILIES = ("campaign", "linear", "session", "patience", "hours", "rhythm", "pipeline", "deadline")
SENSITIVITY = ("mix", "clock 1/4", "clock 1/2")
"""Families beside the eight. A campaign user has a share of the clock of 0, and one with hours of 1."""
ALL = (*FAMILIES, *SENSITIVITY)
MORE = 0.6
"""The probability of another campaign in a session of a person with deadlines."""


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

    def truth(self, spec: MachineSpec, users: float = 1.0, dice: int = 0, end: float = END) -> Result:
        """What the persons do on a machine; ``users`` is how many there are per user of the world.

        Persons with deadlines submit nothing after ``end``, and all others look at nothing that happens later.
        """
        return run(spec, self.source(users, dice, end), until=None if self.family == "deadline" else end)

    def source(self, users: float = 1.0, dice: int = 0, end: float = END) -> Any:
        """The persons as a source of jobs; those with deadlines submit nothing after ``end`` (s)."""
        return _source(self, max(1, round(self.users * users)), dice, end)


@lru_cache(8)  # one world has eight, by dice and users; what they have drawn is kept
def _source(world: World, count: int, dice: int, end: float) -> Any:
    persons = {number: person(world.seeds, number) for number in range(1, count + 1)}
    seed = (*world.seeds, dice)
    if world.family == "deadline":
        return sources.log(deadlines(persons, seed, end))
    if world.family == "pipeline":
        return _Pipelines(persons, seed)
    profiles: dict[str | int, Profile] = {number: each.reacting(world.family) for number, each in persons.items()}
    return sources.campaigns(profiles, seed, again=True)


@dataclass(frozen=True, slots=True)
class _Pipelines:
    """Persons who submit the next campaign before the last one has ended, as a source."""

    persons: dict[int, Person]
    seed: tuple[int, ...]

    def __call__(self, env: simpy.Environment, machine: Machine) -> list[Any]:
        """A process for each person."""
        return [pipelining(env, machine, number, self.seed, each.profile) for number, each in self.persons.items()]


def deadlines(persons: dict[int, Person], seed: tuple[int, ...], end: float) -> Trace:
    """The jobs of persons who look at no results: sessions at random on the weekly cycle, of campaigns in a row."""
    columns: dict[str, list[float]] = {
        name: [] for name in ("user", "submit", "runtime", "requested_processors", "requested_time")
    }
    for number, each in persons.items():
        for row in _deadlines(each, number, seed, end):
            for column, value in zip(columns.values(), (number, *row), strict=True):
                column.append(value)
    whole = {name: np.array(columns[name], np.int64) for name in ("user", "requested_processors")}
    return Trace({name: np.array(values) for name, values in columns.items()} | whole)


def _deadlines(one: Person, number: int, seed: tuple[int, ...], end: float) -> Iterator[tuple[float, ...]]:
    """Submission, run time, processors and estimate of each job."""
    names = ("runtime", "jobs", "think_time", "processors", "overestimate")
    drawn = {name: draws(getattr(one.profile, name), stream(seed, number, name), name) for name in names}
    rng = stream(seed, number, "sessions")
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
