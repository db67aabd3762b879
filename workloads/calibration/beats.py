"""Programs that submit at equal intervals: how probable a user's gaps are if they are multiples of one interval."""

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.units import MINUTE

FEWEST = 20
"""The fewest gaps of a user who is known for equal intervals."""
SHORTEST = 5 * MINUTE
"""The shortest of such intervals, s."""
JITTER = 0.01
"""By how much of the interval gaps differ from its multiples."""


def beat(gap: Floats, otherwise: Floats) -> float:
    """The logarithm of the probability of one user's gaps (s) if they are multiples of an interval.

    ``otherwise`` is that of each gap, if it is none. The share of multiples, the interval and the multiple (each half
    as probable as the one before) are unknown, and cost what they should.
    """
    from scipy import special

    period = float(np.median(gap))
    if period < SHORTEST:
        return -np.inf
    multiple = np.maximum(np.rint(gap / period), 1.0)
    hits = np.abs(gap - multiple * period) <= JITTER * period
    n, k = len(gap), int(hits.sum())
    said = np.where(hits, -multiple * np.log(2.0) - np.log(2 * JITTER * period), otherwise).sum()
    choice = special.betaln(k + 1, n - k + 1) - np.log(1 / JITTER)
    return float(said + choice)
