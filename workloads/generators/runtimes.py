"""Run times: how long a job of n processors runs.

The hyper-gamma model of Lublin and Feitelson (2003; see `cycles` for the source): the logarithm g of the run
time is drawn from gamma(a1, b1) with probability p, else from gamma(a2, b2) (shape, scale; mean a b). p = pa n + pb,
clipped to [0, 1], so wide jobs run longer. Logarithms above `largest` are redrawn. The run time is ⌊e^g⌋.

Run times may also be any quantity (s), such as the profiles `SHORT` and `LONG` of `quantities`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.generators.quantities import Piece, Quantity, sample

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

    def on(self, processors: int) -> "RuntimesOn":
        """The run times of jobs of one size, as a quantity for users in the loop."""
        return RuntimesOn(self, processors)

    def _logs(self, sizes: Whole, rng: np.random.Generator) -> Floats:
        first = rng.random(len(sizes)) <= self.p(sizes)
        shapes, scales = np.where(first, self.a1, self.a2), np.where(first, self.b1, self.b2)
        return rng.gamma(shapes, scales)


@dataclass(frozen=True, slots=True)
class RuntimesOn(Piece):
    """The run times of a hyper-gamma model for jobs of one size."""

    model: HyperGamma
    processors: int

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` run times (s)."""
        return self.model.runtimes(np.full(count, checks.whole("processors", self.processors)), rng)


def draw_runtimes(
    runtimes: Quantity, sizes: Whole, rng: np.random.Generator, name: str = "runtimes"
) -> Floats:
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
