"""Campaign users: submit a campaign of jobs, wait for all of them, think, repeat.

The user of the ostrich paper (section 3): a campaign is a set of independent jobs submitted together; the
think time runs from the end of its last job to the next submission. ``campaign_user`` is a SimPy process; a
`Profile` says what such a user's campaigns look like, and ``population`` starts many users at once, each
with a stream of its own, so that the same user draws the same jobs and think times under every policy.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import simpy

from thinktime.models.events import CampaignRecord
from thinktime.models.machine import Machine
from thinktime.users.draws import Quantity, draws
from thinktime.workloads.grid import to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.streams import Seed, stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a user's campaigns look like.

    Every field is a `Quantity`: a number, a distribution or a function of a generator.

    ``runtime`` of a job (s), ``jobs`` in a campaign, ``think_time`` (s) from the end of a campaign to the
    next submission, ``processors`` of a job, ``overestimate``: the factor from a job's run time to its
    estimate, ``first``: when the first campaign is submitted (s). Numbers of jobs and processors are
    rounded, and at least 1.
    """

    runtime: Quantity
    jobs: Quantity
    think_time: Quantity
    processors: Quantity = 1
    overestimate: Quantity = 1.0
    first: Quantity = 0.0


Process = Generator[simpy.Event, Any, None]


def campaign_user(
    env: simpy.Environment,
    machine: Machine,
    name: str | int,
    rng: np.random.Generator,
    profile: Profile,
    campaigns: float = math.inf,
) -> Process:
    """One user as a SimPy process: ``env.process(campaign_user(env, machine, "ada", rng, profile))``.

    Ends after ``campaigns`` campaigns; by default never, so run the environment ``until`` some time.
    """
    parts = dict(zip(Profile.__slots__, rng.spawn(len(Profile.__slots__)), strict=True))
    numbers = {part: draws(getattr(profile, part), parts[part], part) for part in parts}
    thought: float | None = None
    yield env.timeout(max(0.0, next(numbers["first"])))
    done = 0
    while done < campaigns:
        jobs = [_job(name, numbers, thought) for _ in range(_count(next(numbers["jobs"])))]
        record: CampaignRecord = yield machine.submit_campaign(jobs)
        assert record.jobs
        done += 1
        thought = to_grid(max(0.0, next(numbers["think_time"])))
        yield env.timeout(thought)


def population(
    env: simpy.Environment,
    machine: Machine,
    users: Mapping[str | int, Profile],
    seed: Seed,
    campaigns: float = math.inf,
) -> list[simpy.Process]:
    """Start a campaign user for every name in ``users``, each with the stream that belongs to ``seed`` and the name."""
    return [
        env.process(campaign_user(env, machine, name, stream(seed, name), profile, campaigns))
        for name, profile in users.items()
    ]


def _job(name: str | int, numbers: Mapping[str, Any], thought: float | None) -> Job:
    runtime = max(0.0, next(numbers["runtime"]))
    return Job(
        user=name,
        runtime=runtime,
        estimate=max(1.0, runtime * next(numbers["overestimate"])),
        processors=_count(next(numbers["processors"])),
        think_time=thought,
    )


def _count(number: float) -> int:
    return max(1, round(number))
