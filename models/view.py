"""What a policy sees: requests, the queue, the running jobs, free processors. Never a true run time.

The same data can be read in two ways. For a first policy in plain Python, ``view.queue`` and ``view.running`` are
lists of `Request`. For speed, ``view.waiting`` and ``view.running_rows`` are arrays of rows, and
``view.requests`` has a column for each attribute of a request (``view.requests.processors[view.waiting]``).
"""

import copy
from collections.abc import Iterable
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.changing.sights import Leave
from thinktime.models.engine.gapped import line_up
from thinktime.models.engine.questions import answer
from thinktime.models.job_columns import Requests, known_row
from thinktime.models.pool import Pool
from thinktime.workloads.names import quoted
from thinktime.workloads.units import as_seconds

Rows = NDArray[np.int64]
PROMISES = ("promised", "latest_start")
NO_ROWS: Rows = np.empty(0, np.int64)
VISIBLE = tuple(name for name in Requests.schema if name not in ("key", "numbered_here"))


class Request:
    """One job as its owner described it: what a policy may know about it."""

    __slots__ = ("_names", "_table", "row")

    def __init__(self, table: Requests, names: dict[str, list[Any]], row: int) -> None:
        self.row = row
        self._table = table
        self._names = names

    def __getattr__(self, name: str) -> Any:
        if name not in VISIBLE:
            raise AttributeError(f"a request has no {quoted(name)}; it has {', '.join(VISIBLE)}")
        value = getattr(self._table, name)[self.row].item()
        if name in self._names:
            return self._names[name][value] if value >= 0 else None
        return value

    def __repr__(self) -> str:
        return f"<request {self.id}: {self.processors} processors, estimate {self.estimate:g} s>"


class Columns:
    """The requests of some jobs as arrays, from which the key of an order is computed."""

    __slots__ = ("_names", "_rows", "_table")

    def __init__(self, table: Requests, names: dict[str, list[Any]], rows: Any) -> None:
        self._table = table
        self._names = names
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> Rows:
        """The rows of the jobs."""
        rows: Rows = np.atleast_1d(self._rows)
        return rows

    def each(self) -> list[Request]:
        """The same jobs one by one."""
        return [Request(self._table, self._names, row) for row in np.atleast_1d(self._rows).tolist()]

    def labels(self, name: str) -> list[Any]:
        """The labels behind the codes of a column: ``user``, ``group``, ``queue`` or ``partition``."""
        return self._names[name]

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name not in VISIBLE:
            raise AttributeError(f"requests have no column {quoted(name)}; they have {', '.join(VISIBLE)}")
        column: NDArray[Any] = getattr(self._table, name)[self._rows]
        return column


def _row_of(job: int | Request, size: int) -> int:
    return known_row(job.row if isinstance(job, Request) else int(job), size)


class Proposed:
    """What a policy has proposed so far in this pass."""

    __slots__ = ("leaving", "processors", "rows")

    def __init__(self) -> None:
        self.rows: dict[int, None] = {}
        """Jobs that start, in the order of the proposal."""
        self.leaving: list[int] = []
        """Running jobs that are to leave."""
        self.processors = 0
        """What those that start ask for."""

    def add(self, row: int, processors: int) -> None:
        """A job starts that asks for so many."""
        self.rows[row] = None
        self.processors += processors

    def forget(self) -> None:
        """A new pass begins."""
        self.rows.clear()
        self.leaving.clear()
        self.processors = 0


class ReadOnly:
    """The columns of requests for policies from outside the package: read-only, but for what they promise."""

    __slots__ = ("_table",)

    def __init__(self, table: Requests) -> None:
        self._table = table

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._table, name)
        if isinstance(value, np.ndarray) and name not in PROMISES:
            value = value.view()
            value.flags.writeable = False
        return value


class View:
    """A policy's view of the machine during one instant.

    ``free`` is what a policy may give away: the idle processors, and under ``until_needed`` those of
    overrunning jobs as well (the first ``skip`` of ``running_rows``). ``grace`` is 1 s where jobs may
    outlive their estimates, else 0: a running job is expected to end at max(start + estimate, now + grace).
    Policies of the package also see ``state``, which they can only give to the engine, and ``started``, where this
    writes what starts. ``kept`` is the static order in which the machine keeps the queue (None: by arrival), and
    ``left_out`` are the waiting jobs that `only` has left out.
    """

    __slots__ = (
        "_ahead",
        "_counted",
        "_kept",
        "_known",
        "_names",
        "_running",
        "_site",
        "_table",
        "capacity",
        "free",
        "grace",
        "kept",
        "leaving",
        "left_out",
        "nodes",
        "now",
        "outside",
        "proposed",
        "requests",
        "skip",
        "started",
        "state",
        "up",
        "waiting",
        "width",
    )

    def __init__(self, pool: Pool, names: dict[str, list[Any]], trusted: bool = True) -> None:
        self._names = names
        self._table = pool.requests
        self.outside = not trusted
        """Whether the policy is from outside the package, and cannot change what it sees."""
        self.kept: object = None
        """The order by which the machine keeps the queue; None if the queue is by arrival."""
        self.left_out = NO_ROWS
        self.capacity = pool.processors
        self.requests: Any = pool.requests if trusted else ReadOnly(pool.requests)
        self.grace = pool.grace
        self.skip = 0
        self.proposed = Proposed()
        self._counted = type(pool) is Pool
        self._site = getattr(pool, "site", None)
        self.nodes: Any = self._site
        if self._site is not None and not trusted:
            from thinktime.models.nodes.site import ShownNodes

            self.nodes = ShownNodes(pool)
        self.look(pool, 0.0)

    def look(self, pool: Pool, now: float) -> int:
        """Bring the view up to date, as the machine does before it calls a policy; returns how many jobs wait."""
        state = pool.state
        waiting, running, head = state.in_queue, state.at_work, state.head
        self._ahead: int = state.changes_ahead
        self.up, self.free = pool.look(now)
        self.leaving, self._known = pool.leaving_rows, pool.known
        self.now, self.width = now, pool.width
        self._kept = pool.state, pool.out
        if not self.outside:
            self.state, self.started = self._kept
        elif self.proposed.rows or self.proposed.leaving:
            self.proposed.forget()
        self.waiting, self.left_out = pool.waiting[head : head + waiting], NO_ROWS
        if pool.limits is not None:
            self.waiting = pool.eligible_rows
            self.left_out = np.setdiff1d(pool.waiting[head : head + waiting], self.waiting)
        self._running = pool.running[:running]
        if self.outside:
            self.waiting.flags.writeable = self._running.flags.writeable = False
        if self.grace and pool.overrun == "until_needed":
            self.skip = pool.overrunning(now)
            self.free += int(self.requests.processors[self.running_rows[: self.skip]].sum())
        return waiting

    @property
    def jobs(self) -> int:
        """How many jobs wait or run, with those that `only` has left out, and windows and repairs that are known."""
        return len(self.waiting) + len(self.left_out) + len(self._running) + self._ahead

    @property
    def running_rows(self) -> Rows:
        """The rows of the running jobs, by (expected end, id)."""
        line_up(self._kept[0])
        return self._running

    def only(self, rows: Iterable[int | Request] | Rows) -> "View":
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
        part = copy.copy(self)
        part.waiting = self.waiting[inside]
        part.left_out = np.concatenate([self.left_out, self.waiting[~inside]])
        if self.outside:
            part.waiting.flags.writeable = False
        return part

    # -- machines that change -----------------------------------------------------------

    @property
    def windows(self) -> list[Any]:
        """The windows that are announced and not over (`thinktime.models.changing.sights.KnownWindow`)."""
        return self._known()

    def admitted(self, job: int | Request) -> bool:
        """Whether a window that is open now admits a job."""
        return any(window.start <= self.now < window.end and window.admits(job) for window in self.windows)

    def fits(self, job: int | Request, at: float | None = None) -> bool:
        """Whether a job finds room at a time (by default now) for as long as it is planned to run.

        In its way are running jobs, windows, and the jobs that the policy has yielded in this call of `select`;
        running jobs that it has yielded to leave are not. A job that was yielded does not fit again.
        """
        row, proposed = _row_of(job, self._table.size), self.proposed
        if row in proposed.rows:
            return False
        if at is None or at == self.now:
            need = self._table.processors.item(row)
            if self._counted:
                return bool(need <= self.free - proposed.processors)
            if not (self.skip or proposed.leaving) and need > self._kept[0].idle - proposed.processors:
                return False
            at = self.now
        return at >= self.now and self._ask(row, at) > 0.0

    def earliest(self, job: int | Request) -> float:
        """The earliest start at which a job finds room, s; infinite for none. What is in its way is as in `fits`."""
        return self._ask(_row_of(job, self._table.size), nan)

    def preempt(
        self, job: int | Request, how: str = "requeue", grace: float | str = 0.0, by: int | Request | None = None
    ) -> Leave:
        """A part of a proposal: a running job is to leave, ``grace`` from now (s, or such as "5 min") at the latest.

        ``cancel`` kills it, ``requeue`` puts it back into the queue, ``suspend`` keeps its work as well. It must have
        started before now, and must not be a hold, under notice already, or in a window that admits it. The machine
        needs ``changes``, be it an empty `Changes()`. With ``suspended_holds="all"``, the job ``by`` for which it is
        suspended may have its room; without one, it is kept from all others.
        """
        size = self._table.size
        return Leave(_row_of(job, size), how, as_seconds("grace", grace), -1 if by is None else _row_of(by, size))

    def _ask(self, row: int, time: float) -> float:
        """Ask the profile of the running jobs about a job, which stays where it is planned to be."""
        state, steps, proposed = self._kept[0], 2 * (self.jobs + 8), self.proposed
        times, free = np.empty(steps), np.empty(steps * self.width, np.int64)
        chosen, gone = np.array([*proposed.rows], np.int64), np.array(proposed.leaving, np.int64)
        return float(answer(state, self.now, row, time, chosen, gone, times, free))

    def trusted(self) -> "View":
        """The same view as the policies of the package get it: with writable columns, and the nodes themselves."""
        twin = copy.copy(self)
        twin.outside = False
        twin.requests, twin.nodes = self._table, self._site
        twin.state, twin.started = self._kept
        twin.waiting, twin._running = self.waiting.copy(), self.running_rows.copy()
        return twin

    def by_arrival(self) -> Rows:
        """The waiting rows by (submit, id), in whatever order the machine keeps them."""
        if self.kept is None:
            return self.waiting
        jobs = self._table
        order = np.lexsort((jobs.id[self.waiting], jobs.submit[self.waiting]))
        rows: Rows = self.waiting[order]
        return rows

    @property
    def queue(self) -> list[Request]:
        """The waiting jobs in queue order: by the policy's static order if it has one, else by arrival."""
        return [self.request(row) for row in self.waiting.tolist()]

    @property
    def running(self) -> list[Request]:
        """The running jobs by expected end; each has ``start`` and ``expected_end``."""
        return [self.request(row) for row in self.running_rows.tolist()]

    def request(self, row: int) -> Request:
        """The request in one row."""
        return Request(self._table, self._names, row)

    def columns(self, rows: Rows) -> Columns:
        """The requests of some rows as arrays."""
        return Columns(self._table, self._names, rows)

    def labels(self, name: str) -> list[Any]:
        """The labels behind the codes of a column: ``user``, ``group``, ``queue`` or ``partition``."""
        return self._names[name]

    def expected_ends(self) -> NDArray[np.float64]:
        """When each running job is expected to end, s; in the order of ``running_rows``."""
        ends: NDArray[np.float64] = np.maximum(self.requests.expected_end[self.running_rows], self.now + self.grace)
        return ends
