"""Worlds that nobody fitted a model to, for judging one: persons with habits, and known ones with other numbers.

============  ====================================================================================================
a habit       all persons have it (`HABITS`)
elsewhere     each is of one of the kinds of the prediction study, with other numbers than there (`ELSEWHERE`)
anything      each has one of all habits and kinds, in shares that are drawn for each world
============  ====================================================================================================

Worlds are as in the prediction study, and may stand where its worlds do: from a Monday, midnight, for six weeks, with
common random numbers. None of their streams is one of that study.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import simpy
from scipy import stats

import thinktime as tt
from thinktime.analysis.studies.calibrated.habits import HABITS, Place
from thinktime.analysis.studies.prediction.persons import Person, person
from thinktime.analysis.studies.prediction.world import END, World, unreacting
from thinktime.users.behaviours import Balk, Behaviour, Continuation, LinearThinking, Mornings, Patience, Rhythm

FIRST = 100
"""The number of the first family in seeds: those of the prediction study come before."""
DEADLINE = "deadline"
ANYTHING, EVERYWHERE = "anything", "elsewhere"
EVENNESS = 0.7
"""Of the shares of an anything world (Dirichlet): below 1, few kinds have most persons."""


def _linear(rng: np.random.Generator) -> tuple[Behaviour, ...]:
    slope, offset = float(rng.uniform(0.1, 1.5)), float(rng.uniform(5, 120)) * tt.MINUTE
    return (LinearThinking(slope=slope, offset=offset, spread=stats.gamma(2.0, scale=0.5)),)


def _session(rng: np.random.Generator) -> tuple[Behaviour, ...]:
    start = float(rng.integers(6, 12))
    return (
        Continuation(
            level=float(rng.uniform(0.7, 1.0)),
            decay=float(rng.uniform(0.003, 0.03)),
            hours=tt.WorkingHours(start, start + float(rng.integers(6, 11)), (0, 1, 2, 3, 4, 5)),
        ),
    )


def _hours(rng: np.random.Generator) -> tuple[Behaviour, ...]:
    start = float(rng.integers(0, 13))
    hours = tt.WorkingHours(start, start + float(rng.integers(7, 12)), (0, 1, 2, 3, 4, 5))
    return (Mornings(hours=hours, share=float(rng.uniform(0.6, 1.0))),)


def _patience(rng: np.random.Generator) -> tuple[Behaviour, ...]:
    median = float(np.exp(rng.uniform(np.log(0.5), np.log(8.0)))) * tt.HOUR
    return (Patience(stats.weibull_min(1.3, scale=median / 0.75)), Balk(queue=float(rng.integers(8, 60))))


ELSEWHERE: dict[str, Callable[[np.random.Generator], tuple[Behaviour, ...]]] = {
    "campaign": lambda rng: (),
    "linear": _linear,
    "session": _session,
    "hours": _hours,
    "patience": _patience,
    "rhythm": lambda rng: (Rhythm(origin=float(rng.integers(-9, 10)) * tt.HOUR),),
    "rhythm and line": lambda rng: (*_linear(rng), Rhythm(origin=float(rng.integers(-9, 10)) * tt.HOUR)),
    "hours and session": lambda rng: (*_session(rng), *_hours(rng)),
    DEADLINE: lambda rng: (),
}
"""The behaviours of a person of a kind, drawn for each; those with deadlines look at nothing."""
KINDS = (*HABITS, *ELSEWHERE)
FAMILIES = (*HABITS, EVERYWHERE, ANYTHING)
USERS: dict[str, tuple[int, int, int]] = {
    "budget": (14, 22, 39),
    "assignment": (27, 36, 57),
    "shifts": (19, 35, 80),
    "watching": (9, 12, 20),
    "share": (4, 7, 11),
    "half-days": (64, 102, 213),
    "meeting": (52, 64, 79),
    "discouraged": (54, 70, 106),
    "instrument": (13, 20, 27),
    "relay": (8, 13, 17),
    "expectation": (12, 16, 25),
    "elsewhere": (19, 25, 33),
    "anything": (17, 27, 42),
}
"""By family, for each load, as in `thinktime.analysis.studies.prediction.calibrated`."""


@dataclass(frozen=True, slots=True)
class Unfitted(World):
    """So many persons of one of `FAMILIES`; ``number`` is that of the world."""

    @property
    def seeds(self) -> tuple[int, int, int]:
        """The seed of all its numbers."""
        return self.seed, FIRST + FAMILIES.index(self.family), self.number

    def sources(self, users: float = 1.0, dice: int = 0, end: float = END) -> tuple[Any, ...]:
        """The persons as sources of jobs; those who look at no result submit nothing after ``end`` (s)."""
        return _sources(self, max(1, round(self.users * users)), dice, end)

    def kind(self, number: int) -> str:
        """What the person of a number is."""
        if self.family in HABITS:
            return self.family
        known = tuple(ELSEWHERE) if self.family == EVERYWHERE else KINDS
        shares = np.full(len(known), 1 / len(known))
        if self.family == ANYTHING:
            shares = tt.stream(self.seeds, "shares").dirichlet(np.full(len(known), EVENNESS))
        return known[int(np.searchsorted(np.cumsum(shares), tt.stream(self.seeds, number, "kind").random()))]


@lru_cache(8)
def _sources(world: Unfitted, count: int, dice: int, end: float) -> tuple[Any, ...]:
    seed = (*world.seeds, dice)
    persons = {number: person(world.seeds, number) for number in range(1, count + 1)}
    kinds = {number: world.kind(number) for number in persons}
    profiles: dict[str | int, tt.Profile] = {
        number: _behaving(world, number, persons[number].profile, kind)
        for number, kind in kinds.items()
        if kind in ELSEWHERE and kind != DEADLINE
    }
    late = {number: persons[number] for number, kind in kinds.items() if kind == DEADLINE}
    habits = {number: (kind, persons[number]) for number, kind in kinds.items() if kind in HABITS}
    found: list[Any] = []
    if profiles:
        found.append(tt.sources.campaigns(profiles, seed, again=True))
    if late and len(jobs := unreacting(late, seed, end)):
        found.append(tt.sources.log(jobs))
    if habits:
        found.append(_Habits(habits, seed, world.seeds))
    return tuple(found)


def _behaving(world: Unfitted, number: int, profile: tt.Profile, kind: str) -> tt.Profile:
    behaviours = ELSEWHERE[kind](tt.stream(world.seeds, number, "behaviours"))
    return replace(profile, behaviours=behaviours) if behaviours else profile


@dataclass(frozen=True, slots=True)
class _Habits:
    """Persons with habits, as a source."""

    persons: dict[int, tuple[str, Person]]
    seed: tuple[int, ...]
    world: tuple[int, ...]

    def __call__(self, env: simpy.Environment, machine: tt.Machine) -> list[Iterator[simpy.Event]]:
        """The processes of each person."""
        place = Place(env, machine, self.seed, self.world)
        return list(
            chain.from_iterable(HABITS[kind](place, number, one) for number, (kind, one) in self.persons.items())
        )
