"""Jobs of a data set that could not start at once: they were eligible later than they were submitted."""

import numpy as np

from thinktime.workloads.conditions import JobConditions, LogConditions
from thinktime.workloads.trace import Trace

SOON = 60.0
"""A job that is eligible at most this after its submission (s) did not wait for it: schedulers take note that late."""


def conditions_of(trace: Trace) -> LogConditions:
    """A begin for each such job, unless it started before it was eligible, as far as that is known (our decision)."""
    eligible = trace.further.get("eligible", np.full(len(trace), np.nan))
    delay = eligible - trace.submit
    rows = np.flatnonzero((delay > SOON) & ~(delay > trace.wait))
    return LogConditions.of(JobConditions(int(trace.id[row]), begin=float(delay[row])) for row in rows.tolist())
