"""The virtual fair-sharing schedule of the ostrich paper (section 4).

In the virtual schedule V, every active user has the same share of the m processors (or one in proportion to
a weight), whatever the real schedule does. A user is active while a campaign of theirs is unfinished in V,
and executes one campaign at a time there:

    s~ = max(t, C~ of the user's preceding campaign)                 (4.2)
    C~ = s~ + k~ W / m, while k~ users are active                    (4.1)

Symbols: t submission, W work (processor-seconds, from estimates), s~ and C~ start and completion in V, k~
number of active users.

We do not redo (4.1) for all campaigns at every event. Let S(t) be the service, in processor-seconds, that
one unit of share has received by t: S grows at the rate m / k~ (m / sum of the active shares). A campaign
is complete in V when S reaches its *tag* F = max(S(t), F of the user's preceding campaign) + W / share,
which never changes. At any time the projected completion is C~ = t + k~ (F - S) / m, so completions come in
the order of the tags, and a submission or a virtual completion costs a heap operation, however many
campaigns there are or have been. This is the bookkeeping of fair queueing in networks, to which the paper
refers.

Tags are rounded to about 2^-25 s of the whole machine (our decision), so that a tie in exact arithmetic is
a tie here. Virtual times are shown on the grid of time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf, isnan, nan

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.grid import ceil_to_grid, to_grid

TOLERANCE = 1e-6  # s: a virtual completion this close behind an instant belongs to it


@dataclass(eq=False, slots=True)
class Campaign:
    """One campaign as a policy knows it: its work, its jobs that have not started, and where it stands in V."""

    number: int
    user: int
    position: int  # of the user, in the order in which users appeared
    index: int  # among the user's campaigns
    submit: float
    work: float
    rows: NDArray[np.int64] = field(repr=False)  # in the order in which they start
    tag: float = inf
    virtual_start: float = nan
    virtual_end: float = nan
    started: int = 0

    @property
    def left(self) -> int:
        """Jobs that have not started."""
        return len(self.rows) - self.started

    @property
    def held_back(self) -> bool:
        """Whether V has not come to it yet."""
        return isnan(self.virtual_start)


class VirtualSchedule:
    """V, advanced from event to event."""

    def __init__(self, processors: int) -> None:
        self.processors = processors
        self._fineness = 2.0 ** (25 - processors.bit_length())
        self.time = -inf
        self.service = 0.0
        self.active: dict[int, list[Campaign]] = {}  # by user: campaigns unfinished in V, oldest first
        self._shares: dict[int, float] = {}
        self._share_sum = 0.0
        self._heap: list[tuple[float, int, int, Campaign]] = []

    def submit(self, campaign: Campaign, share: float = 1.0) -> None:
        """A campaign enters V now (``advance`` to now first)."""
        own = self.active.get(campaign.user)
        before = self.service
        if own is None:
            own = self.active[campaign.user] = []
            self._shares[campaign.user] = share
            self._share_sum = sum(self._shares.values())
            campaign.virtual_start = campaign.submit
        else:
            before = own[-1].tag
        own.append(campaign)
        campaign.tag = self._rounded(before + campaign.work / share)
        heappush(self._heap, (campaign.tag, campaign.position, campaign.index, campaign))

    def change_work(self, campaign: Campaign, work: float) -> None:
        """Work is added to a campaign that is unfinished in V, or taken from it.

        Its user's later campaigns move with it.

        What V has done already is done: a campaign that loses more than V has left to do completes in V at
        once.
        """
        campaign.work += work
        own = self.active[campaign.user]
        place = own.index(campaign)
        tag = max(self.service, campaign.tag + work / self._shares[campaign.user])
        shift = tag - campaign.tag
        for later in own[place:]:
            later.tag = self._rounded(later.tag + shift)
        self._heap = sorted(
            (c.tag, c.position, c.index, c) for campaigns in self.active.values() for c in campaigns
        )

    def advance(self, now: float) -> list[Campaign]:
        """Let V run until ``now``; returns the campaigns that have started in V since the last event."""
        started: list[Campaign] = []
        while self._heap:
            due = self._next()
            if due > now + TOLERANCE:
                self.service += (now - self.time) * self.processors / self._share_sum
                break
            self.time = max(self.time, due)
            self.service, _, _, campaign = heappop(self._heap)
            started += self._complete(campaign)
        self.time = now
        return started

    def next_completion(self) -> float:
        """The next virtual completion, s, as an instant on the grid of time; infinite if nobody is active."""
        return ceil_to_grid(self._next() - TOLERANCE) if self._heap else inf

    def projected(self) -> dict[Campaign, float]:
        """C~ of every campaign unfinished in V, if the active users stayed as they are (equation 4.1)."""
        return {
            campaign: to_grid(self.time + (campaign.tag - self.service) * self._share_sum / self.processors)
            for campaigns in self.active.values()
            for campaign in campaigns
        }

    def _next(self) -> float:
        return self.time + (self._heap[0][0] - self.service) * self._share_sum / self.processors

    def _complete(self, campaign: Campaign) -> list[Campaign]:
        """A campaign is complete in V; the user's next one starts there, or the user leaves."""
        campaign.virtual_end = to_grid(self.time)
        own = self.active[campaign.user]
        own.pop(0)
        if own:
            own[0].virtual_start = campaign.virtual_end
            return own[:1]
        del self.active[campaign.user], self._shares[campaign.user]
        self._share_sum = sum(self._shares.values())
        return []

    def _rounded(self, tag: float) -> float:
        return round(tag * self._fineness) / self._fineness
