"""Random quantities of a user, drawn one by one.

A quantity is a number (always the same), a frozen ``scipy.stats`` distribution, or a function of a generator,
``draw(rng) -> float``. A distribution's ``rvs`` costs some 20 µs a call however many numbers it returns, so numbers
are drawn in blocks. Every quantity has its own stream, so a user draws the same numbers whatever happens in between.
"""

from collections.abc import Iterator
from itertools import count, repeat
from math import inf

import numpy as np

from thinktime.workloads.generators.quantities import Distribution, Quantity
from thinktime.workloads.names import quoted

BLOCK = 256


def draws(quantity: Quantity, rng: np.random.Generator, name: str = "quantity") -> Iterator[float]:
    """An endless iterator over draws of one quantity; ``name`` is its name in error messages."""
    if isinstance(quantity, int | float | np.number) and not isinstance(quantity, bool):
        return repeat(float(quantity))
    if isinstance(quantity, Distribution):
        return _blocks(quantity, rng)
    if callable(quantity):
        return (float(quantity(rng)) for _ in count())
    raise TypeError(
        f"{name} must be a number, a frozen scipy.stats distribution or a function of a generator, not "
        f"{quoted(quantity)}"
    )


def usable(value: float, user: object, name: str) -> float:
    """A drawn number, with negative ones (such as a normal think time) set to 0; run times must not be negative."""
    if not -inf < value < inf:
        raise ValueError(f"user {quoted(user)}: {name} is {quoted(value)}, but must be a finite number")
    if name == "runtime" and value < 0:
        raise ValueError(f"user {quoted(user)}: runtime is {quoted(value)}, but must be at least 0 s")
    return max(0.0, value)


def _blocks(distribution: Distribution, rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from np.asarray(distribution.rvs(size=BLOCK, random_state=rng), dtype=float).tolist()
