"""Scripted users: campaigns that are known beforehand, played in a closed loop.

A `campaign_user` draws its campaigns as it goes; a scripted user is given them. What is left to the machine
is when they are submitted: the next one a think time after the real end of the one before (the ostrich
paper, section 3). So a generated instance, or a textbook example, is played under several policies with
users who react to each.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any

import simpy

from thinktime.models.machine import Machine
from thinktime.workloads.job import Job

Process = Generator[simpy.Event, Any, None]


def scripted_user(
    env: simpy.Environment,
    machine: Machine,
    name: str | int,
    campaigns: Sequence[Iterable[Job | float]],
    think_time: float | Sequence[float] = 0.0,
    first: float = 0.0,
) -> Process:
    """One user as a process: ``env.process(scripted_user(env, machine, "ada", [[60, 60], [30]], 600))``.

    A campaign is a list of jobs or, for sequential jobs with exact estimates, of run times (s). Jobs are
    submitted in the name of this user. ``think_time`` (s) is one number, or one for each campaign: the time
    from its end to the next submission, so that of the last campaign is not needed. ``first`` is when the
    first campaign is submitted (s from now).
    """
    listed = [list(campaign) for campaign in campaigns]
    return _process(env, machine, name, listed, _thoughts(think_time, len(listed)), _duration("first", first))


def _process(
    env: simpy.Environment,
    machine: Machine,
    name: str | int,
    campaigns: list[list[Job | float]],
    thoughts: list[float],
    first: float,
) -> Process:
    yield env.timeout(first)
    for number, campaign in enumerate(campaigns):
        thought = thoughts[number - 1] if number else None
        if thought is not None:
            yield env.timeout(thought)
        yield machine.submit_campaign([_job(name, job, thought) for job in campaign])


def _job(name: str | int, job: Job | float, thought: float | None) -> Job:
    if isinstance(job, Job):
        return replace(job, user=name, think_time=thought)
    return Job(user=name, runtime=job, think_time=thought)


def _thoughts(think_time: float | Sequence[float], campaigns: int) -> list[float]:
    """The think time after each campaign but the last."""
    needed = max(campaigns - 1, 0)
    if not isinstance(think_time, Sequence):
        return [_duration("think_time", think_time)] * needed
    if len(think_time) not in (needed, campaigns):
        raise ValueError(
            f"{campaigns} campaigns need {needed} think times, or {campaigns} of which the last is not used, "
            f"not {len(think_time)}"
        )
    return [_duration("think_time", each) for each in think_time[:needed]]


def _duration(name: str, value: float) -> float:
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a number of at least 0 s, not {value!r}")
    return float(value)
