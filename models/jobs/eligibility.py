"""Which jobs wait outside the queue, and for what: the arrays of `thinktime.models.engine.sources.eligibility`.

A machine has an `Eligibility` from the first job on that has a condition; all others do without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinktime.models.engine.codes import eligibility as codes
from thinktime.models.engine.sources import eligibility
from thinktime.models.engine.sources.eligibility import Conditional
from thinktime.models.jobs.chains import ChainTable
from thinktime.models.jobs.columns import Outcomes, Requests
from thinktime.models.state import State
from thinktime.workloads.arrays import Floats, Rows

if TYPE_CHECKING:
    from thinktime.models.jobs.pool import Pool


class Eligibility:
    """The conditions of the jobs of a pool. Links, clauses and arrays are numbered from 1.

    ``kills`` says that jobs are withdrawn whose dependencies can never be met; otherwise they wait for ever.
    """

    def __init__(self, kills: bool) -> None:
        self._structure = Conditional(kills=kills)
        self._rows, self._links, self._clauses, self._arrays, self._tasks = self._tables = [
            ChainTable(fields) for fields in codes.TABLES
        ]
        for table in (self._links, self._clauses, self._arrays):
            table.add(1)
        self._room: list[int] = []

    @property
    def eligible(self) -> Floats:
        """When the last of each job's conditions was met, s; 0 for jobs without."""
        times: Floats = self._rows.eligible
        return times

    def structure(self, requests: Requests, outcomes: Outcomes) -> Conditional:
        """What the engine takes, with room for all jobs."""
        if (more := requests.capacity - self._rows.size) > 0:
            self._rows.add(more)
        columns = {name: getattr(table, name) for table in self._tables for name in table.schema}
        self._structure.bind(fails=outcomes.own("fails"), **columns)
        return self._structure

    def is_aside(self, row: int) -> bool:
        """Whether a job waits outside the queue."""
        return bool(self._rows.place[row] == codes.ASIDE)

    @property
    def next_date(self) -> float:
        """The next time before which a job is not eligible, s; infinite for none."""
        dated = self._structure.dated_count > 0
        return self._clauses.when.item(self._clauses.dated.item(0)) if dated else np.inf

    def is_held(self, row: int) -> bool:
        """Whether a job is held."""
        return bool(self._rows.marks[row] & codes.HELD)

    def aside(self, requests: Requests) -> Rows:
        """The rows of the jobs that wait outside the queue, in order of submission."""
        rows = np.flatnonzero(self._rows.place[: requests.size] == codes.ASIDE)
        in_order: Rows = rows[np.lexsort((requests.id[rows], requests.submit[rows]))]
        return in_order

    def since(self, submit: Floats, start: Floats, end: Floats) -> Floats:
        """When jobs with these times became eligible, s; NaN for those that have not, or only when they were over."""
        size = len(submit)
        since = np.maximum(submit, self._rows.eligible[:size])
        over = (since >= end) & np.isnan(start)
        return np.where((self._rows.need[:size] > 0) | over, np.nan, since)

    def notes(self, requests: Requests) -> list[str]:
        """A sentence on the jobs aside whose dependencies can never be met, if there are any."""
        never = np.count_nonzero(self._rows.marks[self.aside(requests)] & codes.NEVER)
        if not never:
            return []
        who, whose, them = ("1 job waits", "its", "it") if never == 1 else (f"{never} jobs wait", "their", "them")
        return [
            f"{who} for ever, since {whose} dependencies can never be met; "
            f"a site with kill_invalid_dependencies withdraws {them}"
        ]

    def hold(self, row: int) -> None:
        """A job is held, and has one condition more."""
        self._rows.marks[row] |= codes.HELD
        self._rows.need[row] += 1

    def let_go(self, pool: Pool, row: int, now: float) -> None:
        """A held job is released."""
        self._rows.marks[row] &= ~codes.HELD
        eligibility.meet(pool.truth, _sources(pool), now, row)

    def put_aside(self, pool: Pool, row: int, now: float) -> None:
        """A job that has left the queue waits aside from now on."""
        eligibility.leave_slot(pool.truth, _sources(pool), now, row)
        eligibility.put_aside(pool.state, pool.truth, _sources(pool), row)

    def begin(self, pool: Pool, row: int, time: float) -> None:
        """A job is not eligible before a time (s) to come."""
        self._rows.need[row] += 1
        clause = self._clauses.add(1, owner=row, what=codes.DATE, when=time)
        self._bind(pool)
        eligibility.put_date(pool.truth, _sources(pool), clause)

    def begin_all(self, pool: Pool, rows: Rows, times: Floats, now: float) -> None:
        """Jobs that are submitted now are not eligible before these times (s)."""
        for row, time in zip(rows.tolist(), times.tolist(), strict=True):
            if time > now:
                self.begin(pool, row, time)

    def answer(self, pool: Pool, rows: Rows, times: Floats) -> None:
        """Jobs will not be eligible before these times (s): nobody is asked about them when they are submitted."""
        later = times > pool.requests.submit[rows]
        first = self._clauses.add(int(later.sum()), owner=rows[later], what=codes.DATE, when=times[later])
        self._rows.answer[rows] = codes.AT_ONCE
        self._rows.answer[rows[later]] = np.arange(first, self._clauses.size)
        self._bind(pool)

    def forget_answers(self, rows: Rows | None = None) -> None:
        """These jobs have changed, or the policy (for all)."""
        self._rows.answer[slice(None) if rows is None else rows] = 0

    def ask_about_all(self, asks: bool) -> None:
        """Whether every job that is submitted is asked about, from when on it may start."""
        self._structure.bind(defers=asks)

    def asks_about(self, row: int) -> bool:
        """Whether nobody has been asked about a job that is submitted; from now on somebody has."""
        asked = self._rows.place[row] != 0 or bool(self._rows.marks[row] & codes.DEFERRED)
        self._rows.marks[row] |= codes.DEFERRED
        return not asked

    def depend(self, row: int, clauses: int, one_is_enough: bool) -> None:
        """A job has dependencies, all of which have to be met, or one of them; `wait` says which."""
        self._rows.need[row] += 1
        self._rows.wanted[row], self._rows.spare[row] = (1, clauses) if one_is_enough else (clauses, 1)

    def wait(self, pool: Pool, row: int, kind: int, before: Rows, delay: float, now: float) -> None:
        """One of a job's dependencies: ``before`` are the rows of the jobs, by their present segments."""
        requests, fails = pool.requests, pool.outcomes.fails
        state, start, end = requests.state[before], requests.start[before], pool.outcomes.end[before]
        over = state >= State.FINISHED
        counted = over | (start >= 0.0) if kind == codes.AFTER else over
        clause = self._clauses.add(
            1,
            owner=row,
            what=kind,
            delay=delay,
            left=np.count_nonzero(~counted),
            spoiled=(over & ((state != State.FINISHED) | (fails[before] > 0))).any(),
            when=np.where(start >= 0.0, start, end)[counted].max(initial=-np.inf) + delay,
        )
        to = before[~counted]
        first = self._links.add(len(to), to=clause)
        for link, each in enumerate(to.tolist(), first):
            self._links.next_link[link], self._rows.first_link[each] = self._rows.first_link[each], link
        self._bind(pool)
        if not len(to):
            eligibility.decide_clause(pool.truth, _sources(pool), now, clause)

    def limit(self, pool: Pool, rows: Rows, at_most: int) -> None:
        """Of these rows, the tasks of an array in order, so many may run at once."""
        task = self._tasks.add(len(rows), task=rows)
        self._rows.array[rows] = self._arrays.add(1, slots=at_most, begin=task, stop=task + len(rows))
        self._bind(pool)

    def _bind(self, pool: Pool) -> None:
        """The engine has to know arrays that were replaced."""
        if (room := [table.capacity for table in self._tables]) != self._room:
            self._room = room
            pool.bind()


def _sources(pool: Pool) -> Conditional:
    """What the machine knows of conditions; it has some."""
    assert isinstance(pool.sources, Conditional)
    return pool.sources
