"""What users gave up: the number of abandoned jobs, their share of the wanted ones, and the lost work.

    wanted       jobs submitted and not refused, plus jobs given up before submission
    abandoned    jobs withdrawn while waiting, plus jobs given up before submission
    share        abandoned / wanted
    lost         processors x true run time of the abandoned jobs, processor-hours

A user gives a job up before submission by balking, renouncing, or anything else that a behaviour's ``adapt`` leaves
out (`thinktime.models.demand`). A job that was only made smaller is not abandoned. A hold of unspecified length counts
as a job, but not towards the lost work, which is unknown.

Means over served jobs say little without these numbers: if the slow half gives up, the other half looks fast.
"""

from typing import NamedTuple

import numpy as np

from thinktime.models.results.outcome import Outcome, outcomes
from thinktime.models.results.schedule import Schedule
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.units import HOUR


class Abandonment(NamedTuple):
    """Wanted jobs, abandoned jobs and lost work."""

    wanted: int
    """Jobs."""
    abandoned: int
    """Jobs."""
    processor_hours: float
    """The work of the abandoned jobs."""

    @property
    def share(self) -> float:
        """The fraction of wanted jobs that were abandoned; NaN if none was wanted."""
        return self.abandoned / self.wanted if self.wanted else np.nan


def abandonment(result: Schedule) -> Abandonment:
    """What all users of a result gave up together."""
    wanted, abandoned, work = _jobs(result)
    never, lost = _never_submitted(result)
    count = int(never.sum())
    hours = float(work.sum()) + float(np.nansum(lost))
    return Abandonment(int(wanted.sum()) + count, int(abandoned.sum()) + count, hours)


def abandonment_by_user(result: Schedule) -> dict[object, Abandonment]:
    """What each user gave up, by label (None: jobs without a user), in order of codes, then of giving up."""
    labels = [None, *result.names["user"]]
    code = result["user"] + 1
    columns = [np.bincount(code, weights=each, minlength=len(labels)) for each in _jobs(result)]
    present = np.bincount(code, minlength=len(labels)) > 0
    found = {
        labels[i]: Abandonment(int(columns[0][i]), int(columns[1][i]), float(columns[2][i]))
        for i in np.flatnonzero(present).tolist()
    }
    never, lost = _never_submitted(result)
    for user, jobs, hours in zip(result.lost_demand["user"], never.tolist(), lost.tolist(), strict=True):
        if jobs:
            before = found.get(user, Abandonment(0, 0, 0.0))
            more = 0.0 if np.isnan(hours) else hours
            found[user] = Abandonment(before[0] + jobs, before[1] + jobs, before[2] + more)
    return found


def _jobs(result: Schedule) -> tuple[Floats, Floats, Floats]:
    """For each job: 1 if it was wanted, 1 if it was withdrawn while waiting, and the processor-hours lost."""
    codes = outcomes(result)
    gone = codes == Outcome.ABANDONED
    work = result["processors"] * result["runtime"] / HOUR
    lost = np.where(gone & np.isfinite(work), work, 0.0)
    return (codes != Outcome.REFUSED).astype(np.float64), gone.astype(np.float64), lost


def _never_submitted(result: Schedule) -> tuple[Whole, Floats]:
    """For each entry of lost demand: the number of jobs never submitted (0 or 1), and their processor-hours."""
    demand = result.lost_demand
    never = np.where(demand["submitted"], 0, demand["jobs"]).astype(np.int64)
    return never, np.where(never > 0, demand["node_hours"], 0.0)
