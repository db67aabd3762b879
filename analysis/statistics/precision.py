"""How many replications are enough.

The target is a half width, absolute (in the measure's unit) or relative (a fraction of the mean). From R pilot runs
with standard deviation s,

    absolute e:  the least n ≥ R with  t_{n-1} s / sqrt(n) ≤ e
    relative g:  the same with  e = |mean| g / (1 + g)

where g / (1 + g) bounds the error relative to the true value, |estimate − truth| / |truth| ≤ g. Source: A. M. Law,
Simulation Modeling and Analysis, section 9.4.1.

**The pilot's bias.** s comes from a few runs. After a calm pilot n is too small, and a rule that stops as soon as the
interval *looks* narrow enough tends to stop in calm stretches, so its intervals cover the truth less often than
nominal. Both effects fade as the number of first runs grows. Measured (tests/analysis/statistics/test_precision.py;
nominal 95 %): a normal measure at 20 % is covered in 91 % of trials from 3 first runs, 94 % from 10 and 95 % from 20;
an exponential one at 50 % in 90, 91 and 92 %. There 34 runs fixed beforehand cover 93 %, because it is skewed. So the
default is 10 first runs; report the number of runs with the interval.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinktime.analysis.statistics.intervals import Interval, known, mean, t_quantile
from thinktime.workloads.names import quoted

FIRST, MOST = 10, 1000


@dataclass(frozen=True, slots=True)
class Replicated:
    """The result of a sequence of replications."""

    values: tuple[float, ...]
    """One value per replication, in order; NaN for a replication without a value."""
    interval: Interval
    reached: bool
    """Whether the precision was reached within the maximum number of runs."""


def replications_needed(
    pilot: npt.ArrayLike, *, absolute: float | None = None, relative: float | None = None, confidence: float = 0.95
) -> int:
    """The total number of replications, including the pilot, that a precision is likely to need.

    Give exactly one of `absolute` and `relative`. Errors: fewer than two pilot values; a relative precision with a
    mean of 0.

    >>> replications_needed([10, 12, 14, 11, 13], relative=0.05)
    32
    """
    x = known(pilot)
    if len(x) < 2:
        raise ValueError(f"a pilot needs at least two replications with a value, not {len(x)}")
    wanted = _wanted(float(x.mean()), absolute, relative)
    if not wanted:
        raise ValueError("a mean of 0 has no relative precision; give an absolute one")
    spread = float(x.std(ddof=1))

    def enough(n: int) -> bool:
        return bool(t_quantile(n - 1, confidence) * spread / np.sqrt(n) <= wanted)

    most = len(x)
    while not enough(most):
        most *= 2
    return bisect_left(range(most), True, lo=len(x), key=enough)


def until_precise(
    replicate: Callable[[int], float],
    *,
    absolute: float | None = None,
    relative: float | None = None,
    confidence: float = 0.95,
    first: int = FIRST,
    most: int = MOST,
) -> Replicated:
    """Run replications 0, 1, 2, … until their mean is precise enough, at least `first` and at most `most`.

    `replicate(i)` runs the i-th replication (with a seed that depends only on i) and returns the measure. The stopping
    rule is checked after each one.
    """
    if not 2 <= first <= most:
        raise ValueError(f"first and most must satisfy 2 <= first <= most, not {quoted(first)} and {quoted(most)}")
    _wanted(1.0, absolute, relative)
    values: list[float] = []
    while True:
        values.append(float(replicate(len(values))))
        interval = mean(values, confidence)
        reached = interval.half <= _wanted(interval.mean, absolute, relative)
        if len(values) >= first and (reached or len(values) >= most):
            return Replicated(tuple(values), interval, reached)


def _wanted(centre: float, absolute: float | None, relative: float | None) -> float:
    """The target half width around this mean."""
    if (absolute is None) == (relative is None):
        raise ValueError("give one precision: absolute=HALF_WIDTH or relative=FRACTION")
    given = absolute if absolute is not None else relative
    assert given is not None
    if not 0 < given < np.inf:
        raise ValueError(f"a precision must be above 0, not {quoted(given)}")
    return given if absolute is not None else abs(centre) * given / (1 + given)
