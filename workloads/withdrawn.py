"""Jobs of a log that were cancelled without a run, as a part of its demand.

How long such a job would have run is unknown. If it starts in a replay before its user gives it up, it runs as long
as other jobs of its user, by rank: its requested time has a rank among those of the user's other jobs, and its run time
has the same rank among theirs. Ties are in the middle, so that it is their median run time if all request the same. Of
users without other jobs, all jobs of the log count. It runs at most for the time that it requests. The rule is ours.
"""

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.trace import Trace


def demanded(trace: Trace) -> Trace:
    """The trace, with the run times that withdrawn jobs would have had."""
    return trace.with_columns(runtime=would_run(trace)) if trace.withdrawn.any() else trace


def would_run(trace: Trace) -> Floats:
    """The run time of each job (s), that of withdrawn ones by rank; 0 if no job of the log has run."""
    runtime = trace.runtime.copy()
    ran, gone = np.flatnonzero(~trace.withdrawn), np.flatnonzero(trace.withdrawn)
    for user in np.unique(trace.user[gone]).tolist():
        mine = gone[trace.user[gone] == user]
        others = ran[trace.user[ran] == user] if user >= 0 else ran
        runtime[mine] = _by_rank(trace, mine, others if len(others) else ran)
    return runtime


def _by_rank(trace: Trace, jobs: Whole, others: Whole) -> Floats:
    if not len(others):
        return np.zeros(len(jobs))
    requested, lengths = np.sort(trace.requested_time[others]), np.sort(trace.runtime[others])
    asked = trace.requested_time[jobs]
    middle = (np.searchsorted(requested, asked, "left") + np.searchsorted(requested, asked, "right")) // 2
    found: Floats = lengths[np.minimum(middle, len(others) - 1)]
    return np.where(asked > 0, np.minimum(found, asked), found)
