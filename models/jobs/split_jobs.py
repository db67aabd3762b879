"""Jobs under a runtime limit: the segments into which the machine splits long jobs.

A job has one event for all of its segments (`thinktime.models.machine.events.JobEvent`). Each segment is a row of its
own, submitted at the instant at which the one before is over. A job that its user withdraws or ends has no further
segments. `thinktime.workloads.segments` defines their lengths and estimates.
"""

from math import inf

import numpy as np

from thinktime.models.jobs.pool import Pool
from thinktime.workloads.arrays import Rows
from thinktime.workloads.segments import checked_limit, cut


class SplitJobs:
    """The jobs that a machine has split. A job is identified by its first row; later segments have consecutive rows.

    Compiled code submits them (`thinktime.models.engine.sources.chains`).
    """

    def __init__(self, limit: float, pool: Pool) -> None:
        self.limit = limit if limit == inf else checked_limit(limit)
        self._pool = pool
        self._later: dict[int, range] = {}
        self._first: dict[int, int] = {}
        self._requested: dict[int, float] = {}
        self._jobs = 0

    def split(self, rows: range, number: int, order: Rows | None = None) -> Rows:
        """Split new jobs that are longer than the limit; returns the job numbers of the appended rows.

        These begin at ``number``, in the order of the jobs or of ``order``, which has a value for each job.
        """
        pool = self._pool
        requests, place = pool.requests, slice(rows.start, rows.stop)
        requested = requests.estimate[place].copy()
        found = cut(pool.outcomes.runtime[place], requested, self.limit)
        pool.outcomes.runtime[place] = found.runtime
        requests.requested[place] = requests.estimate[place] = found.estimate
        self._jobs += len(rows)
        by_job = found.job if order is None else order[found.job]
        numbers = number + np.argsort(np.lexsort((found.part, by_job)))
        if not len(numbers):
            return numbers
        first = rows.start + found.job
        later = pool.append_like(
            first, id=numbers, numbered_here=True, runtime=found.later_runtime, estimate=found.later_estimate
        )
        self._first |= zip(range(later.start, later.stop), first.tolist(), strict=True)
        heads, begin, count = np.unique(first, return_index=True, return_counts=True)
        for head, start, n in zip(heads.tolist(), begin.tolist(), count.tolist(), strict=True):
            self._later[head] = range(later.start + start, later.start + start + n)
            self._requested[head] = requested.item(head - rows.start)
        before = np.where(found.part == 1, first, np.arange(later.start, later.stop) - 1)
        pool.follow(before, np.arange(later.start, later.stop))
        return numbers

    def first(self, row: int) -> int:
        """The first row of the job that a row belongs to."""
        return self._first.get(row, row)

    def current(self, row: int) -> int:
        """The current segment of a job: the last that was submitted."""
        later = self._later.get(row)
        if later is None:
            return row
        begun = np.count_nonzero(~np.isnan(self._pool.requests.submit[later.start : later.stop]))
        return later[begun - 1] if begun else row

    def rows(self, row: int) -> list[int]:
        """The segments of a job so far; none if it was not split."""
        later = self._later.get(row)
        return [] if later is None else [row, *range(later.start, max(self.current(row) + 1, later.start))]

    def following(self, rows: Rows) -> list[int]:
        """All later segments of these jobs."""
        return [each for row in rows.tolist() for each in self._later.get(row, ())]

    def requested(self, row: int) -> float | None:
        """The time that a job's owner requested, for jobs that were split."""
        return self._requested.get(row)

    def note(self) -> str:
        """A sentence on what the limit did."""
        return (
            f"runtime limit {self.limit:g} s: {len(self._later)} jobs were split, "
            f"{self._jobs + len(self._first)} jobs and segments in place of {self._jobs} jobs"
        )
