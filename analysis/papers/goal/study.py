"""The goal paper's study (section V): five policies, month by month, on any log.

Its own log (NCSA IA-64, June 2003 to March 2004) is not public; SDSC-SP2 has the same 128 nodes. Estimates
are set to the run times, as in the paper, or left as users gave them. Every month is simulated on its own
(`thinktime.analysis.months`), under each policy. What a month gives is small (`Outcome`), so months and
policies are independent tasks for workers; their number does not matter to the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.analysis.deviation import SHARES, Deviation, deviation
from thinktime.analysis.months import MonthRun, run_month
from thinktime.analysis.papers.goal.workload import Workload, workload_of
from thinktime.analysis.parallel import Progress, in_parallel
from thinktime.workloads.calendar import Month
from thinktime.workloads.swf.read import read_swf
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import HOUR

Floats = NDArray[np.float64]

POLICIES = ("easy", "easy:order=lxf", "relshare", "tradeoff", "tradeoff-fs")
TITLES = {
    "easy": "FCFS-backfill",
    "easy:order=lxf": "LXF-backfill",
    "relshare": "RelShare(1d)",
    "tradeoff": "Tradeoff",
    "tradeoff-fs": "Tradeoff-fs",
}
"""The paper's names."""

ENTITLED = {
    "maxmin": "max-min fair shares",
    "proportional": "shares in proportion to demand",
    "equal": "equal shares",
}
"""What users are entitled to of what was delivered each day, in words."""

ESTIMATES = ("exact", "requested")
THRESHOLD = 60.0
"""Of the bounded slowdown (s)."""


@dataclass(frozen=True, slots=True)
class Task:
    """One month under one policy; ``path`` of the log."""

    path: str
    processors: int
    estimates: str
    policy: str
    spec: str
    """The policy with the options of this run, such as a node limit."""
    month: Month
    entitled: str
    """The share that daily tables show: one of `thinktime.analysis.deviation.SHARES`."""
    max_size: str | None = None
    """What a compressed log may unfold to, as `read_swf` takes it."""


@dataclass(frozen=True, slots=True)
class Users:
    """Users of a month, one entry each: those with a job submitted in it, or active on one of its days."""

    name: list[Any]
    jobs: NDArray[np.int64]
    """Submitted in the month; the means and maxima are over these (NaN without any)."""
    hours: Floats
    """Processor-hours of these jobs."""
    difficult: Floats
    """Which part of them is difficult: wider, or longer, than three quarters of the month's jobs."""
    days: NDArray[np.int64]
    """On how many of the month's days they were submitted."""
    dev: Mapping[str, Floats]
    """Processor-hours, by the share of what was delivered that users are entitled to (`SHARES`)."""
    mean_wait: Floats
    max_wait: Floats
    slowdown: Floats
    """Mean bounded slowdown."""


@dataclass(frozen=True, slots=True)
class Days:
    """Per user (rows, as in `Users`) and day of the month: processor-hours, and numbers of jobs."""

    used: Floats
    demand: Floats
    entitled: Floats
    active: NDArray[np.bool_]
    waiting: NDArray[np.int64]
    """At the beginning of the day."""
    submitted: NDArray[np.int64]
    started: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one policy made of one month; s and processor-hours."""

    month: str
    policy: str
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
class Study:
    """All that came out: outcomes by month and policy, in the order of the months."""

    log: str
    processors: int
    estimates: str
    months: list[Month]
    workloads: list[Workload]
    outcomes: dict[str, dict[str, Outcome]]
    entitled: str = "maxmin"
    """The share that users are entitled to, where nothing else is said."""

    def series(self, policy: str, measure: str, entitled: str | None = None) -> Floats:
        """A measure of a policy, month by month; deviations by a share (default: the study's)."""
        share = entitled or self.entitled
        found = [getattr(self.outcomes[month.name][policy], measure) for month in self.months]
        return np.array([each[share] if isinstance(each, Mapping) else each for each in found])


def run_study(
    path: str,
    months: Sequence[Month],
    processors: int,
    estimates: str = "exact",
    options: str = "",
    workers: int = 1,
    progress: Progress | None = None,
    entitled: str = "maxmin",
    max_size: str | None = None,
) -> Study:
    """Simulate every month under every policy; ``options`` are those of the searches (``limit=100``)."""
    if estimates not in ESTIMATES:
        raise ValueError(f"estimates are {estimates!r}, but must be one of {', '.join(ESTIMATES)}")
    if entitled not in SHARES:
        raise ValueError(f"entitled is {entitled!r}, but must be one of {', '.join(SHARES)}")
    tasks = [
        Task(path, processors, estimates, policy, _with_options(policy, options), month, entitled, max_size)
        for month in months
        for policy in POLICIES
    ]
    found = in_parallel(outcome_of, tasks, workers, progress)
    outcomes: dict[str, dict[str, Outcome]] = {month.name: {} for month in months}
    for each in found:
        outcomes[each.month][each.policy] = each
    trace = log_of(path, processors, estimates, max_size)
    lines = [workload_of(trace, month, processors) for month in months]
    return Study(path, processors, estimates, list(months), lines, outcomes, entitled)


@lru_cache(maxsize=2)
def log_of(path: str, processors: int, estimates: str, max_size: str | None = None) -> Trace:
    """The log of a study, read once by every worker; estimates are the run times unless they are the users'."""
    trace, _ = read_swf(path, processors=processors, max_size=max_size)
    return trace if estimates == "requested" else trace.with_columns(requested_time=trace.runtime)


def outcome_of(task: Task) -> Outcome:
    """Simulate and measure one task."""
    trace = log_of(task.path, task.processors, task.estimates, task.max_size)
    run = run_month(trace, task.spec, task.month, task.processors)
    days = trace.calendar.midnights(task.month.start, task.month.end)
    shares = {share: deviation(run.result, days, share) for share in SHARES}
    wait = run.wait
    return Outcome(
        month=task.month.name,
        policy=task.policy,
        jobs=len(run.rows),
        mean_bounded_slowdown=float(run.bounded_slowdown(THRESHOLD).mean()),
        mean_floored_slowdown=float(run.floored_slowdown(THRESHOLD).mean()),
        mean_wait=float(wait.mean()),
        max_wait=float(wait.max()),
        p99_wait=float(np.percentile(wait, 99)),
        mean_abs_deviation={share: each.mean_abs for share, each in shares.items()},
        sum_abs_deviation={share: each.sum_abs for share, each in shares.items()},
        users=_users(run, shares),
        days=_days(run, shares[task.entitled]),
    )


def _with_options(policy: str, options: str) -> str:
    return f"{policy}:{options}" if options and policy.startswith("tradeoff") else policy


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
        hours=np.bincount(owner, processors * run.run, count)[shown] / HOUR,
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
        used=shares.used[shown] / HOUR,
        demand=shares.demand[shown] / HOUR,
        entitled=shares.entitled[shown] / HOUR,
        active=shares.active[shown],
        waiting=waiting[shown],
        submitted=submitted[shown],
        started=started[shown],
    )
