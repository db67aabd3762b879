"""The gaps between a user's batches in a log, in pieces in which what the hazard depends on does not change.

A gap begins with the last submission of a batch and ends with the first of the user's next one. Logs have whole
seconds, so a submission recorded at S is taken as made at S + `HALF`: one at the very second at which a job is over
comes after that end. In that half second nothing is over but what was at S. Gaps that no submission ends, after a
user's last batch, are left out: the model is one of users who go on. Or else they are known to have lasted until a
time, with no submission at its end: then who has gone away is no different from who pauses for long.

Pieces that are alike in everything are one *row*, with the time that was spent in it (its exposure) and the number of
gaps that ended in it. Everything but the levels of users is a bin (`thinktime.workloads.calibration.tables`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.tables import (
    AGES,
    BREAK,
    HALF,
    POSITIONS,
    QUEUES,
    RESPONSES,
    SHARES,
    SHORT,
    SLOWDOWNS,
    TOGETHER,
)
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import HOUR
from thinktime.workloads.user_models.sessions import Sessions, delimit

FACTORS = ("owner", "state", "end", "age", "cell", "response", "slowdown", "queue", "done", "position")
"""What a row is described by: the user's code, and the bins."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Pieces that are alike, as columns."""

    factors: dict[str, Whole]
    """By name in `FACTORS`."""
    exposure: Floats
    """How long each piece is, s."""
    events: Floats
    """How many gaps ended here."""

    def __len__(self) -> int:
        return len(self.exposure)


@dataclass(frozen=True, eq=False)
class Pieces:
    """The gaps of a log in pieces, each gap's pieces one after the other."""

    batch: Whole
    """Of each gap, the batch that ended it (`delimit` with the threshold `TOGETHER`)."""
    submit: Floats
    """Of each gap, when that batch was submitted, s."""
    gap: Whole
    """Of each piece, its gap."""
    exposure: Floats
    """Of each piece, s."""
    factors: dict[str, Whole]
    """Of each piece, by name in `FACTORS`."""
    last: Whole
    """Of each gap, its last piece."""
    ended: Flags
    """Which gaps a submission ended."""

    def __len__(self) -> int:
        return len(self.batch)

    @cached_property
    def _kinds(self) -> tuple[Rows, Whole]:
        """Unlike pieces, and which of them each piece is."""
        sizes = [int(of.max(initial=0)) + 1 for of in self.factors.values()]
        _, first, kind = np.unique(
            np.ravel_multi_index(tuple(self.factors.values()), sizes), return_index=True, return_inverse=True
        )
        rows = Rows({name: of[first] for name, of in self.factors.items()}, np.empty(0), np.empty(0))
        return rows, kind

    def rows(self, some: Flags | None = None) -> tuple[Rows, Whole]:
        """The rows of all gaps, with the exposure and events of some of them; and the row of each piece."""
        kinds, kind = self._kinds
        chosen = np.ones(len(self), bool) if some is None else some
        size = len(next(iter(kinds.factors.values())))
        exposure: Floats = np.bincount(kind, self.exposure * chosen[self.gap], size).astype(np.float64)
        events = np.bincount(kind[self.last[chosen & self.ended]], minlength=size).astype(np.float64)
        return Rows(kinds.factors, exposure, events), kind


def pieces_of(trace: Trace, calendar: Calendar, until: float | None = None) -> Pieces:
    """The pieces of a log with waits; ``ValueError`` without waits (`delimit`).

    With ``until`` (s), gaps that go on then are among them.
    """
    if until is None:
        return _Log(trace, delimit(trace, "arrival", TOGETHER)).pieces(calendar)
    users = np.unique(trace.user[trace.user >= 0])
    none = {name: np.full(len(users), 0 if name == "wait" else -1) for name in trace.columns}
    none |= {"submit": np.full(len(users), until), "user": users, "runtime": np.zeros(len(users))}
    none |= {"id": trace.id.max(initial=0) + 1 + np.arange(len(users))}
    longer = Trace({name: np.concatenate([of, none[name]]) for name, of in trace.columns.items()}, trace.header)
    seen = delimit(longer, "arrival", TOGETHER)
    found = _Log(longer, seen).pieces(calendar)
    return replace(found, ended=seen.batches.order[seen.batches.bounds[found.batch]] < len(trace))


class _Log:
    """The batches of a log, sorted in several ways.

    Times of users are compared all at once: those of each user come after those of the one before, by ``_span``.
    """

    def __init__(self, trace: Trace, seen: Sessions) -> None:
        self._trace, self._batches = trace, seen.batches
        batches = self._batches
        latest = max(batches.end.max(initial=0.0), trace.submit.max(initial=0.0))
        self._span = float(2 ** np.ceil(np.log2(latest + 2 * HOUR)))
        self._by_end = np.lexsort((np.arange(len(batches)), batches.end, batches.owner))
        self._over = self._key(batches.owner[self._by_end], batches.end[self._by_end])
        self._first = np.searchsorted(batches.owner, batches.owner)  # the user's first batch
        self._known = self._over_before()
        wait = np.nan_to_num(trace.wait, nan=0.0).clip(min=0.0)
        self._submitted, self._left = np.sort(trace.submit), np.sort(trace.submit + wait)
        self._ends(seen)

    def _ends(self, seen: Sessions) -> None:
        """When the shares of each batch are over that are edges of `SHARES`, and the run time of its last job."""
        batches, end = self._batches, seen.end
        order = batches.order[np.lexsort((end[batches.order], batches.of_job[batches.order]))]
        first, jobs = batches.bounds[:-1], batches.jobs
        needed = np.maximum(np.ceil(SHARES[1:, None] * jobs), 1).astype(np.int64)
        self._share_over = end[order][first + needed - 1] if len(jobs) else np.empty((len(SHARES) - 1, 0))
        last = order[batches.bounds[1:] - 1]
        self._slowdown = batches.response / np.maximum(self._trace.runtime[last], SHORT)

    def _over_before(self) -> Whole:
        """How many batches were over when each was submitted, of those before it: a batch of no length is over then."""
        batches, place = self._batches, np.empty(len(self._batches), np.int64)
        place[self._by_end] = np.arange(len(batches))
        later = np.minimum.accumulate(place[::-1])[::-1]
        return np.minimum(np.searchsorted(self._over, self._key(batches.owner, batches.submit), "right"), later)

    def _key(self, owner: Whole, time: Floats) -> Floats:
        found: Floats = owner * self._span + time
        return found

    def pieces(self, calendar: Calendar) -> Pieces:
        """The pieces of all gaps, cut where a factor changes."""
        batches = self._batches
        after = np.flatnonzero(batches.before() >= 0)
        before = after - 1
        begin, stop = batches.last_submit[before], batches.submit[after] + HALF
        cuts = [(np.arange(len(after)), begin), *self._cuts(after, begin, stop, calendar)]
        gap, time = (np.concatenate(parts) for parts in zip(*cuts, strict=True))
        order = np.lexsort((time, gap))
        gap, time = gap[order], time[order]
        new = np.concatenate([[True], (np.diff(gap) > 0) | (np.diff(time) > 0)])[: len(gap)]
        gap, time = gap[new], time[new]
        final = np.concatenate([np.diff(gap) > 0, [True]])[: len(gap)]
        until = np.where(final, stop[gap], np.concatenate([time[1:], [0.0]])[: len(gap)])
        return Pieces(
            batch=after,
            submit=batches.submit[after],
            gap=gap,
            exposure=until - time,
            factors=self._factors(after[gap], (time + until) / 2, calendar),
            last=np.flatnonzero(final),
            ended=np.ones(len(after), bool),
        )

    def _cuts(self, after: Whole, begin: Floats, stop: Floats, calendar: Calendar) -> Iterator[tuple[Whole, Floats]]:
        """The times (s) in each gap, before these batches, at which something changes."""
        owner = self._batches.owner[after]
        number = np.arange(len(after))

        def within(gap: Whole, time: Floats) -> tuple[Whole, Floats]:
            inside = (time > begin[gap]) & (time < stop[gap])
            return gap[inside], time[inside]

        low = np.searchsorted(self._over, self._key(owner, begin), "left")
        high = self._known[after]
        gap, place = _ranges(low, high)
        over = self._over[place] - owner[gap] * self._span
        yield within(gap, over)
        # since an end, until the next one
        until = np.minimum(np.where(place + 1 < high[gap], np.append(self._over, np.inf)[place + 1], np.inf), 1e300)
        until = np.minimum(until - owner[gap] * self._span, stop[gap])
        which, bin_ = _ranges(np.ones(len(gap), np.int64), np.searchsorted(AGES, until - over, "left"))
        yield within(gap[which], over[which] + AGES[bin_])
        which, bin_ = _ranges(np.ones(len(after), np.int64), np.searchsorted(AGES, stop - begin, "left"))
        yield within(which, begin[which] + AGES[bin_])
        for share in self._share_over:
            seen = share[after - 1] <= self._batches.submit[after]
            yield within(number[seen], share[after - 1][seen])
        first, last = (np.floor((each - calendar.first) / HOUR).astype(np.int64) for each in (begin, stop))
        which, hour = _ranges(first + 1, last + 1)
        yield within(which, np.asarray(calendar.first + HOUR * hour, np.float64))

    def _factors(self, after: Whole, time: Floats, calendar: Calendar) -> dict[str, Whole]:
        """The bins of pieces before these batches, in the middle of which it is ``time`` (s)."""
        batches, owner, batch = self._batches, self._batches.owner[after], after - 1
        over = np.minimum(np.searchsorted(self._over, self._key(owner, time), "right"), self._known[after])
        known = over > self._first[batch]
        latest = self._by_end[np.where(known, over - 1, 0)]
        ended = np.where(known, batches.end[latest], -np.inf)
        submitted = batches.last_submit[batch]
        looked = np.maximum(batches.submit[batch], ended)
        queue = np.searchsorted(self._submitted, looked, "left") - np.searchsorted(self._left, looked, "left")
        return {
            "owner": owner,
            "state": np.minimum(batch + 1 - over, 2),
            "end": np.where(ended >= submitted, _bin(AGES, time - np.where(known, ended, 0.0)), len(AGES)),
            "age": _bin(AGES, time - submitted),
            "cell": calendar.of(time),
            "response": np.where(known, _bin(RESPONSES, batches.response[latest]), len(RESPONSES)),
            "slowdown": np.where(known, _bin(SLOWDOWNS, self._slowdown[latest]), len(SLOWDOWNS)),
            "queue": _bin(QUEUES, queue),
            "done": (self._share_over[:, batch] <= np.minimum(time, batches.submit[after])).sum(axis=0),
            "position": _bin(POSITIONS, self._positions()[batch]),
        }

    def _positions(self) -> Whole:
        """How many batches each user has submitted since the last break, with each batch."""
        batches = self._batches
        before = batches.before()
        opens = (before < 0) | (batches.submit - batches.last_submit[before] > BREAK)
        number = np.arange(len(batches))
        return number - np.maximum.accumulate(np.where(opens, number, 0)) + 1 if len(batches) else number


def _bin(edges: Floats, value: Floats | Whole) -> Whole:
    """The bin of each value; what is below the first edge counts as there."""
    found: Whole = np.maximum(np.searchsorted(edges, value, side="right") - 1, 0)
    return found


def _ranges(low: Whole, high: Whole) -> tuple[Whole, Whole]:
    """The numbers from each low to below its high, with the place of the range."""
    count = np.maximum(high - low, 0)
    place = np.repeat(np.arange(len(low)), count)
    return place, np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count) + low[place]
