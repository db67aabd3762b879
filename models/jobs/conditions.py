"""What jobs wait for before they are eligible: from numbers of jobs, names and times to the rows of a machine.

Everything is looked up before a job becomes known to the machine, so that a mistake changes nothing. What happens then
is in `thinktime.models.jobs.eligibility`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thinktime.models.engine.codes import eligibility as kinds
from thinktime.models.jobs.eligibility import Eligibility
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.split_jobs import SplitJobs
from thinktime.workloads.arrays import Rows
from thinktime.workloads.job import Job
from thinktime.workloads.job_arrays import TaskList
from thinktime.workloads.job_dependencies import SINGLETON, Dependencies, Dependency

CODES = {
    "after": kinds.AFTER,
    "afterany": kinds.AFTER_ANY,
    SINGLETON: kinds.AFTER_ANY,
    "afterok": kinds.AFTER_OK,
    "aftercorr": kinds.AFTER_OK,
    "afternotok": kinds.AFTER_NOT_OK,
}


@dataclass(frozen=True, slots=True)
class Clause:
    """A dependency on the jobs in some rows."""

    kind: int
    before: tuple[int, ...]
    delay: float = 0.0


@dataclass(slots=True)
class Condition:
    """What the job in one row waits for."""

    row: int
    begin: float = 0.0
    held: bool = False
    clauses: list[Clause] = field(default_factory=list)
    one_is_enough: bool = False


@dataclass(frozen=True, slots=True)
class Array:
    """The rows of an array's tasks, by their numbers."""

    row_of: dict[int, int]

    def rows(self, task: int | None) -> tuple[int, ...]:
        """Those of one task, or of all."""
        if task is None:
            return tuple(self.row_of.values())
        return (self.row_of[task],) if task in self.row_of else ()


class Conditions:
    """The conditions of the jobs of a machine; ``kills`` withdraws those whose dependencies can never be met."""

    def __init__(self, pool: Pool, split_jobs: SplitJobs, kills: bool) -> None:
        self._pool, self._split_jobs, self._kills = pool, split_jobs, kills
        self._arrays: dict[int, Array] = {}
        self._named: dict[tuple[int, Any], list[int]] = {}

    def begin(self) -> Eligibility:
        """From now on some jobs of the pool may have to wait outside the queue."""
        if self._pool.eligibility is None:
            self._pool.eligibility = Eligibility(self._kills)
            self._pool.bind()
        found: Eligibility = self._pool.eligibility
        return found

    # -- jobs of users ------------------------------------------------------------------

    def look_up(
        self, jobs: Sequence[Job], numbers: Sequence[int], users: Sequence[int], tasks: TaskList | None
    ) -> list[Condition]:
        """What jobs wait for that will be in the next rows; ``ValueError`` for jobs that this machine does not have.

        ``users`` are codes. With ``tasks``, the jobs are an array, whose number is that of the first one.
        """
        first, found, named = self._pool.requests.size, [], dict[tuple[int, Any], list[int]]()
        row_of = {number: first + k for k, number in enumerate(numbers)}
        for k, job in enumerate(jobs):
            condition = Condition(first + k, job.begin, bool(job.held))
            if job.depends is not None:
                parsed = Dependencies.parse(job.depends)
                condition.one_is_enough = parsed.one_is_enough
                task, owner = None if tasks is None else tasks.numbers[k], (users[k], job.name)
                alike = None if job.name is None else [*self._named.get(owner, ()), *named.get(owner, ())]
                for each in parsed.each:
                    before = self._before(each, numbers[k], row_of, task, alike)
                    condition.clauses.append(Clause(CODES[each.kind], before, each.delay))
            if job.name is not None:
                named.setdefault((users[k], job.name), []).append(first + k)
            if condition.begin or condition.held or job.depends is not None:
                found.append(condition)
        for owner, rows in named.items():  # none of the jobs is refused any more
            self._named.setdefault(owner, []).extend(rows)
        return found

    def _before(
        self, each: Dependency, number: int, row_of: dict[int, int], task: int | None, alike: list[int] | None
    ) -> tuple[int, ...]:
        """The rows that a dependency of one job names; ``alike`` are those of its user and name."""
        if each.kind == SINGLETON:
            if alike is None:
                raise ValueError(
                    f"job {number} is a singleton, so it needs a name, Job(name=…): others of it come first"
                )
            return tuple(alike)
        array = self._arrays.get(each.job)
        if each.kind == "aftercorr":
            if array is None or task is None:
                which = f"{each.job} is none" if array is None else f"job {number} is not of one"
                raise ValueError(f"{each} is for the tasks of an array after those of another one, and {which}")
            if not array.rows(task):
                raise ValueError(f"task {task} waits for that of array {each.job}, which has none of that number")
            return array.rows(task)
        if array is not None:
            if rows := array.rows(each.task):
                return rows
            raise ValueError(f"job {number} waits for task {each.task} of array {each.job}, which has no such task")
        if each.task is not None:
            raise ValueError(
                f"job {number} waits for task {each.task} of {each.job}, which is no array on this machine"
            )
        if each.job == number:
            raise ValueError(f"job {number} waits for itself")
        row = row_of.get(each.job)
        row = self._row(each.job) if row is None else row
        if row is None:
            raise ValueError(f"job {number} waits for job {each.job}, but this machine has no such job")
        return (row,)

    def _row(self, number: int) -> int | None:
        """The row of a job by its number."""
        requests = self._pool.requests
        rows = np.flatnonzero(requests.id[: requests.size] == number)
        return int(self._split_jobs.first(int(rows[0]))) if len(rows) else None

    def add(self, conditions: Sequence[Condition], now: float) -> None:
        """Jobs that have become known wait for something."""
        for each in conditions:
            self._add(each, now)

    def _add(self, each: Condition, now: float) -> None:
        pool, found = self._pool, self.begin()
        if each.begin > now:
            found.begin(pool, each.row, each.begin)
        if each.held:
            found.hold(each.row)
        if each.clauses:
            found.depend(each.row, len(each.clauses), each.one_is_enough)
        for clause in each.clauses:
            before = np.array([self._split_jobs.current(row) for row in clause.before], np.int64)
            found.wait(pool, each.row, clause.kind, before, clause.delay, now)

    def add_array(self, number: int, rows: Rows, tasks: TaskList) -> None:
        """Some jobs, in order, are the tasks of an array with a number."""
        self._arrays[number] = Array(dict(zip(tasks.numbers, rows.tolist(), strict=True)))
        if tasks.at_most is not None:
            self.begin().limit(self._pool, rows, tasks.at_most)

    def fail(self, rows: Rows) -> None:
        """These jobs will end with errors."""
        if len(rows):
            rows = np.concatenate([rows, np.array(self._split_jobs.following(rows), np.int64)])
            self._pool.outcomes.own("fails")[rows] = True
            self._pool.bind()
