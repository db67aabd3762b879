"""The virtual fair-sharing schedule of the ostrich paper (section 4).

In the virtual schedule V, every active user has the same share of the m processors (or one in proportion to a
weight), whatever the real schedule does. A user is active while a campaign of theirs is unfinished in V, and
executes one campaign at a time there:

    s~ = max(t, C~ of the user's preceding campaign)                 (4.2)
    C~ = s~ + k~ W / m, while k~ users are active                    (4.1)

Symbols: t submission, W work (processor-seconds, from estimates), s~ and C~ start and completion in V, k~ number
of active users.

We do not redo (4.1) for all campaigns at every event. Let S(t) be the service, in processor-seconds, that one
unit of share has received by t: S grows at the rate m / k~ (m / sum of the active shares). A campaign is complete
in V when S reaches its *tag* F = max(S(t), F of the user's preceding campaign) + W / share, which never changes.
At any time the projected completion is C~ = t + k~ (F - S) / m, so completions come in the order of the tags, and
a submission or a virtual completion costs a heap operation, however many campaigns there are or have been. This
is the bookkeeping of fair queueing in networks, to which the paper refers.

Times, services and tags are whole numbers of 2^-120 s (or processor-seconds), and tags are compared after
rounding to 2^-60: thirds and sevenths that tie in exact arithmetic tie here, at any length of a log. Virtual
times are shown on the grid of time.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import inf, isnan, nan

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.grid import TICK

UNIT = 120  # fractional bits
COARSE = 60  # fractional bits that a comparison ignores
_SLACK = 1 << COARSE
_TICK = (1 << UNIT) // round(1 / TICK)


@dataclass(eq=False, slots=True)
class Campaign:
    """One campaign as a policy knows it: its work, its jobs that have not started, and its place in V."""

    number: int
    user: int
    position: int  # of the user, in the order in which users appeared
    index: int  # among the user's campaigns
    submit: float
    work: float
    rows: NDArray[np.int64] = field(repr=False)  # in the order in which they start
    finish: int = 0  # F, in units of 2^-120 processor-seconds
    tag: float = inf  # F rounded for comparisons; other policies keep their urgency here
    virtual_start: float = nan
    virtual_end: float = nan
    started: int = 0

    @property
    def key(self) -> tuple[int, int]:
        """What identifies the campaign on its machine."""
        return self.user, self.index

    @property
    def left(self) -> int:
        """Jobs that have not started."""
        return len(self.rows) - self.started

    @property
    def held_back(self) -> bool:
        """Whether it has not started in V yet."""
        return isnan(self.virtual_start)


class VirtualSchedule:
    """V, advanced from event to event."""

    def __init__(self, processors: int) -> None:
        self.processors = processors
        self.active: dict[int, list[Campaign]] = {}  # by user: campaigns unfinished in V, oldest first
        self._time = 0  # of the last event
        self._service = 0  # S at that time
        self._due: int | None = None  # the next completion
        self._shares: dict[int, Fraction] = {}
        self._share_sum = Fraction(0)
        self._heap: list[tuple[float, int, int, Campaign]] = []

    def submit(self, campaign: Campaign, share: float = 1.0) -> None:
        """A campaign enters V at its submission (``advance`` to it first).

        Work without end (a hold that declares none) has no place in V: such a campaign starts there at once, is
        the least urgent of all, and delays nobody.
        """
        if campaign.work == inf:
            campaign.virtual_start, campaign.virtual_end = campaign.submit, inf
            return
        self._settle(_fixed(campaign.submit))
        own = self.active.setdefault(campaign.user, [])
        before = own[-1].finish if own else self._service
        if not own:
            self._shares[campaign.user] = Fraction(share)
            self._share_sum += Fraction(share)
            campaign.virtual_start = campaign.submit
        own.append(campaign)
        self._finish_at(campaign, before + self._per_share(campaign.user, campaign.work))
        heappush(self._heap, self._entry(campaign))
        self._plan()

    def change_work(self, campaign: Campaign, work: float, now: float) -> None:
        """Add work to a campaign that is unfinished in V, or take it away; the user's later campaigns move with it.

        V cannot undo what it has done: a campaign that loses more work than it has left in V completes there at once.
        """
        self._settle(_fixed(now))
        campaign.work += work
        own = self.active[campaign.user]
        place = own.index(campaign)
        least = own[place - 1].finish if place else self._service
        shift = max(least - campaign.finish, self._per_share(campaign.user, work))
        for later in own[place:]:
            self._finish_at(later, later.finish + shift)
        self._heap = [self._entry(c) for campaigns in self.active.values() for c in campaigns]
        heapify(self._heap)
        self._plan()

    def advance(self, now: float) -> list[Campaign]:
        """Let V run until ``now`` (infinity: to its end).

        Returns the campaigns that have started in V since the last event.
        """
        started: list[Campaign] = []
        if self._due is None:
            return started
        limit = _fixed(now) + _SLACK if now < inf else inf
        while self._due is not None and self._due <= limit:
            self._time = max(self._time, self._due)
            campaign = heappop(self._heap)[-1]
            self._service = max(self._service, campaign.finish)
            started += self._complete(campaign)
            self._plan()
        return started

    def next_completion(self) -> float:
        """The next virtual completion, s, as an instant on the grid of time; infinite if nobody is active."""
        return inf if self._due is None else -(-(self._due - _SLACK) // _TICK) * TICK

    def projected(self) -> dict[Campaign, float]:
        """C~ of every campaign unfinished in V, if the active users stayed as they are (equation 4.1)."""
        return {
            campaign: _shown(self._when(campaign))
            for campaigns in self.active.values()
            for campaign in campaigns
        }

    def _settle(self, now: int) -> None:
        """Advance S to now, without an event."""
        if self._heap and now > self._time:
            self._service += _divided((now - self._time) * self.processors, self._share_sum)
        self._time = max(self._time, now)

    def _per_share(self, user: int, work: float) -> int:
        return _divided(_fixed(work), self._shares[user])

    def _finish_at(self, campaign: Campaign, finish: int) -> None:
        campaign.finish = finish
        campaign.tag = (finish + _SLACK // 2) >> COARSE

    def _entry(self, campaign: Campaign) -> tuple[float, int, int, Campaign]:
        return campaign.tag, campaign.position, campaign.index, campaign

    def _when(self, campaign: Campaign) -> int:
        return self._time + _divided((campaign.finish - self._service), self.processors / self._share_sum)

    def _plan(self) -> None:
        self._due = self._when(self._heap[0][-1]) if self._heap else None

    def _complete(self, campaign: Campaign) -> list[Campaign]:
        """A campaign is complete in V; the user's next one starts there, or the user leaves."""
        campaign.virtual_end = _shown(self._time)
        own = self.active[campaign.user]
        own.remove(campaign)
        if own:
            own[0].virtual_start = campaign.virtual_end
            return own[:1]
        del self.active[campaign.user]
        self._share_sum -= self._shares.pop(campaign.user)
        return []


def _fixed(number: float) -> int:
    """A float as a number of units of 2^-120, exactly."""
    numerator, denominator = number.as_integer_ratio()
    return (numerator << UNIT) // denominator


def _divided(number: int, by: Fraction) -> int:
    """Rounded to the nearest unit."""
    return (2 * number * by.denominator + by.numerator) // (2 * by.numerator)


def _shown(time: int) -> float:
    """A virtual time on the grid."""
    return (2 * time + _TICK) // (2 * _TICK) * TICK
