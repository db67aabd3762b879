"""Owners: which user submits a job.

`Everybody` draws users uniformly. `Zipf` draws user i = 1 … U with probability proportional to i^−s, so a few
users submit most of the jobs, as in real logs. Both are ours, and so is the default exponent of 1.

**Flurries**: one user floods the machine with many similar jobs within a short time. Real logs have them, and a few
can decide the outcome of a comparison (Tsafrir and Feitelson, Instability in parallel job scheduling simulation: the
role of workload flurries, IPDPS 2006). Here a flurry is added to any arrivals: `size` jobs by one user, the first at
`start`, then one every `gap`. Ours: by default the user is drawn from those of the log, and jobs take one processor
for one minute.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.generators.quantities import Quantity, checked_time, sample, slot
from thinktime.workloads.names import quoted
from thinktime.workloads.units import as_seconds


def apportioned(whole: int, shares: Sequence[float]) -> list[int]:
    """Divide a whole number in proportion to shares, by largest remainders; ties go to the first.

    >>> apportioned(26, [2, 1])
    [17, 9]
    """
    total = sum(shares)
    exact = [whole * share / total for share in shares]
    counts = [int(number) for number in exact]
    by_remainder = sorted(range(len(shares)), key=lambda place: counts[place] - exact[place])
    for place in by_remainder[: whole - sum(counts)]:
        counts[place] += 1
    return counts


def by_weight(weights: Floats, count: int, rng: np.random.Generator) -> Whole:
    """Draw `count` user numbers, counted from 1, in proportion to the users' weights."""
    reached = np.cumsum(weights)
    drawn: Whole = np.searchsorted(reached, rng.random(count) * reached[-1], side="right") + 1
    return np.minimum(drawn, len(weights))


class Owners(Protocol):
    """A model of which users submit."""

    def draw(self, count: int, users: int, rng: np.random.Generator) -> Whole:
        """Draw `count` user numbers, counted from 1."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Everybody:
    """All users are equally likely."""

    def draw(self, count: int, users: int, rng: np.random.Generator) -> Whole:
        """Draw `count` user numbers, counted from 1."""
        return rng.integers(1, users + 1, count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Zipf:
    """User i has probability proportional to i^−`exponent`."""

    exponent: float = 1.0

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "exponent", wanted="a number of at least 0", least=0.0)

    def draw(self, count: int, users: int, rng: np.random.Generator) -> Whole:
        """Draw `count` user numbers, counted from 1."""
        return by_weight(np.arange(1, users + 1, dtype=np.float64) ** -self.exponent, count, rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flurry:
    """`size` jobs of `processors` and `runtime` (s) by one `user`, from `start` (s), one every `gap` (s)."""

    start: float
    size: int
    gap: Quantity = field(default=10.0, metadata=slot("time"))
    user: int | None = None
    processors: int = 1
    runtime: Quantity = field(default=60.0, metadata=slot("time"))

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "start")
        checks.fields(self, checks.number, "start", wanted="a time of at least 0 s", least=0.0)
        checks.fields(self, checks.whole, "size", "processors", *(("user",) if self.user is not None else ()))
        checks.fields(self, checked_time, "gap", "runtime")

    def times(self, rng: np.random.Generator) -> Floats:
        """When the jobs are submitted (s)."""
        gaps = np.maximum(sample(self.gap, self.size, rng, "gap"), 0.0)
        gaps[0] = 0.0
        return self.start + np.cumsum(gaps)


@dataclass(frozen=True, slots=True)
class Flood:
    """The jobs of some flurries, as columns."""

    submit: Floats
    runtime: Floats
    processors: Whole
    user: Whole


def flood(flurries: Sequence[Flurry], users: int, processors: int, rng: np.random.Generator) -> Flood:
    """Draw the jobs of `flurries` for a log with `users` users and a machine of `processors` processors."""
    lucks = rng.spawn(len(flurries))
    parts = [_one(flurry, users, processors, each) for flurry, each in zip(flurries, lucks, strict=True)]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Flood(*columns)


def _one(flurry: Flurry, users: int, processors: int, rng: np.random.Generator) -> tuple[Floats, Floats, Whole, Whole]:
    user = flurry.user if flurry.user is not None else int(rng.integers(1, users + 1))
    if user > users:
        raise ValueError(f"the flurry's user must be one of the {users} users, not {quoted(user)}")
    if flurry.processors > processors:
        raise ValueError(f"the flurry's processors must be at most {processors}, not {quoted(flurry.processors)}")
    runtime = sample(flurry.runtime, flurry.size, rng, "the flurry's runtime")
    whole = np.full(flurry.size, flurry.processors, dtype=np.int64)
    return flurry.times(rng), runtime, whole, np.full(flurry.size, user, dtype=np.int64)
