"""Change the rate of an arrival process and keep its hourly burstiness.

Multiplying all times by a factor would stretch or compress the bursts as well: at twice the rate, a burst of an
hour would last half an hour. Kept here is the index of dispersion of hourly counts, I = variance / mean, which
measures how bursty a log is to a machine whose jobs run for hours.

Interarrival times g become c gᵖ. The power p is found by bisection so that I is unchanged, and c follows from the
rate. A power below 1 makes the times more even, one above 1 less. Their order is unchanged, so bursts stay bursts.
Weibull times stay Weibull (shape / p), log-gamma ones log-gamma. Ours.

`MMPP2.at_rate` has a closed form instead, and Poisson arrivals need none.
"""

import math

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.units import HOUR

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
