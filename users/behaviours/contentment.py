"""Users who complain about waits, and stay away after too many complaints."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from thinktime.users.behaviours.base import Behaviour
from thinktime.users.satisfaction import Satisfaction

if TYPE_CHECKING:
    from thinktime.models.events import CampaignRecord
    from thinktime.users.sampling import Quantity
    from thinktime.users.user import User


@dataclass(eq=False, kw_only=True)
class Contentment(Behaviour):
    """Keep an account of `Satisfaction`; after ``complaints`` complaints stay away for ``away`` seconds.

    Without ``away`` the user leaves for good. ``account`` is the user's current satisfaction with the machine; it is
    reset by the break.
    """

    complaints: float = inf
    away: Quantity | None = None
    account: Satisfaction = field(default_factory=Satisfaction)

    def ended(self, user: User, last: CampaignRecord) -> None:
        """Add the jobs of the campaign that ran, in order of start."""
        started = [(job.start, job.id, job) for job in last.jobs if job.start is not None]
        for _, _, job in sorted(started, key=lambda entry: entry[:2]):
            self.account.add(job.processors, job.estimate, job.wait)

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The think time, or the time away."""
        if self.account.complaints < self.complaints:
            return thought
        self.account = Satisfaction()
        if self.away is None:
            user.gone = True
            return thought
        return user.number(self, "away")
