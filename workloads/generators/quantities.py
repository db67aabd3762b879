"""Random quantities: where the numbers of a workload come from.

A quantity is a constant, a frozen `scipy.stats` distribution, or a function of a generator, `draw(rng) -> float`.
The parts of this package that model one number (a run time, an interarrival time) are quantities themselves: they
have the `rvs` of a frozen distribution. So they serve both an open-loop log, which draws all its numbers at once,
and a user in the loop, who draws them one by one.

The profiles of the ostrich paper (section 6): `SHORT` run times are uniform on [1, 3600] s, `LONG` ones on
[3600, 36000] s.
"""

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import quoted
from thinktime.workloads.units import as_seconds, seconds
from thinktime.workloads.user_models.fits import quantiles_between


@runtime_checkable
class Distribution(Protocol):
    """The part of a frozen `scipy.stats` distribution that is used."""

    def rvs(self, size: Any = ..., random_state: Any = ...) -> Any:
        """Draw one random number, or an array of ``size``."""
        ...


Quantity = float | Distribution | Callable[[np.random.Generator], float]
"""A number, a distribution of scipy.stats or of this package, or a function of a generator."""


class Piece:
    """A model of one number, with the `rvs` of a frozen distribution."""

    __slots__ = ()

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` numbers from the generator."""
        raise NotImplementedError

    def rvs(self, size: int | tuple[int, ...] | None = None, random_state: Any = None) -> Any:
        """Draw one number (no size) or an array of them; `random_state` is a generator or a seed."""
        rng = np.random.default_rng(random_state)
        if size is None:
            return self.draw(1, rng).item()
        return self.draw(math.prod(np.atleast_1d(size).tolist()), rng).reshape(size)


def _above_low(name: str, value: object, low: float) -> float:
    return checks.number(name, value, f"a number of at least low ({low:g})", least=low)


@dataclass(frozen=True, slots=True)
class Uniform(Piece):
    """Uniform on [low, high].

    >>> Uniform(1, 3600).mean
    1800.5
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "low")
        checks.fields(self, _above_low, "high", low=self.low)

    @property
    def mean(self) -> float:
        """The mean: the middle of the interval."""
        return (self.low + self.high) / 2

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` numbers, uniform on the interval."""
        return rng.uniform(self.low, self.high, count)


@dataclass(frozen=True, slots=True)
class Geometric(Piece):
    """The geometric distribution on 1, 2, …: each item is the last one with probability 1 / `mean`."""

    mean: float

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "mean", wanted="a number of at least 1", least=1.0)

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` whole numbers of at least 1."""
        return rng.geometric(1 / self.mean, count).astype(np.float64)


@dataclass(frozen=True, slots=True)
class OneOf(Piece):
    """One of several values, in proportion to their weights (default: all equally likely).

    >>> OneOf((1, 2, 4), (2, 1, 1)).mean
    2.0
    """

    values: tuple[float, ...]
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        checks.fields(self, _numbers, "values", wanted="a list of numbers of at least 0")
        if len(self.weights) == 0:
            checks.put(self, "weights", (1.0,) * len(self.values))
        wanted = f"a weight for each of the {len(self.values)} values, at least 0 and not all 0"
        checks.fields(self, checks.several, "weights", wanted=wanted, count=len(self.values))

    @property
    def mean(self) -> float:
        """The mean of the values by their weights."""
        return float(np.average(self.values, weights=self.weights))

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` of them."""
        total = sum(self.weights)
        chances = np.array([weight / total for weight in self.weights])
        return rng.choice(np.array(self.values), size=count, p=chances)


@dataclass(frozen=True, slots=True)
class Quantiles(Piece):
    """Interpolation between quantiles: ascending `values` at `shares` from 0 to 1 (default: evenly spaced).

    Between two quantiles the distribution is uniform, or log-uniform if both are above 0.

    >>> Quantiles((0, 10, 100)).at(np.array([0.25, 0.5, 0.75, 1])).round(1).tolist()
    [5.0, 10.0, 31.6, 100.0]
    """

    values: tuple[float, ...]
    shares: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        wanted = "a list of at least two numbers of at least 0, in ascending order"
        checks.fields(self, _numbers, "values", wanted=wanted)
        if len(self.values) < 2 or list(self.values) != sorted(self.values):
            raise ValueError(f"values must be {wanted}, not {quoted(self.values)}")
        if len(self.shares) == 0:
            checks.put(self, "shares", tuple(np.linspace(0, 1, len(self.values)).tolist()))
        checks.fields(self, _numbers, "shares", wanted="a list of numbers from 0 to 1")
        steps = np.diff(self.shares)
        ends = self.shares[0], self.shares[-1]
        if len(self.shares) != len(self.values) or ends != (0.0, 1.0) or float(steps.min()) <= 0:
            raise ValueError(
                f"shares must be {len(self.values)} numbers rising from 0 to 1, one for each value, "
                f"not {quoted(self.shares)}"
            )

    def at(self, shares: Floats) -> Floats:
        """The quantiles at `shares` from 0 to 1."""
        values, known = np.array(self.values), np.array(self.shares)
        low = np.clip(np.searchsorted(known, shares, side="right") - 1, 0, len(values) - 2)
        part, a, b = (shares - known[low]) / (known[low + 1] - known[low]), values[low], values[low + 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            by_log = np.exp(np.log(a) + part * (np.log(b) - np.log(a)))
        found: Floats = np.clip(np.where(a > 0, by_log, a + part * (b - a)), a, b)
        return found

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` numbers: the quantiles of uniform ones."""
        return self.at(rng.random(count))


@dataclass(frozen=True, slots=True)
class Truncated(Piece):
    """0 with probability `zeros`, else the distribution `of` truncated to ``[low, high]``, rounded up if `whole`."""

    of: Any = field(metadata={"slot": "quantity", "default": None})
    low: float
    high: float
    zeros: float = 0.0
    whole: bool = False

    def __post_init__(self) -> None:
        if not (hasattr(self.of, "cdf") and hasattr(self.of, "ppf")):
            raise ValueError(f"of must be a distribution of scipy.stats, not {quoted(self.of)}")
        checks.fields(self, checks.number, "low", wanted="a number of at least 0", least=0.0)
        checks.fields(self, _above_low, "high", low=self.low)
        checks.fields(self, checks.share, "zeros")

    def at(self, shares: Floats) -> Floats:
        """The quantiles at `shares` from 0 to 1."""
        found = np.zeros(len(shares))
        some = shares >= self.zeros
        if self.zeros < 1:
            part = (shares[some] - self.zeros) / (1.0 - self.zeros)
            found[some] = quantiles_between(self.of, self.low, self.high, part, self.whole)
        return found

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` numbers: 0, or within the bounds."""
        return self.at(rng.random(count))


SHORT = Uniform(1, 3_600)
"""Run times of short jobs, s (section 6 of the ostrich paper)."""

LONG = Uniform(3_600, 36_000)
"""Run times of long jobs, s (section 6 of the ostrich paper)."""


def checked(name: str, quantity: Any, least: float = 0.0) -> Quantity:
    """Return `quantity` if it is one, else raise ValueError; a number must be at least `least`."""
    if not isinstance(quantity, bool) and isinstance(quantity, numbers.Real):
        return checks.number(name, quantity, f"a number of at least {least:g}", least=least)
    if not isinstance(quantity, type) and (isinstance(quantity, Distribution) or callable(quantity)):
        found: Quantity = quantity
        return found
    raise ValueError(
        f"{name} must be a number, a frozen scipy.stats distribution or a function of a generator, "
        f"not {quoted(quantity)}"
    )


_TIMES = ("low", "high", "loc", "scale", "base", "mean")
"""The keys of a quantity's table that hold times, if the quantity is a time."""


def with_seconds(value: Any) -> Any:
    """What a file says of a time, with texts such as "2 h" read; a word without digits may be a kind, and is kept."""
    if isinstance(value, Mapping):
        table: dict[str, Any] = {
            key: seconds(each) if key in _TIMES and isinstance(each, str) else each for key, each in value.items()
        }
        if isinstance(table.get("values"), list | tuple):
            table["values"] = [seconds(each) if isinstance(each, str) else each for each in table["values"]]
        return table
    return seconds(value) if isinstance(value, str) and any(letter.isdigit() for letter in value) else value


def checked_time(name: str, quantity: Any) -> Quantity:
    """`checked` of a quantity that is a time (s), which may be a text such as "2 h"."""
    return checked(name, as_seconds(name, quantity))


def sample(quantity: Quantity, count: int, rng: np.random.Generator, name: str = "quantity") -> Floats:
    """Draw `count` numbers of a quantity, called `name` in error messages."""
    values = _drawn(checked(name, quantity), count, rng)
    wrong = values[~np.isfinite(values)]
    if wrong.size:
        raise ValueError(f"{name} must be finite, but {quoted(quantity)} gave {quoted(wrong[0].item())}")
    return values


def slot(name: str, default: Any = None) -> Mapping[str, Any]:
    """Metadata of a dataclass field that holds another part: the slot's kinds, and the default part."""
    return {"slot": name, "default": default}


def _numbers(name: str, values: object, wanted: str) -> tuple[float, ...]:
    if not isinstance(values, tuple | list) or len(values) == 0:
        raise ValueError(f"{name} must be {wanted}, not {quoted(values)}")
    return tuple(checks.number(name, value, wanted, least=0.0) for value in values)


def _drawn(quantity: Quantity, count: int, rng: np.random.Generator) -> Floats:
    if isinstance(quantity, Distribution):
        return np.asarray(quantity.rvs(size=count, random_state=rng), dtype=np.float64)
    if callable(quantity):
        return np.fromiter((quantity(rng) for _ in range(count)), np.float64, count)
    return np.full(count, float(quantity))
