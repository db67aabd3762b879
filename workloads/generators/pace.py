"""Another pace: the same process with more or fewer submissions in a time, as bursty by the hour as before.

Multiplying all times by a factor would stretch or squeeze the bursts as well: a burst of an hour would last
half an hour at twice the rate. The measure that is kept here is the index of dispersion of the counts in
whole hours, I = variance / mean, which tells how bursty a log looks to a machine whose jobs run for hours.

The times between submissions g become c gᵖ. The power p is found by bisection such that I is what it was, and
c follows from the rate. A power below 1 evens times out, one above 1 sets them apart; their order stays, so
what is a burst stays one. Weibull times stay Weibull (shape / p), log-gamma ones log-gamma. Ours.

Processes that have a closed form for it do better: see `MMPP2.at_rate`. Poisson arrivals have nothing to keep.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.workloads.generators.quantities import Real
from thinktime.workloads.units import HOUR

FEWEST_HOURS = 24
"""With fewer hours than this a log says too little about its bursts, and times are multiplied."""
STEPS = 30
LARGEST_POWER = 8.0


def hourly_dispersion(times: Real) -> float:
    """Variance over mean of the number of submissions in the whole hours from 0 on; NaN without two hours."""
    hours = int(times[-1] // HOUR) if len(times) else 0
    if hours < 2:
        return math.nan
    counts = np.bincount((times // HOUR).astype(np.int64), minlength=hours)[:hours]
    mean = float(counts.mean())
    return float(counts.var(ddof=1)) / mean if mean else math.nan


def paced(times: Real, rate: float) -> Real:
    """The times (s, from 0 on, in order) at `rate` times their rate, with their hourly dispersion."""
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


def _powered(gaps: Real, power: float, span: float) -> Real:
    times = np.cumsum(gaps**power)
    return np.asarray(times * (span / times[-1]), dtype=np.float64)
