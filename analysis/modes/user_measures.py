"""Measures of a run with users in the loop: jobs, users, sessions, and the work done."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from thinktime.analysis.experiments.kept_batches import SAME, Kept, of_jobs
from thinktime.analysis.experiments.metrics import metric
from thinktime.analysis.experiments.observed import Observed
from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.statistics import batch_means
from thinktime.analysis.statistics.batches import SHORTEST
from thinktime.models.results import measures
from thinktime.models.results.metric import METRICS, SECONDS, Catalogue
from thinktime.models.results.outcome import Outcome, outcomes, served
from thinktime.models.results.result import Result
from thinktime.models.results.windowed import Windowed, window_of
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


@dataclass(frozen=True, eq=False, kw_only=True)
class OfUsers(Measured):
    """The measured window of a run with users in the loop."""

    session: Whole
    """The session of each job."""
    log: Trace
    """Says when submissions ended."""


MODES = Catalogue()
"""The metrics that only runs with users in the loop have."""


@MODES.of_run(SECONDS, over="window", source="ours", term="response time of users", summary=False)
def mean_user_response_time(part: OfUsers) -> float:
    """Mean over users of their jobs' mean response time (s)."""
    over = served(part.jobs)
    return _mean(mean_by(part.jobs["user"][over], measures.response_time(part.jobs)[over]))


@MODES.of_run(SECONDS, over="window", source="ours", term="response time of sessions", summary=False)
def mean_session_response_time(part: OfUsers) -> float:
    """Mean over sessions of last end − first submission (s)."""
    codes, spans = _of_sessions(part, part.session)
    return _mean(spans[codes == Outcome.SERVED])


@MODES.of_run("processor-hours", over="window", source="ours", summary=False)
def work_lost(part: OfUsers) -> float:
    """What unfinished jobs would still have run, by their processors (processor-hours).

    Of a job that runs at the horizon, all of it.
    """
    jobs = part.jobs
    left = _work(jobs) - np.nan_to_num(jobs["processors"] * measures.work_done(jobs)) / HOUR
    return float(np.maximum(left, 0.0)[jobs["state"] != State.FINISHED].sum())


@MODES.of_run("processor-hours", over="window", source="ours", term="delayed work", summary=False)
def work_delayed(part: OfUsers) -> float:
    """Work submitted after the log's last submission (processor-hours)."""
    return float(_work(part.jobs)[part.jobs["submit"] > part.log.submit[-1]].sum())


NUMBERS = (
    "jobs", "mean_wait", "mean_bounded_slowdown_10", "throughput_per_day", "median_wait", "p95_wait",
    "utilization", "mean_backlog", *MODES.metrics, "abandoned_share", "lost_processor_hours",
)  # fmt: skip
"""The metrics of each policy in each mode; more if the machine changes."""


@dataclass(frozen=True, slots=True)
class Measures:
    """The metrics of one run by name, NaN where there is nothing to measure, and what they are made of."""

    numbers: Mapping[str, float]
    slowdown_interval: WithinRun
    """The interval of the mean bounded slowdown within this one run, by batch means."""
    served: Observed
    """Jobs over which waits and slowdowns are averaged, and the outcomes of the others."""
    users: Observed
    """Users whose mean response time counts: those with a job that was served."""
    sessions: Observed
    """Sessions whose response time counts: those whose jobs were all served."""
    slowdown_batches: Kept | None = None
    """Batch means of the slowdowns, for the difference from another run; None for fewer than 21 jobs."""

    def __getitem__(self, name: str) -> float:
        """A number by its name."""
        return self.numbers[name]


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
    part = OfUsers(result, *window_of(start, end, result), session=session, log=log)
    jobs, over = part.jobs, served(part.jobs)
    slowdown = np.where(over, measures.bounded_slowdown(jobs), np.nan)
    more = [each for group in ("changes", "power", "charge") for each in METRICS.in_group(group, result.has)]
    chosen = [MODES.metrics.get(name) or metric(name) for name in NUMBERS]
    return Measures(
        numbers={each.name: each.of(part) for each in (*chosen, *more)},
        slowdown_interval=within_run(slowdown[over][np.argsort(jobs["submit"][over], kind="stable")]),
        served=by_outcome(outcomes(jobs)),
        users=by_outcome(_best(jobs)),
        sessions=by_outcome(_of_sessions(part, session)[0]),
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


def _work(jobs: Result) -> Floats:
    """Processors x run time of each job (processor-hours)."""
    work: Floats = jobs["processors"] * jobs["runtime"] / HOUR
    return work


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else np.nan
