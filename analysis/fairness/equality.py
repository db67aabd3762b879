"""Resource equality: every job deserves an equal share of the machine while it is in the system.

With N(t) live jobs (waiting or running) at t on P processors, job j deserves the integral of P / N(t) over
[submit, end), and receives n * run. Its unfairness is the positive part of the difference. Source: G. Sabin and
P. Sadayappan, Unfairness metrics for space-sharing parallel job schedulers (JSSPP 2005), as cited in the cplant paper
(section IV).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinktime.models.results import measures
from thinktime.models.results.result import Result

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Equality:
    """Processor-seconds that jobs deserved and received, one per row; NaN for jobs that have not run and ended."""

    deserved: Floats
    received: Floats

    @property
    def signed(self) -> Floats:
        """Deserved minus received: below 0 for jobs that received more than an equal share."""
        return self.deserved - self.received

    @property
    def unfairness(self) -> Floats:
        """max(0, deserved - received) of each job."""
        return np.maximum(self.signed, 0.0)

    @property
    def total(self) -> float:
        """The sum of the unfairness."""
        return float(np.nansum(self.unfairness))

    @property
    def mean(self) -> float:
        """The mean of the unfairness over the jobs that ran."""
        known = self.unfairness[~np.isnan(self.unfairness)]
        return float(known.mean()) if len(known) else np.nan


def resource_equality(result: Result, cap: bool = False) -> Equality:
    """What each job deserved and received; with ``cap`` (ours) no job deserves more than min(P / N, n) at a time."""
    over = measures.ended(result)
    enter, leave = result["submit"], np.where(np.isnan(result["end"]), result.now, result["end"])
    n = result["processors"]
    times = np.unique(np.concatenate([enter, leave]))
    live = np.cumsum(
        np.bincount(np.searchsorted(times, enter), minlength=len(times))
        - np.bincount(np.searchsorted(times, leave), minlength=len(times))
    )[:-1]
    share = np.divide(result.processors, live, out=np.zeros(len(live)), where=live > 0)
    deserved = np.full(len(result), np.nan)
    for width in np.unique(n[over]).tolist() if cap else [np.inf]:
        jobs = over & (n == width) if cap else over
        earned = np.concatenate([[0.0], np.cumsum(np.minimum(share, width) * np.diff(times))])
        deserved[jobs] = (
            earned[np.searchsorted(times, leave[jobs])] - earned[np.searchsorted(times, enter[jobs])]
        )
    return Equality(deserved, np.where(over, n * measures.actual_runtime(result), np.nan))
