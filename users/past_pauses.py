"""The pauses of a log up to some time, of which those like one make its distribution (`thinktime.users.going_on`)."""

from functools import cached_property

import numpy as np

from thinktime.users.nearest import NearPauses
from thinktime.users.think_times import ABSENCE, NEIGHBOURS
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.product_limit import product_limit
from thinktime.workloads.run_times import Law, Part
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.rhythm import local_seconds
from thinktime.workloads.user_models.sessions import Groups

PRIOR = 1.0
"""So many pauses, with any rank, count among those of a user."""
WIDE = 500
"""The pauses that are looked at if none of the neighbours is long enough."""


class Pauses:
    """The pauses of a log up to some time, and those that went on then."""

    def __init__(self, log: Trace, batches: Groups, now: float) -> None:
        before = batches.before()
        follows = before >= 0
        self.overlaps = follows & (batches.submit < batches.end[before])
        self.gap: Floats = np.where(self.overlaps, batches.submit - batches.last_submit[before], np.nan)
        pauses = np.flatnonzero(follows & ~self.overlaps)
        last = np.flatnonzero(np.diff(batches.owner, append=-1))
        last = last[batches.end[last] <= now]
        begun = np.concatenate([before[pauses], last])
        self.owner = batches.owner[begun]
        self.seen = np.arange(len(begun)) < len(pauses)
        self.length: Floats = np.concatenate(
            [batches.submit[pauses] - batches.end[before[pauses]], now - batches.end[last]]
        )
        self._wall, self._response = local_seconds(log, batches.end[begun]), batches.response[begun]
        known = np.flatnonzero(self.seen | (self.length >= ABSENCE))
        self._known = np.where(self.seen, self.length, np.inf)[known]
        self._near = NearPauses(self._wall[known], self._response[known], NEIGHBOURS) if len(known) else None
        self._known_owner = self.owner[known]
        self._place = known

    @cached_property
    def _wide(self) -> NearPauses:
        return NearPauses(self._wall, self._response, WIDE)

    def like(self, wall: float, response: float) -> Floats:
        """The lengths (s, ascending) of those that began most like this; infinite for absences without an end."""
        if self._near is None:
            return np.empty(0)
        found = self._known[self._near.of(wall, response)]
        found.sort()
        return found

    def ranks(self) -> tuple[Whole, Floats]:
        """The owner of each known pause, and its rank among those like it, from 0 to 1."""
        found = np.empty(len(self._known))
        places = zip(self._wall[self._place].tolist(), self._response[self._place].tolist(), strict=True)
        for place, (wall, response) in enumerate(places):
            like, own = self.like(wall, response), self._known[place]
            found[place] = (np.searchsorted(like, own, "left") + np.searchsorted(like, own, "right")) / (2 * len(like))
        return self._known_owner, found

    def beyond(self, wall: float, response: float, age: float, ranks: Floats) -> Law:
        """The law of a pause that has lasted for so long (s), of a user with these ranks."""
        like = self.like(wall, response)
        if len(like):
            place = np.minimum((ranks * len(like)).astype(np.int64), len(like) - 1)
            weights = (np.bincount(place, minlength=len(like)) + PRIOR / len(like))[like > age]
            if len(weights):
                shares = np.cumsum(weights) / weights.sum()
                return Law(0, len(weights), (Part(1.0, like[like > age], shares - 1.0),))
        near = self._wide.of(wall, response).copy() if len(self.length) else np.empty(0, np.int64)
        near = near[self.length[near] > age]
        times, survival = product_limit(self.length[near], self.seen[near])
        events = np.diff(survival, prepend=1.0) < 0
        return Law(1, len(near), (Part(1.0, times[events], -survival[events]),))
