"""Campaign users: submit a campaign of jobs, wait for all of them, think, repeat.

The user model of the ostrich paper (section 3): a campaign is a set of independent jobs submitted together. The
think time runs from the end of its last job to the next submission. ``campaign_user`` is a SimPy process; a
`Profile` describes such a user's campaigns, and ``population`` starts many users at once. Each has
its own random stream, so that the same user draws the same jobs and think times under every policy.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from typing import Any

import numpy as np
import simpy

from thinktime.models.events import NEVER_SUBMITTED, CampaignRecord
from thinktime.models.machine import Machine
from thinktime.users.local_hours import WorkingHours
from thinktime.users.profiles import Profile, Reaction
from thinktime.users.sampling import draws, usable
from thinktime.users.source import Begun, Source
from thinktime.users.user_at_work import UserAtWork
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.streams import Seed, stream

Process = Generator[simpy.Event, Any, None]
SECOND_LOOK = 1.0  # s: the least think time after giving up a whole campaign at once


class CampaignUsers(Source):
    """Campaign users by name, each with a `Profile`; the arguments are those of `population`."""

    recorded = False

    def __init__(
        self,
        users: Mapping[str | int, Profile],
        seed: Seed = 0,
        campaigns: float = math.inf,
        until: float = math.inf,
    ) -> None:
        self._given = users, seed, campaigns, until
        self.endless = campaigns == until == math.inf
        self.resizes = any(
            profile.nodes is not None and any(each.resizes for each in profile.behaviours)
            for profile in users.values()
        )

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Start every user."""
        return Begun(env.all_of(population(env, machine, *self._given)))


# Each user has its own stream.
QUANTITIES = ("runtime", "jobs", "think_time", "processors", "overestimate", "first")


def campaign_user(
    env: simpy.Environment,
    machine: Machine,
    name: str | int,
    rng: np.random.Generator,
    profile: Profile,
    campaigns: float = math.inf,
    until: float = math.inf,
) -> Process:
    """One user as a SimPy process: ``env.process(campaign_user(env, machine, "ada", rng, profile))``.

    Ends after ``campaigns`` campaigns, or when a submission would come after ``until`` (s); by default
    it never ends, so run the environment ``until`` some time.
    """
    streams = dict(zip(QUANTITIES, rng.spawn(len(QUANTITIES)), strict=True))
    numbers = {part: _numbers(profile, part, streams[part], name) for part in QUANTITIES}
    user = UserAtWork(env, machine, name, rng, profile)
    ended, thought = env.now, next(numbers["first"])
    while user.campaign < campaigns and not user.gone:
        submit = _submission(ended + usable(thought, name, "think_time"), profile.hours)
        while submit <= until:
            if submit > env.now:
                yield env.timeout(submit - env.now)
            later = user.postponed(submit)
            if later == submit:
                break
            submit = _submission(later, profile.hours)
        else:
            return
        waited = submit - ended if user.campaign else None
        jobs = [_job(name, profile, numbers, waited) for _ in range(_count(next(numbers["jobs"])))]
        last = yield from user.carry_out(jobs)
        ended = env.now
        thought = user.thought(last, _thought(profile, numbers, last, streams["think_time"]))
        if last.number == NEVER_SUBMITTED:
            thought = max(thought, SECOND_LOOK)
        user.campaign += 1


def population(
    env: simpy.Environment,
    machine: Machine,
    users: Mapping[str | int, Profile],
    seed: Seed,
    campaigns: float = math.inf,
    until: float = math.inf,
) -> list[simpy.Process]:
    """Start a campaign user for every name in ``users``, each with a stream made from ``seed`` and the name."""
    return [
        env.process(campaign_user(env, machine, name, stream(seed, name), profile, campaigns, until))
        for name, profile in users.items()
    ]


def _numbers(profile: Profile, part: str, rng: np.random.Generator, name: str | int) -> Iterator[float]:
    quantity = getattr(profile, part)
    if isinstance(quantity, Reaction):
        return iter(())
    return (usable(value, name, part) for value in draws(quantity, rng, part))


def _thought(
    profile: Profile, numbers: Mapping[str, Iterator[float]], last: CampaignRecord, rng: np.random.Generator
) -> float:
    """How long the user thinks after a campaign, s."""
    if isinstance(profile.think_time, Reaction):
        thought = float(profile.think_time.function(last, rng))
        if math.isnan(thought) and not last.served:
            raise ValueError(
                f"user {last.jobs[0].user!r}: the think time after a campaign that was given up is nan; such a "
                "campaign has no response_time and no stretch; last.elapsed is how long it took until it was over"
            )
        return thought
    return next(numbers["think_time"])


def _submission(time: float, hours: WorkingHours | None) -> float:
    """When a submission intended for ``time`` is made: on the grid of time, within working hours."""
    return ceil_to_grid(time if hours is None else hours.next(time))


def _job(name: str | int, profile: Profile, numbers: Mapping[str, Any], thought: float | None) -> Job:
    runtime = next(numbers["runtime"])
    nodes = profile.nodes
    return Job(
        user=name,
        runtime=runtime,
        estimate=runtime * next(numbers["overestimate"]),
        processors=_count(next(numbers["processors"])) if nodes is None else 1,
        nodes=nodes,
        think_time=thought,
    )


def _count(number: float) -> int:
    return max(1, round(number))
