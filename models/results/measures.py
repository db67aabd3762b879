"""Measures of a result: functions of a `Schedule` that return one number, or one per job.

Symbols, for job j: submit, start and end (s), n (processors), run = end - start, its actual run time
on the machine (after any kill). P is the number of processors of the machine. Arrays have one value per row
of the result, in its order, with NaN where the measure is undefined, or not yet defined.

Each measure uses one of two windows and says which:

* *jobs*: the jobs that ended after having started (`ended`). Jobs still waiting or running at the horizon are
  excluded, so means on an overloaded machine are too small: read them next to the number of unfinished jobs. Jobs that
  their users withdrew while waiting are excluded too: see `thinktime.models.results.outcome`. Statistics are over
  the jobs that were served (`thinktime.models.results.outcome`), which on a machine are the same.
* *machine*: [first start, last end] (`window`). If jobs are still running at the horizon, the window
  extends to the horizon and their use up to then counts.

Neither window excludes a warm-up or the drain after the last submission. To exclude them, cut the workload or the
result.
"""

import numpy as np

from thinktime.models.results.schedule import Schedule
from thinktime.models.state import State
from thinktime.workloads.arrays import Flags, Floats
from thinktime.workloads.names import explain_missing

BLOCK = 2**20
"""Changes of the numbers of processors in use and in the queue that are looked at together."""


def ended(result: Schedule) -> Flags:
    """Which jobs ended after having started: finished, killed, or withdrawn while they ran."""
    return np.isfinite(result["start"]) & np.isfinite(result["end"])


def wait(result: Schedule) -> Floats:
    """Wait, start - submit (s), of every job that has started."""
    return result["start"] - result["submit"]


def actual_runtime(result: Schedule) -> Floats:
    """Actual run time, end - start (s), of every job that ended after having started."""
    return np.where(ended(result), result["end"] - result["start"], np.nan)


def response_time(result: Schedule) -> Floats:
    """Response time, end - submit (s), of every job that ended after having started.

    Also called turnaround or flow time.
    """
    return np.where(ended(result), result["end"] - result["submit"], np.nan)


def slowdown(result: Schedule) -> Floats:
    """Unbounded slowdown, response time / run (no unit).

    It is NaN for a job that ran for 0 s, so that means leave it out (the summary counts such jobs as
    `zero_runtime`). Use a bounded slowdown where they matter.
    """
    run, undefined = actual_runtime(result), np.full(len(result), np.nan)
    slowdowns: Floats = np.divide(response_time(result), run, out=undefined, where=run > 0)
    return slowdowns


def bounded_slowdown(result: Schedule, threshold: float = 10.0) -> Floats:
    """max(1, (wait + run) / max(run, threshold)) (no unit; threshold in s).

    Source: D. Feitelson et al., Theory and practice in parallel job scheduling (JSSPP 1997). The
    usual threshold is 10 s.
    """
    return bounded(response_time(result), actual_runtime(result), threshold)


def floored_slowdown(result: Schedule, threshold: float = 60.0) -> Floats:
    """(wait + max(run, threshold)) / max(run, threshold) (no unit; threshold in s).

    A job shorter than the threshold is taken to have run that long. Source: the evaluation of goal-oriented
    search policies, with a threshold of one minute.
    """
    return floored(wait(result), actual_runtime(result), threshold)


def bounded(response: Floats, run: Floats, threshold: float) -> Floats:
    """Bounded slowdowns of jobs with these response times and run times (s)."""
    return np.maximum(1.0, response / np.maximum(run, _positive(threshold)))


def floored(wait: Floats, run: Floats, threshold: float) -> Floats:
    """Floored slowdowns of jobs with these waits and run times (s)."""
    longest = np.maximum(run, _positive(threshold))
    slowdowns: Floats = (wait + longest) / longest
    return slowdowns


def area(result: Schedule) -> Floats:
    """Area, n * run (processor-seconds), used up to the horizon; 0 for a job that never started."""
    return result["processors"] * (_release(result) - _hold(result))


def window(result: Schedule) -> tuple[float, float]:
    """[first start, last end] (s), up to the horizon if jobs still run then; NaN if no job has started."""
    started = np.isfinite(result["start"])
    if not started.any():
        return np.nan, np.nan
    return float(result["start"][started].min()), float(_release(result)[started].max())


def makespan(result: Schedule) -> float:
    """Last end - first start (s); window: machine. NaN if no job has started."""
    first, last = window(result)
    return last - first


def utilization(result: Schedule, between: tuple[float, float] | None = None) -> float:
    """Processor-seconds used / (makespan * P), a fraction; window: machine, or ``between`` two times (s).

    Jobs still running count with their use up to the horizon. NaN if the window is empty or no job has started.
    """
    first, last = window(result) if between is None else between
    held = np.clip(_release(result), first, last) - np.clip(_hold(result), first, last)
    return _per_capacity(float((result["processors"] * held).sum()), result, first, last)


def area_weighted_response_time(result: Schedule) -> float:
    """sum(n * run * response time) / sum(n * run) (s); window: jobs.

    A wide or long job weighs as much as the small ones it could be split into, so splitting does not
    change the value. Source: J. Krallmann, U. Schwiegelshohn, R. Yahyapour, On the
    design and evaluation of job scheduling algorithms (JSSPP 1999). NaN if nothing ran.
    """
    over = ended(result)
    weight = area(result)[over]
    total = float(weight.sum())
    return float(weight @ response_time(result)[over]) / total if total > 0 else np.nan


def loss_of_capacity(result: Schedule, between: tuple[float, float] | None = None) -> float:
    """The fraction of the machine that was idle although jobs were waiting; window: machine, or ``between`` two times.

    LOC = integral of min(q(t), max(P - u(t), 0)) dt / (makespan * P), with q(t) the processors that waiting
    jobs ask for and u(t) those in use (a recorded schedule may use more than there are). A job waits from
    its submission to its start, its withdrawal or the horizon. A refused job never waits. Source:
    the study of fair start times on CPlant, equation (1). Even a good schedule can lose capacity: the
    queued job may need more processors than are idle. NaN if the window is empty or no job has started.
    """
    first, last = window(result) if between is None else between
    times = np.concatenate([*used_intervals(result), *queued_intervals(result)])
    order = np.argsort(times, kind="stable")
    used = queued = lost = 0.0
    for begin in range(0, len(order) - 1, BLOCK):
        rows = order[begin : begin + BLOCK + 1]
        kind = rows[:-1] // len(result)  # a start, an end, a submission, or a job that leaves the queue
        change = result["processors"][rows[:-1] - kind * len(result)] * np.where(kind & 1, -1.0, 1.0)
        in_use = used + np.where(kind < 2, change, 0.0).cumsum()
        in_queue = queued + np.where(kind < 2, 0.0, change).cumsum()
        idle = np.maximum(result.processors - in_use, 0)
        lost += float((np.minimum(in_queue, idle) * np.diff(np.clip(times[rows], first, last))).sum())
        used, queued = in_use[-1], in_queue[-1]
    return _per_capacity(lost, result, first, last)


def used_intervals(result: Schedule) -> tuple[Floats, Floats]:
    """The interval in which each job held processors (s), up to the horizon; empty, at `now`, if it never did."""
    return _hold(result), _release(result)


def queued_intervals(result: Schedule) -> tuple[Floats, Floats]:
    """The interval in which each job waited (s), up to the horizon; empty, at its submission, if it was refused."""
    left_unstarted = np.where(np.isfinite(result["end"]), result["end"], result.now)
    until = np.where(np.isfinite(result["start"]), result["start"], left_unstarted)
    return result["submit"], np.where(result["state"] == State.REFUSED, result["submit"], until)


def _hold(result: Schedule) -> Floats:
    return np.where(np.isfinite(result["start"]), result["start"], result.now)


def _release(result: Schedule) -> Floats:
    return np.where(ended(result), result["end"], result.now)


def _positive(threshold: float) -> float:
    if not threshold > 0:
        raise ValueError(f"threshold is a time in seconds above 0, got {threshold!r}")
    return threshold


def _per_capacity(processor_seconds: float, result: Schedule, first: float, last: float) -> float:
    capacity = (last - first) * result.processors
    return processor_seconds / capacity if capacity > 0 else np.nan


explain_missing(__name__)
