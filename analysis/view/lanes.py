"""What each user did over time: a lane of intervals in which jobs of theirs ran, only waited, or none was there.

    wait    some job of the user waits, none runs
    run     some job of the user runs
    think   between all of that and the next submission

An *episode* is a campaign or, of a user without campaigns, a longest time during which some job of theirs was there.
"""

from typing import NamedTuple

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.outcome import known_until
from thinktime.models.results.schedule import Schedule
from thinktime.models.results.tables import campaigns
from thinktime.models.state import State
from thinktime.workloads.arrays import AnyArray, Floats, Whole

WAIT, RUN, THINK = range(3)
NONE = -1


class Lanes(NamedTuple):
    """Intervals [begin, end) (s) of users, by their codes: wait, run or think."""

    user: Whole
    begin: Floats
    end: Floats
    kind: Whole


class Episodes(NamedTuple):
    """Episodes by user and submission: times (s), jobs, campaign (-1: none), the user's think time before (NaN)."""

    user: Whole
    submit: Floats
    start: Floats
    end: Floats
    jobs: Whole
    campaign: Whole
    think: Floats


class Intervals(NamedTuple):
    """Intervals of users, by (user, begin)."""

    user: Whole
    begin: Floats
    end: Floats


def lanes(result: Schedule) -> Lanes:
    """The lanes of all users."""
    busy, held = there(result), measures.used(result)
    run = union(result["user"][held.row], held.begin, held.end)
    wait, think = _without(busy, run), between(busy)
    parts = [(*wait, WAIT), (*run, RUN), (*think, THINK)]
    user, begin, end = (np.concatenate([part[k] for part in parts]) for k in range(3))
    kind = np.repeat([WAIT, RUN, THINK], [len(part[0]) for part in parts])
    order = np.lexsort((begin, user))
    return Lanes(user[order], begin[order], end[order], kind[order])


def episodes(result: Schedule) -> Episodes:
    """The campaigns, and the longest times with jobs of users without campaigns."""
    own = campaigns(result)
    rows = np.flatnonzero(result["campaign"] != NONE)
    rows = rows[np.argsort(result["submit"][rows], kind="stable")]
    first = rows[np.unique(result["campaign"][rows], return_index=True)[1]]
    submit, start, end = (own[name].to_numpy(np.float64) for name in ("submit", "start", "end"))
    jobs, think = own["jobs"].to_numpy(np.int64), own["think_time"].to_numpy(np.float64)
    named = Episodes(result["user"][first], submit, start, end, jobs, own.index.to_numpy(np.int64), think)
    rest = _rest(result, np.unique(named.user))
    joined = Episodes._make(np.concatenate(pair) for pair in zip(named, rest, strict=True))
    order = np.lexsort((joined.campaign, joined.submit, joined.user))
    return Episodes._make(column[order] for column in joined)


def there(result: Schedule) -> Intervals:
    """When some job of each user was there: from its submission until it was over, or the horizon."""
    over = known_until(result)
    return union(result["user"], result["submit"], np.where(np.isnan(over), result["submit"], over))


def union(user: Whole, begin: Floats, end: Floats) -> Intervals:
    """The longest intervals without a gap; empty intervals are left out."""
    kept = np.flatnonzero(end > begin)
    kept = kept[np.lexsort((begin[kept], user[kept]))]
    user, begin, end = user[kept], begin[kept], end[kept]
    # The latest end so far of each user: exact, as a running maximum of ranks that grow from user to user.
    times, rank = np.unique(end, return_inverse=True)
    place = np.unique(user, return_inverse=True)[1]
    latest = np.maximum.accumulate(place * len(times) + rank) - place * len(times)
    opens = np.ones(len(user), np.bool_)
    opens[1:] = (user[1:] != user[:-1]) | (begin[1:] > times[latest[:-1]])
    closes = np.append(opens[1:], np.ones(min(1, len(user)), np.bool_))
    return Intervals(user[opens], begin[opens], times[latest[closes]])


def between(busy: Intervals) -> Intervals:
    """The gaps between the intervals of each user."""
    same = np.flatnonzero(busy.user[1:] == busy.user[:-1])
    return Intervals(busy.user[same], busy.end[same], busy.begin[same + 1])


def _without(busy: Intervals, run: Intervals) -> Intervals:
    """The parts of the first intervals that the second ones, which lie within them, leave."""
    home = _home(busy, run)
    first = np.diff(home, prepend=NONE) != 0
    before = np.where(first, busy.begin[home], np.append(np.nan, run.end[:-1])[: len(run.end)])
    tail = busy.begin.copy()
    tail[home] = run.end  # the last one counts
    parts = zip((run.user, before, run.begin), (busy.user, tail, busy.end), strict=True)
    user, begin, end = (np.concatenate(pair) for pair in parts)
    kept = end > begin
    return Intervals(user[kept], begin[kept], end[kept])


def _home(busy: Intervals, inner: Intervals) -> Whole:
    """The interval in which each of the others begins."""
    kind = np.repeat([0, 1], [len(busy.user), len(inner.user)])
    order = np.lexsort((kind, *(np.concatenate(pair) for pair in ((busy.begin, inner.begin), (busy.user, inner.user)))))
    ordered = kind[order]
    return np.asarray((np.cumsum(ordered == 0) - 1)[ordered == 1])


def _rest(result: Schedule, named: AnyArray) -> Episodes:
    """The episodes of users without campaigns."""
    busy = there(result)
    kept = np.flatnonzero(~np.isin(busy.user, named))
    busy = Intervals._make(column[kept] for column in busy)
    rows = np.flatnonzero(~np.isin(result["user"], named) & (result["state"] != State.REFUSED))
    rows = rows[np.lexsort((result["submit"][rows], result["user"][rows]))]
    rows = rows[(known_until(result) > result["submit"])[rows]]
    home = _home(busy, Intervals(result["user"][rows], result["submit"][rows], result["submit"][rows]))
    count, start, think = np.bincount(home, minlength=len(kept)), np.full(len(kept), np.inf), np.full(len(kept), np.nan)
    np.fmin.at(start, home, result["start"][rows])
    think[home[::-1]] = result["think_time"][rows][::-1]  # that of the first job
    over = ~np.isin(np.arange(len(kept)), home[result["state"][rows] < State.FINISHED])
    end = np.where(over, busy.end, np.nan)
    start = np.where(np.isinf(start), np.nan, start)
    return Episodes(busy.user, busy.begin, start, end, count, np.full(len(kept), NONE), think)
