"""What users do about a price, or about another condition, beside the ways of `thinktime.users.behaviours.adapting`.

=============  ========================================================================================
`Reshape`      fewer processors for longer, by the speed-up of the job: the same is computed
`SeeYouLater`  leave, and come back in the next session
`Shift`        another queue (QOS) or partition
`SleepOnIt`    a budget runs out: save the rest for the end of the period, or wait for the next one
`Rush`         a budget runs out: come back sooner, before it is used up
`Logit`        choose among such alternatives by their costs, times and losses
=============  ========================================================================================

``when`` is a condition (`adapting`), such as `Elastic`. What users do is counted among the responses, against what they
would have submitted without it (`thinktime.models.results.responses`). The first, third and fifth ways are among those
of M. Madon, G. Da Costa, J.-M. Pierson (arXiv 2204.02869, and later work); the details are ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, exp, floor, inf
from typing import Annotated, Any, ClassVar, NamedTuple

from thinktime.models.machine.job_records import CampaignRecord
from thinktime.users.behaviours.adapting import When
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.behaviours.shown import AsShown, Shown
from thinktime.users.behaviours.thinking import OFFICE, WITHIN_AN_HOUR
from thinktime.users.local_hours import WorkingHours, checked_hours
from thinktime.users.user import User
from thinktime.workloads import checks
from thinktime.workloads.generators.quantity_texts import Time
from thinktime.workloads.job import Job
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import Codec
from thinktime.workloads.reading.values import NUMBER, SECONDS, by_name, number
from thinktime.workloads.sizing import of_size
from thinktime.workloads.units import DAY, HOUR, Duration, as_seconds

__all__ = ["Logit", "Reshape", "Rush", "SeeYouLater", "Shift", "SleepOnIt"]


def reshaped(job: Job, share: float, serial: float) -> Job:
    """A job on so large a part of its processors (rounded up), as much longer as its shape, or Amdahl's law, says."""
    processors = max(1, ceil(share * job.processors))
    if job.shape is not None:
        processors = max((each for each in job.shape.every.tolist() if each <= processors), default=job.processors)
    if processors >= job.processors:
        return job
    if job.shape is not None:
        return of_size(job, processors)
    factor = (serial + (1 - serial) / processors) / (serial + (1 - serial) / job.processors)
    estimate = None if job.estimate is None else factor * job.estimate
    return replace(job, processors=processors, runtime=factor * job.runtime, estimate=estimate)


def _a_share(name: str, value: Any) -> None:
    if not 0 < value <= 1:
        raise ValueError(f"{name} must be above 0 and at most 1, not {quoted(value)}")


@dataclass(frozen=True)
class Reshape(Behaviour):
    """So large a ``share`` of the processors (rounded up) while ``when`` holds, for longer by the job's speed-up.

    On n processors a job takes serial + (1 - serial) / n of its time on one (Amdahl's law), and so does its estimate;
    a job that has a shape goes by that, with the largest of its sizes that is not above the share.
    Nothing is lost: with a ``serial`` part, narrow jobs need fewer processor-hours for the same result.
    """

    when: When
    share: Annotated[float, NUMBER] = 0.5
    serial: Annotated[float, NUMBER] = 0.0
    resizes: ClassVar[bool] = True
    loses: ClassVar[bool] = False
    response: ClassVar[str] = "reshaped"

    def __post_init__(self) -> None:
        _a_share("share", self.share)
        checks.number("serial", self.serial, "a part from 0 to 1", least=0.0, most=1.0)

    def adapt(self, user: User, job: Job) -> Job:
        """The narrower, longer job, while the condition holds."""
        narrow = reshaped(job, self.share, self.serial)
        return narrow if narrow is not job and self.when(user) else job


@dataclass(eq=False)
class SeeYouLater(Behaviour):
    """Leave if ``when`` holds, and come back in the next session: after ``away`` s, or the next morning.

    The morning is the first time at which working hours begin (those of the profile, else ``hours``), plus ``late`` (s;
    by default uniform over an hour). A user leaves at most ``times`` times for the same campaign.
    """

    when: When
    away: Time | None = None
    late: Time = WITHIN_AN_HOUR
    hours: WorkingHours = OFFICE
    times: int = 1
    response: ClassVar[str] = "delayed"

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "away", "late")
        checked_hours(self.hours)
        self.times = checks.whole("times", self.times)

    def postpone(self, user: User, time: float) -> float:
        """When the user is back."""
        left = user.memory.get("left", 0)
        if left >= self.times or not self.when(user):
            return time
        user.memory["left"] = left + 1
        if self.away is not None:
            return time + max(user.number(self, "away"), 1.0)
        return (user.hours or self.hours).morning(time) + user.number(self, "late")


@dataclass(frozen=True)
class Shift(Behaviour):
    """Submit to another ``queue`` (on the machine of a site a QOS) or ``partition`` while ``when`` holds."""

    when: When
    queue: str | None = None
    partition: str | None = None
    loses: ClassVar[bool] = False
    response: ClassVar[str] = "shifted"

    def __post_init__(self) -> None:
        if self.queue is None and self.partition is None:
            raise ValueError("Shift needs to know where to: give a queue or a partition")

    def adapt(self, user: User, job: Job) -> Job:
        """The job in the other queue or partition, while the condition holds."""
        wanted: dict[str, Any] = {"queue": self.queue, "partition": self.partition}
        other = {name: label for name, label in wanted.items() if label not in (None, getattr(job, name))}
        return replace(job, **other) if other and self.when(user) else job


@dataclass
class Purse:
    """What a user has spent of a ``budget`` (in the unit of the signal times hours, or processor-hours) in a period."""

    budget: float
    period: float
    shown: Shown | None
    number: int = -1
    spent: float = 0.0

    def left(self, time: float) -> float:
        """What is left at a time (s), as a share of the budget."""
        if (number := floor(time / self.period)) > self.number:
            self.number, self.spent = number, 0.0
        return 1.0 - self.spent / self.budget

    def cost(self, user: User, time: float, jobs: Sequence[Job] | None = None) -> float:
        """What jobs (or those considered) cost from a time (s) on, by what they ask for: a share of the budget."""
        total = 0.0
        for job in user.considered if jobs is None else jobs:
            asked = job.requested_time
            if self.shown is None:
                total += job.processors * asked / HOUR
                continue
            price = self.shown.foretold(user, time, time + asked).mean(time, time + asked)
            total += price * self.shown.amount(user, job, asked / HOUR)
        return total / self.budget

    def end(self, time: float) -> float:
        """When the period ends that a time (s) is in."""
        return (floor(time / self.period) + 1) * self.period


@dataclass(kw_only=True)
class _OnBudget(Behaviour):
    """A user who keeps an eye on what is left of a budget."""

    budget: Annotated[float, NUMBER]
    period: Annotated[Duration, SECONDS]
    low: Annotated[float, NUMBER] = 0.25
    shown: AsShown | None = None
    _purse: Purse = field(init=False, repr=False)

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "period")
        checks.positive("budget", self.budget)
        checks.positive("period", self.period)
        checks.number("low", self.low, "a part from 0 to 1", least=0.0, most=1.0)
        self._purse = Purse(self.budget, float(self.period), self.shown)

    def adapt(self, user: User, job: Job) -> Job:
        """The job itself, which is paid for."""
        time = user.now
        self._purse.left(time)
        self._purse.spent += self._purse.cost(user, time) * self.budget
        return job


@dataclass(kw_only=True, eq=False)
class SleepOnIt(_OnBudget):
    """With little left of a ``budget``, save it for the last ``before`` s of the ``period``; with none, wait.

    Each user has a budget for each period (s; the first begins at 0), in processor-hours or, with a signal that is
    ``shown``, in its unit times processor-hours or kWh (as for `Logit`), by what jobs ask for when they are submitted.
    It runs out when less than the share ``low`` of it would be left after a campaign. A campaign that costs more than
    what is left waits for the next period, at whose beginning it is submitted whatever it costs. With ``before`` = 0
    all of these do.
    """

    before: Annotated[Duration, SECONDS] = DAY
    response: ClassVar[str] = "delayed"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, as_seconds, "before")

    def postpone(self, user: User, time: float) -> float:
        """When the user spends the rest, or has a new budget."""
        left, cost, end = self._purse.left(time), self._purse.cost(user, time), self._purse.end(time)
        if left - cost >= self.low or user.memory.get("until", time + 1) <= time:
            return time
        late = end - float(self.before)
        if cost > left or self.before == 0:
            user.memory["until"] = end
            return end
        return max(time, late)


@dataclass(kw_only=True, eq=False)
class Rush(_OnBudget):
    """Come back sooner once less than the share ``low`` of a ``budget`` is left, after ``hurry`` times the think time.

    The budget is that of `SleepOnIt`: users who think that it will be used up hurry to have their part of it. Users
    of a log do where they think when a job is over: with feedback, and if they are drawn.
    """

    hurry: Annotated[float, NUMBER] = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.number("hurry", self.hurry, "a factor from 0 to 1", least=0.0, most=1.0)

    def think(self, user: User, last: CampaignRecord, thought: float) -> float:
        """The shorter think time."""
        return thought * self.hurry if 0 < self._purse.left(last.end) < self.low else thought


class Alternative(NamedTuple):
    """What a user may do with a campaign."""

    response: str
    """A kind of response, empty for none."""
    time: float
    """When it is submitted, s."""
    rate: float = 1.0
    """By what the price is multiplied."""
    queue: str | None = None
    partition: str | None = None


def _rates(such_as: str) -> Codec:
    return Codec(by_name(such_as, lambda name, value: number(value)))


@dataclass(eq=False)
class Logit(Behaviour):
    """Choose for a campaign, as it is due, among alternatives: by a logit over what each costs, takes and loses.

    The utility of an alternative is - ``money`` × its price - ``hour`` × the hours until its last job is over -
    ``worth`` × the processor-hours that are not computed. The price is the mean of the signal while the jobs run, or
    what is ``shown`` of it, times their processor-hours, or kWh if the signal is per energy and power is known (by
    what they ask for). Users choose with probabilities in proportion to exp(utility), by one number for each campaign.

    As it is, is always an alternative. Others are: to wait for the best time within ``delay`` (s); the share
    ``reshape`` of the processors (`Reshape`, with ``serial``); the part ``degrade`` of the work; to ``renounce`` all of
    it; one of ``queues`` or ``partitions``, where the price is multiplied by the number given.
    """

    shown: AsShown
    money: Annotated[float, NUMBER] = 1.0
    hour: Annotated[float, NUMBER] = 0.0
    worth: Annotated[float, NUMBER] = 0.0
    delay: Annotated[Duration, SECONDS] | None = None
    reshape: Annotated[float, NUMBER] | None = None
    serial: Annotated[float, NUMBER] = 0.0
    degrade: Annotated[float, NUMBER] | None = None
    renounce: bool = False
    queues: Annotated[Mapping[str, float], _rates("{ night = 0.5 }")] = field(default_factory=dict)
    partitions: Annotated[Mapping[str, float], _rates("{ old = 0.5 }")] = field(default_factory=dict)
    gives_up: ClassVar[bool] = True
    _chosen: Alternative = field(default=Alternative("", 0.0), init=False, repr=False)

    def __post_init__(self) -> None:
        checks.fields(self, as_seconds, "delay")
        for name in ("reshape", "degrade"):
            if getattr(self, name) is not None:
                _a_share(name, getattr(self, name))

    @property
    def response(self) -> str:  # type: ignore[override]
        """That of the alternative that was chosen."""
        return self._chosen.response

    @property
    def loses(self) -> bool:  # type: ignore[override]
        """Whether work is lost by it."""
        return self.response in ("degraded", "renounced")

    @property
    def resizes(self) -> bool:  # type: ignore[override]
        """Whether it changes the processors of jobs."""
        return self.reshape is not None

    def postpone(self, user: User, time: float) -> float:
        """Choose; later, if that is what the user has chosen."""
        memory = user.memory
        if "chosen" not in memory:
            memory["chosen"] = self._choice(user, time)
        chosen: Alternative = memory["chosen"]
        return max(time, chosen.time)

    def adapt(self, user: User, job: Job) -> Job | None:
        """The job as the alternative that was chosen has it."""
        self._chosen = user.memory["chosen"]
        return self._as(job, self._chosen)

    def alternatives(self, user: User, time: float) -> list[Alternative]:
        """What a user may do at a time (s)."""
        found = [Alternative("", time)]
        if self.delay is not None and (later := self.shown.best(user, time, float(self.delay))) > time:
            found.append(Alternative("delayed", later))
        given = ("reshaped", self.reshape), ("degraded", self.degrade), ("renounced", self.renounce or None)
        found += [Alternative(response, time) for response, value in given if value is not None]
        found += [Alternative("shifted", time, rate, queue=name) for name, rate in self.queues.items()]
        return found + [Alternative("shifted", time, rate, partition=name) for name, rate in self.partitions.items()]

    def utility(self, user: User, time: float, what: Alternative) -> float:
        """The utility of an alternative at a time (s)."""
        cost = lost = 0.0
        last = time
        for job in user.intended:
            other = self._as(job, what)
            work = 0.0 if other is None else self._work(other)
            lost += 0.0 if what.response == "reshaped" else self._work(job) - work
            if other is not None:
                start = self._start(user, other, what.time)
                end = start + other.requested_time
                amount = self.shown.amount(user, other, other.requested_time / HOUR)
                cost += self._price(user, time, start, end) * what.rate * amount
                last = max(last, end)
        return -self.money * cost - self.hour * (last - time) / HOUR - self.worth * lost

    def _as(self, job: Job, what: Alternative) -> Job | None:
        if what.response == "renounced":
            return None
        if what.response == "reshaped" and self.reshape is not None:
            return reshaped(job, self.reshape, self.serial)
        if what.response == "degraded" and self.degrade is not None:
            estimate = None if job.estimate is None else self.degrade * job.estimate
            return replace(job, runtime=self.degrade * job.runtime, estimate=estimate)
        moved: dict[str, Any] = {"queue": what.queue, "partition": what.partition}
        moved = {name: label for name, label in moved.items() if label is not None}
        return replace(job, **moved) if moved else job

    def _work(self, job: Job) -> float:
        """What a job asks for, processor-hours."""
        return job.processors * job.requested_time / HOUR

    def _start(self, user: User, job: Job, time: float) -> float:
        if self.shown.sees != "start" or time > user.now:
            return time
        found = user.sight.predicted_start(job)
        return time if found == inf else found

    def _price(self, user: User, now: float, start: float, end: float) -> float:
        if self.shown.sees in ("forecast", "start") or start > now:  # who waits for a better time knows one
            return self.shown.foretold(user, now, end).mean(start, end)
        return self.shown.price(user) or 0.0

    def _choice(self, user: User, time: float) -> Alternative:
        every = self.alternatives(user, time)
        values = [self.utility(user, time, each) for each in every]
        weights = [exp(value - max(values)) for value in values]
        luck = user.luck * sum(weights)
        for what, weight in zip(every, weights, strict=True):
            luck -= weight
            if luck < 0:
                return what
        return every[0]
