"""Which jobs had which slowdown under which load: the shares of a result's jobs in a grid of load × slowdown.

* *Load*, as the job perceives it: the share of the machine that was in use right before its submission. (Each job
  counts once, so this is what jobs met, not what the machine had over time.) More than 1 counts as 1.
* *Slowdown*: bounded (10 s), in five steps for each factor of ten; from 10⁶ on in one.

The difference of two results, cell by cell and in shares of their jobs, shows where the jobs have gone that the means
hide: a policy that is better on average may be so for jobs that come to a busy machine, and worse for others.

Source: D. Krakov and D. Feitelson, Comparing performance heatmaps (JSSPP 2013), after their High-resolution analysis of
parallel job workloads (JSSPP 2012). Theirs is the grid and the difference; the measure of load, the steps, and that
differences are of shares, since users with feedback submit other jobs, are our choice.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.analysis.series import processors_in_use
from thinktime.models.results import measures
from thinktime.models.results.outcome import served
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats
from thinktime.workloads.grid import TICK
from thinktime.workloads.trace import Time

LOADS: Floats = np.linspace(0, 1, 21)
"""The borders between loads."""
SLOWDOWNS: Floats = 10.0 ** (np.arange(31) / 5)
"""The borders between slowdowns."""


@dataclass(frozen=True, eq=False)
class LoadHeatmap:
    """``shares[i, j]`` of the jobs had a slowdown in [SLOWDOWNS[i], SLOWDOWNS[i + 1]) at a load in step j."""

    shares: Floats
    """They add up to 1; all are 0 if no job was served."""
    jobs: int
    """Jobs that were served."""

    @classmethod
    def of(cls, result: Result, start: Time | None = None, end: Time | None = None) -> "LoadHeatmap":
        """That of the jobs of a result that were served, or of those submitted in [start, end) (`Result.during`)."""
        over = served(result) & result.during(start, end).rows
        load, slow = load_at_arrival(result)[over], measures.bounded_slowdown(result)[over]
        rows = np.searchsorted(SLOWDOWNS, slow, side="right") - 1
        columns = np.searchsorted(LOADS, load, side="right") - 1
        shape = len(SLOWDOWNS) - 1, len(LOADS) - 1
        place = np.minimum(rows, shape[0] - 1) * shape[1] + np.minimum(columns, shape[1] - 1)
        counts = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
        return cls(counts / max(len(load), 1), len(load))

    def __sub__(self, other: "LoadHeatmap") -> Floats:
        """The difference of the shares, cell by cell."""
        difference: Floats = self.shares - other.shares
        return difference


def load_at_arrival(result: Result) -> Floats:
    """The share of the machine that was in use right before each job's submission."""
    found: Floats = processors_in_use(result).at(result["submit"] - TICK / 2) / result.processors
    return found
