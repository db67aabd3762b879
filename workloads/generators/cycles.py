"""Daily and weekly cycles on top of any arrivals, by a change of time.

Let w(t) be the weight of time t, with the week as its period and mean 1. Arrivals are drawn in operational time
τ. Their real time t is where the cumulative weight reaches it: Λ(t) = ∫₀ᵗ w(x) dx = τ. The number of submissions
and their order are unchanged, a week of operational time is a week of real time, and a Poisson process of rate λ
becomes one of rate λ w(t). Bursts stay bursts.

w is the product of a weight for the part of the day (any number of equal parts, such as 24 hours or 48 half
hours) and one for the day of the week. For a week measured in a log, which need not be such a product, `hours`
has all 168 weights. t = 0 is midnight before a Monday (ours; the headers of generated logs say so). Ours: the weekly
weights, with Saturday and Sunday half as busy as a working day.

The daily weights are those of the Lublin–Feitelson model, all jobs. The number of submissions follows a gamma density
over the day, counted in half hours from 5 o'clock: with G the distribution function of gamma(shape a, scale b) and
i = 11 … 58, the half hour (i − 1) mod 48 has the raw weight G(i + ½) − G(i − ½). Source: Lublin and Feitelson, The
workload on parallel supercomputers: modeling the characteristics of rigid jobs, JPDC 63(11), 2003, and their program
m_lublin99.c at the Parallel Workloads Archive.
"""

import functools
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats
from thinktime.workloads.hours import WorkingHours
from thinktime.workloads.units import WEEK

WORKING_WEEK = (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5)
"""Weights of Monday to Sunday (ours)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """Weights of equal parts of the `day`, from midnight, and of the days of the `week`, from Monday."""

    day: tuple[float, ...] = (1.0,)
    week: tuple[float, ...] = (1.0,) * 7
    hours: tuple[float, ...] | None = None
    """Weights of the 168 hours of the week, from midnight on Monday, instead of `day` and `week`."""

    def __post_init__(self) -> None:
        wanted = "a list of weights of at least 0, one of them above 0"
        checks.fields(self, checks.several, "day", wanted=wanted)
        checks.fields(self, checks.several, "week", wanted=f"{wanted}, for seven days", count=7)
        if self.hours is not None:
            wanted = f"{wanted}, for the 168 hours of the week"
            checks.fields(self, checks.several, "hours", wanted=wanted, count=168)

    @property
    def weights(self) -> Floats:
        """The weights w of the parts of a week, with mean 1."""
        weights = np.outer(self.week, self.day).ravel() if self.hours is None else np.array(self.hours)
        return np.asarray(weights / weights.mean(), dtype=np.float64)

    def warp(self, times: Floats) -> Floats:
        """Real times (s) of operational ones (s, at least 0)."""
        weights, reached = _reached(self)
        length = WEEK / len(weights)
        weeks, rest = np.divmod(times, reached[-1])
        # The last part that begins by then has a weight: a part without one ends where it begins.
        part = np.minimum(np.searchsorted(reached, rest, side="right") - 1, np.flatnonzero(weights)[-1])
        within = np.minimum((rest - reached[part]) / weights[part], length)
        return np.asarray(weeks * WEEK + part * length + within, dtype=np.float64)

    def later(self, time: float, gap: float) -> float:
        """The real time (s) at which `gap` s of operational time have passed since a real time (s)."""
        return max(time, self.passed(time, gap))

    def passed(self, time: float, gap: float) -> float:
        """The same, which rounding may put before `time`: ``warp(unwarp(time) + gap)`` of single times, much faster."""
        weights, reached, edges, last = _parts(self)
        weeks, rest = divmod(time, WEEK)
        part = bisect_right(edges, rest) - 1
        slope = (reached[part + 1] - reached[part]) / (edges[part + 1] - edges[part])
        begun = reached[part] if rest == edges[part] else slope * (rest - edges[part]) + reached[part]
        weeks, rest = divmod(weeks * reached[-1] + begun + gap, reached[-1])
        part = min(bisect_right(reached, rest) - 1, last)
        within = min((rest - reached[part]) / weights[part], WEEK / len(weights))
        return weeks * WEEK + part * (WEEK / len(weights)) + within

    def unwarp(self, times: Floats) -> Floats:
        """Operational times (s) of real ones (s): the cumulative weight Λ."""
        weights, reached = _reached(self)
        edges = np.linspace(0, WEEK, len(weights) + 1)
        weeks, rest = np.divmod(times, WEEK)
        return np.asarray(weeks * reached[-1] + np.interp(rest, edges, reached), dtype=np.float64)


@functools.lru_cache(64)
def _reached(cycle: Cycle) -> tuple[Floats, Floats]:
    """The weights of a cycle's parts, and the operational time (s) that has passed at each border of them."""
    weights = cycle.weights
    return weights, np.concatenate([[0.0], np.cumsum(weights)]) * (WEEK / len(weights))


@functools.lru_cache(64)
def _parts(cycle: Cycle) -> tuple[list[float], list[float], list[float], int]:
    """The same as lists, with the real times of the borders, and the last part that has a weight."""
    weights, reached = _reached(cycle)
    edges = np.linspace(0, WEEK, len(weights) + 1)
    return weights.tolist(), reached.tolist(), edges.tolist(), int(np.flatnonzero(weights)[-1])


@functools.cache
def daily() -> Cycle:
    """The day of the Lublin–Feitelson model, in half hours: busiest around 13:30, quietest at 5."""
    return Cycle(day=tuple(half_hours().tolist()))


@functools.cache
def weekly() -> Cycle:
    """The same day, and a week with a quiet weekend."""
    return Cycle(day=daily().day, week=WORKING_WEEK)


HALF_HOURS = 48


def raw_half_hours(shape: float = 8.1737, scale: float = 3.9631) -> Floats:
    """The weights before normalization; the defaults are those of all jobs."""
    from scipy.special import gammainc

    i = np.arange(11, 11 + HALF_HOURS)
    weights = np.empty(HALF_HOURS)
    weights[(i - 1) % HALF_HOURS] = gammainc(shape, (i + 0.5) / scale) - gammainc(shape, (i - 0.5) / scale)
    return weights


def half_hours(shape: float = 8.1737, scale: float = 3.9631) -> Floats:
    """The weights of the 48 half hours, with mean 1."""
    weights = raw_half_hours(shape, scale)
    return np.asarray(weights / weights.mean(), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class UserClock:
    """When users come back from thinking.

    A think time passes in operational time. A submission outside the hours is delayed until they begin (ours).
    """

    cycle: Cycle | None = None
    hours: WorkingHours | None = None

    @property
    def plain(self) -> bool:
        """Whether the clock has neither a cycle nor hours."""
        return self.cycle is None and self.hours is None

    def later(self, time: float, gap: float) -> float:
        """When a user who begins to think at `time` (s), for `gap` s, submits."""
        at = time + gap if self.cycle is None else self.cycle.later(time, gap)
        return at if self.hours is None else self.hours.next(at)


PLAIN = UserClock()
"""The clock without hours and cycle."""
