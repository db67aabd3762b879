"""Arrivals: when jobs are submitted, as a point process with mean interarrival time `mean` (s).

Renewal processes draw interarrival times independently, with mean E and squared coefficient of variation
CV² = variance / mean²:

* Poisson: exponential interarrival times, CV² = 1: no bursts.
* Weibull(k, λ): E = λ Γ(1 + 1/k), CV² = Γ(1 + 2/k) / Γ(1 + 1/k)² − 1; a shape k below 1 gives bursts
  (typical: 0.4 to 0.7; textbook formulas).
* any distribution: `Renewal`.

`times` returns the times of a log that starts at 0; the first job comes one interarrival time later.
`operational` returns the same before any cycle, and faster or slower (by `paced`). Ours: the default of one
submission per 1,000 s, about that of the Lublin–Feitelson model.

`paced` (ours) changes the rate of a process and keeps its index of dispersion of hourly counts, I = variance / mean,
where a factor on all times would stretch the bursts as well. Interarrival times g become c gᵖ. The power p is found by
bisection so that I is unchanged, and c follows from the rate. The order of the times is unchanged; Weibull times stay
Weibull (shape / p), log-gamma ones log-gamma. `MMPP2.at_rate` has a closed form; Poisson arrivals need none.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats
from thinktime.workloads.generators.cycles import Cycle
from thinktime.workloads.generators.quantities import Piece, Quantity, checked_time, sample, slot
from thinktime.workloads.names import quoted
from thinktime.workloads.units import HOUR

MEAN = 1_000.0
"""The default mean interarrival time (s)."""


class Arrivals(Piece):
    """An arrival process. A subclass overrides `times`, or `draw`."""

    __slots__ = ()

    @property
    def bursty(self) -> bool:
        """Whether submissions come in bursts, so that another rate is not just a rescaling of time."""
        return True

    @property
    def own_cycle(self) -> Cycle | None:
        """The cycle built into the process, if any."""
        return None

    def operational(self, count: int, rng: np.random.Generator, rate: float = 1.0) -> Floats:
        """The first `count` submissions (s) before any cycle, at `rate` times the rate.

        The index of dispersion of hourly counts is preserved (see `paced`).
        """
        return paced(self.times(count, rng), rate)

    def times(self, count: int, rng: np.random.Generator) -> Floats:
        """The first `count` submissions after time 0 (s), in order."""
        return np.cumsum(self.draw(count, rng))

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` interarrival times (s)."""
        return np.diff(self.times(count, rng), prepend=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Poisson(Arrivals):
    """Exponential interarrival times with mean `mean`, s: a Poisson process."""

    mean: float = MEAN

    def __post_init__(self) -> None:
        checks.fields(self, checks.positive_time, "mean")

    @property
    def bursty(self) -> bool:
        """A Poisson process is never bursty."""
        return False

    @property
    def gap_cv2(self) -> float:
        """The squared coefficient of variation of the interarrival times."""
        return 1.0

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` interarrival times (s)."""
        return rng.exponential(self.mean, count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weibull(Arrivals):
    """Weibull interarrival times; a `shape` below 1 gives bursts."""

    shape: float = 0.5
    mean: float = MEAN

    def __post_init__(self) -> None:
        wanted = "a number of at least 0.05"  # below, Γ(1 + 2/k) leaves the range of floats
        checks.fields(self, checks.number, "shape", wanted=wanted, least=0.05)
        checks.fields(self, checks.positive_time, "mean")

    @property
    def scale(self) -> float:
        """The scale λ (s) that gives the mean."""
        return self.mean / math.gamma(1 + 1 / self.shape)

    @property
    def gap_cv2(self) -> float:
        """The squared coefficient of variation of the interarrival times."""
        return math.gamma(1 + 2 / self.shape) / math.gamma(1 + 1 / self.shape) ** 2 - 1

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` interarrival times (s)."""
        return self.scale * rng.weibull(self.shape, count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal(Arrivals):
    """Independent interarrival times from any distribution (s, at least 0)."""

    gap: Quantity = field(default=MEAN, metadata=slot("time"))

    def __post_init__(self) -> None:
        checks.fields(self, checked_time, "gap")

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw `count` interarrival times (s)."""
        gaps = sample(self.gap, count, rng, "gap")
        if count and gaps.min() < 0:
            raise ValueError(f"gap must be at least 0, but {quoted(self.gap)} gave {gaps.min():g}")
        return gaps


FEWEST_HOURS = 24
"""With fewer hours than this a log says too little about its bursts, and times are simply scaled."""
STEPS = 30
LARGEST_POWER = 8.0


def hourly_dispersion(times: Floats) -> float:
    """Variance over mean of the submissions in whole hours, counted from 0; NaN for less than two hours."""
    hours = int(times[-1] // HOUR) if len(times) else 0
    if hours < 2:
        return math.nan
    counts = np.bincount((times // HOUR).astype(np.int64), minlength=hours)[:hours]
    mean = float(counts.mean())
    return float(counts.var(ddof=1)) / mean if mean else math.nan


def paced(times: Floats, rate: float) -> Floats:
    """The times (s from 0, in order) at `rate` times their rate, with the same hourly dispersion."""
    if rate == 1:
        return times
    span = float(times[-1]) if len(times) else 0.0
    wanted = hourly_dispersion(times)
    if not span >= FEWEST_HOURS * HOUR * max(1.0, rate) or not wanted > 0:
        return times / rate
    gaps = np.diff(times, prepend=0.0) * (len(times) / span)
    low, high = -math.log(LARGEST_POWER), math.log(LARGEST_POWER)
    for _ in range(STEPS):
        middle = (low + high) / 2
        if hourly_dispersion(_powered(gaps, math.exp(middle), span / rate)) < wanted:
            low = middle
        else:
            high = middle
    return _powered(gaps, math.exp((low + high) / 2), span / rate)


def _powered(gaps: Floats, power: float, span: float) -> Floats:
    times = np.cumsum(gaps**power)
    return np.asarray(times * (span / times[-1]), dtype=np.float64)
