"""Random quantities of a user, drawn one by one.

A quantity is a number (always the same), a frozen ``scipy.stats`` distribution, or a function of a
generator, ``draw(rng) -> float``. A distribution's ``rvs`` costs some 20 µs a call however many numbers it
returns, so numbers are drawn in blocks. Every quantity has its own stream, so a user draws the same numbers
whatever happens in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import Any, Protocol, runtime_checkable

import numpy as np

BLOCK = 256


@runtime_checkable
class FrozenDistribution(Protocol):
    """What a frozen ``scipy.stats`` distribution offers."""

    def rvs(self, size: Any = ..., random_state: Any = ...) -> Any:
        """Random numbers."""
        ...


Quantity = float | FrozenDistribution | Callable[[np.random.Generator], float]


def draws(quantity: Quantity, rng: np.random.Generator, name: str = "quantity") -> Iterator[float]:
    """An endless iterator over draws of one quantity; ``name`` is its name in error messages."""
    if isinstance(quantity, int | float | np.number) and not isinstance(quantity, bool):
        return _constant(float(quantity))
    if isinstance(quantity, FrozenDistribution):
        return _blocks(quantity, rng)
    if callable(quantity):
        return _calls(quantity, rng)
    raise TypeError(
        f"{name} must be a number, a frozen scipy.stats distribution or a function of a generator, not {quantity!r}"
    )


def usable(value: float, user: object, name: str) -> float:
    """A drawn number, with negative ones (such as a normal think time) set to 0; run times must not be negative."""
    if not -inf < value < inf:
        raise ValueError(f"user {user!r}: {name} is {value!r}, but must be a finite number")
    if name == "runtime" and value < 0:
        raise ValueError(f"user {user!r}: runtime is {value!r}, but must be at least 0 s")
    return max(0.0, value)


def _constant(value: float) -> Iterator[float]:
    while True:
        yield value


def _blocks(distribution: FrozenDistribution, rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from np.asarray(distribution.rvs(size=BLOCK, random_state=rng), dtype=float).tolist()


def _calls(function: Callable[[np.random.Generator], float], rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield float(function(rng))
