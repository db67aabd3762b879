"""The shapes of jobs: sizes and run times.

Sizes: how many processors a job uses, n, on a machine of P.

Logs are full of serial jobs and of powers of two (Lublin and Feitelson 2003; see `cycles` for the
source). The two-stage uniform model draws u uniformly: for u ≤ `serial` the job is serial, n = 1. Otherwise
x = log₂ n is uniform on [low, medium] with probability `probability`, else on [medium, high]. For
u ≤ serial + `power_of_two`, x is rounded to a whole number. Then n = ⌊2ˣ + ½⌋.

The upper bounds depend on the machine: high = log₂ P − `high_gap`, medium = high − `medium_gap` (1.5 to 3.5 in
the model). E[x] = probability (low + medium) / 2 + (1 − probability) (medium + high) / 2, before rounding.
Ours: bounds that would cross on a small machine are set equal, and n is at most P.

Sizes may also be any quantity, rounded and clipped to 1 … P.

Run times: how long a job of n processors runs. The hyper-gamma model (same source): the logarithm g of the run
time is drawn from gamma(a1, b1) with probability p, else from gamma(a2, b2) (shape, scale; mean a b). p = pa n + pb,
clipped to [0, 1], so wide jobs run longer. Logarithms above `largest` are redrawn. The run time is ⌊e^g⌋.
Run times may also be any quantity (s), such as the profiles `SHORT` and `LONG` of `quantities`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.generators.quantities import Piece, Quantity, sample


class Sizes:
    """A model of sizes. Subclasses implement `sizes`."""

    __slots__ = ()

    def sizes(self, count: int, processors: int, rng: np.random.Generator) -> Whole:
        """Draw `count` sizes for a machine of `processors` processors."""
        raise NotImplementedError

    def on(self, processors: int) -> "OnMachine":
        """The sizes on one machine, as a quantity for users in the loop."""
        return OnMachine(self, processors)


@dataclass(frozen=True, slots=True)
class OnMachine(Piece):
    """The sizes of a model on one machine, or the run times (s) of jobs as wide as that."""

    model: "Sizes | HyperGamma"
    processors: int

    def __post_init__(self) -> None:
        checks.fields(self, checks.whole, "processors")

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` of them."""
        if isinstance(self.model, Sizes):
            return self.model.sizes(count, self.processors, rng).astype(np.float64)
        return self.model.runtimes(np.full(count, self.processors), rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStage(Sizes):
    """The two-stage uniform model of log₂ n, with emphasis on serial jobs and powers of two."""

    serial: float = 0.244
    power_of_two: float = 0.576
    low: float = 0.8
    medium_gap: float = 2.5
    high_gap: float = 0.0
    probability: float = 0.86

    def __post_init__(self) -> None:
        checks.fields(self, checks.share, "serial", "power_of_two", "probability")
        checks.fields(self, checks.number, "low", "medium_gap", "high_gap", wanted="at least 0", least=0.0)

    def bounds(self, processors: int) -> tuple[float, float, float]:
        """Low, medium and high for a machine of `processors` processors."""
        high = max(0.0, math.log2(processors) - self.high_gap)
        low = min(self.low, high)
        return low, max(low, high - self.medium_gap), high

    def sizes(self, count: int, processors: int, rng: np.random.Generator) -> Whole:
        """Draw `count` sizes for a machine of `processors` processors."""
        low, medium, high = self.bounds(processors)
        u, stage, place = rng.random((3, count))
        x = np.where(stage <= self.probability, low + place * (medium - low), medium + place * (high - medium))
        x = np.where(u <= self.serial + self.power_of_two, np.rint(x), x)
        n = np.where(u <= self.serial, 1.0, np.floor(2.0**x + 0.5))
        return np.clip(n, 1, processors).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class PowersOfTwo(Sizes):
    """1, 2, 4, … up to `largest` (default: the machine), all equally likely (ours)."""

    largest: int | None = None

    def __post_init__(self) -> None:
        if self.largest is not None:
            checks.fields(self, checks.whole, "largest")

    def sizes(self, count: int, processors: int, rng: np.random.Generator) -> Whole:
        """Draw `count` sizes for a machine of `processors` processors."""
        most = min(processors, self.largest or processors)
        return np.left_shift(1, rng.integers(0, most.bit_length(), count))


def draw_sizes(
    sizes: Sizes | Quantity, count: int, processors: int, rng: np.random.Generator, name: str = "sizes"
) -> Whole:
    """Draw `count` sizes of a model, or of any quantity, for a machine of `processors` processors."""
    if isinstance(sizes, Sizes):
        return sizes.sizes(count, processors, rng)
    return np.clip(np.rint(sample(sizes, count, rng, name)), 1, processors).astype(np.int64)


Draw = Callable[[Whole, np.random.Generator], Floats]

_ROUNDS = 1_000
"""How often numbers are redrawn before the bound is called impossible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperGamma(Piece):
    """The hyper-gamma model; the defaults are those of all jobs. As a quantity: run times of serial jobs."""

    a1: float = 4.2
    b1: float = 0.94
    a2: float = 312.0
    b2: float = 0.03
    pa: float = -0.0054
    pb: float = 0.78
    largest: float = 12.0

    def __post_init__(self) -> None:
        checks.fields(self, checks.positive, "a1", "b1", "a2", "b2", "largest")
        checks.fields(self, checks.number, "pa", "pb")

    def p(self, sizes: Whole | int) -> Floats:
        """The probability of the first gamma distribution, per size."""
        return np.clip(self.pa * np.asarray(sizes, dtype=np.float64) + self.pb, 0.0, 1.0)

    def logs(self, sizes: Whole, rng: np.random.Generator) -> Floats:
        """Draw the logarithm of the run time of jobs of these sizes."""
        return below(self.largest, self._logs, sizes, rng)

    def runtimes(self, sizes: Whole, rng: np.random.Generator) -> Floats:
        """Draw the run times of jobs of these sizes (whole s)."""
        return np.floor(np.exp(self.logs(sizes, rng)))

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` run times of serial jobs (s)."""
        return self.runtimes(np.ones(count, dtype=np.int64), rng)

    def on(self, processors: int) -> OnMachine:
        """The run times of jobs of one size, as a quantity for users in the loop."""
        return OnMachine(self, processors)

    def _logs(self, sizes: Whole, rng: np.random.Generator) -> Floats:
        first = rng.random(len(sizes)) <= self.p(sizes)
        shapes, scales = np.where(first, self.a1, self.a2), np.where(first, self.b1, self.b2)
        return rng.gamma(shapes, scales)


def draw_runtimes(runtimes: Quantity, sizes: Whole, rng: np.random.Generator, name: str = "runtimes") -> Floats:
    """Draw the run times (s) of jobs of these sizes."""
    if isinstance(runtimes, HyperGamma):
        return runtimes.runtimes(sizes, rng)
    return sample(runtimes, len(sizes), rng, name)


def below(largest: float, draw: Draw, parameters: Whole, rng: np.random.Generator) -> Floats:
    """Draw a number per parameter, redrawing those above `largest`."""
    values = draw(parameters, rng)
    for _ in range(_ROUNDS):
        rows = np.flatnonzero(values > largest)
        if not rows.size:
            return values
        values[rows] = draw(parameters[rows], rng)
    raise ValueError(f"largest must leave some numbers to draw, which {largest:g} does not")
