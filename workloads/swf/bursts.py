"""Checkpointed and swapped jobs: several lines of a log that describe one job.

In SWF 2.2 such a job may have one line for the whole, with status 0, 1 or 5, and one line per burst of execution,
all with the same job number: status 2 for a burst that is continued, 3 for the last one if the job completed, 4 if
it failed. Only the first burst has a submit time. The wait times of the others count from the previous burst.

Some logs use 2, 3, 4 for other things (exit codes), so they mean bursts only if lines share a job number. If there is
a total line, its bursts are dropped; otherwise they are merged.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.columns import BY_NAME
from thinktime.workloads.swf.cleaning import CleaningReport
from thinktime.workloads.swf.fields import RecordTable, Values

BURSTS = (2, 3, 4)
TOTALS = (0, 1, 5)
_FINAL = {3: 1, 4: 0}

_ID, _SUBMIT, _STATUS = (BY_NAME[name].field - 1 for name in ("id", "submit", "status"))
_ADDED = [BY_NAME[name].field - 1 for name in ("runtime", "cpu_time")]

Rows = NDArray[np.int64]


def merge_bursts(table: RecordTable, report: CleaningReport) -> RecordTable:
    """Reduce the rows of each job in bursts to one; report each line that is removed."""
    values = table.values.copy()
    merged = np.zeros(len(values), dtype=np.bool_)
    covered = np.zeros(len(values), dtype=np.bool_)
    for rows in _jobs_in_bursts(values):
        bursts = rows[np.isin(values[rows, _STATUS], BURSTS)]
        if np.isin(values[rows, _STATUS], TOTALS).any():
            covered[bursts] = True
        else:
            first = _first(values, bursts)
            values[first] = _merged(values[bursts], values[first])
            merged[bursts[bursts != first]] = True
    report.add_rows("repaired", "burst line merged into its job", merged, table.lines)
    report.add_rows("repaired", "burst line replaced by its total line", covered, table.lines)
    if not (merged | covered).any():
        return table
    return RecordTable(values, table.lines, table.extra).take(np.flatnonzero(~(merged | covered)))


def _jobs_in_bursts(values: Values) -> Iterator[Rows]:
    """Yield the rows of each job number shared by several lines, at least one of them a burst."""
    if not np.isin(values[:, _STATUS], BURSTS).any():
        return
    _, job, count = np.unique(values[:, _ID], return_inverse=True, return_counts=True)
    shared = (count[job] > 1) & (values[:, _ID] >= 0)
    with_burst = np.unique(job[shared & np.isin(values[:, _STATUS], BURSTS)])
    rows = np.flatnonzero(np.isin(job, with_burst))
    by_job = rows[np.argsort(job[rows], kind="stable")]
    yield from np.split(by_job, np.flatnonzero(np.diff(job[by_job])) + 1) if by_job.size else ()


def _first(values: Values, bursts: Rows) -> int:
    """The burst with the submit time, else the first in the file."""
    submitted = bursts[values[bursts, _SUBMIT] >= 0]
    return int(submitted[0] if submitted.size else bursts[0])


def _merged(bursts: Values, first: Values) -> Values:
    """One row for all bursts: known times added, the status of the whole, the rest from the first burst."""
    row = first.copy()
    for index in _ADDED:
        known = bursts[bursts[:, index] >= 0, index]
        row[index] = known.sum() if known.size else -1
    # A job whose last burst is "to be continued" keeps status 2: the log ends before the job does.
    last = int(bursts[-1, _STATUS])
    row[_STATUS] = _FINAL.get(last, last)
    return row
