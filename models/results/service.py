"""Measures of a machine that changes: how much of it there was, what became of the time of runs, and interruptions.

The processor-seconds in use are the sum of four parts:

    useful        progress of jobs that finished
    unfinished    progress of jobs that did not
    overhead      checkpoints and restarts
    lost          what interruptions have thrown away

C(t) = max(0, P - down - n of open windows for nobody) is what is available (`thinktime.models.results.measures`).
Reservations are available, since somebody can use them. All measures are over the machine's window, or `between` two
times (s); a run that lies partly between them counts in proportion. They are defined for every result: on a machine
that does not change, every job that started has one run, and everything is available.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.history import INTERRUPTIONS, Runs
from thinktime.models.results.schedule import Schedule
from thinktime.models.state import RUN_ENDS, State
from thinktime.workloads.arrays import Flags, Floats
from thinktime.workloads.names import explain_missing

Between = tuple[float, float] | None
Number = int | float


def all_runs(result: Schedule) -> Runs:
    """The runs of all jobs: one for each that started, on a machine that does not change."""
    if result.history is not None:
        return result.history.runs
    row = np.flatnonzero(np.isfinite(result["start"]))
    start, end, state = (result[name][row] for name in ("start", "end", "state"))
    end = np.where(np.isnan(end), result.now, end)
    limit = (result["runtime"][row] > result["estimate"][row]) & (end - start >= result["estimate"][row])
    cases = [state == State.RUNNING, state == State.FINISHED, limit]
    how = np.select(
        cases, [RUN_ENDS.index(each) for each in ("running", "finished", "limit")], RUN_ENDS.index("cancelled")
    )
    none, never = np.zeros(len(row)), np.zeros(len(row), np.int64)
    return Runs(row, never + 1, start, end, how.astype(np.int8), end - start, none, none, never, never)


def utilization_of_available(result: Schedule, between: Between = None) -> float:
    """Processor-seconds used / integral of C(t); above 1 where windows wait for jobs to end. NaN if there was none."""
    first, last = _times(result, between)
    return _ratio(measures.used_between(result, first, last), measures.available(result, first, last))


def goodput(result: Schedule, between: Between = None) -> float:
    """Processor-seconds of useful work / (makespan * P), a fraction."""
    first, last = _times(result, between)
    return _ratio(useful_work(result, between), (last - first) * result.processors)


def availability(result: Schedule, between: Between = None) -> float:
    """The integral of C(t) / that of P without what windows of kind `capacity` take, a fraction."""
    return _available_share(result, between, ("capacity",))


def serviceability(result: Schedule, between: Between = None) -> float:
    """`availability` without times of maintenance: (WCT - SDT - UDT) / (WCT - SDT) of the HECToR service.

    WCT is wall-clock time, SDT scheduled and UDT unscheduled down time.
    """
    return _available_share(result, between, ("capacity", "maintenance"))


def useful_work(result: Schedule, between: Between = None) -> float:
    """Progress of jobs that finished (processor-seconds)."""
    runs = all_runs(result)
    return _work(result, between, runs.progress, result["state"][runs.row] == State.FINISHED)


def unfinished_work(result: Schedule, between: Between = None) -> float:
    """Progress of jobs that did not finish, or have not yet (processor-seconds)."""
    runs = all_runs(result)
    return _work(result, between, runs.progress, result["state"][runs.row] != State.FINISHED)


def overhead_work(result: Schedule, between: Between = None) -> float:
    """The time of checkpoints and restarts (processor-seconds)."""
    return _work(result, between, all_runs(result).overhead)


def lost_work(result: Schedule, between: Between = None) -> float:
    """What interruptions have thrown away (processor-seconds)."""
    return _work(result, between, all_runs(result).lost)


def interruptions(result: Schedule, between: Between = None, why: str | None = None) -> int:
    """How many runs were broken off, by any of the reasons or by one: `failure`, `window` or `preemption`."""
    return int(_interrupted(result, between, *([why] if why else INTERRUPTIONS)).sum())


def mtti(result: Schedule, between: Between = None) -> float:
    """Mean time to interrupt: makespan / number of failures that hit a job (s); NaN if none did.

    What fails at one instant is one failure.
    """
    first, last = _times(result, between)
    hits = np.unique(all_runs(result).end[_interrupted(result, between, "failure")])
    return (last - first) / len(hits) if len(hits) else np.nan


def _by(why: str) -> Callable[[Schedule, Between], Number]:
    return partial(interruptions, why=why)


OF_CHANGES: dict[str, Callable[[Schedule, Between], Number]] = {
    "goodput": goodput,
    "utilization_of_available": utilization_of_available,
    "availability": availability,
    "serviceability": serviceability,
    "useful_work": useful_work,
    "unfinished_work": unfinished_work,
    "overhead_work": overhead_work,
    "lost_work": lost_work,
    "interruptions": interruptions,
    **{f"interruptions_by_{why}": _by(why) for why in INTERRUPTIONS},
    "mtti": mtti,
}
"""The measures by name; the summary of a machine that changes has them."""


def of_changes(result: Schedule, between: Between = None) -> dict[str, Number]:
    """All of these measures of a machine that changes; empty for other machines."""
    return {} if result.history is None else {name: measure(result, between) for name, measure in OF_CHANGES.items()}


def _times(result: Schedule, between: Between) -> tuple[float, float]:
    return measures.window(result) if between is None else between


def _ratio(processor_seconds: float, capacity: float) -> float:
    return processor_seconds / capacity if capacity > 0 else np.nan


def _available_share(result: Schedule, between: Between, but: tuple[str, ...]) -> float:
    """The share of what is available in P without windows of some kinds."""
    first, last = _times(result, between)
    whole = (last - first) * result.processors
    if result.history is not None:
        aside = result.history.set_aside(result.now, but).integral([first, last])
        whole -= float(aside[1] - aside[0])
    return _ratio(measures.available(result, first, last), whole)


def _work(result: Schedule, between: Between, part: Floats, chosen: Flags | bool = True) -> float:
    """The processor-seconds of one part of the time of runs."""
    runs = all_runs(result)
    work = result["processors"][runs.row] * part * chosen
    if between is not None:
        inside = np.clip(runs.end, *between) - np.clip(runs.start, *between)
        work = np.divide(work * inside, runs.length, out=np.zeros(len(work)), where=runs.length > 0)
    return float(work.sum())


def _interrupted(result: Schedule, between: Between, *why: str) -> Flags:
    runs, (first, last) = all_runs(result), _times(result, between)
    return runs.ended(*(INTERRUPTIONS[each] for each in why)) & (runs.end >= first) & (runs.end <= last)


explain_missing(__name__)
