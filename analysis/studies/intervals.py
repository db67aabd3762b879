"""Means over instances, with a 95 % t-interval.

An instance i gives a sum a_i over n_i things (stretches above 20 over campaigns, maxima over users), and
the mean is that of all things, r = sum a / sum n. Things of one instance depend on each other, instances do
not, so the interval comes from the instances: with I of them, and residuals e_i = a_i - r n_i,

    half width = t_{0.975, I-1} * sqrt(sum e_i^2 / (I (I - 1))) / mean n

the ratio estimator of survey sampling (W. G. Cochran, Sampling Techniques, 1977, chapter 6). Where all n_i
are equal, this is the usual interval of the mean of the instances' means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Interval(NamedTuple):
    """A mean and the half width of its interval; NaN where there are too few instances, or no things."""

    mean: float
    half: float

    @property
    def low(self) -> float:
        """The lower end."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """The upper end."""
        return self.mean + self.half


def ratio(sums: npt.ArrayLike, counts: npt.ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean of all things, from one sum and one count per instance.

    >>> mean, half = ratio([10, 12, 14], [1, 1, 1])
    >>> mean, round(half, 3)
    (12.0, 4.968)
    """
    a, n = np.asarray(sums, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    if not n.sum():
        return Interval(np.nan, np.nan)
    mean = float(a.sum() / n.sum())
    if len(a) < 2:
        return Interval(mean, np.nan)
    from scipy.special import stdtrit

    error = np.sqrt(((a - mean * n) ** 2).sum() / (len(a) * (len(a) - 1))) / n.mean()
    return Interval(mean, float(stdtrit(len(a) - 1, 0.5 + confidence / 2) * error))


def mean_of(groups: Sequence[npt.NDArray[np.float64]]) -> Interval:
    """The mean of all values, which come in one array per instance."""
    return ratio([group.sum() for group in groups], [len(group) for group in groups])
