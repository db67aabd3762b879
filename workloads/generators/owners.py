"""Owners: which user submits a job.

`Everybody` draws users uniformly. `Zipf` draws user i = 1 … U with probability in proportion to i^−s: a few
users submit most of the jobs, as in real logs. Ours: both, and the exponent 1 by default.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.generators.quantities import Whole


def apportioned(whole: int, shares: Sequence[float]) -> list[int]:
    """A whole number in proportion to shares, by largest remainders, the first among equals first.

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


class Owners(Protocol):
    """A way to draw users."""

    def draw(self, count: int, users: int, rng: np.random.Generator) -> Whole:
        """Draw `count` numbers of users, from 1 on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Everybody:
    """Every user is as likely as any other."""

    def draw(self, count: int, users: int, rng: np.random.Generator) -> Whole:
        """Draw `count` numbers of users, from 1 on."""
        return rng.integers(1, users + 1, count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Zipf:
    """User i in proportion to i^−`exponent`."""

    exponent: float = 1.0

    def __post_init__(self) -> None:
        wanted = "a number of at least 0"
        checks.put(self, "exponent", checks.number("exponent", self.exponent, wanted, least=0.0))

    def draw(self, count: int, users: int, rng: np.random.Generator) -> Whole:
        """Draw `count` numbers of users, from 1 on."""
        reached = np.cumsum(np.arange(1, users + 1, dtype=np.float64) ** -self.exponent)
        drawn: Whole = np.searchsorted(reached, rng.random(count) * reached[-1], side="right") + 1
        return np.minimum(drawn, users)
