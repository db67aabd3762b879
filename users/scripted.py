"""Scripted users: campaigns that are known in advance, submitted in a closed loop.

A `campaign_user` draws its campaigns as it goes; a scripted user is given them. Each is submitted a think time after
the actual end of the one before (the ostrich paper, section 3). So a generated instance, or a textbook example, can
be run under several policies with users who react to each.
"""

import math
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import simpy

from thinktime.models.machine.machine import Machine
from thinktime.models.machine.plans import FAR, Ahead, Plan
from thinktime.users.source import Begun, Source, followed
from thinktime.workloads import checks
from thinktime.workloads.generators.campaign_jobs import UserPlan
from thinktime.workloads.generators.cycles import UserClock
from thinktime.workloads.job import Job
from thinktime.workloads.units import Duration, as_seconds

Process = Generator[simpy.Event, Any, None]
Later = Callable[[float, float], float]
"""From when a user begins to think, and for how long, to the next submission (all in s)."""


def scripted_user(
    env: simpy.Environment,
    machine: Machine,
    name: str | int,
    campaigns: Sequence[Iterable[Job | Duration]],
    think_time: Duration | Sequence[Duration] = 0.0,
    first: Duration = 0.0,
    begins: Sequence[Duration] | None = None,
    later: Later | None = None,
) -> Process:
    """One user as a process: ``env.process(scripted_user(env, machine, "ada", [[60, 60], [30]], 600))``.

    Times are in s, or texts such as "1 h". A campaign is a list of jobs or, for sequential jobs with exact estimates,
    of run times. Jobs are
    submitted in the name of this user. ``think_time`` (s) is one number, or one for each campaign: the time
    from its end to the next submission, so that of the last campaign is not needed. ``first`` is when the
    first campaign is submitted (s from now). ``begins`` are the times (s) at which the user intends to submit
    each campaign; it is submitted then or after the think time, whichever is later. ``later``, if given, says when
    a think time is over, for users who do not think around the clock.

    ``ValueError`` if there are not as many ``begins``, or think times, as campaigns.

    >>> import simpy, thinktime as tt
    >>> env = simpy.Environment()
    >>> machine = tt.Machine(env, processors=2)
    >>> user = env.process(scripted_user(env, machine, "ada", [[60, 60], [30]], think_time=600))
    >>> env.run()
    >>> machine.result()["submit"].tolist()
    [0.0, 0.0, 660.0]
    """
    listed = [list(campaign) for campaign in campaigns]
    if begins is not None and len(begins) != len(listed):
        raise ValueError(f"{len(listed)} campaigns need {len(listed)} times to begin, not {len(begins)}")
    gaps = [_duration("first", first), *_thoughts(think_time, len(listed))]
    times = None if begins is None else [as_seconds("begins", each) for each in begins]
    return _played(machine, Script(machine, name, listed, gaps, times, later))


def _played(machine: Machine, script: "Script") -> Process:
    if machine.can_plan() and script.foreseeable(machine.capacity):
        yield from followed(machine, machine.plans.add(script))
    else:
        yield from script.process()


class PlannedUsers(Source):
    """Generated users whose campaigns are known in advance (`thinktime.workloads.generators.plans_of`)."""

    chained, recorded = True, False

    def __init__(self, plans: Sequence[UserPlan], clock: UserClock | None = None) -> None:
        self._plans, self._clock = plans, clock

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Start a process for every user's plan."""
        return Begun(env.all_of([env.process(planned_user(env, machine, p, self._clock)) for p in self._plans]))


def planned_user(env: simpy.Environment, machine: Machine, plan: UserPlan, clock: UserClock | None = None) -> Process:
    """The user of a generated plan (`thinktime.workloads.generators.plans_of`), called ``PROFILE NUMBER``."""
    estimates = plan.estimates or plan.runtimes
    jobs = [
        [Job(runtime=r, processors=p, estimate=e) for r, p, e in zip(*columns, strict=True)]
        for columns in zip(plan.runtimes, plan.processors, estimates, strict=True)
    ]
    later = None if clock is None or clock.plain else clock.later
    name = f"{plan.profile} {plan.user}"
    return scripted_user(env, machine, name, jobs, plan.think_times, plan.first, plan.begins, later)


class Script(Plan):
    """The campaigns of a scripted user, as a plan (`thinktime.models.machine.plans`) and as a process."""

    def __init__(
        self,
        machine: Machine,
        name: str | int,
        campaigns: list[list[Job | Duration]],
        gaps: list[float],
        begins: Sequence[float] | None,
        later: Later | None,
    ) -> None:
        self.names, self._machine = [name], machine
        self.asked = later is not None
        self._campaigns, self._gaps, self._begins, self._later = campaigns, gaps, begins, later

    def foreseeable(self, processors: int) -> bool:
        """Whether nothing that the user does can depend on anything but the ends of campaigns.

        Otherwise a process plays the script, as it does if there is something special, or wrong, in a campaign.
        """
        clock = getattr(self._later, "__self__", None)
        times = [*self._gaps, *(self._begins or ())]
        return (
            (self._later is None or isinstance(clock, UserClock))
            and all(time < FAR for time in times)
            and all(campaign and all(_is_plain(job, processors) for job in campaign) for campaign in self._campaigns)
        )

    def wait(self, user: int, now: float, thought: float, least: float = 0.0) -> float:
        """How long the user waits for a submission, thinking on a clock of its own, s."""
        return thought if self._later is None else self._later(now, thought) - now

    def more(self, user: int, now: float) -> Ahead:
        """All campaigns of the script at once."""
        jobs = [_job(self.names[0], job, None) for campaign in self._campaigns for job in campaign]
        return Ahead(
            np.array(self._gaps[: len(self._campaigns)]),
            np.array([len(campaign) for campaign in self._campaigns], np.int64),
            np.array([job.runtime for job in jobs]),
            np.array([job.requested_time for job in jobs]),
            np.array([job.processors for job in jobs], np.int64),
            begin=-math.inf if self._begins is None else np.array(self._begins, float),
        )

    def process(self, user: int = 0) -> Process:
        """The user as a process of its own."""
        env = self._machine.env
        for number, campaign in enumerate(self._campaigns):
            wait = self.wait(user, float(env.now), self._gaps[number])
            if self._begins is not None:
                wait = max(wait, self._begins[number] - env.now)
            yield env.timeout(max(wait, 0.0))
            jobs = [_job(self.names[0], job, wait if number else None) for job in campaign]
            yield self._machine.submit_campaign(jobs)


def _is_plain(job: Any, processors: int) -> bool:
    """Whether a job of a campaign has a run time, a size and an estimate, and nothing else."""
    try:
        made = _job(None, job, None)
    except (TypeError, ValueError):
        return False
    plain = Job(runtime=made.runtime, processors=made.processors, estimate=made.estimate)
    return made == plain and made.processors <= processors and max(made.runtime, made.requested_time) < FAR


def _job(name: str | int | None, job: Job | Duration, thought: float | None) -> Job:
    if isinstance(job, Job):
        return replace(job, user=name, think_time=thought)
    return Job(user=name, runtime=job, think_time=thought)


def _thoughts(think_time: Duration | Sequence[Duration], campaigns: int) -> list[float]:
    needed = max(campaigns - 1, 0)
    if isinstance(think_time, str) or not isinstance(think_time, Sequence):
        return [_duration("think_time", think_time)] * needed
    if len(think_time) not in (needed, campaigns):
        raise ValueError(
            f"{campaigns} campaigns need {needed} think times, or {campaigns} of which the last is not used, "
            f"not {len(think_time)}"
        )
    return [_duration("think_time", each) for each in think_time[:needed]]


def _duration(name: str, value: Duration) -> float:
    return checks.number(name, as_seconds(name, value), "a number of at least 0 s", least=0.0)
