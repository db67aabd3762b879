"""A pool of identical processors: who runs, who waits, and the columns of all jobs.

A pool consists of arrays and kernels, and does what it is told: it has no policy and no clock. The machine drives it
under SimPy's clock, and a forecast drives a copy without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.job_columns import Outcomes, Requests
from thinktime.models.kernels import pool as kernels
from thinktime.models.state import State

Rows = NDArray[np.int64]

OVERRUNS = {"kill": kernels.KILL, "extend": kernels.EXTEND, "until_needed": kernels.UNTIL_NEEDED}
ALIKE = ("user", "group", "queue", "campaign", "processors", "memory")
"""What the segments of a job have in common."""
GRACE = 1.0  # s from now to the expected end of an overrunning job (the contract of one instant)


class PolicyError(ValueError):
    """A policy proposed what cannot be done; the message names the job, the time and the policy."""


class Pool:
    """Processors, the queue in front of them and the jobs on them."""

    def __init__(self, processors: int, overrun: str = "kill", as_recorded: bool = False) -> None:
        if overrun not in OVERRUNS:
            raise ValueError(f"overrun is {overrun!r}, but must be one of {', '.join(OVERRUNS)}")
        self.processors = processors
        self.overrun = overrun
        self.mode = kernels.AS_RECORDED if as_recorded else OVERRUNS[overrun]
        self.grace = 0.0 if self.mode == kernels.KILL else GRACE
        """How much later than now a job is expected to end that has reached its estimate, s; 0 if none can."""
        self.requests = Requests()
        self.outcomes = Outcomes()
        self.counts = np.array([processors, 0, 0], np.int64)
        self._next_end = np.array([np.inf])
        self.waiting = self.running = self.ending = self._done = np.empty(0, np.int64)
        self._make_room()

    @property
    def idle(self) -> int:
        """Processors on which nothing runs."""
        return self.counts.item(kernels.IDLE)

    def waiting_count(self) -> int:
        """How many jobs wait."""
        return self.counts.item(kernels.IN_QUEUE)

    @property
    def waiting_rows(self) -> Rows:
        """Rows of the waiting jobs, in queue order."""
        return self.waiting[: self.counts.item(kernels.IN_QUEUE)]

    @property
    def running_rows(self) -> Rows:
        """Rows of the running jobs, by (expected end, id)."""
        return self.running[: self.counts.item(kernels.AT_WORK)]

    def next_end(self) -> float:
        """When the next running job really ends; infinite if none runs."""
        end: float = self._next_end.item(0)
        return end

    def last_end(self) -> float:
        """When the last of the running jobs really ends; infinite if none runs."""
        return self.outcomes.end.item(self.ending.item(0)) if self.counts.item(kernels.AT_WORK) else np.inf

    def snapshot(self, size: int) -> Pool:
        """An independent pool in the same state, of the first ``size`` rows; none can be added to it.

        Columns that never change once a job is known are shared, the others are copied: some 40 bytes per row.
        """
        twin = Pool.__new__(Pool)
        twin.processors, twin.overrun = self.processors, self.overrun
        twin.mode, twin.grace = self.mode, self.grace
        twin.requests = self.requests.snapshot(
            size, ("key", "start", "expected_end", "promised", "latest_start", "state")
        )
        twin.outcomes = self.outcomes.snapshot(size, ("end", "fate"))
        twin.counts, twin._next_end = self.counts.copy(), self._next_end.copy()
        twin.waiting = self.waiting[:size].copy()
        twin.running, twin.ending = self.running.copy(), self.ending.copy()
        twin._done, twin._accepted = np.empty_like(self._done), np.empty(size, np.int64)
        twin._rows = self._rows[:size]
        twin._bind()
        return twin

    def as_expected(self, now: float) -> None:
        """From now on every job runs for its estimate; one that has reached it runs for another second."""
        jobs, truth = self.requests, self.outcomes
        truth.runtime = jobs.requested = jobs.estimate
        running = self.running_rows
        truth.end[running] = np.maximum(jobs.expected_end[running], now + self.grace)
        truth.fate[running] = State.FINISHED
        self.ending[: len(running)] = running[np.lexsort((running, truth.end[running]))[::-1]]
        self._next_end[0] = truth.end[self.ending[len(running) - 1]] if len(running) else np.inf
        self._bind()

    def as_known(self) -> None:
        """From now on every estimate is the time for which the job will run undisturbed, but at least 1 s."""
        jobs, truth = self.requests, self.outcomes
        cut = self.mode == kernels.KILL
        truth.runtime = np.minimum(truth.runtime, jobs.requested) if cut else truth.runtime
        jobs.estimate = np.maximum(truth.runtime, 1.0)
        running = self.running_rows
        jobs.expected_end[running] = np.maximum(truth.end[running], jobs.start[running] + 1.0)
        truth.fate[running] = State.FINISHED
        running[:] = running[np.lexsort((jobs.id[running], jobs.expected_end[running]))]
        self._bind()

    def append(self, count: int, runtime: Any, **columns: Any) -> slice:
        """Add jobs to the columns, all of them or none; their state is ``FUTURE`` unless given."""
        with self.all_or_none():
            self.outcomes.append(count, runtime=runtime)
            if "estimate" in columns:
                columns.setdefault("requested", columns["estimate"])
            rows = self.requests.append(count, **columns)
            if len(self.waiting) < self.requests.capacity:
                self._make_room()
        return rows

    def append_like(self, rows: Rows, runtime: Any, **columns: Any) -> slice:
        """Add jobs with the owners and sizes of others, one for each of ``rows``; other columns are given."""
        like = {name: getattr(self.requests, name)[rows] for name in ALIKE}
        return self.append(len(rows), runtime, **like, **columns)

    @contextmanager
    def all_or_none(self) -> Iterator[None]:
        """Remove the rows added inside the block if it raises."""
        size = self.requests.size
        try:
            yield
        except BaseException:
            self.outcomes.cut(size)
            self.requests.cut(size)
            raise

    def _make_room(self) -> None:
        """Make the arrays long enough for every job and every processor, so that no kernel needs more room."""
        capacity = self.requests.capacity
        running = capacity if self.mode == kernels.AS_RECORDED else min(capacity, self.processors)
        self.waiting = _grown(self.waiting, capacity)
        self._accepted = np.empty(capacity, np.int64)
        self._rows = np.arange(capacity)
        self.running = _grown(self.running, running)
        self.ending = _grown(self.ending, running)
        self._done = _grown(self._done, running)
        self._bind()

    def _bind(self) -> None:
        """Keep the kernels' arguments until the arrays grow; looking them up took a third of a call."""
        jobs, truth = self.requests, self.outcomes
        self._enqueue_arguments = (
            jobs.id,
            jobs.processors,
            self.processors,
            truth.runtime,
            jobs.key,
            jobs.state,
            self.waiting,
            self.counts,
            self._accepted,
        )
        self._finish_arguments = (
            self._done,
            self.counts,
            self._next_end,
            jobs.processors,
            jobs.expected_end,
            truth.end,
            truth.fate,
            jobs.state,
            self.running,
            self.ending,
        )
        self._start_arguments = (
            self.mode,
            self._done,
            self.counts,
            self._next_end,
            jobs.id,
            jobs.processors,
            jobs.requested,
            jobs.estimate,
            jobs.start,
            jobs.expected_end,
            truth.runtime,
            truth.end,
            truth.fate,
            jobs.state,
            self.waiting,
            self.running,
            self.ending,
        )

    def turn_arguments(self, rule: int, grace: float, out: Rows, scratch: Rows) -> tuple[Any, ...]:
        """What `kernels.instant.turn` takes besides the time and the submitted rows."""
        jobs, truth = self.requests, self.outcomes
        return (
            rule, grace, self.mode, self.processors, self.counts, self._next_end, jobs.id, jobs.processors,
            jobs.requested, jobs.estimate, jobs.key, jobs.start, jobs.expected_end, truth.runtime, truth.end,
            truth.fate, jobs.state, self.waiting, self.running, self.ending, self._done, self._accepted, self._rows,
            out, scratch,
        )  # fmt: skip

    def rows(self, part: range) -> Rows:
        """A range of rows as an array (a view that must not be changed)."""
        return self._rows[part.start : part.stop]

    def enqueue(self, rows: Rows) -> Rows:
        """Queue submitted jobs by id; the accepted ones in this order, in a view that the next call overwrites.

        Jobs wider than the machine are refused, and jobs withdrawn already are left out.
        """
        k = kernels.enqueue(rows, *self._enqueue_arguments)
        return self._accepted[:k]

    def finish_due(self, now: float) -> Rows:
        """End the jobs whose time has come, and return their rows in a view that the next call overwrites."""
        k = kernels.finish_due(now, *self._finish_arguments)
        return self._done[:k]

    def end_now(self, row: int, now: float, state: State) -> None:
        """End one running job before its time."""
        requests, outcomes = self.requests, self.outcomes
        kernels.end_now(
            now,
            row,
            int(state),
            self.counts,
            self._next_end,
            requests.processors,
            requests.expected_end,
            outcomes.end,
            requests.state,
            self.running,
            self.ending,
        )

    def reaching_estimate(self, now: float) -> Rows:
        """Running jobs that are to be killed now because they reach their estimates unfinished."""
        rows = self.running_rows
        due = rows[: np.searchsorted(self.requests.expected_end[rows], now, side="right")]
        killed: Rows = due[self.outcomes.fate[due] == State.KILLED]
        return killed

    def completing(self, now: float) -> list[int]:
        """Running jobs that end now by themselves, in the order of their ends."""
        outcomes, due = self.outcomes, []
        for row in self.ending[: self.counts.item(kernels.AT_WORK)][::-1].tolist():
            if outcomes.end[row] > now:
                break
            if outcomes.fate[row] == State.FINISHED:
                due.append(row)
        return due

    def prolong(self, row: int, until: float) -> None:
        """Let a running job go on beyond its estimate, and kill it at ``until`` unless it has ended by then."""
        requests, outcomes = self.requests, self.outcomes
        kernels.prolong(
            row,
            until,
            self.counts,
            self._next_end,
            requests.id,
            requests.start,
            requests.expected_end,
            outcomes.runtime,
            outcomes.end,
            outcomes.fate,
            self.running,
            self.ending,
        )

    def withdraw(self, row: int, now: float) -> None:
        """Take one waiting job out of the queue."""
        kernels.dequeue(row, self.waiting, self.counts)
        self.requests.state[row] = State.WITHDRAWN
        self.outcomes.end[row] = now

    def start(self, rows: Rows, now: float) -> Rows:
        """Start the rows and return the jobs evicted for them, or start none and raise ``PolicyError``."""
        evicted = kernels.start_rows(now, rows, *self._start_arguments)
        if evicted < 0:
            self._refuse(rows, evicted, now)
        return self._done[:evicted]

    def overrunning(self, now: float) -> int:
        """How many jobs at the head of ``running_rows`` have outlived their estimates and may be evicted."""
        if self.mode != kernels.UNTIL_NEEDED:
            return 0
        return int(np.searchsorted(self.requests.expected_end[self.running_rows], now, side="right"))

    def _refuse(self, rows: Rows, fault: int, now: float) -> None:
        place, kind = divmod(-1 - fault, 2)
        row = int(rows[place])
        if not 0 <= row < self.requests.size:
            raise PolicyError(
                f"proposed row {row} at {now:g} s, but there are only {self.requests.size} jobs"
            )
        job = f"job {self.requests.id[row]}"
        if kind == kernels.NO_ROOM:
            processors = self.requests.processors
            over = int(processors[self.running_rows[: self.overrunning(now)]].sum())
            room = self.idle + over - int(processors[rows[:place]].sum())
            raise PolicyError(
                f"proposed to start {job} on {processors[row]} processors at {now:g} s, but only {room} are free then"
            )
        state = State(self.requests.state[row]).name.lower()
        twice = " twice" if row in rows[:place] else f", which is {state}"
        raise PolicyError(
            f"proposed to start {job} at {now:g} s{twice}; only waiting jobs can start, each once"
        )


def _grown(array: Rows, size: int) -> Rows:
    grown = np.empty(size, array.dtype)
    grown[: len(array)] = array
    return grown
