"""What users do that the hazards fitted to them do not explain.

Take anything that is known right before a time. If the model holds, its sum over all submissions is what the hazards
expect, its integral with the hazard, but for chance (martingale residuals: T. Therneau, P. Grambsch and T. Fleming,
Biometrika 77, 1990). So the log can say that users go by something that the model lacks, though not what they would do
about it under another policy. Five things are looked at:

=========  =========================================================================================================
queue      the jobs that wait right now; hazards know those that waited at the user's last submission or end
others     whether a batch of one other user's was over since the user's last submission, in the last hours
parts      whether one of the user's own jobs was over since the last submission, just now, while others of its batch
           run; hazards know the share that is over, and since when whole batches are
days       how much more or less all users submit on a day than is expected, beyond chance
residuals  how far the integrals of the hazards over gaps are from an exponential distribution
=========  =========================================================================================================

A queue that seems to draw users in is left out: busy times have both (`thinktime.workloads.calibration.fit`). So are
residuals that vary too little: users are then more punctual than the model. What is *clear* is our choice, made on
three worlds of each family of the study of calibrated users, of a seed that is not among those by which it is judged.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.fit import Classes, Fitting
from thinktime.workloads.calibration.tables import HALF, TOGETHER
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR, MINUTE
from thinktime.workloads.user_models.sessions import Groups, delimit

CLEARLY = 5.0
"""How many standard errors are beyond chance."""
KEPT_AWAY = -0.05
"""The logarithm of a hazard falls by this or more with that of the queue (of jobs that wait, and one)."""
CLEAR_PAIR, MORE_OFTEN = 10.0, 1.5
"""The same of one of many pairs of users who keep the same hours, and how often what happens after an end must come
more often than expected."""
AFTER = 4 * HOUR
"""The latest time after another user's end that counts, s."""
BUSIEST, FEWEST = 50, 20
"""So many users are compared in pairs, those with the most gaps, if these are so many."""
JUST_NOW = 30 * MINUTE
"""The same of an own job, whose batch is not over."""
RATHER = 1.1
"""How often what happens after ends of own jobs must come more often than expected."""
VARIED = 0.12
"""How much days may differ, as a share of what is expected."""
APART, APART_CLEARLY, PUNCTUAL = 0.05, 2.0, 0.9
"""How far residuals may be from exponential: at most, by chance (times the square root of their number), and with what
variance users are more punctual than the model."""
WORDS = {
    "queue": "submit less while jobs wait",
    "others": "submit after others' results",
    "parts": "submit after some of their results",
    "days": "are busier on some days",
    "residuals": "are moved by something else",
}
"""What users do, by name: what is seen, not why. Who waits for another user, whom long queues delay, submits less
while jobs wait, too."""
POINTS, MOST = 8, 400_000
"""The integral over a gap is a sum over so many points, if those of all gaps are not more than these."""


class Beyond(NamedTuple):
    """One thing that the model lacks."""

    size: float
    """How much it is: the slope of the logarithm of the hazard, a number of users, a factor, a share, a distance."""
    errors: float
    """The same in standard errors."""
    clear: bool
    """Whether it is more than chance and small faults of the model."""

    @classmethod
    def of(cls, size: float, errors: float, clear: bool) -> "Beyond":
        """The same in plain numbers."""
        return cls(float(size), float(errors), bool(clear))


def beyond(trace: Trace, calendar: Calendar, fitting: Fitting, found: Classes) -> dict[str, Beyond]:
    """What users do that their hazards do not explain, by name; who submits at equal intervals is left out."""
    expected = _Expected(fitting, found)
    if not len(expected.events):
        return {}
    batches = delimit(trace, "arrival", TOGETHER).batches
    return {
        "queue": _queue(trace, expected),
        "others": _others(batches, expected),
        "parts": _parts(trace, batches, expected),
        "days": _days(calendar, expected),
        "residuals": _residuals(expected),
    }


def sentence(lacks: Sequence[str]) -> str:
    """What users do that the model lacks, and what that means, by the names of `WORDS`."""
    what = " and ".join(WORDS[name] for name in lacks)
    return f"users {what}, beyond their model: the log does not say what that comes to under other policies"


class _Expected:
    """The submissions of a log, and points that stand for the integrals of hazards, sorted by time."""

    def __init__(self, fitting: Fitting, found: Classes) -> None:
        pieces, self.users = fitting.pieces, fitting.users
        spent = pieces.exposure * np.exp(found.eta(fitting.rows)[fitting.row_of])
        self.residual = np.bincount(pieces.gap, spent, len(pieces)).astype(np.float64)
        owner = pieces.factors["owner"][pieces.last]
        used = ~found.clockwork[owner]
        first = np.concatenate([[0], pieces.last[:-1] + 1])
        after = np.cumsum(spent)
        before = np.cumsum(pieces.exposure)
        stop = pieces.submit + HALF
        begin = stop - np.bincount(pieces.gap, pieces.exposure, len(pieces))
        self.since = begin
        begun = begin[pieces.gap] + before - pieces.exposure - (before - pieces.exposure)[first][pieces.gap]
        gaps = np.flatnonzero(used & (self.residual > 0))
        count = max(1, min(POINTS, MOST // max(len(gaps), 1)))
        part = (np.arange(count) + 0.5) / count
        self.gap = np.repeat(gaps, count)
        aim = (after - spent)[first][self.gap] + np.tile(part, len(gaps)) * self.residual[self.gap]
        piece = np.clip(np.searchsorted(after, aim, "right"), first[self.gap], pieces.last[self.gap])
        share = (aim - (after - spent)[piece]) / np.where(spent[piece] > 0, spent[piece], 1.0)
        self.time = begun[piece] + np.clip(share, 0.0, 1.0) * pieces.exposure[piece]
        self.weight = self.residual[self.gap] / count
        order = np.argsort(self.time, kind="stable")
        self.time, self.gap, self.weight = self.time[order], self.gap[order], self.weight[order]
        self.events = np.flatnonzero(used & pieces.ended)
        self.events = self.events[np.argsort(pieces.submit[self.events], kind="stable")]
        self.at = pieces.submit[self.events]
        self.owner, self.owner_at = owner[self.gap], owner[self.events]

    def sums(self, here: Floats, expected: Floats) -> tuple[Floats, Floats]:
        """By user, the sum of something over submissions, and what hazards expect of it."""
        return (
            np.bincount(self.owner_at, here, self.users).astype(np.float64),
            np.bincount(self.owner, self.weight * expected, self.users).astype(np.float64),
        )


def _queue(trace: Trace, expected: _Expected) -> Beyond:
    """The effect of the queue as it is, beside what each user is expected to see."""
    wait = np.nan_to_num(trace.wait, nan=0.0).clip(min=0.0)
    came, left = np.sort(trace.submit), np.sort(trace.submit + wait)

    def waiting(time: Floats) -> Floats:
        seen: Floats = np.log1p(np.searchsorted(came, time, "left") - np.searchsorted(left, time, "left"))
        return seen

    here, there = waiting(expected.at), waiting(expected.time)
    count = np.bincount(expected.owner, expected.weight, expected.users)
    usual = expected.sums(here, there)[1] / np.where(count > 0, count, 1.0)
    here, there = here - usual[expected.owner_at], there - usual[expected.owner]
    spread = float((here**2).sum())
    if spread <= 0:
        return Beyond(0.0, 0.0, False)
    more = float(here.sum() - (expected.weight * there).sum())
    slope, errors = more / spread, more / np.sqrt(spread)
    return Beyond.of(slope, errors, errors <= -CLEARLY and slope <= KEPT_AWAY)


def _others(batches: Groups, expected: _Expected) -> Beyond:
    """How many users submit after ends of another user's, far more often than expected."""
    gaps = np.bincount(expected.owner_at, minlength=expected.users)
    busy = np.argsort(-gaps, kind="stable")[:BUSIEST]
    busy = busy[gaps[busy] >= FEWEST]
    after, most = np.zeros(expected.users, bool), 0.0
    total = expected.sums(np.ones(len(expected.at)), np.ones(len(expected.time)))[1]
    for other in busy.tolist():
        ends = np.sort(batches.end[batches.owner == other])
        here = _follows(ends, expected.at + HALF / 2, expected.since[expected.events])
        there = _follows(ends, expected.time, expected.since[expected.gap])
        seen, mean = expected.sums(here, there)
        share = mean / np.where(total > 0, total, 1.0)
        spread = np.sqrt(gaps * share * (1 - share))
        errors = (seen - gaps * share) / np.where(spread > 0, spread, np.inf)
        often = np.isin(np.arange(expected.users), busy) & (seen >= MORE_OFTEN * gaps * share)
        often[other] = False
        after |= often & (errors >= CLEAR_PAIR) & (gaps * share >= 1.0)
        most = max(most, float(errors[often].max(initial=0.0)))
    return Beyond.of(after.sum(), most, bool(after.any()))


def _follows(ends: Floats, time: Floats, since: Floats) -> Floats:
    """1 where the last of some ends before a time is after a submission, and not long ago; else 0."""
    place = np.searchsorted(ends, time, "right") - 1
    last = np.where(place >= 0, ends[np.maximum(place, 0)], -np.inf)
    return ((last >= since) & (time - last <= AFTER)).astype(np.float64)


def _parts(trace: Trace, batches: Groups, expected: _Expected) -> Beyond:
    """How much more often than expected users submit just after one of their jobs, whose batch is not over."""
    end = trace.submit + np.nan_to_num(trace.wait, nan=0.0).clip(min=0.0) + trace.runtime
    owner, whole = batches.owner[batches.of_job], batches.end[batches.of_job]
    part = np.flatnonzero(end < whole)
    part = part[np.lexsort((end[part], owner[part]))]
    if not len(part):
        return Beyond(1.0, 0.0, False)
    owner, end, whole = owner[part], end[part], whole[part]
    apart = 2.0 * (float(whole.max()) - float(trace.submit.min()) + float(expected.time.max(initial=0.0)))

    def just_after(user: Whole, time: Floats, since: Floats) -> Floats:
        place = np.maximum(np.searchsorted(owner * apart + end, user * apart + time, "right") - 1, 0)
        last = np.where(owner[place] == user, end[place], np.inf)
        return ((last >= since) & (last <= time) & (time - last <= JUST_NOW) & (time < whole[place])).astype(np.float64)

    here = just_after(expected.owner_at, expected.at + HALF / 2, expected.since[expected.events])
    there = just_after(expected.owner, expected.time, expected.since[expected.gap])
    seen, mean = float(here.sum()), float((expected.weight * there).sum())
    errors, times = (seen - mean) / max(np.sqrt(mean), 1.0), seen / max(mean, 1.0)
    return Beyond.of(times, errors, errors >= CLEARLY and times >= RATHER)


def _days(calendar: Calendar, expected: _Expected) -> Beyond:
    """How much days differ from what is expected of them: the standard deviation of a factor, beyond that of counts."""

    def day(time: Floats) -> Whole:
        found: Whole = np.maximum(np.floor((time - calendar.first) / DAY), 0).astype(np.int64)
        return found

    here, there = day(expected.at), day(expected.time)
    days = int(max(here.max(initial=0), there.max(initial=0))) + 1
    mean = np.bincount(there, expected.weight, days)
    known = mean > 1.0
    if not known.any():
        return Beyond(0.0, 0.0, False)
    count, mean = np.bincount(here, minlength=days)[known], mean[known]
    more, squares = float(((count - mean) ** 2 - count).sum()), float((mean**2).sum())
    size, errors = float(np.sqrt(max(more, 0.0) / squares)), more / np.sqrt(2 * squares)
    return Beyond.of(size, errors, errors >= CLEARLY and size >= VARIED)


def _residuals(expected: _Expected) -> Beyond:
    """How far residuals are from an exponential distribution (Kolmogorov and Smirnov's distance)."""
    own = np.sort(expected.residual[expected.events])
    place, below = np.arange(len(own)), -np.expm1(-own)
    distance = float(max((below - place / len(own)).max(), ((place + 1) / len(own) - below).max()))
    far = distance * float(np.sqrt(len(own)))
    return Beyond.of(distance, far, distance >= APART and far >= APART_CLEARLY and float(own.var()) >= PUNCTUAL)
