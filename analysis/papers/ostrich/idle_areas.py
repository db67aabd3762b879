"""How far the real schedule falls behind the virtual one: Lemma 1 of the ostrich paper (section 5.1).

    Lemma 1    The total idle area in R, counted from the earliest to the latest start of a job, exceeds the
               total idle area in V by at most m p_max.

R is the real schedule on m processors, V the virtual one (`thinktime.analysis.stretch.virtual_schedule`), and p_max
the longest job. V idles as a whole while no user is active in it. Its proof looks for the first moment at which the
bound is passed, so we evaluate it at every moment t from the earliest start to the latest:

    excess(t) = idle area of R in [earliest start, t] - idle area of V in the same time

This is the work that V has done since the earliest start, less that of R. Lemma 1 is proved for sequential jobs with
exact estimates. Every schedule that never leaves a processor idle while a job waits keeps even (m - 1) p_max: while the
excess grows, fewer than m jobs run in R, and no job that V has begun waits.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

import thinktime as tt
from thinktime.analysis.series import processors_in_use
from thinktime.analysis.stretch import campaign_columns, virtual_schedule
from thinktime.models.results.steps import Steps

TOLERANCE = 1e-6
"""For sums of areas in floating point."""


class IdleAreas(NamedTuple):
    """Idle areas of the real and the virtual schedule, processor-seconds, and what Lemma 1 allows."""

    real: float
    """Of R, from the earliest to the latest start."""
    virtual: float
    """Of V, in the same time."""
    largest: float
    """The largest excess of R's over V's up to any moment of that time; at least 0."""
    bound: float
    """The bound of the theorem, m p_max (processor-seconds)."""

    @property
    def share(self) -> float:
        """The largest excess as a part of the bound; NaN where no job is longer than 0 s."""
        return self.largest / self.bound if self.bound else np.nan

    @property
    def broken(self) -> bool:
        """Whether the bound was passed at some moment."""
        return self.largest > self.bound * (1 + TOLERANCE) + TOLERANCE


def idle_areas(result: tt.Result, shares: Mapping[Any, float] | None = None) -> IdleAreas:
    """The idle areas of a result, whatever policy it ran under, and Lemma 1's bound.

    ``shares`` are those of `virtual_schedule`. A result in which nothing started has areas of 0.
    """
    columns, m = campaign_columns(result), result.processors
    bound = m * float(columns.declared_longest.max(initial=0.0))
    started = result["start"][~np.isnan(result["start"])]
    if not len(started):
        return IdleAreas(0.0, 0.0, 0.0, bound)
    active = virtual_schedule(result, shares).active
    working = Steps(active.times, np.where(active.values > 0, float(m), 0.0))
    in_use = processors_in_use(result)
    first, last = float(started.min()), float(started.max())
    times = np.unique(np.concatenate([[first, last], working.times, in_use.times]))
    times = times[(times >= first) & (times <= last)]
    real, virtual = (m * (times - first) - (of.integral(times) - of.integral(first)) for of in (in_use, working))
    return IdleAreas(float(real[-1]), float(virtual[-1]), float((real - virtual).max()), bound)
