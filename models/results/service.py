"""Measures of a machine that changes: how much of it there was, what became of the time of runs, and interruptions.

The processor-seconds in use are the sum of four parts:

    useful        progress of jobs that finished
    unfinished    progress of jobs that did not
    overhead      checkpoints and restarts
    lost          what interruptions have thrown away

C(t) = max(0, P - down - n of open windows that admit no job) is available (`thinktime.models.results.measures`).
Reservations are available, since some jobs can use them. All measures are over the machine's window, or `between` two
times (s); a run that lies partly between them counts in proportion. They are defined for every result: on a machine
that does not change, every job that started has one run, and everything is available.
"""

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.history import INTERRUPTIONS, Runs
from thinktime.models.results.metric import FRACTION, METRICS, SECONDS
from thinktime.models.results.schedule import Schedule
from thinktime.models.state import RUN_ENDS, State
from thinktime.workloads.arrays import Flags, Floats
from thinktime.workloads.names import explain_missing

Between = tuple[float, float] | None
Number = int | float


def span_of(result: Schedule, between: Between) -> tuple[float, float]:
    """From when to when (s) something is measured: between two times, or over the machine's window."""
    return measures.window(result) if between is None else between


def ratio(part: float, whole: float) -> float:
    """A part over the whole; NaN where there is no whole."""
    return part / whole if whole > 0 else np.nan


def all_runs(result: Schedule) -> Runs:
    """The runs of all jobs: one for each that started, on a machine that does not change."""
    if result.history is not None:
        return result.history.runs
    row = np.flatnonzero(np.isfinite(result["start"]))
    start, end, state = (result[name][row] for name in ("start", "end", "state"))
    end = np.where(np.isnan(end), result.now, end)
    limit = (result["runtime"][row] > result["estimate"][row]) & (end - start >= result["estimate"][row])
    limit &= result.overrun != "extend"  # no limit ends a job there
    cases = [state == State.RUNNING, state == State.FINISHED, limit]
    how = np.select(
        cases, [RUN_ENDS.index(each) for each in ("running", "finished", "limit")], RUN_ENDS.index("cancelled")
    )
    none, never = np.zeros(len(row)), np.zeros(len(row), np.int64)
    size = result["processors"][row]
    return Runs(row, never + 1, start, end, how.astype(np.int8), end - start, none, none, never, never, size)


@METRICS.of_run(
    FRACTION,
    over="time",
    source="ours",
    group="changes",
    heading="good-\nput",
    legend="goodput: share of the machine that did work of jobs that finished",
)
def goodput(result: Schedule, between: Between = None) -> float:
    """Useful work / (makespan × processors)."""
    first, last = span_of(result, between)
    return ratio(useful_work(result, between), (last - first) * result.processors)


@METRICS.of_run(FRACTION, over="time", source="ours", term="utilization of what is available", group="changes")
def utilization_of_available(result: Schedule, between: Between = None) -> float:
    """Σ processors × run time / ∫ C dt over the makespan.

    Above 1 where windows wait for jobs to end. NaN if nothing was available.
    """
    first, last = span_of(result, between)
    return ratio(measures.used_between(result, first, last), measures.available(result, first, last))


@METRICS.of_run(FRACTION, over="time", source="HECToR service", group="changes")
def availability(result: Schedule, between: Between = None) -> float:
    """∫ C dt / ∫ (processors − windows of kind capacity) dt."""
    return _available_share(result, between, ("capacity",))


@METRICS.of_run(FRACTION, over="time", source="HECToR service", group="changes")
def serviceability(result: Schedule, between: Between = None) -> float:
    """∫ C dt / ∫ (processors − windows of kinds capacity and maintenance) dt.

    The availability without times of maintenance: (WCT - SDT - UDT) / (WCT - SDT) of the HECToR service. WCT is
    wall-clock time, SDT scheduled and UDT unscheduled down time.
    """
    return _available_share(result, between, ("capacity", "maintenance"))


@METRICS.of_run("processor-seconds", over="time", source="ours", group="changes")
def useful_work(result: Schedule, between: Between = None) -> float:
    """Progress of jobs that finished (processor-seconds)."""
    runs = all_runs(result)
    return _work(result, between, runs.progress, result["state"][runs.row] == State.FINISHED)


@METRICS.of_run("processor-seconds", over="time", source="ours", group="changes")
def unfinished_work(result: Schedule, between: Between = None) -> float:
    """Progress of jobs that did not finish, or have not yet (processor-seconds)."""
    runs = all_runs(result)
    return _work(result, between, runs.progress, result["state"][runs.row] != State.FINISHED)


@METRICS.of_run("processor-seconds", over="time", source="ours", group="changes")
def overhead_work(result: Schedule, between: Between = None) -> float:
    """Processors × time of checkpoints and restarts (processor-seconds)."""
    return _work(result, between, all_runs(result).overhead)


@METRICS.of_run("processor-seconds", over="time", source="ours", group="changes")
def lost_work(result: Schedule, between: Between = None) -> float:
    """Processors × time that interruptions have thrown away (processor-seconds)."""
    return _work(result, between, all_runs(result).lost)


@METRICS.of_run(
    "runs",
    over="time",
    source="ours",
    group="changes",
    heading="inter-\nrupted",
    legend="interrupted: runs broken off",
    describes=True,
)
def interruptions(result: Schedule, between: Between = None, why: str | None = None) -> int:
    """Runs that were broken off, for whatever reason.

    Or by one, ``why``: `failure`, `window` or `preemption`.
    """
    return int(_interrupted(result, between, *([why] if why else INTERRUPTIONS)).sum())


def _by(why: str) -> None:
    def of_reason(result: Schedule, between: Between) -> Number:
        return interruptions(result, between, why)

    of_reason.__doc__ = f"Runs that were broken off by a {why}."
    METRICS.of_run("runs", over="time", source="ours", name=f"interruptions_by_{why}", group="changes", describes=True)(
        of_reason
    )


for _why in INTERRUPTIONS:
    _by(_why)


@METRICS.of_run(SECONDS, over="time", source="ours", term="mean time to interrupt", group="changes")
def mtti(result: Schedule, between: Between = None) -> float:
    """Makespan / failures that hit a job (s); what fails at one instant is one failure.

    NaN if none did.
    """
    first, last = span_of(result, between)
    hits = np.unique(all_runs(result).end[_interrupted(result, between, "failure")])
    return (last - first) / len(hits) if len(hits) else np.nan


def _available_share(result: Schedule, between: Between, but: tuple[str, ...]) -> float:
    """The share of what is available in P without windows of some kinds."""
    first, last = span_of(result, between)
    whole = (last - first) * result.processors
    if result.history is not None:
        aside = result.history.set_aside(result.now, but).integral([first, last])
        whole -= float(aside[1] - aside[0])
    return ratio(measures.available(result, first, last), whole)


def _work(result: Schedule, between: Between, part: Floats, chosen: Flags | bool = True) -> float:
    """The processor-seconds of one part of the time of runs."""
    runs = all_runs(result)
    work = runs.processors * part * chosen
    if between is not None:
        inside = np.clip(runs.end, *between) - np.clip(runs.start, *between)
        work = np.divide(work * inside, runs.length, out=np.zeros(len(work)), where=runs.length > 0)
    return float(work.sum())


def _interrupted(result: Schedule, between: Between, *why: str) -> Flags:
    runs, (first, last) = all_runs(result), span_of(result, between)
    return runs.ended(*(INTERRUPTIONS[each] for each in why)) & (runs.end >= first) & (runs.end <= last)


explain_missing(__name__)
