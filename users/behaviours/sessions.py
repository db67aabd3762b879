"""Sessions: the longer the response time, the less likely a user is to stay.

After a campaign that ended r minutes after its submission (its response time, unless the user gave up parts of it), a
user continues the session with probability

    P(r) = level / (decay r + 1)

and submits the next campaign a think time later. Otherwise the session ends, and the user returns after a break. Users
react to the response time, not to the slowdown. Source: E. Shmueli, D. Feitelson (MASCOTS 2007; IEEE TPDS 20(7), 2009),
with level 0.8 and decay 0.05 per minute. The policy ``creasy`` is designed for such users.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thinktime.users.behaviours.base import Behaviour
from thinktime.users.local_hours import WorkingHours, checked_hours
from thinktime.users.sampling import Quantity
from thinktime.workloads.units import HOUR, MINUTE

if TYPE_CHECKING:
    from thinktime.models.events import CampaignRecord
    from thinktime.users.user import User


OFFICE = WorkingHours()


def _within_an_hour(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.0, HOUR))


def _luck(rng: np.random.Generator) -> float:
    return float(rng.random())


@dataclass(frozen=True, kw_only=True)
class Continuation(Behaviour):
    """Stay with probability ``level / (decay r + 1)``, r in minutes, else take a break.

    ``probability``, a function of the response time in seconds, replaces the curve. The break is ``away`` (s). Without
    it, the break lasts until the next morning: the first begin of the working hours (those of the profile, else
    ``hours``) after the campaign's end, plus ``late`` (s; by default uniform over an hour). A user who gave up every
    job of a campaign always takes a break.

    >>> round(Continuation().chance(20 * 60), 9)
    0.4
    """

    level: float = 0.8
    decay: float = 0.05
    probability: Callable[[float], float] | None = None
    away: Quantity | None = None
    late: Quantity = _within_an_hour
    hours: WorkingHours = OFFICE
    luck: Quantity = _luck

    def __post_init__(self) -> None:
        checked_hours(self.hours)
        if not 0 <= self.level <= 1 or not 0 <= self.decay < np.inf:
            raise ValueError(
                f"level must be from 0 to 1 and decay at least 0, not {self.level!r} and {self.decay!r}"
            )

    def chance(self, response: float) -> float:
        """The probability of staying after a response time (s)."""
        if self.probability is not None:
            return self.probability(response)
        return self.level / (self.decay * response / MINUTE + 1.0)

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The think time, or the break."""
        luck = user.number(self, "luck")
        if last.ran and luck < self.chance(last.elapsed):
            return thought
        if self.away is not None:
            return user.number(self, "away")
        hours = user.hours or self.hours
        return hours.morning(last.end) - last.end + user.number(self, "late")
