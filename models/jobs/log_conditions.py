"""What the jobs of a log wait for: from the table beside the log to the rows of a machine.

Unlike those of users, the numbers of jobs in a log may be of jobs that it does not have: Slurm takes these as over.
"""

import numpy as np

from thinktime.models.jobs.conditions import CODES, Array, Clause, Condition, Conditions
from thinktime.workloads.conditions import JobConditions, LogConditions
from thinktime.workloads.job_arrays import TaskList
from thinktime.workloads.job_dependencies import SINGLETON, Dependencies, Dependency
from thinktime.workloads.trace import Trace

MOST_AWAITED = 20_000_000
"""How many jobs all singletons of a log may wait for, which takes a gigabyte."""
FAILED = (0, 5)
"""The status of a job in a log that failed, or was cancelled."""


def restrict(conditions: Conditions, trace: Trace, rows: range, given: LogConditions, now: float) -> None:
    """The jobs of a trace, which are in these rows, wait for what a table says."""
    conditions.fail(rows.start + np.flatnonzero(np.isin(trace.status, FAILED)))
    log = OfLog(trace, rows, given)
    for number, array in log.arrays.items():
        tasks = TaskList(tuple(sorted(array.row_of)), log.at_most.get(number))
        conditions.add_array(number, np.array([array.row_of[task] for task in tasks.numbers], np.int64), tasks)
    conditions.add(log.conditions(), now)


class OfLog:
    """What the jobs of a log wait for, by their rows."""

    def __init__(self, trace: Trace, rows: range, given: LogConditions) -> None:
        self._trace, self._rows = trace, rows
        self._row_of = dict(zip(trace.id.tolist(), rows, strict=True))
        self._listed = [each for each in given if each.job in self._row_of]
        self.arrays: dict[int, Array] = {}
        self.at_most: dict[int, int] = {}
        self._awaited = 0
        for each in self._listed:
            if each.array >= 0:
                self.arrays.setdefault(each.array, Array({})).row_of[each.task] = self._row_of[each.job]
                if each.at_most > 0:
                    self.at_most[each.array] = each.at_most

    def conditions(self) -> list[Condition]:
        """Those of all jobs that have any besides being part of an array."""
        return [self._of(each) for each in self._listed if each.depends or each.delay]

    def _of(self, each: JobConditions) -> Condition:
        row = self._row_of[each.job]
        found = Condition(row, self._trace.submit.item(row - self._rows.start) + each.delay if each.delay else 0.0)
        if not each.depends:
            return found
        parsed = Dependencies.parse(each.depends)
        found.one_is_enough = parsed.one_is_enough
        for one in parsed.each:
            before = self._before(one, each)
            if before is not None:
                found.clauses.append(Clause(CODES[one.kind], before, one.delay))
            elif parsed.one_is_enough:  # it is met
                found.clauses.clear()
                break
        return found

    def _before(self, one: Dependency, each: JobConditions) -> tuple[int, ...] | None:
        """The rows that a dependency names; None if the log does not have the job."""
        if one.kind == SINGLETON:
            return self._of_the_same_name(each)
        if one.job in self.arrays:
            return self.arrays[one.job].rows(each.task if one.kind == "aftercorr" else one.task) or None
        row = self._row_of.get(one.job) if one.task is None else None
        return None if row is None or one.job == each.job else (row,)

    def _of_the_same_name(self, each: JobConditions) -> tuple[int, ...]:
        """The jobs of the same user and application (field 14) that were submitted before."""
        trace, place = self._trace, self._row_of[each.job] - self._rows.start
        same = (trace.user[:place] == trace.user[place]) & (trace.executable[:place] == trace.executable[place])
        before = np.flatnonzero(same)
        self._awaited += len(before)
        if self._awaited > MOST_AWAITED:
            raise ValueError(
                f"the singletons of the log wait for more than {MOST_AWAITED:,} jobs in all; leave out some of them, "
                "since each of so many with one name would be remembered with all before it"
            )
        return tuple((self._rows.start + before).tolist())
