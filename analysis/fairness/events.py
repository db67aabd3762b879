"""What happens in a schedule, in the order of one instant: ends, repairs, failures, windows, arrivals, starts.

`hybrid_fst` replays a schedule by these events.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from thinktime.models.results.result import Result
from thinktime.models.results.service import all_runs
from thinktime.models.state import RUN_ENDS, State
from thinktime.workloads.arrays import Flags, Floats

RUNNING, PREEMPTED = RUN_ENDS.index("running"), RUN_ENDS.index("preempted")


END, WITHDRAWAL, REPAIR, CLOSE, DOWN, OPEN, EVICTION, START = range(8)
"""What happens, in the order of one instant; arrivals come before evictions and starts. Windows `OPEN` and `CLOSE`.

An `EVICTION` is the end of a run because another job starts: it has overrun its estimate, or is preempted.
"""


class Event(NamedTuple):
    """Something that happens at a time (s) to the job in a row, or to the outage or window of a number."""

    time: float
    kind: int
    row: int
    processors: int = 0
    until: float = np.nan
    """When what begins here ends."""
    rest: float | None = None
    """If the job runs again, how long its next run would take undisturbed."""


def lengths_of(result: Result) -> Floats:
    """How long the first runs of jobs take undisturbed: their work, and what checkpoints they write."""
    work = _work(result)
    if result.history is None:
        return work
    return np.array([result.history.saving.length(row, float(left), again=False) for row, left in enumerate(work)])


def events_of(result: Result) -> list[Event]:
    """Everything that happens; a run of length 0 has only a start."""
    return sorted([*_of_runs(result), *_withdrawals(result), *_of_machine(result)])


def _of_runs(result: Result) -> Iterator[Event]:
    runs, history = all_runs(result), result.history
    evicted = _evicted(result)
    left, over = _work(result).tolist(), ~np.isnan(result["end"])
    columns = (runs.row, runs.start, runs.end, runs.how, runs.progress, runs.last)
    for row, start, end, how, progress, last in zip(*(each.tolist() for each in columns), strict=True):
        processors = result["processors"].item(row)
        yield Event(start, START, row, processors, end if how != RUNNING else np.inf)
        if how == RUNNING or end == start:
            continue
        left[row] -= progress
        waits = not last or not over[row] or result["end"].item(row) > end or (history and history.gave_up.item(row))
        rest = history.saving.length(row, left[row], again=True) if history is not None and waits else None
        kind = EVICTION if evicted[row] or how == PREEMPTED else END
        yield Event(end, kind, row, processors, rest=rest)
        if last and over[row] and waits:
            yield Event(result["end"].item(row), WITHDRAWAL, row)


def _withdrawals(result: Result) -> Iterator[Event]:
    """Jobs that never ran and were withdrawn after their submission."""
    gone = (result["state"] == State.WITHDRAWN) & (result["end"] > result["submit"])
    for row in np.flatnonzero(gone).tolist():
        yield Event(result["end"].item(row), WITHDRAWAL, row)


def _of_machine(result: Result) -> Iterator[Event]:
    """What is down, and open windows that admit no job."""
    if result.history is None:
        return
    both = ((result.history.outage_boxes(), DOWN, REPAIR), (result.history.window_boxes(), OPEN, CLOSE))
    for boxes, first, second in both:
        for number, (begin, end, size) in enumerate(zip(*(each.tolist() for each in boxes), strict=True)):
            yield Event(begin, first, number, size, end)
            yield Event(end, second, number, size)


def _work(result: Result) -> Floats:
    """How much work jobs do if no user cancels them: all, or at most their estimate if jobs are killed at it."""
    run = result["runtime"]
    return np.minimum(run, result["estimate"]) if result.overrun == "kill" else run.copy()


def _evicted(result: Result) -> Flags:
    """Jobs that were evicted by a start, so that a job arriving at that instant still sees them running."""
    if result.overrun != "until_needed":
        return np.zeros(len(result), np.bool_)
    return np.asarray((result["state"] == State.KILLED) & (result["end"] >= result["start"] + result["estimate"]))
