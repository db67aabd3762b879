"""What a policy sees: requests, the queue, the running jobs, free processors. Never a true run time.

The same data can be read in two ways. For a first policy in plain Python, ``view.queue`` and ``view.running`` are
lists of `Request`. For speed, ``view.waiting`` and ``view.running_rows`` are arrays of rows, and
``view.requests`` has a column for each attribute of a request (``view.requests.processors[view.waiting]``).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine import gapped, questions, room
from thinktime.models.engine.machine_state import State
from thinktime.models.jobs import sizes
from thinktime.models.jobs.below_cap import cap_now, power_now
from thinktime.models.jobs.columns import Requests, known_row
from thinktime.models.jobs.leaving import Leave, Resize
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.proposed import Proposed
from thinktime.models.jobs.request import Columns, ReadOnly, Request, Source
from thinktime.models.jobs.request import Request as Job  # the type, in compiled code
from thinktime.workloads.arrays import NO_ROWS, Ints, Rows
from thinktime.workloads.units import as_seconds

__all__ = ["Columns", "Proposed", "ReadOnly", "Request", "View"]

NEAR = 8  # requests of the last queue that are looked through for one of this queue


class View:
    """A policy's view of the machine during one instant.

    ``free`` is what a policy may give away: the idle processors, and under ``until_needed`` those of overrunning jobs
    as well (the first ``skip`` of ``running_rows``). ``grace`` is 1 s where jobs may outlive their estimates, else 0: a
    running job is expected to end at max(start + estimate, now + grace). ``kept`` is the static order in which the
    machine keeps the queue (None: by arrival), and ``left_out`` are the waiting jobs that `only` has left out.
    """

    outside: bool
    """Whether the policy is from outside the package, and cannot change what it sees."""
    kept: object
    requests: Any
    proposed: Proposed
    nodes: Any
    capacity: int
    free: int
    grace: float
    leaving: Rows
    now: float
    skip: int
    up: int
    _names: dict[str, list[Any]]
    _table: Requests
    _source: Source
    _site: Any
    _meter: Any
    _known: Any
    _state: State
    _out: Rows
    _queue_array: Rows
    _running_array: Rows
    _counted: bool
    _evicts: bool
    _given: bool
    _head: int
    _count: int
    _at_work: int
    _size: int
    _listed: list[Request]
    _waiting: Any
    _left_out: Any
    _running: Any

    def __init__(self, pool: Pool, names: dict[str, list[Any]], trusted: bool = True) -> None:
        self._names, self._table = names, pool.requests
        self._source = Source(pool.requests, names)
        self.outside, self.kept = not trusted, None
        self.capacity, self.grace, self.skip = pool.processors, pool.grace, 0
        self.requests = pool.requests if trusted else ReadOnly(pool.requests)
        self.proposed, self._listed = Proposed(), []
        self._counted = type(pool) is Pool and not pool.capped
        self._evicts = pool.grace > 0.0 and pool.overrun == "until_needed"
        self._site = self.nodes = getattr(pool, "site", None)
        self._meter = pool.power, pool.units, pool.signals
        if self._site is not None and not trusted:
            from thinktime.models.jobs.node_states import ShownNodes

            self.nodes = ShownNodes(pool)
        self.up, self.leaving, self._known = pool.processors, NO_ROWS, list
        self.look(pool, 0.0)

    def look(self, pool: Pool, now: float) -> int:
        """Bring the view up to date, as the machine does before it calls a policy; returns how many jobs wait."""
        state: State = pool.state
        self._state, self.now, self._size = state, now, 0
        self._head, self._count = int(state.head), int(state.in_queue)
        self._at_work = int(state.at_work)
        self._queue_array, self._running_array, self._out = pool.waiting, pool.running, pool.out
        self._waiting = self._running = self._left_out = None
        self._given = False
        if self._counted:
            self.free = int(state.idle)
        else:
            self.up, self.free = pool.look(now)
            self.leaving, self._known = pool.leaving_rows, pool.known
        if self.outside and (self.proposed.rows or self.proposed.leaving):
            self.proposed.forget()
        if pool.limits is not None:
            eligible = pool.eligible_rows
            self._left_out = np.setdiff1d(self._slice(), eligible)
            self.waiting = eligible
        if self._evicts:
            self.skip = room.overrunning(state, now)
            self.free += int(room.available(state, self.skip) - state.idle)
        return self._count

    def _slice(self) -> Rows:
        """The rows of the queue as the machine keeps it."""
        return self._queue_array[self._head : self._head + self._count]

    @property
    def state(self) -> State:
        """What policies of the package give to the engine."""
        if self.outside:
            raise AttributeError("a policy from outside the package sees no state")
        return self._state

    @property
    def started(self) -> Rows:
        """Where the engine writes what starts."""
        if self.outside:
            raise AttributeError("a policy from outside the package sees no started")
        return self._out

    @property
    def waiting(self) -> Rows:
        """The rows of the waiting jobs, in queue order."""
        if self._waiting is None:
            self._waiting = self._slice()
            if self.outside:
                self._waiting.flags.writeable = False
        return np.asarray(self._waiting)

    @waiting.setter
    def waiting(self, rows: Rows) -> None:
        """Let the view have other waiting jobs."""
        self._waiting, self._given = rows, True
        if self.outside:
            rows.flags.writeable = False

    @property
    def left_out(self) -> Rows:
        """The waiting jobs that `only` has left out, and those beyond limits."""
        return NO_ROWS if self._left_out is None else np.asarray(self._left_out)

    @left_out.setter
    def left_out(self, rows: Rows) -> None:
        self._left_out = rows

    @property
    def jobs(self) -> int:
        """How many jobs wait or run, with those that `only` has left out."""
        waiting = len(self._waiting) if self._given else self._count
        left_out = 0 if self._left_out is None else len(self._left_out)
        return waiting + left_out + self._at_work

    @property
    def running_rows(self) -> Rows:
        """The rows of the running jobs, by (expected end, id)."""
        gapped.line_up(self._state)
        if self._running is None:
            self._running = self._running_array[: self._at_work]
            if self.outside:
                self._running.flags.writeable = False
        return np.asarray(self._running)

    def only(self, rows: Iterable[int | Request] | Rows) -> View:
        """The same view with a part of the queue: these waiting jobs, in queue order.

        A ready rule that is given such a view decides as if the other jobs were not there:
        ``Easy().select(view.only(rows), now)``. Policies that plan for the whole queue refuse it. ``ValueError`` for a
        job that does not wait.
        """
        chosen = np.array([row.row if isinstance(row, Request) else row for row in rows], np.int64)
        inside = np.isin(self.waiting, chosen)
        if inside.sum() < len(chosen):
            stranger = next(row for row in chosen.tolist() if row not in self.waiting)
            raise ValueError(f"only() was given row {stranger}, which is not one of the waiting jobs")
        part = self._twin()
        part.left_out = np.concatenate([self.left_out, self.waiting[~inside]])
        part.waiting = self.waiting[inside]
        return part

    def _twin(self) -> View:
        """The same view once more."""
        twin = View.__new__(View)
        twin.outside, twin.kept, twin.requests, twin.proposed = self.outside, self.kept, self.requests, self.proposed
        twin.nodes, twin.capacity, twin.free, twin.grace = self.nodes, self.capacity, self.free, self.grace
        twin.leaving, twin.now, twin.skip, twin.up = self.leaving, self.now, self.skip, self.up
        twin._names, twin._table, twin._source, twin._site = self._names, self._table, self._source, self._site
        twin._known, twin._state, twin._out = self._known, self._state, self._out
        twin._queue_array, twin._running_array = self._queue_array, self._running_array
        twin._counted, twin._evicts, twin._given, twin._size = self._counted, self._evicts, self._given, self._size
        twin._head, twin._count, twin._at_work = self._head, self._count, self._at_work
        twin._waiting, twin._left_out, twin._running = self._waiting, self._left_out, self._running
        twin._listed, twin._meter = self._listed, self._meter
        return twin

    def __copy__(self) -> View:
        return self._twin()

    @property
    def windows(self) -> list[Any]:
        """The windows that are announced and not over (`thinktime.models.jobs.leaving.KnownWindow`)."""
        return list(self._known())

    def admitted(self, job: int | Request) -> bool:
        """Whether a window that is open now admits a job."""
        return any(window.start <= self.now < window.end and window.admits(job) for window in self.windows)

    def fits(self, job: int | Request, *time: float, at: float | None = None, processors: int | None = None) -> bool:
        """Whether a job finds room at a time (by default now) for as long as it is planned to run.

        It may be asked of other ``processors`` than those with which it would start, which are among its ``sizes``.
        Under ``resizes = True``, the time has to be named: a number alone may be a size (``TypeError``).

        In its way are running jobs, windows, and the jobs that the policy has yielded in this call of `select`;
        running jobs that it has yielded to leave are not. A job that was yielded does not fit again.
        """
        at = sizes.only_time(self._state, time, at) if time else at
        if processors is not None:
            return bool(sizes.asked_with(self._state, self.request(self._row_of(job)), processors, self._fits, at))
        return self._fits(job, at)

    def _fits(self, job: int | Request, at: float | None) -> bool:
        """As `fits`, with the size with which it would start."""
        row, proposed, state = self._row_of(job), self.proposed, self._state
        if len(proposed.rows) > 0 and row in proposed.rows:
            return False
        time = self.now if at is None else at
        if time == self.now:
            need = state.processors[row]
            if self._counted:
                return bool(need <= self.free - proposed.processors)
            if not (self.skip > 0 or proposed.leaving) and need > state.idle - proposed.processors:
                return False
        return bool(time >= self.now and self._ask(row, time) > 0.0)

    def _row_of(self, job: int | Request) -> int:
        """The row of a job; ``IndexError`` if there is no job in it, since compiled code checks no index."""
        if self._size == 0:  # rows that are newer than what the view shows are none
            self._size = min(self._table.size, len(self._state.id))
        if isinstance(job, Job):
            request = job
            if 0 <= request.row < self._size:
                return int(request.row)
            return known_row(request.row, self._size)
        return known_row(int(job), self._size)

    def earliest(self, job: int | Request, processors: int | None = None) -> float:
        """The earliest start at which a job finds room, s; infinite for none. What is in its way is as in `fits`."""
        if processors is not None:
            return float(sizes.asked_with(self._state, self.request(self._row_of(job)), processors, self.earliest))
        return self._ask(self._row_of(job), nan)

    def preempt(
        self, job: int | Request, how: str = "requeue", grace: float | str = 0.0, by: int | Request | None = None
    ) -> Leave:
        """A part of a proposal: a running job is to leave, ``grace`` from now (s, or such as "5 min") at the latest.

        ``cancel`` kills it, ``requeue`` puts it back into the queue, ``suspend`` keeps its work as well. It must have
        started before now, and must not be a hold, under notice already, or in a window that admits it. The machine
        needs ``changes``, be it an empty `Changes()`. With ``suspended_holds="all"``, the job ``by`` for which it is
        suspended may have its room; without one, it is kept from all others.
        """
        keeper = -1 if by is None else self._row_of(by)
        return Leave(self._row_of(job), how, as_seconds("grace", grace), keeper)

    def resize(self, job: int | Request, processors: int) -> Resize:
        """A part of a proposal: a running job is to have so many processors, one of its ``sizes``.

        The policy says ``resizes = True``. A job that is `resizable` grows after the starts of the pass, if what it
        needs more is free for as long as it is planned to run then, within limits, and if it ends earlier so. What a
        job gives back that shrinks is free in another pass of this instant, or when its notice and its cost are over.
        """
        return Resize(self._row_of(job), processors)

    def resizable(self, job: int | Request, processors: int | None = None) -> bool:
        """Whether a running job may be given another size now: it is malleable, and not in the middle of a resize.

        Asked for so many ``processors``, whether it may have these, beside those that the policy has yielded to start.
        """
        return sizes.may_have(self._state, self.request(self._row_of(job)), processors, self.now, self.proposed)

    def _ask(self, row: int, time: float) -> float:
        """Ask the profile of the running jobs about a job, which stays where it is planned to be."""
        state, used = self._state, self._state.spare.used
        chosen, gone = self._copied(list(self.proposed.rows)), self._copied(self.proposed.leaving)
        found = questions.answer(state, self.now, row, time, chosen, gone)
        state.spare.used = used
        return found

    def _copied(self, proposed: list[int]) -> Ints:
        """The rows of jobs as the engine takes them."""
        n = len(proposed)
        rows = self._state.spare.whole(n)
        for i in range(n):
            rows[i] = self._row_of(proposed[i])  # objects: what was proposed
        return rows

    def trusted(self) -> View:
        """The same view as the policies of the package get it: with writable columns, and the nodes themselves."""
        twin = self._twin()
        twin.outside = False
        twin.requests, twin.nodes = self._table, self._site
        twin.waiting, twin._running = self.waiting.copy(), self.running_rows.copy()
        return twin

    def by_arrival(self) -> Rows:
        """The waiting rows by (submit, id), in whatever order the machine keeps them."""
        if self.kept is None:
            return self.waiting
        jobs = self._table
        return np.asarray(self.waiting[np.lexsort((jobs.id[self.waiting], jobs.submit[self.waiting]))])

    @property
    def queue(self) -> list[Request]:
        """The waiting jobs in queue order: by the policy's static order if it has one, else by arrival."""
        if self._given:
            return [Request(self._source, row) for row in self.waiting.tolist()]
        self._list_queue()
        return self._listed[:]

    def _list_queue(self) -> None:
        """Make the requests of the queue; those of jobs that waited before are there, in about this order."""
        before, source, rows = self._listed, self._source, self._state.waiting
        listed: list[Request] = []
        n, j = len(before), 0
        for place in range(self._head, self._head + self._count):
            row, k, stop = rows[place], j, j + NEAR
            if stop > n:
                stop = n
            while k < stop:
                job = before[k]  # objects: requests that are there
                if job.row == row:
                    break
                k += 1
            if k < stop:
                j = k + 1
            else:
                job = source.job(row)  # objects: for a policy
            listed.append(job)  # objects: for a policy
        self._listed = listed

    @property
    def running(self) -> list[Request]:
        """The running jobs by expected end; each has ``start`` and ``expected_end``."""
        if self._running is not None:
            return [Request(self._source, row) for row in self.running_rows.tolist()]
        gapped.line_up(self._state)
        rows = self._state.running
        return [self._source.job(rows[place]) for place in range(self._at_work)]

    def request(self, row: int) -> Request:
        """The request in one row."""
        return Request(self._source, row)

    def columns(self, rows: Rows) -> Columns:
        """The requests of some rows as arrays."""
        return Columns(self._table, self._names, rows)

    def labels(self, name: str) -> list[Any]:
        """The labels behind the codes of a column: ``user``, ``group``, ``queue`` or ``partition``."""
        return self._names[name]

    def expected_ends(self) -> NDArray[np.float64]:
        """When each running job is expected to end, s; in the order of ``running_rows``."""
        return np.asarray(np.maximum(self.requests.expected_end[self.running_rows], self.now + self.grace))

    @property
    def power(self) -> float:
        """What the machine draws now, idle processors or nodes included, W; NaN if nothing is known of it."""
        return power_now(self._table, self.running_rows, *self._meter[:2])

    @property
    def cap(self) -> float:
        """What it may draw now, W; infinite without a cap. A job fits below it if ``power + job.power <= cap``."""
        return cap_now(self._state, *self._meter[:2])

    @property
    def signals(self) -> Any:
        """What is known of prices and carbon, by name: a `Forecast` (`thinktime.workloads.signals`) of each."""
        return self._meter[2]
