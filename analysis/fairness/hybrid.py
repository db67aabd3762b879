"""The hybrid fair start time: a list schedule in a fair order, from the state at a job's arrival.

The state is taken right after job j has entered the queue and before the scheduling pass: the running jobs with their
true remaining run times, and the queue. In the fair order (fairshare: usage at that instant, then submit time and id),
each job up to j takes the n nodes that are free earliest, from the time at which the n-th of them is free. Holes are
never used. FST_j is the start of j in this schedule.

Usage is charged from the given schedule, whatever policy made it, so the same order judges all policies. Starts at the
instant of an arrival come after it. Source: the cplant paper, section IV.A; true run times, and usage frozen at the
arrival, are our choices.

On a machine that changes (our choices), a job that was interrupted is in the queue until its next run, in the place of
its first submission, and needs the time that this run would take undisturbed. It is judged once, at its arrival. In the
state, processors that are down become free when they are really repaired, and those of an open window that admits no
job, which are the ones that are free earliest, at its end. A job that needs processors which never become free holds
no job back.
Outages and windows to come are not part of the state.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.analysis.fairness import events as of
from thinktime.analysis.fairness.events import Event, events_of, lengths_of
from thinktime.analysis.fairness.list_schedule import list_start
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.view import View
from thinktime.models.orders.accounts import AccountOrder
from thinktime.models.orders.named_orders import as_order
from thinktime.models.orders.order import Order
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.workloads.arrays import Floats, Rows, Whole


def hybrid_fst(result: Result, order: str | Order | Callable[..., Any] = "fairshare") -> Floats:
    """The hybrid fair start time of every job (s), NaN for jobs that never entered the queue.

    ``order`` is any order; one with accounts charges its own from this schedule. Give it the decay that the schedule
    was made with. On a machine that changes it is infinite for a job that needs processors which are never repaired.
    """
    return _Judge(result, as_order(order).copy()).judge()


class _Judge:
    """Replays a schedule from arrival to arrival."""

    def __init__(self, result: Result, order: Order) -> None:
        self.result = result
        self.order = order
        pool = _pool(result)
        self.accounts = order.accounts if isinstance(order, AccountOrder) else None
        if self.accounts is not None:
            self.accounts.keep(pool, result.names)  # charged from this schedule
        self.lengths = lengths_of(result)
        self.view = View(pool, result.names)
        self.queue: dict[int, None] = {}  # rows in order of arrival
        self.running: dict[int, float] = {}  # true ends by row
        self.missing: dict[int, tuple[float, int]] = {}  # what is down: until when, and how many processors
        self.windows: dict[int, tuple[float, int]] = {}  # the open ones that admit no job: the same
        self.idle = result.processors

    def judge(self) -> Floats:
        """The fair start times."""
        result = self.result
        fst = np.full(len(result), np.nan)
        arrivals = np.lexsort((result["id"], result["submit"]))
        stays = (result["state"] != State.REFUSED) & ~(
            (result["state"] == State.WITHDRAWN) & ~(result["end"] > result["submit"])
        )
        events = events_of(result)
        at = 0
        for row in arrivals[stays[arrivals]].tolist():
            now = result["submit"].item(row)
            while at < len(events) and events[at] < (now, of.EVICTION):
                self._happen(events[at])
                at += 1
            self.queue[row] = None
            fst[row] = self._start_of(row, now)
        return fst

    def _happen(self, event: Event) -> None:
        match event.kind:
            case of.START:
                self._start(event)
            case of.WITHDRAWAL:
                del self.queue[event.row]
            case of.DOWN:
                self.missing[event.row] = event.until, event.processors
                self.idle -= event.processors
            case of.REPAIR:
                self.idle += self.missing.pop(event.row)[1]
            case of.OPEN:
                self.windows[event.row] = event.until, event.processors
            case of.CLOSE:
                del self.windows[event.row]
            case _:
                self._leave(event)

    def _start(self, event: Event) -> None:
        del self.queue[event.row]
        if event.until == event.time:  # it has run for no time
            return
        self.running[event.row] = event.time + self.lengths.item(event.row)
        self.idle -= event.processors
        if self.accounts is not None:
            self.view.now = event.time
            self.accounts.on_start(self.view, np.array([event.row]), event.time)

    def _leave(self, event: Event) -> None:
        """A job has ended, or was interrupted: then it waits again if there is a length of its next run."""
        del self.running[event.row]
        self.idle += event.processors
        if self.accounts is not None:
            self.view.now = event.time
            self.accounts.on_end(self.view, np.array([event.row]), event.time)
        if event.rest is not None:
            self.lengths[event.row] = event.rest
            self.queue[event.row] = None

    def _start_of(self, row: int, now: float) -> float:
        """Schedule all jobs that precede ``row`` in the order, and then it."""
        ranked = self._ranked(now)
        ranked = ranked[: int(np.flatnonzero(ranked == row)[0]) + 1]
        free, held = self._free(now)
        if self.result.history is not None:  # those that could never start hold no job back
            ranked = ranked[self.result["processors"][ranked] <= held[free < np.inf].sum()]
            if not len(ranked) or ranked[-1] != row:
                return np.inf
        groups = len(free)
        times, counts = np.empty(groups + len(ranked)), np.zeros(groups + len(ranked), np.int64)
        times[:groups], counts[:groups] = free, held
        return list_start(times, counts, groups, self.result["processors"][ranked], self.lengths[ranked])

    def _free(self, now: float) -> tuple[Floats, Whole]:
        """When how many processors become free, in order of time; the first are idle now."""
        ends = np.fromiter(self.running.values(), np.float64, len(self.running))
        held = self.result["processors"][np.fromiter(self.running, np.int64, len(self.running))]
        if self.missing:
            until, size = np.array(list(self.missing.values())).T
            ends, held = np.append(ends, until), np.append(held, size.astype(np.int64))
        by_end = np.argsort(ends)
        times = np.append(now, np.maximum(ends[by_end], now))
        counts = np.append(max(self.idle, 0), held[by_end])  # recorded schedules may exceed the machine
        return without_windows(times, counts, sorted(self.windows.values())) if self.windows else (times, counts)

    def _ranked(self, now: float) -> Rows:
        waiting = np.fromiter(self.queue, np.int64, len(self.queue))
        if self.result.history is not None:  # who was interrupted is in the place of the submission
            waiting = waiting[np.lexsort((self.result["id"][waiting], self.result["submit"][waiting]))]
        self.view.now, self.view.waiting = now, waiting
        if self.order.key is None or self.order.dynamic:
            return self.order.sort(self.view)
        keys = self.order.keys(self.view.columns(waiting), now)
        return waiting[np.argsort(keys, kind="stable")]


def without_windows(times: Floats, counts: Whole, windows: list[tuple[float, int]]) -> tuple[Floats, Whole]:
    """The same if open windows, each with its end and its processors, take the processors that are free earliest.

    >>> times, counts = without_windows(np.array([5.0, 9.0, 30.0]), np.array([2, 3, 4]), [(20.0, 4)])
    >>> times.tolist(), counts.tolist()
    ([5.0, 9.0, 20.0, 20.0, 30.0], [0, 1, 2, 2, 4])
    """
    left, taken = counts.copy(), []
    group = 0
    for end, wanted in windows:
        while wanted and group < len(left):
            some = min(wanted, int(left[group]))
            left[group] -= some
            wanted -= some
            taken.append((max(end, float(times[group])), some))
            group += not left[group]
    ends, sizes = np.array(taken).reshape(-1, 2).T
    order = np.argsort(every := np.append(times, ends), kind="stable")
    return every[order], np.append(left, sizes.astype(np.int64))[order]


def _pool(result: Result) -> Pool:
    pool = Pool(result.processors)
    names = ("id", "user", "group", "queue", "partition", "campaign", "submit", "processors", "estimate", "memory")
    pool.append(len(result), np.nan, **{name: result[name] for name in names})
    return pool
