"""How long it takes, where some were not seen to the end: the Kaplan-Meier estimate.

Of n observations some are times (s) at which something happened, the others are *censored*: until then it had not
happened, and nobody looked any longer. With t_1 < t_2 < … the times at which it happened, d_i how often it did, and r_i
the number of observations of at least t_i, the estimate of the share for which it takes longer than t is

    S(t) = product over t_i <= t of (1 - d_i / r_i)

Without censored ones S is the share of the observations above t. Behind the last observation, where that is censored, S
is not known. A quantile is the first time at which 1 - S reaches it, and is not known where it does not.

The estimate takes it that whoever stopped looking would have waited as long as the others. Users who give up *because*
they see that they will wait long would have waited longer, and S is too small then.

There is no interval here: those in textbooks take observations to be independent, and jobs of one run are not. Take a
quantile of each replication, and the interval of those.

Source: E. Kaplan, P. Meier, Nonparametric estimation from incomplete observations, Journal of the American Statistical
Association 53 (1958). SciPy does it (`scipy.stats.ecdf` with `CensoredData`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis.statistics.intervals import Floats

ROUNDING = 1e-12
"""A product of shares that comes so near to a quantile has reached it."""


@dataclass(frozen=True, slots=True, eq=False)
class KaplanMeier:
    """An estimate of a distribution of times: a step function, and how many observations it is from."""

    times: Floats
    """The distinct observations, ascending (s)."""
    survival: Floats
    """S at each of them: the share for which it takes longer."""
    seen: int
    """Observations that were seen to the end."""
    censored: int
    """Observations that were not."""

    @property
    def median(self) -> float:
        """The time within which it happened to half (s); NaN where that is not known."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """The first time by which it happened to this share (s); NaN where that is not known."""
        if not 0 < share <= 1:
            raise ValueError(f"share is above 0 and at most 1, got {share!r}")
        reached = np.flatnonzero(self.survival <= 1 - share + ROUNDING)
        return float(self.times[reached[0]]) if len(reached) else np.nan

    def at(self, times: npt.ArrayLike) -> Floats:
        """S at each of these times; NaN where it is not known."""
        asked = np.asarray(times, dtype=np.float64)
        if not len(self.times):
            return np.full(asked.shape, np.nan)
        values = np.concatenate([[1.0], self.survival])[np.searchsorted(self.times, asked, side="right")]
        known = (asked <= self.times[-1]) | (self.survival[-1] <= ROUNDING)
        return np.where(known, values, np.nan)


def kaplan_meier(times: npt.ArrayLike, seen: npt.ArrayLike) -> KaplanMeier:
    """The estimate from observations (s, at least 0) and whether each was seen to the end; else it is censored.

    ``ValueError`` for times that are missing, infinite or negative, and where there are not as many of both.

    >>> found = kaplan_meier([10, 20, 20, 30], [True, True, False, True])
    >>> found.times.tolist(), found.survival.round(3).tolist(), found.median
    ([10.0, 20.0, 30.0], [0.75, 0.5, 0.0], 20.0)
    """
    t, flags = np.asarray(times, dtype=np.float64), np.asarray(seen, dtype=np.bool_)
    if t.shape != flags.shape or t.ndim != 1:
        raise ValueError(
            f"each observation has one time and one flag, got shapes {t.shape} and {flags.shape}"
        )
    if not (np.isfinite(t) & (t >= 0)).all():
        bad = int(np.flatnonzero(~(np.isfinite(t) & (t >= 0)))[0])
        raise ValueError(f"observations are times of at least 0 s, got {t[bad]} at place {bad}")
    count = int(flags.sum())
    if not len(t):
        return KaplanMeier(t, t, 0, 0)
    from scipy import stats

    found: Any = stats.ecdf(stats.CensoredData(t[flags], right=t[~flags])).sf
    return KaplanMeier(
        np.asarray(found.quantiles, dtype=np.float64),
        np.asarray(found.probabilities, dtype=np.float64),
        count,
        len(t) - count,
    )
