"""Refused submissions: users who come back later, or split what takes too long.

A machine of a configured site may refuse a job: its user has too many there already, or it asks for more than a limit
(`thinktime.models.machine.limits`). Its event succeeds at once, and `JobRecord.why` names the limit. These rules are
ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

from thinktime.models.machine.job_records import JobRecord
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.user import User
from thinktime.workloads import checks
from thinktime.workloads.generators.quantity_texts import Time
from thinktime.workloads.job import Job
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.values import NUMBER, SECONDS
from thinktime.workloads.units import Duration, as_seconds

__all__ = ["ComeBack", "Split"]

OF_TIME = "max_wall", "max_time", "max_tres_seconds"
"""Limits that a shorter job keeps."""


@dataclass(eq=False)
class ComeBack(Behaviour):
    """Submit a refused job again ``after`` some time (s, or such as "1 h"), up to ``times`` times; then it is lost.

    ``after`` is drawn once per campaign.
    """

    after: Time
    times: Annotated[int, NUMBER] = 10
    gives_up: ClassVar[bool] = True
    _tried: dict[int, int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "after")
        if isinstance(self.times, bool) or not self.times >= 1:
            raise ValueError(f"times must be at least 1, not {quoted(self.times)}")

    @property
    def reason(self) -> str:
        """Lost demand is counted as that of jobs refused once too often."""
        return "refused"

    def refused(self, user: User, job: Job, record: JobRecord) -> tuple[float, Sequence[Job]] | None:
        """The same job, later."""
        tried = self._tried[id(job)] = self._tried.get(id(job), 0) + 1
        if tried > self.times:
            user.lose(job, self.reason)
            return None
        return user.number(self, "after"), [job]

    def ended(self, user: User, last: object) -> None:
        """Forget the campaign's jobs."""
        self._tried.clear()


@dataclass(frozen=True)
class Split(Behaviour):
    """Submit a job that was refused for its time as ``parts`` jobs, each with a part of its run time and estimate.

    Parts that are refused are split again, as long as they ask for ``least`` seconds or more.
    """

    parts: Annotated[int, NUMBER] = 2
    least: Annotated[Duration, SECONDS] = 60.0

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "least")
        if isinstance(self.parts, bool) or not self.parts >= 2:
            raise ValueError(f"parts must be at least 2, not {quoted(self.parts)}")

    def refused(self, user: User, job: Job, record: JobRecord) -> tuple[float, Sequence[Job]] | None:
        """The parts, at once."""
        asked = job.requested_time / self.parts
        if asked < float(self.least) or not record.why.startswith(OF_TIME):
            return None
        return 0.0, [replace(job, runtime=job.runtime / self.parts, estimate=asked) for _ in range(self.parts)]
