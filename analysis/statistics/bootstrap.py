"""Bootstrap intervals of means over values that depend on each other within clusters, such as users or weeks.

A user's jobs depend on each other, and so do those of one week, so neither are a sample of independent values. Whole
clusters are drawn with replacement instead, and the statistic is computed from what is drawn; the interval holds the
middle 95 % of the values. Where values lie in clusters of two kinds at once, the wider of the two intervals counts.

Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), chapters 8 and 13 (percentile intervals).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.streams import Seed, stream

RESAMPLES = 1000
"""How often clusters are drawn."""
CONFIDENCE = 0.95


class Estimate(NamedTuple):
    """A value with the ends of its interval; NaN for too little data."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """The length of the interval."""
        return self.high - self.low

    @property
    def reach(self) -> tuple[float, float]:
        """From the value down to the low end, and up to the high end; 0 where there is none."""
        return float(np.nan_to_num(self.value - self.low)), float(np.nan_to_num(self.high - self.value))

    def above(self, other: float) -> bool:
        """Whether the whole interval lies above a value."""
        return self.low > other


UNKNOWN = Estimate(np.nan, np.nan, np.nan)
"""What cannot be said."""


def mean(values: Floats, clusters: Sequence[Whole], seed: Seed = 0, resamples: int = RESAMPLES) -> Estimate:
    """The mean of values, with the widest of the intervals over each kind of ``clusters`` (a code per value).

    Fewer than two clusters of a kind give no interval of that kind.
    """
    if not len(values):
        return UNKNOWN
    samples = []
    for kind, code in enumerate(clusters):
        _, place = np.unique(code, return_inverse=True)
        sums, counts = np.bincount(place, values), np.bincount(place)
        drawn = draws(len(counts), seed, kind, resamples)
        samples.append((drawn @ sums) / (drawn @ counts))
    return widest(float(values.mean()), samples)


def draws(clusters: int, seed: Seed, kind: object, resamples: int = RESAMPLES) -> Floats:
    """How often each cluster of a kind is drawn, a row per resample; no rows for fewer than two clusters."""
    if clusters < 2:
        return np.empty((0, clusters))
    rng = stream(seed, kind, "bootstrap")
    return rng.multinomial(clusters, np.full(clusters, 1 / clusters), resamples).astype(np.float64)


def widest(value: float, samples: Iterable[Floats]) -> Estimate:
    """A value with the widest of the percentile intervals of some samples of it."""
    tail = (1 - CONFIDENCE) / 2
    found = Estimate(value, np.nan, np.nan)
    for sample in samples:
        known = sample[np.isfinite(sample)]
        if len(known):
            low, high = np.quantile(known, [tail, 1 - tail]).tolist()
            if not found.width >= high - low:
                found = Estimate(value, low, high)
    return found
