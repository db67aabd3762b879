"""Users who react when the machine throws their jobs off: failures, windows and preemptions."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from thinktime.models.machine.events import JobEvent
from thinktime.models.machine.job_records import CampaignRecord, Interruption
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.user import User
from thinktime.workloads.checks import whole
from thinktime.workloads.job import Job
from thinktime.workloads.reading.values import NUMBER

__all__ = ["Discouraged"]


@dataclass(eq=False)
class Discouraged(Behaviour):
    """Give up a campaign at the ``after``-th interruption of its jobs (all of its jobs together).

    Jobs that wait or run are cancelled, jobs that were held back are not submitted, and all of them are lost demand.
    """

    after: Annotated[int, NUMBER] = 3
    gives_up: ClassVar[bool] = True
    _interruptions: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        self.after = whole("after", self.after)

    def interrupted(self, user: User, job: Job, event: JobEvent, what: Interruption) -> None:
        """Count the interruption, and give up if it is one too many."""
        self._interruptions += 1
        if self._interruptions == self.after:
            user.give_up(self.reason)

    def ended(self, user: User, last: CampaignRecord) -> None:
        """Count the interruptions of the next campaign from 0."""
        self._interruptions = 0
