"""A window [first, last) of a run, over which everything is measured; the one place that says what this means.

=====================================================  =============================================================
measures of jobs: wait, slowdown, response time, …     of the jobs *submitted* in the window, whenever they end
throughput                                             of the jobs that *end* in it, per day
utilization, loss of capacity, machines that change    over the *time* of the window
waiting work                                           over the time of the window
=====================================================  =============================================================

A side that is not given (infinite) is that of the run: the first submission or start, the last end. So without both,
everything is measured, as in `Result.summary`. Times before the first start count, and so do times after the last end:
the machine is idle then. A mean is NaN if no job submitted in the window was served. What is measured over time is NaN
if the window is empty, or if it reaches beyond the horizon of a run with jobs that were still waiting or running then,
since what came after that is not known. Jobs submitted shortly before the end of such a run are measured only if they
ended: let the window end well before the run does.

A run of a log ends with the log: the last of its users' jobs run on an emptying machine. Under a faster policy, users
with feedback are done earlier, so that their throughput up to the log's end is too low: let the window end before.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.metric import METRICS
from thinktime.models.results.schedule import Schedule
from thinktime.models.state import State
from thinktime.workloads.arrays import AnyArray, Flags
from thinktime.workloads.calendar import seconds_since, zone_of
from thinktime.workloads.names import quoted
from thinktime.workloads.trace import Time
from thinktime.workloads.units import DAY, HOUR

AnySchedule = TypeVar("AnySchedule", bound=Schedule)


@dataclass(frozen=True, eq=False)
class Windowed(Generic[AnySchedule]):
    """A result, and the window of it that is measured."""

    result: AnySchedule
    first: float = -np.inf
    """Jobs submitted before this time (s) are not measured."""
    last: float = np.inf
    """Jobs submitted at this time (s) or later are not measured."""

    @property
    def whole(self) -> bool:
        """Whether the window is unbounded."""
        return self.first == -np.inf and self.last == np.inf

    @cached_property
    def rows(self) -> Flags:
        """Which jobs of the result were submitted in the window."""
        submit = self.result["submit"]
        return np.asarray((submit >= self.first) & (submit < self.last))

    @cached_property
    def jobs(self) -> AnySchedule:
        """The jobs submitted in the window, as a result, with the demand that users gave up in it."""
        if self.whole:
            return self.result
        lost, responses = (self._inside(each) for each in (self.result.lost_demand, self.result.responses))
        return replace(chosen(self.result, self.rows), lost_demand=lost, responses=responses)

    def _inside(self, entries: dict[str, AnyArray]) -> dict[str, AnyArray]:
        inside = (entries["time"] >= self.first) & (entries["time"] < self.last)
        return {name: column[inside] for name, column in entries.items()}

    def time(self) -> tuple[float, float]:
        """From when to when the machine is measured (s); NaN if that is not known."""
        started, ended = measures.window(self.result)
        return self._known(
            self.first if np.isfinite(self.first) else started, self.last if np.isfinite(self.last) else ended
        )

    @property
    def between(self) -> tuple[float, float] | None:
        """The same for measures that know the time of a whole run themselves: None for an unbounded window."""
        return None if self.whole else self.time()

    def utilization(self) -> float:
        """The share of the machine that was in use in the window."""
        return measures.utilization(self.result, self.time())

    def loss_of_capacity(self) -> float:
        """The share of the machine that was idle in the window while jobs were waiting."""
        return measures.loss_of_capacity(self.result, self.time())

    @METRICS.of_run(
        "jobs/day", over="window", source="Feitelson, Rudolph 1998", name="throughput_per_day", term="throughput",
        summary=False,
    )  # fmt: skip
    def throughput(self) -> float:
        """Jobs that finished, per day, from the first submission to the last end or in the measured window."""
        finished = self.result["state"] == State.FINISHED
        if not finished.any():
            return 0.0 if self.whole or np.diff(self.time())[0] > 0 else np.nan
        ends = self.result["end"]
        first = self.first if np.isfinite(self.first) else float(self.result["submit"].min())
        last = self.last if np.isfinite(self.last) else float(np.nanmax(ends))
        first, last = self._known(first, last)
        inside = finished & (ends >= self.first) & (ends < self.last)
        return float(inside.sum()) / (last - first) * DAY if last > first else np.nan

    @METRICS.of_run(
        "hours of the whole machine", over="window", source="ours", name="mean_backlog", term="backlog", summary=False
    )
    def backlog(self) -> float:
        """Work in the queue, averaged over time, in hours of the whole machine.

        By Little's law for work, that of a whole run is sum(n * run * time in the queue) / (P * makespan).
        """
        queued = measures.queued(self.result)
        begin, end = (np.clip(each, self.first, self.last) for each in (queued.begin, queued.end))
        waits = np.bincount(queued.row, end - begin, len(self.result))
        first, last = self.time()
        capacity = (last - first) * self.result.processors
        waiting = float((measures.area(self.result) * waits).sum())
        return waiting / capacity / HOUR if capacity > 0 else np.nan

    def _known(self, first: float, last: float) -> tuple[float, float]:
        """These times, or NaN if the run had not come to the last of them."""
        over = (self.result["state"] >= State.FINISHED).all()
        return (first, last) if over or last <= self.result.now else (np.nan, np.nan)


def during(result: AnySchedule, start: Time | None = None, end: Time | None = None) -> Windowed[AnySchedule]:
    """The window from ``start`` to before ``end``, each in s, or a date in the log's time zone (None: no bound)."""
    first, last = window_of(start, end, result)
    return Windowed(result, first, last)


def window_of(start: Time | None, end: Time | None, log: Any) -> tuple[float, float]:
    """From and to (s) of a window; ``log``, a result or a trace, has the Unix time of t = 0 and the time zone.

    ``ValueError`` unless it ends after it begins.
    """
    zone = zone_of(log.zone, None) if isinstance(log.zone, str | None) else log.zone
    first = -np.inf if start is None else seconds_since(start, log.unix_start, zone)
    last = np.inf if end is None else seconds_since(end, log.unix_start, zone)
    if not first < last:
        raise ValueError(f"a window must end after it begins, not from {quoted(start)} to {quoted(end)}")
    return first, last


def chosen(result: AnySchedule, rows: Flags) -> AnySchedule:
    """A result with only the jobs selected by the mask `rows`."""
    nodes = None if result.nodes is None else result.nodes.select(np.flatnonzero(rows).tolist())
    history = None if result.history is None else result.history.select(np.flatnonzero(rows))
    columns = {name: column[rows] for name, column in result.columns.items()}
    return replace(result, columns=columns, nodes=nodes, history=history)
