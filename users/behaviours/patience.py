"""Patience: users who take a waiting job back (renege), or do not submit at all when the queue looks bad (balk).

Both are lost demand: the result counts it (``Result.lost``), in jobs and in node-hours, under the words ``renege`` and
``balk``. A job that was withdrawn is in the result as well, in the state ``withdrawn``. The terms are those of queueing
theory (D. Gross et al., Fundamentals of Queueing Theory, section on impatience).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thinktime.models.state import State
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.sampling import Quantity

if TYPE_CHECKING:
    from thinktime.models.events import JobEvent
    from thinktime.models.sight import Sight
    from thinktime.users.user import User
    from thinktime.workloads.job import Job

SHORTEST = 1.0
"""s: no patience is shorter, so that a job which can start at once does."""


@dataclass(frozen=True)
class Patience(Behaviour):
    """Withdraw each job that has not started ``time`` seconds after its submission.

    ``time`` is drawn once per campaign; below 1 s it is 1 s. A job whose start is due at that very instant is
    withdrawn (withdrawals come before starts in the contract of one instant); a running job never is.
    """

    time: Quantity

    @property
    def reason(self) -> str:
        """Reneging."""
        return "renege"

    def submitted(self, user: User, job: Job, event: JobEvent) -> None:
        """Look again when patience has run out."""

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

    It looks bad where one of these holds: more than ``queue`` jobs wait; the work of the queue (processors times
    estimates) would take the whole machine longer than ``backlog`` (s); the start that is predicted for this job is
    more than ``wait`` (s) away (a forecast per job, see `Sight.predicted_start`); or ``rule(sight, job)``, a
    function of what the user sees and the job.
    """

    queue: float | None = None
    backlog: float | None = None
    wait: float | None = None
    rule: Callable[[Sight, Job], bool] | None = None

    def __post_init__(self) -> None:
        if all(each is None for each in (self.queue, self.backlog, self.wait, self.rule)):
            raise ValueError("Balk needs to know when the queue looks bad: queue, backlog, wait or a rule")

    def adapt(self, user: User, job: Job) -> Job | None:
        """The job, or None."""
        return None if self.looks_bad(user.sight, job) else job

    def looks_bad(self, sight: Sight, job: Job) -> bool:
        """Whether the queue looks bad to the owner of a job."""
        return (
            (self.queue is not None and sight.queue_length > self.queue)
            or (self.backlog is not None and sight.backlog > self.backlog)
            or (self.wait is not None and sight.predicted_start(job) - sight.now > self.wait)
            or (self.rule is not None and self.rule(sight, job))
        )
