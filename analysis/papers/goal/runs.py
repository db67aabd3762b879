"""One run of the goal study: a month under one policy, measured as a whole, by user, and by user and day.

`workload_of` has the workload of a month in numbers (the paper's Table I).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import thinktime as tt
from thinktime.analysis.deviation import SHARES, Deviation, deviation
from thinktime.analysis.months import MonthRun, run_month
from thinktime.workloads.calendar import Month


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, median and maximum; NaN of nothing."""

    mean: float
    median: float
    maximum: float

    @classmethod
    def of(cls, values: ArrayLike) -> "Spread":
        """The spread of some numbers."""
        numbers = np.asarray(values, np.float64)
        if not len(numbers):
            return cls(np.nan, np.nan, np.nan)
        return cls(float(numbers.mean()), float(np.median(numbers)), float(numbers.max()))


@dataclass(frozen=True, slots=True)
class MonthlyWorkload:
    """The jobs submitted in one month; sizes in processor-hours, processors and hours, from true run times."""

    month: str
    demand: float
    """Processor-hours of the month's jobs over those of the machine in the month: a fraction."""
    users: int
    jobs: int
    jobs_per_user: Spread
    demand_per_user: Spread
    """Processor-hours of a user."""
    size: Spread
    """Processor-hours of a job."""
    processors: Spread
    runtime: Spread
    """The run time of a job, h."""


def workload_of(trace: tt.Trace, month: Month, processors: int) -> MonthlyWorkload:
    """One line of the table: the jobs that are submitted in a month and fit the machine."""
    part = trace.select((trace.submit >= month.start) & (trace.submit < month.end) & (trace.processors <= processors))
    hours = part.processors * part.runtime / tt.HOUR
    _, owner = np.unique(part.user, return_inverse=True)
    return MonthlyWorkload(
        month=month.name,
        demand=float(hours.sum()) / (processors * (month.end - month.start) / tt.HOUR),
        users=len(np.unique(owner)),
        jobs=len(part),
        jobs_per_user=Spread.of(np.bincount(owner)),
        demand_per_user=Spread.of(np.bincount(owner, hours)),
        size=Spread.of(hours),
        processors=Spread.of(part.processors),
        runtime=Spread.of(part.runtime / tt.HOUR),
    )


THRESHOLD = 60.0
"""Of the bounded slowdown (s)."""


@dataclass(frozen=True, slots=True)
class Users:
    """Users of a month, one entry each: those with a job submitted in it, or active on one of its days."""

    name: list[Any]
    jobs: NDArray[np.int64]
    """Submitted in the month; the means and maxima are over these (NaN without any)."""
    hours: NDArray[np.float64]
    """Processor-hours of these jobs."""
    difficult: NDArray[np.float64]
    """The share of them that is wider, or longer, than three quarters of the month's jobs."""
    days: NDArray[np.int64]
    """On how many of the month's days they were submitted."""
    dev: Mapping[str, NDArray[np.float64]]
    """Processor-hours, by the share of what was delivered that users are entitled to (`SHARES`)."""
    mean_wait: NDArray[np.float64]
    max_wait: NDArray[np.float64]
    slowdown: NDArray[np.float64]
    """The mean bounded slowdown of each user's jobs."""


@dataclass(frozen=True, slots=True)
class Days:
    """Per user (rows, as in `Users`) and day of the month: processor-hours, and numbers of jobs."""

    used: NDArray[np.float64]
    demand: NDArray[np.float64]
    entitled: NDArray[np.float64]
    active: NDArray[np.bool_]
    waiting: NDArray[np.int64]
    """At the beginning of the day."""
    submitted: NDArray[np.int64]
    started: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of one policy in one month; s and processor-hours."""

    jobs: int
    mean_bounded_slowdown: float
    mean_floored_slowdown: float
    mean_wait: float
    max_wait: float
    p99_wait: float
    mean_abs_deviation: Mapping[str, float]
    """By share, as ``Users.dev``."""
    sum_abs_deviation: Mapping[str, float]
    users: Users
    days: Days


@dataclass(frozen=True, slots=True)
class Run:
    """One month of a log under one policy."""

    trace: tt.Trace
    processors: int
    policy: str
    """With the options of this run, such as a node limit."""
    month: Month
    entitled: str
    """The share that daily tables show: one of `thinktime.analysis.deviation.SHARES`."""

    def perform(self) -> Outcome:
        """Simulate and measure the month."""
        run = run_month(self.trace, self.policy, self.month, self.processors)
        days = self.trace.calendar.midnights(self.month.start, self.month.end)
        shares = {share: deviation(run.result, days, share) for share in SHARES}
        wait = run.wait
        return Outcome(
            jobs=len(run.rows),
            mean_bounded_slowdown=float(run.bounded_slowdown(THRESHOLD).mean()),
            mean_floored_slowdown=float(run.floored_slowdown(THRESHOLD).mean()),
            mean_wait=float(wait.mean()),
            max_wait=float(wait.max()),
            p99_wait=float(np.percentile(wait, 99)),
            mean_abs_deviation={share: each.mean_abs for share, each in shares.items()},
            sum_abs_deviation={share: each.sum_abs for share, each in shares.items()},
            users=_users(run, shares),
            days=_days(run, shares[self.entitled]),
        )


def _shown(run: MonthRun, shares: Deviation) -> NDArray[np.int64]:
    """The users of the month, as rows of the deviation."""
    mine = np.bincount(run.result["user"][run.rows] + 1, minlength=len(shares.users)) > 0
    return np.flatnonzero(mine | shares.active.any(axis=1))


def _users(run: MonthRun, shares: Mapping[str, Deviation]) -> Users:
    some = shares["maxmin"]
    shown, count = _shown(run, some), len(some.users)
    owner = run.result["user"][run.rows] + 1
    jobs = np.bincount(owner, minlength=count)
    longest = np.full(count, -np.inf)
    np.maximum.at(longest, owner, run.wait)
    with np.errstate(invalid="ignore"):
        waits = np.bincount(owner, run.wait, count) / jobs
        slowdowns = np.bincount(owner, run.bounded_slowdown(THRESHOLD), count) / jobs
        difficult = np.bincount(owner, _difficult(run), count) / jobs
    processors, submit = run.result["processors"][run.rows], run.result["submit"][run.rows]
    day = np.searchsorted(some.days, submit, side="right")
    some_day = np.unique(owner * (len(some.days) + 1) + day) // (len(some.days) + 1)
    return Users(
        name=[some.users[u] for u in shown.tolist()],
        jobs=jobs[shown],
        hours=np.bincount(owner, processors * run.run, count)[shown] / tt.HOUR,
        difficult=difficult[shown],
        days=np.bincount(some_day, minlength=count)[shown],
        dev={share: each.dev[shown] for share, each in shares.items()},
        mean_wait=waits[shown],
        max_wait=np.where(jobs > 0, longest, np.nan)[shown],
        slowdown=slowdowns[shown],
    )


def _difficult(run: MonthRun) -> NDArray[np.bool_]:
    """Which of the month's jobs are large or long: above the third quartile of processors or of run times."""
    processors = run.result["processors"][run.rows]
    large: NDArray[np.bool_] = processors > np.percentile(processors, 75)
    long: NDArray[np.bool_] = run.run > np.percentile(run.run, 75)
    return large | long


def _days(run: MonthRun, shares: Deviation) -> Days:
    shown, result = _shown(run, shares), run.result
    owner, size = result["user"] + 1, (len(shares.users), len(shares.days) - 1)
    waiting, submitted, started = (np.zeros(size, np.int64) for _ in range(3))
    for d, (begin, end) in enumerate(zip(shares.days[:-1], shares.days[1:], strict=True)):
        starts = np.where(np.isfinite(result["start"]), result["start"], result["end"])
        here = (result["submit"] < begin) & ~(starts < begin)
        new = (result["submit"] >= begin) & (result["submit"] < end)
        began = (result["start"] >= begin) & (result["start"] < end)
        for table, chosen in ((waiting, here), (submitted, new), (started, began)):
            table[:, d] = np.bincount(owner[chosen], minlength=size[0])
    return Days(
        used=shares.used[shown] / tt.HOUR,
        demand=shares.demand[shown] / tt.HOUR,
        entitled=shares.entitled[shown] / tt.HOUR,
        active=shares.active[shown],
        waiting=waiting[shown],
        submitted=submitted[shown],
        started=started[shown],
    )
