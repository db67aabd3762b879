"""The jump at the end of jobs: whether users submit when a result arrives.

For each job with a response time of at least `LEAST_RESPONSE`, let b and a be whether its user submits anything in the
`WINDOW` before and after its end, [end - w, end) and [end, end + w). Windows with b != a are *one-sided*, and

    jump = share of the one-sided windows with the submission after the end

It is 1 if everybody waits for results. Users who do not look at results submit as often before the end of a job as
after it, so theirs is about 0.5, or less: long jobs are more likely to end in the evening than in the morning. If a
share of them is a mixture x, then 2x - 1 of the windows are excess over chance. Users count equally, since a few robots
submit most of the jobs of some logs; the interval comes from a bootstrap over users and one over weeks.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.analysis.statistics import bootstrap
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.grid import TICKS_PER_SECOND
from thinktime.workloads.streams import Seed
from thinktime.workloads.units import MINUTE, WEEK

WINDOW = 10 * MINUTE
LEAST_RESPONSE = 20 * MINUTE
REACH = 15
"""Minutes before and after the end in a `profile`; less than the least response, so that no job sees its own
submission."""


@dataclass(frozen=True, slots=True)
class Jump:
    """The jump of a log."""

    share: Estimate
    """Users weighted equally."""
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
    jobs = _Submissions(user, submit, end)
    before, after = jobs.between(-window, 0.0) > 0, jobs.between(0.0, window) > 0
    one_sided = before != after
    if not one_sided.any():
        return Jump(UNKNOWN, np.nan, 0, 0)
    who, code = np.unique(jobs.user[one_sided], return_inverse=True)
    weeks, week = np.unique(np.floor(jobs.end[one_sided] / WEEK), return_inverse=True)
    hits = after[one_sided]
    shares = np.bincount(code, hits) / np.bincount(code)
    cell = np.ravel_multi_index((week, code), (len(weeks), len(who)))
    size = len(weeks) * len(who)
    table = [np.bincount(each, minlength=size).astype(float).reshape(len(weeks), -1) for each in (cell[hits], cell)]
    by_users = bootstrap.draws(len(who), seed, "users")
    by_weeks = bootstrap.draws(len(weeks), seed, "weeks")
    samples = by_users @ shares / len(who), _mean_shares(by_weeks, *table)
    return Jump(bootstrap.widest(float(shares.mean()), samples), float(hits.mean()), len(hits), len(who))


def _mean_shares(drawn: Floats, hits: Floats, counts: Floats) -> Floats:
    """For each resample of the weeks, the mean share of the users who have windows in it."""
    total = drawn @ counts
    share = np.divide(drawn @ hits, total, out=np.zeros_like(total), where=total > 0)
    sums: Floats = share.sum(axis=1) / (total > 0).sum(axis=1)
    return sums


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

    User and time are encoded in one whole number (times in units of the grid), so that one search finds all.
    """

    def __init__(self, user: Whole, submit: Floats, end: Floats) -> None:
        chosen = (user >= 0) & (end - submit >= LEAST_RESPONSE)
        self.user, self.end = user[chosen], end[chosen]
        _, code = np.unique(user, return_inverse=True)
        low = min(submit.min(initial=0.0), 0.0) - 2 * WINDOW
        high = max(end.max(initial=0.0), submit.max(initial=0.0)) + 2 * WINDOW
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
