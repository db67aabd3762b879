"""The hybrid fair start time: a list schedule in a fair order, from the state at a job's arrival.

The state is taken right after job j has entered the queue and before the scheduling pass: the running jobs with their
true remaining run times, and the queue. In the fair order (fairshare: usage at that instant, then submit time and id),
each job up to j takes the n nodes that are free earliest, from the time at which the n-th of them is free. Holes are
never used. FST_j is the start of j in this schedule.

Everything is derived from the given schedule. Usage is charged from it, whatever policy made it, so the same order
judges all policies. Starts at the instant of an arrival come after it. Source: the cplant paper, section IV.A; true run
times, and usage frozen at the arrival, are our choices.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.analysis.fairness.kernels import list_start
from thinktime.models.policies.accounts import AccountOrder
from thinktime.models.policies.named_orders import as_order
from thinktime.models.policies.order import Order
from thinktime.models.pool import Pool
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.models.view import View
from thinktime.workloads.arrays import Floats, Rows

ENDS, EVICTIONS, STARTS = 0, 1, 2  # in the order of one instant; arrivals come after the ends


def hybrid_fst(result: Result, order: str | Order | Callable[..., Any] = "fairshare") -> Floats:
    """The hybrid fair start time of every job (s), NaN for jobs that never entered the queue.

    ``order`` is any order; one with accounts charges its own from this schedule. Give it the decay that the schedule
    was made with.
    """
    return _Judge(result, as_order(order).copy()).judge()


class _Judge:
    """Replays a schedule from arrival to arrival."""

    def __init__(self, result: Result, order: Order) -> None:
        self.result = result
        self.order = order
        if isinstance(order, AccountOrder):
            order.accounts.keep()  # charged from this schedule
        self.lengths = _lengths(result)
        self.view = _view(result)
        self.queue: dict[int, None] = {}  # rows in order of arrival
        self.running: dict[int, float] = {}  # true ends by row
        self.idle = result.processors

    def judge(self) -> Floats:
        """The fair start times."""
        result = self.result
        fst = np.full(len(result), np.nan)
        arrivals = np.lexsort((result["id"], result["submit"]))
        stays = (result["state"] != State.REFUSED) & ~(
            (result["state"] == State.WITHDRAWN) & ~(result["end"] > result["submit"])
        )
        events = _events(result)
        at = 0
        for row in arrivals[stays[arrivals]].tolist():
            now = result["submit"].item(row)
            while at < len(events) and (events[at][0] < now or (events[at][0] == now and events[at][1] == ENDS)):
                self._happen(*events[at])
                at += 1
            self.queue[row] = None
            fst[row] = self._start_of(row, now)
        return fst

    def _happen(self, time: float, kind: int, row: int) -> None:
        if kind == ENDS and row in self.queue:  # withdrawn
            del self.queue[row]
            return
        accounts = self.order.accounts if isinstance(self.order, AccountOrder) else None
        self.view.now = time
        if kind != STARTS:
            del self.running[row]
            self.idle += self.result["processors"].item(row)
            if accounts is not None:
                accounts.on_end(self.view, np.array([row]), time)
            return
        del self.queue[row]
        if self.result["end"][row] > time or np.isnan(self.result["end"][row]):
            self.running[row] = time + self.lengths.item(row)
            self.idle -= self.result["processors"].item(row)
            if accounts is not None:
                accounts.on_start(self.view, np.array([row]), time)

    def _start_of(self, row: int, now: float) -> float:
        """Schedule all jobs that precede ``row`` in the order, and then it."""
        ranked = self._ranked(now)
        ranked = ranked[: int(np.flatnonzero(ranked == row)[0]) + 1]
        ends = np.fromiter(self.running.values(), np.float64, len(self.running))
        held = self.result["processors"][np.fromiter(self.running, np.int64, len(self.running))]
        by_end = np.argsort(ends)
        groups = len(ends) + 1
        times, counts = np.empty(groups + len(ranked)), np.zeros(groups + len(ranked), np.int64)
        times[0], times[1:groups] = now, np.maximum(ends[by_end], now)
        counts[0] = max(self.idle, 0)  # recorded schedules may exceed the machine
        counts[1:groups] = held[by_end]
        return list_start(times, counts, groups, self.result["processors"][ranked], self.lengths[ranked])

    def _ranked(self, now: float) -> Rows:
        waiting = np.fromiter(self.queue, np.int64, len(self.queue))
        self.view.now, self.view.waiting = now, waiting
        if self.order.key is None or self.order.dynamic:
            return self.order.sort(self.view)
        keys = self.order.keys(self.view.columns(waiting), now)
        return waiting[np.argsort(keys, kind="stable")]


def _events(result: Result) -> list[tuple[float, int, int]]:
    """Starts and ends in order of time, ends first; a run of length 0 has only a start.

    A job that has overrun its estimate is evicted by a start, so a job arriving at that instant still sees it running.
    """
    evicted = (
        (result["state"] == State.KILLED) & (result["end"] >= result["start"] + result["estimate"])
        if result.overrun == "until_needed"
        else np.zeros(len(result), bool)
    )
    events = []
    for row, (start, end, state) in enumerate(
        zip(result["start"].tolist(), result["end"].tolist(), result["state"].tolist(), strict=True)
    ):
        if start == start:
            events.append((start, STARTS, row))
            if end > start:
                events.append((end, EVICTIONS if evicted[row] else ENDS, row))
        elif state == State.WITHDRAWN and end > result["submit"].item(row):
            events.append((end, ENDS, row))
    return sorted(events)


def _lengths(result: Result) -> Floats:
    """How long jobs run if nobody cancels them: the true run time, or at most the estimate if jobs are killed at it."""
    run = result["runtime"]
    return np.minimum(run, result["estimate"]) if result.overrun == "kill" else run.copy()


def _view(result: Result) -> View:
    pool = Pool(result.processors)
    names = ("id", "user", "group", "queue", "campaign", "submit", "processors", "estimate", "memory")
    pool.requests.append(len(result), **{name: result[name] for name in names})
    return View(pool, result.names)
