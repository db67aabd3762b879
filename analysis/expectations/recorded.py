"""The schedule that a log records, as a result: a site's real history, without any simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thinktime.models.result import LABELLED, Result
from thinktime.workloads.trace import Trace


def recorded_result(trace: Trace, processors: int) -> Result:
    """Every job at its recorded start (submit + wait) for its whole run time; jobs without a wait are left out.

    ``Result.dropped`` counts those. Nothing is checked against the machine: a recorded schedule need not fit.
    """
    known = np.isfinite(trace.wait)
    if len(trace) and not known.any():
        raise ValueError("the log has no waits (field 3), so it records no schedule")
    jobs = trace.select(known) if not known.all() else trace
    start = jobs.submit + jobs.wait
    columns = {
        "id": jobs.id,
        "submit": jobs.submit,
        "start": start,
        "end": start + jobs.runtime,
        "processors": jobs.processors,
        "estimate": jobs.estimate,
        "memory": np.where(jobs.requested_memory > 0, jobs.requested_memory * 1024.0, np.nan),
        "recorded_start": start,
    }
    names = {}
    for name in LABELLED:
        labels, codes = np.unique(getattr(jobs, name), return_inverse=True)
        missing = int((labels == -1).sum())  # -1 comes first, and stands for none
        names[name] = labels[missing:].tolist()
        columns[name] = codes - missing
    result = Result.from_columns(columns, processors, names=names, overrun="as recorded")
    dropped = {} if known.all() else {"no recorded wait": int((~known).sum())}
    return replace(result, dropped=dropped)
