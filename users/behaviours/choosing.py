"""Users who choose by the start that the machine predicts: another queue or partition, or a shorter time limit.

Each choice costs a forecast per job and alternative (`Sight.predicted_start`). These rules are ours.
"""

from dataclasses import dataclass, replace
from typing import Annotated

from thinktime.users.behaviours.base import Behaviour
from thinktime.users.user import User
from thinktime.workloads import checks
from thinktime.workloads.generators.quantity_texts import Drawn
from thinktime.workloads.job import Job
from thinktime.workloads.reading.values import NAMES, SECONDS
from thinktime.workloads.units import Duration, as_seconds

__all__ = ["Choose", "Shorten"]


@dataclass(frozen=True)
class Choose(Behaviour):
    """Submit each job where it is predicted to start first: as it is, or in one of ``queues`` or ``partitions``.

    On the machine of a site, a queue names a QOS. Of equal predictions the first one counts, the job's own before all
    others. Jobs that would be refused never start.
    """

    queues: Annotated[tuple[str | int, ...], NAMES] = ()
    partitions: Annotated[tuple[str | int, ...], NAMES] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "queues", tuple(self.queues))
        object.__setattr__(self, "partitions", tuple(self.partitions))
        if not (self.queues or self.partitions):
            raise ValueError("Choose needs alternatives: give queues or partitions")

    def adapt(self, user: User, job: Job) -> Job:
        """The job in the queue or partition of its earliest start."""
        choices = [job, *(replace(job, queue=name) for name in self.queues)]
        choices += [replace(job, partition=name) for name in self.partitions]
        return min(choices, key=user.sight.predicted_start)


@dataclass(frozen=True)
class Shorten(Behaviour):
    """Ask for less time if short jobs pass: if the job is predicted to start at least ``gain`` seconds earlier then.

    The shorter estimate is ``margin`` times the true run time, so below 1 the job will be killed. ``margin`` is drawn
    once per campaign.
    """

    margin: Drawn = 1.2
    gain: Annotated[Duration, SECONDS] = 600.0

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "gain")

    def adapt(self, user: User, job: Job) -> Job:
        """The job with the shorter estimate, if this pays."""
        short = replace(job, estimate=user.number(self, "margin") * job.runtime)
        if short.requested_time >= job.requested_time:
            return job
        start = user.sight.predicted_start
        return short if start(short) + float(self.gain) <= start(job) else job
