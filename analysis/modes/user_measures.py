"""Measures of a run with users in the loop: jobs, users, sessions, and the work done."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from thinktime.analysis.experiments.kept_batches import SAME, Kept, of_jobs
from thinktime.analysis.experiments.observed import Observed
from thinktime.analysis.statistics import batch_means
from thinktime.analysis.statistics.batches import SHORTEST
from thinktime.models.results import measures
from thinktime.models.results.metric import METRICS
from thinktime.models.results.outcome import Outcome, abandonment, outcomes, served
from thinktime.models.results.result import Result
from thinktime.models.results.windowed import Windowed
from thinktime.models.state import State
from thinktime.workloads.arrays import Codes, Floats, Whole
from thinktime.workloads.trace import Time, Trace
from thinktime.workloads.units import HOUR


class WithinRun(NamedTuple):
    """A 95 % interval of the mean of one run's values; NaN for too short a run."""

    low: float
    high: float
    trusted: bool = True
    """Whether the batches are hardly correlated and hold ten values (`thinktime.analysis.statistics.batches`)."""


@dataclass(frozen=True, slots=True)
class Measures:
    """The numbers of one run; NaN where there is nothing to measure. Means are over jobs that were served."""

    jobs: int
    """Jobs that were submitted."""
    mean_wait: float
    median_wait: float
    p95_wait: float
    mean_bounded_slowdown_10: float
    throughput_per_day: float
    """Jobs that finish, per day from the first submission to the last end, or of the window."""
    utilization: float
    mean_backlog: float
    """Waiting work, averaged over time, in hours of the whole machine."""
    mean_user_response_time: float
    """The mean over users of each one's mean response time, s."""
    mean_session_response_time: float
    """The mean over sessions of the time from first submission to last end, s."""
    work_lost: float
    """Processor-hours that unfinished jobs would still have run."""
    work_delayed: float
    """Processor-hours that were submitted after the log's last submission."""
    slowdown_interval: WithinRun
    """The interval of the mean bounded slowdown within this one run, by batch means."""
    served: Observed
    """Jobs over which waits and slowdowns are averaged, and the outcomes of the others."""
    users: Observed
    """Users whose mean response time counts: those with a job that was served."""
    sessions: Observed
    """Sessions whose response time counts: those whose jobs were all served."""
    abandoned_share: float
    """The fraction of wanted jobs that were abandoned (`thinktime.models.results.outcome`)."""
    lost_processor_hours: float
    """The work of the abandoned jobs."""
    of_changes: Mapping[str, float] = field(default_factory=dict)
    """On a machine that changes, the measures of `thinktime.models.results.service` by name."""
    slowdown_batches: Kept | None = None
    """Batch means of the slowdowns, for the difference from another run; None for fewer than 21 jobs."""

    def __getitem__(self, name: str) -> float:
        """A number by its name, those of machines that change among them."""
        found: float = getattr(self, name) if name in self.__slots__ else self.of_changes[name]
        return found


def measure(
    result: Result,
    session: Whole,
    log: Trace,
    same_jobs: bool = False,
    start: Time | None = None,
    end: Time | None = None,
) -> Measures:
    """The measures of one run; ``session`` has the session of each job, ``log`` says when submissions ended.

    With ``same_jobs`` the result has the jobs of a log in the log's order, whenever they were submitted, and they are
    paired with those of another such run. Otherwise jobs are the same if they were submitted at the same times.

    ``start`` and ``end`` are the window that is measured (`Result.during`): jobs submitted and sessions begun in it,
    with all that becomes of them, and the time of the machine. Users with feedback submit other jobs in it under each
    policy, which are then not paired.
    """
    part = result.during(start, end)
    jobs = part.jobs
    over = served(jobs)
    slowdown = np.where(over, measures.bounded_slowdown(jobs), np.nan)
    waits, slowdowns = measures.wait(jobs)[over], slowdown[over]
    response = measures.response_time(jobs)
    work = jobs["processors"] * jobs["runtime"] / HOUR
    left = work - np.nan_to_num(jobs["processors"] * measures.work_done(jobs)) / HOUR
    unfinished = jobs["state"] != State.FINISHED
    late = jobs["submit"] > log.submit[-1]
    gone = abandonment(jobs)
    codes, spans = _of_sessions(part, session)
    return Measures(
        jobs=len(jobs),
        mean_wait=_mean(waits),
        median_wait=_quantile(waits, 0.5),
        p95_wait=_quantile(waits, 0.95),
        mean_bounded_slowdown_10=_mean(slowdowns),
        throughput_per_day=part.throughput(),
        utilization=part.utilization(),
        mean_backlog=part.backlog(),
        mean_user_response_time=_mean(mean_by(jobs["user"][over], response[over])),
        mean_session_response_time=_mean(spans[codes == Outcome.SERVED]),
        work_lost=float(np.maximum(left, 0.0)[unfinished].sum()),
        work_delayed=float(work[late].sum()),
        slowdown_interval=within_run(slowdowns[np.argsort(jobs["submit"][over], kind="stable")]),
        served=by_outcome(outcomes(jobs)),
        users=by_outcome(_best(jobs)),
        sessions=by_outcome(codes),
        abandoned_share=gone.share,
        lost_processor_hours=gone.processor_hours,
        of_changes={} if result.history is None else {each.name: each.of(part) for each in METRICS.in_group("changes")},
        slowdown_batches=_batches(slowdown, jobs, same_jobs),
    )


def session_responses(result: Result, session: Whole) -> Floats:
    """The response time of each served session, from the first submission to the last end, s.

    Like a campaign, a session is served if all of its jobs finished or were killed
    (`thinktime.models.results.outcome`).
    """
    outcome, spans = _of_sessions(result.during(), session)
    return np.asarray(spans[outcome == Outcome.SERVED])


def by_outcome(codes: Codes) -> Observed:
    """The numbers of served, abandoned and unfinished ones; refused ones do not count."""
    of = np.bincount(codes, minlength=len(Outcome)).tolist()
    return Observed(of[Outcome.SERVED], of[Outcome.ABANDONED], of[Outcome.UNFINISHED])


def _of_sessions(part: Windowed[Result], session: Whole) -> tuple[Codes, Floats]:
    """The outcome of each session that begins in the window, and the time (s) to the last end that is known."""
    result = part.result
    rows = np.flatnonzero(outcomes(result) != Outcome.REFUSED)
    if not len(rows):
        return np.empty(0, dtype=np.int8), np.empty(0)
    order = rows[np.argsort(session[rows], kind="stable")]
    begin = np.flatnonzero(np.diff(session[order], prepend=-1) != 0)
    first = np.minimum.reduceat(result["submit"][order], begin)
    last = np.maximum.reduceat(result["end"][order], begin)
    inside = (first >= part.first) & (first < part.last)
    return np.maximum.reduceat(outcomes(result)[order], begin)[inside], (last - first)[inside]


def _best(result: Result) -> Codes:
    """The outcome of each user: served with a served job, else abandoned with a withdrawn one, else unfinished.

    Jobs without a user count as one user's, as in the mean.
    """
    codes = outcomes(result)
    rank = np.array([0, 3, 1, 2], dtype=np.int8)  # of REFUSED, SERVED, UNFINISHED, ABANDONED
    _, of = np.unique(result["user"], return_inverse=True)
    best = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int8)
    np.maximum.at(best, of, rank[codes])
    return np.asarray(np.argsort(rank).astype(np.int8)[best])


def mean_by(group: Whole, values: Floats) -> Floats:
    """The mean of each group of values, by ascending group."""
    _, of = np.unique(group, return_inverse=True)
    return np.asarray(np.bincount(of, weights=values) / np.maximum(np.bincount(of), 1))


def within_run(values: Floats) -> WithinRun:
    """The interval of the mean of one run's values in order of submission, by batch means."""
    try:
        found = batch_means(values)
    except ValueError:  # too short a run
        return WithinRun(np.nan, np.nan)
    return WithinRun(found.interval.low, found.interval.high, found.trusted and found.size >= SHORTEST)


def _batches(slowdown: Floats, result: Result, same_jobs: bool) -> Kept | None:
    if same_jobs:
        return of_jobs(slowdown, result, np.arange(len(result)), [each for each in SAME if each != "submit"])
    return of_jobs(slowdown, result, np.lexsort((result["id"], result["submit"])))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else np.nan


def _quantile(values: Floats, q: float) -> float:
    return float(np.quantile(values, q)) if len(values) else np.nan
