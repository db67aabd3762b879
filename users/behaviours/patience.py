"""Patience: users who withdraw a waiting job (renege), or do not submit when the queue looks bad (balk).

Both are lost demand, which the result counts (``Result.lost``) in jobs and node-hours under ``renege`` and ``balk``.
A withdrawn job is also in the result, with the state ``withdrawn``. The terms are those of queueing theory (D. Gross
et al., Fundamentals of Queueing Theory, section on impatience).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar

from thinktime.models.machine.events import JobEvent
from thinktime.models.machine.sight import Sight
from thinktime.models.results.demand import RENEGE
from thinktime.models.state import State
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.user import User
from thinktime.workloads import checks
from thinktime.workloads.generators.quantity_texts import Time
from thinktime.workloads.job import Job
from thinktime.workloads.reading.values import SECONDS
from thinktime.workloads.units import Duration, as_seconds

__all__ = ["Balk", "Patience"]

SHORTEST = 1.0
"""The shortest patience (s), so that a job which can start at once does."""


@dataclass(frozen=True)
class Patience(Behaviour):
    """Withdraw each job that has not started ``time`` (s, or such as "30 min") after its submission.

    ``time`` is drawn once per campaign and is at least 1 s. A job that would start at that very instant is withdrawn
    (withdrawals come before starts in the contract of one instant); a running job never is.
    """

    time: Time
    gives_up: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "time")

    @property
    def reason(self) -> str:
        """Lost demand is counted as that of users who renege."""
        return RENEGE

    def submitted(self, user: User, job: Job, event: JobEvent) -> None:
        """Withdraw the job when patience runs out."""

        def give_up(_: object) -> None:
            if event.state in (State.FUTURE, State.WAITING):
                user.lose(job, self.reason)
                event.cancel()

        timeout = user.env.timeout(max(user.number(self, "time"), SHORTEST))
        assert timeout.callbacks is not None
        timeout.callbacks.append(give_up)


@dataclass(frozen=True, kw_only=True)
class Balk(Behaviour):
    """Do not submit a job while the queue looks bad; the job is lost.

    It looks bad if more than ``queue`` jobs wait, if the work in the queue (processors times estimates) would take
    the whole machine longer than ``backlog`` (s), if the predicted start of this job is more than ``wait`` (s) away (a
    forecast per job, see `Sight.predicted_start`), or if ``rule(sight, job)`` is true.
    """

    queue: float | None = None
    backlog: Annotated[Duration, SECONDS] | None = None
    wait: Annotated[Duration, SECONDS] | None = None
    rule: Callable[[Sight, Job], bool] | None = None
    gives_up: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if all(each is None for each in (self.queue, self.backlog, self.wait, self.rule)):
            raise ValueError("Balk needs a condition: give queue, backlog, wait or rule")
        checks.fields(self, as_seconds, "backlog", "wait")

    def adapt(self, user: User, job: Job) -> Job | None:
        """The job, or None if the queue looks bad."""
        return None if self.looks_bad(user.sight, job) else job

    def looks_bad(self, sight: Sight, job: Job) -> bool:
        """Whether the queue looks bad for a job."""
        return (
            (self.queue is not None and sight.queue_length > self.queue)
            or (self.backlog is not None and sight.backlog > float(self.backlog))
            or (self.wait is not None and sight.predicted_start(job) - sight.now > float(self.wait))
            or (self.rule is not None and self.rule(sight, job))
        )
