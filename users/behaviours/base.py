"""The base class of behaviours, the building blocks of a user.

A user who submits campaigns calls these methods of all behaviours, in the order of the profile:

``think(user, last, thought)``    after a campaign: the think time until the next submission, s
``postpone(user, time)``          when a submission is due: when to make it (``time``, or later)
``adapt(user, job)``              for each intended job: what to submit (the job, another, or None)
``cut(user, job)``                for each of these: the jobs that are submitted instead, or None for the job itself
``room(user)``                    the number of jobs that may be in flight now
``submitted(user, job, event)``   after the submission of a job with this event
``interrupted(user, job, event,   at each interruption of a job that goes on later: by a failure, a window or a
what)``                           preemption
``refused(user, job, record)``    for each job that the machine refused: what to submit instead, and after how long
``ended(user, last)``             after a campaign, with its record

The defaults change nothing, so your own behaviour is a class with one short method. Every user has its own copy, so a
behaviour may keep state. Random numbers from ``user.number(self, "field")`` or ``user.rng(self)`` depend only on the
user, the behaviour and the campaign, so a campaign has the same luck under every policy.
"""

from collections.abc import Sequence
from math import inf
from typing import ClassVar

from thinktime.models.machine.events import JobEvent
from thinktime.models.machine.job_records import CampaignRecord, Interruption, JobRecord
from thinktime.users.user import User
from thinktime.workloads.job import Job

__all__ = ["Behaviour"]


class Behaviour:
    """A behaviour that changes nothing: the base class of all behaviours.

    >>> import thinktime as tt
    >>> class Hurried(tt.Behaviour):
    ...     def think(self, user, last, thought):
    ...         return thought / 2
    >>> profile = tt.Profile(runtime=60, jobs=1, think_time=600, behaviours=(Hurried(),))
    >>> result = tt.run(tt.MachineSpec(processors=1), tt.sources.campaigns({"ada": profile}, seed=1), until=1000)
    >>> result["submit"].tolist()
    [0.0, 360.0, 720.0]
    """

    resizes: ClassVar[bool] = False
    """Whether it changes the processors of jobs."""
    gives_up: ClassVar[bool] = False
    """Whether the user may give up jobs by it, so that lost demand is among the metrics of a scenario."""

    leaves: ClassVar[bool] = False
    """Whether the user may leave for good by it."""

    loses: ClassVar[bool] = True
    """Whether the work of jobs that it leaves out is lost demand."""
    response: ClassVar[str] = ""
    """As which of the responses its changes count (`thinktime.models.results.responses`); empty for none of them."""

    @property
    def reason(self) -> str:
        """The name under which lost demand of this behaviour is counted."""
        return type(self).__name__.lower()

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The think time after a campaign (s); ``thought`` is that of the profile and earlier behaviours."""
        return thought

    def postpone(self, user: User, time: float) -> float:
        """When to make a submission that is due now: now (``time``), or later, when this is asked again."""
        return time

    def adapt(self, user: User, job: Job) -> Job | None:
        """What to submit instead of an intended job; with None the job is lost."""
        return job

    def cut(self, user: User, job: Job) -> Sequence[Job] | None:
        """The jobs into which a job is cut that is about to be submitted; None if it is not.

        The first behaviour with an answer counts.
        """
        return None

    def room(self, user: User) -> float:
        """How many jobs of this user may be in flight: submitted and not ended."""
        return inf

    def submitted(self, user: User, job: Job, event: JobEvent) -> None:
        """Called after a job has been submitted."""

    def interrupted(self, user: User, job: Job, event: JobEvent, what: Interruption) -> None:
        """Called at each interruption of a job that is in the queue again; its end is told by its event alone."""

    def refused(self, user: User, job: Job, record: JobRecord) -> tuple[float, Sequence[Job]] | None:
        """What to submit instead of a refused job, and after how long (s); None for nothing.

        `JobRecord.why` says why it was refused. The first behaviour with an answer counts.
        """
        return None

    def ended(self, user: User, last: CampaignRecord) -> None:
        """Called after a campaign has ended."""
