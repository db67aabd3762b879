"""Owners: which user submits a job.

`Everybody` draws users uniformly. `Zipf` draws user i = 1 … U with probability proportional to i^−s, so a few
users submit most of the jobs, as in real logs. Both are ours, and so is the default exponent of 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole


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
