"""The Kaplan-Meier estimate of a distribution of times, some of which are censored.

Some of n observations are times (s) at which an event occurred. The others are *censored*: the event had not occurred
by then, and observation stopped. The share S(t) of times longer than t is the product-limit estimate
(`thinktime.workloads.product_limit`).
Without censoring, S is the share of the observations above t. After the last observation, S is unknown if that one is
censored. A quantile is the first time at which 1 - S reaches it; it is unknown if 1 - S never does.

The estimate assumes that who is censored at t would have gone on like the others who were still there at t. That holds
for *waits* until the start of users whose patience does not depend on the machine: up to a fixed patience, S is exact,
and beyond it nothing is known. It does not hold where users give up *because* they see a long queue, nor for *response
times* under patience: who leaves after a wait has not started, while of those who are still there many run and will
soon be served. Then S is too small, and a quantile only a lower bound.

There is no interval: those in textbooks assume independent observations, and jobs of one run are not. Take a quantile
of each replication, and the interval of those.

Source: E. Kaplan, P. Meier, Nonparametric estimation from incomplete observations, Journal of the American Statistical
Association 53 (1958).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import quoted
from thinktime.workloads.product_limit import product_limit

ROUNDING = 1e-12
"""The tolerance within which a product of shares reaches a quantile."""


@dataclass(frozen=True, slots=True, eq=False)
class KaplanMeier:
    """An estimate of a distribution of times, as a step function."""

    times: Floats
    """The distinct observations, ascending (s)."""
    survival: Floats
    """S at each of these times."""
    seen: int
    """The number of observed events."""
    censored: int
    """The number of censored observations."""

    @property
    def known_until(self) -> float:
        """Up to when S is known (s): the last observation, or for ever if S is 0 there; 0 without observations."""
        if not len(self.times):
            return 0.0
        return float(np.inf if self.survival[-1] <= ROUNDING else self.times[-1])

    @property
    def median(self) -> float:
        """The median time (s); NaN if unknown."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """The first time (s) at which 1 - S reaches `share`; NaN if unknown."""
        if not 0 < share <= 1:
            raise ValueError(f"share must be above 0 and at most 1, not {quoted(share)}")
        reached = np.flatnonzero(self.survival <= 1 - share + ROUNDING)
        return float(self.times[reached[0]]) if len(reached) else np.nan

    def at(self, times: npt.ArrayLike) -> Floats:
        """S at each of these times; NaN if unknown."""
        asked = np.asarray(times, dtype=np.float64)
        if not len(self.times):
            return np.full(asked.shape, np.nan)
        values = np.concatenate([[1.0], self.survival])[np.searchsorted(self.times, asked, side="right")]
        known = (asked <= self.times[-1]) | (self.survival[-1] <= ROUNDING)
        return np.where(known, values, np.nan)


def kaplan_meier(times: npt.ArrayLike, seen: npt.ArrayLike) -> KaplanMeier:
    """The estimate from times (s, at least 0) and whether the event was seen at each, else it is censored.

    Raises ``ValueError`` for times that are missing, infinite or negative, and for arrays of different lengths.

    >>> found = kaplan_meier([10, 20, 20, 30], [True, True, False, True])
    >>> found.times.tolist(), found.survival.round(3).tolist(), found.median
    ([10.0, 20.0, 30.0], [0.75, 0.5, 0.0], 20.0)
    """
    t, flags = np.asarray(times, dtype=np.float64), np.asarray(seen, dtype=np.bool_)
    if t.shape != flags.shape or t.ndim != 1:
        raise ValueError(f"each observation needs one time and one flag, not shapes {t.shape} and {flags.shape}")
    if len(bad := np.flatnonzero(~(np.isfinite(t) & (t >= 0)))):
        raise ValueError(f"observations must be times of at least 0 s, not {t[bad[0]]} at place {bad[0]}")
    if not len(t):
        return KaplanMeier(t, t, 0, 0)
    return KaplanMeier(*product_limit(t, flags), int(flags.sum()), int((~flags).sum()))
