"""The jump at the end of jobs: whether users submit when a result arrives.

For each job with a response time of at least `LEAST_RESPONSE`, let b and a be whether its user submits anything in the
`WINDOW` before and after its end, [end - w, end) and [end, end + w). Windows with b != a are *one-sided*, and

    jump = share of the one-sided windows with the submission after the end

It is 1 if everybody waits for results. Users who do not look at results submit as often before the end of a job as
after it, so theirs is about 0.5, or less: long jobs are more likely to end in the evening than in the morning. If a
share of them is a mixture x, then 2x - 1 of the windows are excess over chance. Users count equally, since a few robots
submit most of the jobs of some logs; the interval comes from a bootstrap over users and one over weeks.

A jump alone does not show that any user waits. A program that submits a job of 55 minutes every hour has a jump of 1 as
well, since its jobs end shortly before the next submission. What tells the two apart are the jobs that had to wait:
`excess` takes those that another policy would have ended at another time, and subtracts their jump at those ends, which
no user saw, from the one at their own.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.analysis.statistics import bootstrap
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.grid import TICKS_PER_SECOND
from thinktime.workloads.streams import Seed
from thinktime.workloads.units import MINUTE, WEEK

WINDOW = 10 * MINUTE
LEAST_RESPONSE = 20 * MINUTE
REACH = 15
"""Minutes before and after the end in a `profile`; less than the least response, so that no job sees its own
submission."""
LEAST_WINDOWS, LEAST_USERS = 10, 5
"""An excess is unknown with fewer one-sided windows at the log's ends, or fewer users who have any at either ends."""


@dataclass(frozen=True, slots=True)
class Jump:
    """The jump of a log."""

    share: Estimate
    """The jump, from 0 to 1, in which all users have the same weight."""
    pooled: float
    """All windows weighted equally."""
    windows: int
    """One-sided windows."""
    users: int
    """Users who have any."""

    @property
    def excess(self) -> float:
        """The share of the one-sided windows that is excess over chance, 2 x - 1; at least 0, NaN without windows."""
        return float(np.maximum(2 * self.share.value - 1, 0.0))


def jump(user: Whole, submit: Floats, end: Floats, seed: Seed = 0, window: float = WINDOW) -> Jump:
    """The jump of jobs with these users (negative: unknown), submissions and ends (s)."""
    found = _OneSided.of(_Submissions(user, submit, end), window)
    if not len(found.after):
        return Jump(UNKNOWN, np.nan, 0, 0)
    share = _bootstrapped([found], seed)
    return Jump(share, float(found.after.mean()), len(found.after), len(np.unique(found.user)))


def excess(user: Whole, submit: Floats, end: Floats, other: Floats, seed: Seed = 0) -> Estimate:
    """The jump at the ends (s) minus the one at ``other`` ends, of the jobs whose two ends are a `WINDOW` apart.

    ``other`` is NaN for jobs that have no other end. Unknown for too few windows or users
    (`LEAST_WINDOWS`, `LEAST_USERS`).
    """
    moved = np.abs(other - end) >= WINDOW  # not where it is NaN
    sides = [_OneSided.of(_Submissions(user, submit, at, moved), WINDOW) for at in (end, other)]
    if len(sides[0].after) < LEAST_WINDOWS or any(len(np.unique(each.user)) < LEAST_USERS for each in sides):
        return UNKNOWN
    return _bootstrapped(sides, seed)


@dataclass(frozen=True, slots=True)
class _OneSided:
    """One-sided windows: whose they are, in which week, and whether the submission came after."""

    user: Whole
    week: Whole
    after: Flags

    @classmethod
    def of(cls, jobs: "_Submissions", window: float) -> "_OneSided":
        before, after = jobs.between(-window, 0.0) > 0, jobs.between(0.0, window) > 0
        found = before != after
        return cls(jobs.user[found], np.floor(jobs.end[found] / WEEK).astype(np.int64), after[found])


def _bootstrapped(sides: list[_OneSided], seed: Seed) -> Estimate:
    """The jump of the first windows, less that of the second if there are any: means over users."""
    who, code = np.unique(np.concatenate([each.user for each in sides]), return_inverse=True)
    weeks, week = np.unique(np.concatenate([each.week for each in sides]), return_inverse=True)
    by_users, by_weeks = bootstrap.draws(len(who), seed, "users"), bootstrap.draws(len(weeks), seed, "weeks")
    value, samples, at = 0.0, [np.zeros(len(by_users)), np.zeros(len(by_weeks))], 0
    for sign, each in zip((1.0, -1.0)[: len(sides)], sides, strict=True):
        part = slice(at, at := at + len(each.after))
        cell = np.ravel_multi_index((week[part], code[part]), (len(weeks), len(who)))
        size = len(weeks) * len(who)
        table = [
            np.bincount(of, minlength=size).astype(float).reshape(len(weeks), -1) for of in (cell[each.after], cell)
        ]
        shares, known = _shares(*(of.sum(axis=0) for of in table))
        value += sign * float(shares[known].mean())
        samples[0] += sign * (by_users @ shares) / np.maximum(by_users @ known, 1)
        shares, known = _shares(*(by_weeks @ of for of in table))
        samples[1] += sign * shares.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return bootstrap.widest(value, samples)


def _shares(hits: Floats, counts: Floats) -> tuple[Floats, Flags]:
    """The share of each user's windows, 0 for users without any; and who has any."""
    known = counts > 0
    return np.divide(hits, counts, out=np.zeros_like(counts), where=known), known


def profile(user: Whole, submit: Floats, end: Floats, reach: int = REACH) -> Floats:
    """The share of jobs at which their user submits something, by minute around the end; mean over users.

    Minute i is [end + (i - reach) min, end + (i + 1 - reach) min); NaN without such jobs. Bursts count once.
    """
    jobs = _Submissions(user, submit, end)
    if not len(jobs.user):
        return np.full(2 * reach, np.nan)
    _, code = np.unique(jobs.user, return_inverse=True)
    counts = np.bincount(code)
    rates = [
        np.bincount(code, jobs.between(at * MINUTE, (at + 1) * MINUTE) > 0) / counts for at in range(-reach, reach)
    ]
    return np.array([float(rate.mean()) for rate in rates])


class _Submissions:
    """The submissions of each user, to be counted around the ends of the user's jobs with a long response.

    User and time are encoded in one whole number (times in units of the grid), so that one search finds all. ``of``
    says whose ends count, of those with a long response.
    """

    def __init__(self, user: Whole, submit: Floats, end: Floats, of: Flags | None = None) -> None:
        chosen = (user >= 0) & (end - submit >= LEAST_RESPONSE)
        if of is not None:
            chosen &= of
        self.user, self.end = user[chosen], end[chosen]
        _, code = np.unique(user, return_inverse=True)
        low = min(submit.min(initial=0.0), 0.0) - 2 * WINDOW
        high = max(self.end.max(initial=0.0), submit.max(initial=0.0)) + 2 * WINDOW
        self._low, self._stride = low, _units(high - low) + 1
        self._sorted = np.sort(code * self._stride + _units(submit - low))
        self._code = code[chosen]

    def between(self, start: float, stop: float) -> Whole:
        """For each chosen job, its user's submissions in [end + start, end + stop)."""
        places = [
            np.searchsorted(self._sorted, self._code * self._stride + _units(self.end + at - self._low))
            for at in (start, stop)
        ]
        return np.asarray(places[1] - places[0], np.int64)


def _units(time: Floats) -> Whole:
    return np.rint(np.asarray(time) * TICKS_PER_SECOND).astype(np.int64)
