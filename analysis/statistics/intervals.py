"""Means with t-intervals: over replications, and over values grouped in instances.

**Replications** x_1, …, x_R are independent, one number per run. Their mean has the interval

    half width = t_{(1 + confidence) / 2, R-1} * s / sqrt(R)

with s their standard deviation (divisor R − 1). It is exact for normal x, and close if each x is itself a mean over
many jobs. A maximum over jobs or a p99 needs more replications.

**Grouped values.** An instance i gives a sum a_i over n_i values (stretches above 20 over campaigns, maxima over
users), and the mean is that of all values, r = sum a / sum n. Instances do not depend on each other, so the interval
comes from them: with R of them, and residuals e_i = a_i - r n_i,

    half width = t_{(1 + confidence) / 2, R-1} * sqrt(sum e_i^2 / (R (R - 1))) / mean n

the ratio estimator of survey sampling (W. G. Cochran, Sampling Techniques, 1977, chapter 6). If all n_i are equal,
both intervals are the same.

**Differences of two policies.** Under common random numbers, replication i of both has the same users with the same
luck, so the differences d_i = x_i - y_i vary less than either, by the correlation c between the pairs:

    Var d = Var x + Var y - 2 c sd(x) sd(y)

Their t-interval is `paired`. Without common random numbers, use Welch's interval (`unpaired`). Tests are two-sided
t-tests of "no difference". If all differences are equal, nothing is random, and p is 1 if they are 0, else 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import quoted


class Interval(NamedTuple):
    """A mean and the half width of its interval; NaN for too little data."""

    mean: float
    half: float

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.half

    @property
    def relative(self) -> float:
        """The half width divided by the absolute mean; infinite for a mean of 0, NaN if the half width is."""
        if self.half != self.half:
            return np.nan
        return self.half / abs(self.mean) if self.mean else np.inf

    def contains(self, value: float) -> bool:
        """Whether a value lies in the interval, ends included; False if the half width is NaN."""
        return self.low <= value <= self.high


def mean(values: npt.ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean of independent replications, with its t-interval.

    Replications without a value (NaN, such as when nothing finished) are dropped. One replication has a mean but no
    interval. Errors: an infinite value, more than one dimension, a confidence outside (0, 1).

    >>> centre, half = mean([10, 12, 14])
    >>> centre, round(half, 3)
    (12.0, 4.968)
    """
    x = known(values)
    return ratio(x, np.ones(len(x)), confidence)


def ratio(sums: npt.ArrayLike, counts: npt.ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean of all values, from one sum and one count per instance.

    >>> ratio([1, 9, 30], [10, 10, 30]).mean
    0.8
    """
    a, n = np.asarray(sums, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    quantile = t_quantile(len(a) - 1, confidence)
    if not n.sum():
        return Interval(np.nan, np.nan)
    centre = float(a.sum() / n.sum())
    if len(a) < 2:
        return Interval(centre, np.nan)
    error = np.sqrt(((a - centre * n) ** 2).sum() / (len(a) * (len(a) - 1))) / n.mean()
    return Interval(centre, float(quantile * error))


def mean_of(groups: Sequence[Floats], confidence: float = 0.95) -> Interval:
    """The mean of all values, given as one array per instance."""
    return ratio([group.sum() for group in groups], [len(group) for group in groups], confidence)


def t_quantile(degrees: int, confidence: float) -> float:
    """The t-distribution's two-sided quantile: ``|t|`` stays below it with probability `confidence`."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, such as 0.95, not {quoted(confidence)}")
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + confidence / 2)) if degrees > 0 else np.nan


def known(values: npt.ArrayLike) -> Floats:
    """The values that are not NaN, in order."""
    x = series(values)
    return x[~np.isnan(x)]


def series(values: npt.ArrayLike) -> Floats:
    """The values as a one-dimensional array, with NaN for missing ones."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1:
        raise ValueError(f"values must have one dimension, not {x.ndim}")
    if np.isinf(x).any():
        raise ValueError(f"value {int(np.flatnonzero(np.isinf(x))[0])} is infinite, so there is no mean")
    return x


def complete(values: npt.ArrayLike) -> Floats:
    """The values as a one-dimensional array; ``ValueError`` if one is missing."""
    x = series(values)
    if np.isnan(x).any():
        raise ValueError(f"value {int(np.flatnonzero(np.isnan(x))[0])} is missing; remove missing values first")
    return x


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference of two samples, first minus second."""

    interval: Interval
    p: float
    """The probability of a difference at least this large if there were none; NaN for too little data."""
    pairs: int
    """The number of pairs; the smaller number of replications, if unpaired."""
    correlation: float
    """The correlation of the pairs; NaN if one side does not vary, or if there are no pairs."""
    paired: bool

    def significant(self, alpha: float = 0.05) -> bool:
        """Whether p is below `alpha`; False for too little data."""
        return self.p < alpha


def paired(first: npt.ArrayLike, second: npt.ArrayLike, confidence: float = 0.95) -> Difference:
    """First minus second, replication by replication (same seed at the same place).

    Pairs with a missing value (NaN) are dropped; `pairs` is the number of those left.

    >>> found = paired([12, 15, 11, 18], [10, 12, 10, 14])
    >>> round(found.interval.mean, 2), round(found.interval.half, 2), round(found.p, 3)
    (2.5, 2.05, 0.03)
    """
    x, y = series(first), series(second)
    if len(x) != len(y):
        raise ValueError(f"pairs need equally many values on both sides, not {len(x)} and {len(y)}")
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    d = x - y
    interval = mean(d, confidence)
    p = _certain(interval)
    if len(d) > 1 and np.ptp(d):
        from scipy.special import stdtr  # stats.ttest_rel takes a hundred times longer for the same number

        t = d.mean() / (d.std(ddof=1) / np.sqrt(len(d)))
        p = float(2 * stdtr(len(d) - 1, -abs(t)))
    return Difference(interval, p, len(d), _correlation(x, y), paired=True)


def unpaired(first: npt.ArrayLike, second: npt.ArrayLike, confidence: float = 0.95) -> Difference:
    """First minus second, from independent replications: Welch's interval and test."""
    x, y = known(first), known(second)
    least = min(len(x), len(y))
    if least < 2 or not (np.ptp(x) or np.ptp(y)):
        centre = float(x.mean() - y.mean()) if least else np.nan
        interval = Interval(centre, 0.0 if least > 1 else np.nan)
        return Difference(interval, _certain(interval), least, np.nan, paired=False)
    from scipy import stats

    test: Any = stats.ttest_ind(x, y, equal_var=False)
    ends = test.confidence_interval(confidence)
    interval = Interval(float(x.mean() - y.mean()), float(ends.high - ends.low) / 2)
    return Difference(interval, float(test.pvalue), least, np.nan, paired=False)


def _certain(interval: Interval) -> float:
    """The p of differences that do not vary: NaN for fewer than two of them."""
    if interval.half != interval.half:
        return np.nan
    return 0.0 if interval.mean else 1.0


def _correlation(x: Floats, y: Floats) -> float:
    if len(x) < 2 or not (np.ptp(x) and np.ptp(y)):
        return np.nan
    u, v = x - x.mean(), y - y.mean()
    return float((u @ v) / np.sqrt((u @ u) * (v @ v)))


def deciles(draws: Sequence[float] | Floats) -> tuple[float, float]:
    """The interval of 80 % for one more draw: from the first to the ninth decile; of fewer than nine, from all of them.

    One more draw is below k of n draws with the probability k / (n + 1). NaN are left out.

    >>> deciles(range(1, 20))
    (2.0, 18.0)
    """
    low, high = np.nanquantile(draws, (0.1, 0.9), method="weibull").tolist()
    return low, high
