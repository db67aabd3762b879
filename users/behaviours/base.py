"""What a behaviour is: a small piece of a user, which a profile composes with others.

A user who submits campaigns asks their behaviours, in the order of the profile, at these moments:

``think(user, last, thought)``    a campaign is over: how long the user thinks until the next submission, s
``postpone(user, time)``          it is the time of the submission: when it is made (``time``, or later)
``adapt(user, job)``              what is submitted of a job that was intended: itself, another, or None
``room(user)``                    how many jobs may be in the machine's hands now
``submitted(user, job, event)``   a job has been submitted; ``event`` is its event
``ended(user, last)``             the campaign is over: its record

Each has a default that changes nothing, so a behaviour of your own is a class with one short method. Every user works
with a copy of its own, so a behaviour may keep what it wants to remember. Random numbers come from
``user.number(self, "field")`` or ``user.rng(self)``: those belong to this user, this behaviour and this campaign, so
that whatever happens under one policy, the next campaign has the same luck as under another.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime.models.events import CampaignRecord, JobEvent
    from thinktime.users.user import User
    from thinktime.workloads.job import Job


class Behaviour:
    """A piece of a user that changes nothing: the base of all behaviours."""

    @property
    def reason(self) -> str:
        """The word under which demand is counted as lost that this behaviour gives up."""
        return type(self).__name__.lower()

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """How long the user thinks after a campaign (s); ``thought`` is what the profile and others before say."""
        return thought

    def postpone(self, user: User, time: float) -> float:
        """When a submission is made that is due now: now (``time``), or later; asked again then."""
        return time

    def adapt(self, user: User, job: Job) -> Job | None:
        """What is submitted instead of an intended job; None: nothing, the job is lost."""
        return job

    def room(self, user: User) -> float:
        """How many jobs of this user may be in flight: submitted, and not over."""
        return inf

    def submitted(self, user: User, job: Job, event: JobEvent) -> None:
        """A job has been submitted."""

    def ended(self, user: User, last: CampaignRecord) -> None:
        """A campaign is over."""
