"""Submit later, less, in another shape or not at all while a condition holds.

The four ways are those of M. Madon, G. Da Costa, J.-M. Pierson (arXiv 2204.02869), who ask users to give way in
windows of one or four hours:

=============  ====================================================================================
`Delay`        submit at the end of the window, or when a signal is low (other conditions: after some time)
`Degrade`      half the processors (rounded up) for the same run time, or a part of the run time: less is computed
`Reconfigure`  half the processors (rounded up) for twice the run time (and twice the estimate)
`Renounce`     do not submit
=============  ====================================================================================

`Degrade` and `Reconfigure` do not change sequential jobs, and leave one size to those of several. ``when`` is a
condition, a function of the `User`: `Windows` of time, `waiting_long` after long waits, `crowded` while many jobs wait,
`Elastic` or `Dear` by what a site shows of a signal, or your own, such as ``lambda user: user.sight.free == 0``. What
users give up is counted as lost demand. `Adapt` takes any function of the user and the job instead, and `InFlight`
holds jobs back while others are in flight. `thinktime.users.behaviours.responding` has more that users may do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from thinktime.models.machine.job_records import CampaignRecord
from thinktime.models.state import State
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.behaviours.shown import Dear, Elastic, read_as
from thinktime.users.user import User
from thinktime.workloads import checks
from thinktime.workloads.generators.quantity_texts import Time
from thinktime.workloads.job import Job
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.reading.table import Codec
from thinktime.workloads.reading.values import NUMBER, SECONDS, number
from thinktime.workloads.units import DAY, HOUR, Duration, as_seconds

__all__ = [
    "Adapt", "Condition", "Degrade", "Delay", "Estimate", "InFlight", "Reconfigure", "Renounce", "Windows",
    "crowded", "waiting_long",
]  # fmt: skip

RIGID: dict[str, Any] = {"shape": None, "speedup": None}
"""Nothing is known of other sizes."""
Condition = Callable[["User"], bool]
"""Whether something holds now, for a user: any function of the user, such as `waiting_long` makes."""


@dataclass(frozen=True)
class Windows:
    """A condition that holds during given times: pairs [from, to) in s, or texts such as "12 h"."""

    times: Sequence[tuple[float, float]]

    if TYPE_CHECKING:  # times may be given as texts, but are read as numbers

        def __init__(self, times: Iterable[tuple[Duration, Duration]]) -> None: ...

    def __post_init__(self) -> None:
        given = tuple((as_seconds("from", start), as_seconds("to", end)) for start, end in self.times)
        checks.put(self, "times", given)
        for start, end in self.times:
            if not start < end:
                raise ValueError(
                    f"a window must be from an earlier to a later time, not from {quoted(start)} to {quoted(end)}"
                )

    def __call__(self, user: User) -> bool:
        """Whether the time is within a window."""
        return self.end(user.now) > user.now

    def end(self, time: float) -> float:
        """The end of the window that contains ``time`` (of several, the last end); else ``time`` itself."""
        return max((end for start, end in self.times if start <= time < end), default=time)


def waiting_long(above: Duration, jobs: int = 10) -> Condition:
    """A condition: the user's last ``jobs`` jobs waited longer than ``above`` (s, or such as "2 h") on average."""
    limit = as_seconds("above", above)
    return lambda user: user.recent_wait(jobs) > limit


def crowded(above: float) -> Condition:
    """A condition: more than ``above`` jobs wait in the queue."""
    return lambda user: user.sight.queue_length > above


def _windows(value: Any) -> Windows:
    pairs = isinstance(value, list | tuple)
    if not pairs or not all(isinstance(each, list | tuple) and len(each) == 2 for each in value):
        raise ValueError(f"must be a list of pairs of times, [[from, to], …], not {quoted(value)}")
    return Windows(value)


CONDITIONS: dict[str, Callable[[Any], Condition]] = {
    "windows": _windows, "waiting_long": waiting_long, "crowded": lambda value: crowded(number(value)),
    "elastic": partial(read_as, Elastic), "dear": partial(read_as, Dear),
}  # fmt: skip


def _condition(value: Any) -> Condition:
    if not isinstance(value, Mapping) or len(value) != 1:
        raise ValueError(f"must be a table with one of {', '.join(CONDITIONS)}, not {quoted(value)}")
    [(kind, what)] = value.items()
    if kind not in CONDITIONS:
        raise ValueError(f"has no condition {quoted(kind)}; {key_of(kind, CONDITIONS, 'the conditions')}")
    return CONDITIONS[kind](what)


When = Annotated[Condition, Codec(_condition)]
"""A condition, in a file a table with one of `CONDITIONS`."""


@dataclass(eq=False)
class Delay(Behaviour):
    """Submit later while ``when`` holds: at the end of the window, or ``by`` s later, up to ``times`` times.

    ``by`` is drawn once per campaign, and is at least 1 s. If ``when`` is about a signal, the user waits once, for the
    time within ``patience`` (s) at which the jobs would cost least if they ran at once. A delayed job is not lost.
    """

    when: When
    by: Time = HOUR
    times: float = inf
    patience: Annotated[Duration, SECONDS] = DAY
    response: ClassVar[str] = "delayed"

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "by", "patience")

    def postpone(self, user: User, time: float) -> float:
        """The end of the window, the best time, or ``by`` later."""
        delays = user.memory.get("delays", 0)
        if delays >= (1 if isinstance(self.when, Elastic | Dear) else self.times) or not self.when(user):
            return time
        user.memory["delays"] = delays + 1
        if isinstance(self.when, Windows):
            return self.when.end(time)
        if isinstance(self.when, Elastic | Dear):
            return self.when.best(user, time, float(self.patience))
        return time + max(user.number(self, "by"), 1.0)


@dataclass(frozen=True)
class Degrade(Behaviour):
    """Half the processors (rounded up) for the same run time while ``when`` holds; the other half is lost.

    With ``work``, a smaller problem on the same processors: so large a part of the run time and of the estimate.
    """

    when: When
    work: Annotated[float, NUMBER] | None = None
    response: ClassVar[str] = "degraded"

    def __post_init__(self) -> None:
        if self.work is not None and not 0 < self.work <= 1:
            raise ValueError(f"work must be above 0 and at most 1, not {quoted(self.work)}")

    @property
    def resizes(self) -> bool:  # type: ignore[override]
        """Whether it changes the processors of jobs."""
        return self.work is None

    def adapt(self, user: User, job: Job) -> Job:
        """The smaller job, while the condition holds."""
        if self.work is None:
            narrow = job.processors > 1 and self.when(user)
            return replace(job, processors=(job.processors + 1) // 2, **RIGID) if narrow else job
        if self.work == 1 or not self.when(user):
            return job
        estimate = None if job.estimate is None else self.work * job.estimate
        return replace(job, runtime=self.work * job.runtime, estimate=estimate)


@dataclass(frozen=True)
class Reconfigure(Behaviour):
    """Half the processors (rounded up), twice the run time and twice the estimate while ``when`` holds."""

    when: When
    resizes: ClassVar[bool] = True
    response: ClassVar[str] = "reshaped"

    def adapt(self, user: User, job: Job) -> Job:
        """The narrower, longer job, while the condition holds."""
        if job.processors == 1 or not self.when(user):
            return job
        estimate = None if job.estimate is None else 2 * job.estimate
        return replace(job, processors=(job.processors + 1) // 2, runtime=2 * job.runtime, estimate=estimate, **RIGID)


@dataclass(frozen=True)
class Renounce(Behaviour):
    """Submit nothing while ``when`` holds: the jobs are lost."""

    when: When
    gives_up: ClassVar[bool] = True
    response: ClassVar[str] = "renounced"

    def adapt(self, user: User, job: Job) -> Job | None:
        """The job, or None while the condition holds."""
        return None if self.when(user) else job


@dataclass(frozen=True)
class Adapt(Behaviour):
    """Any change of size, run time or estimate: ``Adapt(lambda user, job: replace(job, processors=…))``.

    The function returns the job to submit: the same, another `Job`, or None for nothing.
    """

    function: Callable[[User, Job], Job | None]

    def adapt(self, user: User, job: Job) -> Job | None:
        """The result of the function."""
        return self.function(user, job)


@dataclass(eq=False)
class Estimate(Behaviour):
    """Estimates that learn: ``raised`` times longer after a campaign in which a job was killed at its estimate.

    After a campaign without one the factor falls by ``lowered``, never below 1 (the profile's own estimates). Ours.
    """

    raised: float = 2.0
    lowered: float = 0.9
    _factor: float = field(default=1.0, init=False, repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.raised < inf or not 0 <= self.lowered <= 1:
            raise ValueError(
                f"raised must be at least 1 and lowered from 0 to 1, not {quoted(self.raised)} and "
                f"{quoted(self.lowered)}"
            )

    def adapt(self, user: User, job: Job) -> Job | None:
        """The job with the raised estimate."""
        return replace(job, estimate=self._factor * job.requested_time) if self._factor > 1 else job

    def ended(self, user: User, last: CampaignRecord) -> None:
        """Raise or lower the factor."""
        killed = any(job.state is State.KILLED for job in last.jobs)
        self._factor = max(1.0, self._factor * (self.raised if killed else self.lowered))


@dataclass(frozen=True)
class InFlight(Behaviour):
    """At most ``jobs`` jobs submitted and not ended; the rest of the campaign follows as they end.

    ``jobs`` is a number of at least 1, or a function of the `User` that returns the current limit (at least one job is
    always submitted, so that no job waits forever). Jobs that are held back are neither submitted nor lost. To the
    machine, jobs submitted together are a campaign; to the user it is one campaign until the last job ends.
    """

    jobs: Annotated[int | Callable[[User], float], NUMBER]

    def __post_init__(self) -> None:
        if not callable(self.jobs) and (isinstance(self.jobs, bool) or not self.jobs >= 1):
            raise ValueError(f"jobs must be at least 1, or a function of the user, not {quoted(self.jobs)}")

    def room(self, user: User) -> float:
        """The limit, a number or a function of the user."""
        return self.jobs(user) if callable(self.jobs) else self.jobs
