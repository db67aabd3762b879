"""Random quantities: what a number of a workload is drawn from.

A quantity is a number (always the same), a frozen `scipy.stats` distribution, or a function of a generator,
`draw(rng) -> float`. The pieces of this package that describe one number (a run time, a time between
submissions) are quantities themselves: they have the `rvs` of a frozen distribution. So a piece serves an
open-loop log, which draws all its numbers at once, and a user in the loop, who draws them as they are needed.

The profiles of the ostrich paper (section 6): `SHORT` run times are uniform on [1, 3600] s, `LONG` ones on
[3600, 36000] s.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.generators import checks

Real = NDArray[np.float64]
Whole = NDArray[np.int64]


@runtime_checkable
class Distribution(Protocol):
    """What a frozen `scipy.stats` distribution offers."""

    def rvs(self, size: Any = ..., random_state: Any = ...) -> Any:
        """Random numbers."""
        ...


Quantity = float | Distribution | Callable[[np.random.Generator], float]


class Piece:
    """A piece that describes one number: it has the `rvs` of a frozen distribution."""

    __slots__ = ()

    def draw(self, count: int, rng: np.random.Generator) -> Real:
        """Draw `count` numbers."""
        raise NotImplementedError

    def rvs(self, size: int | tuple[int, ...] | None = None, random_state: Any = None) -> Any:
        """Draw one number (no size), or an array of them, from a generator or the seed of one."""
        rng = np.random.default_rng(random_state)
        if size is None:
            return self.draw(1, rng).item()
        return self.draw(math.prod(np.atleast_1d(size).tolist()), rng).reshape(size)


@dataclass(frozen=True, slots=True)
class Uniform(Piece):
    """Uniform on [low, high].

    >>> Uniform(1, 3600).mean
    1800.5
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        checks.put(self, "low", checks.number("low", self.low, "a number"))
        wanted = f"a number of at least low ({self.low:g})"
        checks.put(self, "high", checks.number("high", self.high, wanted, least=self.low))

    @property
    def mean(self) -> float:
        """The mean."""
        return (self.low + self.high) / 2

    def draw(self, count: int, rng: np.random.Generator) -> Real:
        """Draw `count` numbers."""
        return rng.uniform(self.low, self.high, count)


SHORT = Uniform(1, 3_600)
LONG = Uniform(3_600, 36_000)


def checked(quantity: Any, name: str, least: float = 0.0) -> Quantity:
    """A quantity as it is, if it is one; a number must be at least `least`."""
    if not isinstance(quantity, bool) and isinstance(quantity, numbers.Real):
        return checks.number(name, quantity, f"a number of at least {least:g}", least=least)
    if not isinstance(quantity, type) and (isinstance(quantity, Distribution) or callable(quantity)):
        found: Quantity = quantity
        return found
    raise ValueError(
        f"{name} must be a number, a frozen scipy.stats distribution or a function of a generator, "
        f"not {quantity!r}"
    )


def sample(quantity: Quantity, count: int, rng: np.random.Generator, name: str = "quantity") -> Real:
    """Draw `count` numbers of a quantity; `name` is what an error message calls it."""
    values = _drawn(checked(quantity, name), count, rng)
    wrong = values[~np.isfinite(values)]
    if wrong.size:
        raise ValueError(f"{name} must be finite, but {quantity!r} gave {wrong[0].item()!r}")
    return values


def slot(name: str, default: Any = None) -> Mapping[str, Any]:
    """Metadata of a dataclass field that holds another piece: which kind of piece, and which by default."""
    return {"slot": name, "default": default}


def _drawn(quantity: Quantity, count: int, rng: np.random.Generator) -> Real:
    if isinstance(quantity, Distribution):
        return np.asarray(quantity.rvs(size=count, random_state=rng), dtype=np.float64)
    if callable(quantity):
        return np.fromiter((quantity(rng) for _ in range(count)), np.float64, count)
    return np.full(count, float(quantity))
