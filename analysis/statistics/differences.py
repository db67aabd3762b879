"""Which of two policies is better, and by how much.

**Paired.** Under common random numbers, replication i of both policies has the same users with the same luck, so x_i
and y_i rise and fall together, and the differences d_i = x_i - y_i vary much less than either. Their t-interval
(`paired`) is the correct one, and narrow: with correlation c between the pairs,

    Var d = Var x + Var y - 2 c sd(x) sd(y)

**Unpaired.** Without common random numbers (different seeds or numbers of runs), use Welch's interval (`unpaired`),
which does not assume equal variances.

Tests are two-sided t-tests of "no difference". A small p means that there is a difference, not that it is large: the
interval shows its size. If all differences are equal, nothing is random, and p is 1 if they are 0, else 0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis.statistics.intervals import Interval, known, mean, series
from thinktime.workloads.arrays import Floats


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
