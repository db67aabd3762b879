"""Measures of a result: functions of a `Schedule` that return one number, or one per job.

Symbols, for job j: submit, start and end (s), n (processors), run = end - start, its actual run time
on the machine (after any kill). P is the number of processors of the machine. Arrays have one value per row
of the result, in its order, with NaN where the measure is undefined, or not yet defined.

On a machine that changes (`thinktime.models.results.history`), a job may run several times. `start` is then its first
start and `end` its last end. Its run time is the length of all its runs, and run in slowdowns is the work that it has
done at the end, so that lost work does not make a slowdown look better.

Each measure uses one of two windows and says which:

* *jobs*: the jobs that ended after having started (`ended`). Jobs still waiting or running at the horizon are
  excluded, so means on an overloaded machine are too small: read them next to the number of unfinished jobs. Jobs that
  their users withdrew while waiting are excluded too. Statistics are over the jobs that were served
  (`thinktime.models.results.outcome`), which on a machine are the same but for those that their users gave up between
  two runs.
* *machine*: [first start, last end] (`window`). If jobs are still running at the horizon, the window
  extends to the horizon and their use up to then counts.

Neither window excludes a warm-up or the drain after the last submission: `Result.during` does
(`thinktime.models.results.windowed`).
"""

from typing import NamedTuple

import numpy as np

from thinktime.models.results.metric import FRACTION, METRICS, PLAIN, SECONDS, STATISTICS
from thinktime.models.results.outcome import served
from thinktime.models.results.paces import paces
from thinktime.models.results.schedule import Schedule
from thinktime.models.results.steps import Steps
from thinktime.models.state import State
from thinktime.workloads.arrays import AnyArray, Flags, Floats, Whole
from thinktime.workloads.names import explain_missing, quoted
from thinktime.workloads.units import Duration, as_seconds

BLOCK = 2**20
"""Changes of the numbers of processors in use and in the queue that are looked at together."""


NOTHING = Steps(np.empty(0), np.empty(0))


class Spans(NamedTuple):
    """Intervals [begin, end) (s), each of the job in a row of the result."""

    row: Whole
    begin: Floats
    end: Floats


def ended(result: Schedule) -> Flags:
    """Which jobs ended after having started: finished, killed, or withdrawn while they ran."""
    return np.isfinite(result["start"]) & np.isfinite(result["end"])


@METRICS.of_jobs(
    SECONDS,
    source="SWF field 3",
    told=tuple(STATISTICS),
    headings={"mean": "wait\nmean", "median": "\nmedian", "p95": "\n95 %", "max": "\nmax"},
)
def wait(result: Schedule) -> Floats:
    """Start − submission (s) of a job that has started."""
    return result["start"] - result["submit"]


@METRICS.of_jobs(SECONDS, source="ours", term="time in the queue", told=(), needs="changes")
def waited(result: Schedule) -> Floats:
    """Response time − length of all runs (s) of a job that ended after having started."""
    return response_time(result) - actual_runtime(result)


@METRICS.of_jobs(SECONDS, source="SWF field 4", name="runtime", term="run time", summary=False)
def actual_runtime(result: Schedule) -> Floats:
    """End − start (s) of a job that ran, or the length of its runs; before that, how long it runs if nothing ends it.

    NaN for a job that has not ended after having started.
    """
    runs = None if result.history is None else result.history.runs
    lengths = result["end"] - result["start"] if runs is None else runs.summed(runs.length, len(result))
    return np.where(ended(result), lengths, np.nan)


def work_done(result: Schedule) -> Floats:
    """The work (s) that every job that ended after having started had done: its run time without overhead and losses.

    On a machine that does not change it is the actual run time. A job that may have several sizes has so much of it as
    takes so long on the one that it prefers, Σ progress × s(n) / s(n0).
    """
    if result.history is None:
        return actual_runtime(result)
    runs = result.history.runs
    done = runs.progress * paces(result, runs.row, runs.processors) if "shape" in result.columns else runs.progress
    return np.where(ended(result), runs.summed(done, len(result)), np.nan)


@METRICS.of_jobs(SECONDS, source="Feitelson, Rudolph 1998")
def response_time(result: Schedule) -> Floats:
    """End − submission (s) of a job that ended after having started; also called turnaround or flow time."""
    return np.where(ended(result), result["end"] - result["submit"], np.nan)


@METRICS.of_jobs(PLAIN, source="Feitelson et al. 1997", told=())
def slowdown(result: Schedule) -> Floats:
    """Response time / run time.

    No unit. It is NaN for a job that ran for 0 s, so that means leave it out (the summary counts such jobs as
    `zero_runtime`). Use a bounded slowdown where they matter.
    """
    run, undefined = work_done(result), np.full(len(result), np.nan)
    slowdowns: Floats = np.divide(response_time(result), run, out=undefined, where=run > 0)
    return slowdowns


@METRICS.of_jobs(
    PLAIN,
    source="Feitelson et al. 1997",
    thresholds=(10, 60),
    columns=(10,),
    headings={"mean": "slow-\ndown"},
    legend="slowdown: mean of the bounded slowdown (10 s)",
)
def bounded_slowdown(result: Schedule, threshold: Duration = 10.0) -> Floats:
    """Max(1, response time / max(run time, T)), with the threshold T (s).

    No unit. Source: D. Feitelson et al., Theory and practice in parallel job scheduling (JSSPP 1997). The
    usual threshold is 10 s.
    """
    threshold = as_seconds("threshold", threshold)
    return bounded(response_time(result), work_done(result), threshold)


@METRICS.of_jobs(PLAIN, source="goal paper", thresholds=(60,), summary=False)
def floored_slowdown(result: Schedule, threshold: Duration = 60.0) -> Floats:
    """(Wait + max(run time, T)) / max(run time, T), with the threshold T (s).

    No unit. A job shorter than the threshold is taken to have run that long. Source: the evaluation of goal-oriented
    search policies, with a threshold of one minute.
    """
    threshold = as_seconds("threshold", threshold)
    if result.history is None:
        return floored(wait(result), actual_runtime(result), threshold)
    work = work_done(result)
    return floored(np.maximum(response_time(result) - work, 0.0), work, threshold)


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
    if result.history is None:
        return result["processors"] * (_release(result) - _hold(result))
    runs = result.history.runs
    used: Floats = runs.summed(runs.length * runs.processors, len(result))
    return used


def window(result: Schedule) -> tuple[float, float]:
    """[first start, last end] (s), up to the horizon if jobs still run then; NaN if no job has started."""
    started = np.isfinite(result["start"])
    if not started.any():
        return np.nan, np.nan
    ends = _release(result)[started] if result.history is None else result.history.runs.end
    return float(result["start"][started].min()), float(ends.max())


@METRICS.of_run(SECONDS, source="Krallmann et al. 1999", told=False, counted=lambda part: int(served(part.jobs).sum()))
def area_weighted_response_time(result: Schedule) -> float:
    """Σ n r (response time) / Σ n r (s), with n processors and run time r.

    Window: jobs. A wide or long job weighs as much as the small ones it could be split into, so splitting does not
    change the value. Source: J. Krallmann, U. Schwiegelshohn, R. Yahyapour, On the
    design and evaluation of job scheduling algorithms (JSSPP 1999). NaN if nothing ran.
    """
    over = ended(result)
    weight = area(result)[over]
    total = float(weight.sum())
    return float(weight @ response_time(result)[over]) / total if total > 0 else np.nan


@METRICS.of_run(FRACTION, over="time", source="Feitelson, Rudolph 1998", heading="utili-\nzation")
def utilization(result: Schedule, between: tuple[float, float] | None = None) -> float:
    """Σ processors × run time / (makespan × processors of the machine).

    Window: machine, or ``between`` two times (s). Jobs still running count with their use up to the horizon. NaN if the
    window is empty or no job has started.
    """
    first, last = window(result) if between is None else between
    return _share(used_between(result, first, last), (last - first) * result.processors)


def used_between(result: Schedule, first: float, last: float) -> float:
    """Processor-seconds used between two times (s)."""
    _, begin, end = used(result)
    held = np.clip(end, first, last) - np.clip(begin, first, last)
    return float((sizes_of(result) * held).sum())


@METRICS.of_run(
    FRACTION, over="time", source="cplant paper, (1)", heading="cap.\nlost", legend="cap. lost: loss of capacity"
)
def loss_of_capacity(result: Schedule, between: tuple[float, float] | None = None) -> float:
    """∫ min(processors asked for by waiting jobs, idle processors) dt / (makespan × processors).

    The fraction of the machine that was idle although jobs were waiting; window: machine, or ``between`` two times.

    LOC = integral of min(q(t), max(C - u(t), 0)) dt / integral of C dt, with q(t) the processors that waiting jobs ask
    for and u(t) those in use (a recorded schedule may use more than there are). C is P, or C(t) of a machine that
    changes (`available`). A job waits from its submission (from eligibility, if it waits outside the queue before) to
    its start, its withdrawal or the horizon, and again between its runs. A refused job never waits. Source: the study
    of fair start times on CPlant, equation (1). Even a good schedule can lose capacity: the queued job may need more
    processors than are idle. NaN if the window is empty or no job has started.
    """
    first, last = window(result) if between is None else between
    times, change, in_queue_from = _changes_of_use(result)
    order = np.argsort(times, kind="stable")
    used = queued = lost = 0.0
    for begin in range(0, len(order) - 1, BLOCK):
        rows = order[begin : begin + BLOCK + 1]
        uses = rows[:-1] < in_queue_from
        in_use = used + np.where(uses, change[rows[:-1]], 0.0).cumsum()
        in_queue = queued + np.where(uses, 0.0, change[rows[:-1]]).cumsum()
        idle = np.maximum(result.processors - in_use, 0)
        lost += float((np.minimum(in_queue, idle) * np.diff(np.clip(times[rows], first, last))).sum())
        used, queued = in_use[-1], in_queue[-1]
    return _share(lost, available(result, first, last))


@METRICS.of_run(SECONDS, source="Feitelson, Rudolph 1998")
def makespan(result: Schedule) -> float:
    """Last end − first start (s).

    Window: machine. NaN if no job has started.
    """
    first, last = window(result)
    return last - first


def _changes_of_use(result: Schedule) -> tuple[Floats, AnyArray, int]:
    """When the processors that are in use or not available change, by how many, and where those of the queue begin."""
    held, queue, (times, out) = used(result), queued(result), out_of_service(result)
    size, here = result["processors"], sizes_of(result)
    change = [here, -here, np.diff(out, prepend=0.0), size[queue.row], -size[queue.row]]
    times = np.concatenate([held.begin, held.end, times, queue.begin, queue.end])
    return times, np.concatenate(change), 2 * len(held.row) + len(out)


def out_of_service(result: Schedule) -> Steps:
    """Processors that no job can have, over time: they are down, or of open windows that admit none."""
    return NOTHING if result.history is None else result.history.out_of_service(result.processors, result.now)


def available(result: Schedule, first: float, last: float) -> float:
    """The integral of C(t) = max(0, P - down - those of open windows that admit no job) between two times (s)."""
    out = out_of_service(result).integral([first, last])
    return (last - first) * result.processors - float(out[1] - out[0])


def used(result: Schedule) -> Spans:
    """The intervals in which jobs held processors (s), up to the horizon; of one that never did, empty or none."""
    if result.history is None:
        return Spans(np.arange(len(result)), _hold(result), _release(result))
    runs = result.history.runs
    return Spans(runs.row, runs.start, runs.end)


def sizes_of(result: Schedule) -> Whole:
    """The processors that jobs held in each of the intervals of `used`."""
    return result["processors"] if result.history is None else result.history.runs.processors


def queued(result: Schedule) -> Spans:
    """The intervals in which jobs waited (s), up to the horizon; empty, at its submission, for a refused job.

    Jobs that wait outside the queue are not counted before they are eligible.
    """
    rows, submit = np.arange(len(result)), result["submit"]
    left = np.where(np.isfinite(result["end"]), result["end"], result.now)
    left = np.where(result["state"] == State.REFUSED, submit, left)
    if (eligible := result.columns.get("eligible")) is not None:
        submit = np.where(np.isnan(eligible), left, eligible)
    if result.history is None:
        return Spans(rows, submit, np.where(np.isfinite(result["start"]), result["start"], left))
    runs, since = result.history.runs, submit.copy()
    since[runs.row[runs.last]] = runs.end[runs.last]
    before = np.where(runs.run == 1, submit[runs.row], np.roll(runs.end, 1))
    return Spans(np.append(runs.row, rows), np.append(before, since), np.append(runs.start, left))


def _hold(result: Schedule) -> Floats:
    return np.where(np.isfinite(result["start"]), result["start"], result.now)


def _release(result: Schedule) -> Floats:
    return np.where(ended(result), result["end"], result.now)


def _positive(threshold: float) -> float:
    if not threshold > 0:
        raise ValueError(f"threshold is a time in seconds above 0, got {quoted(threshold)}")
    return threshold


def _share(processor_seconds: float, capacity: float) -> float:
    return processor_seconds / capacity if capacity > 0 else np.nan


explain_missing(__name__)
