"""Checks of what users submit: jobs, campaigns of one user, unique numbers, and times on the grid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from thinktime.models.job_columns import Requests
from thinktime.workloads.grid import LIMIT
from thinktime.workloads.job import Job
from thinktime.workloads.trace import Trace

_SHOWN = 60
"""The most characters of a value that a message shows."""


def check(job: Any, now: float) -> None:
    """Raise an error for what is not a job, and for a job that would run beyond the grid of time."""
    if not isinstance(job, Job):
        several = isinstance(job, list | tuple) and all(isinstance(each, Job) for each in job)
        hint = "submit_campaign takes several" if several else "write submit(Job(runtime=60, processors=4))"
        raise TypeError(f"a machine takes a Job, not {shown(job)}; {hint}")
    longest = max(job.runtime, job.requested_time)
    if not now + longest < LIMIT:
        name = "a job" if job.id is None else f"job {job.id}"
        raise ValueError(
            f"{name} of {longest:.15g} s is submitted at {now:.15g} s, but times must stay below {LIMIT:,.0f} s"
        )


def campaign(jobs: Any) -> list[Job]:
    """The jobs of a campaign as a list: at least one, and all of one user."""
    if isinstance(jobs, Job | str | dict) or not isinstance(jobs, Iterable):
        raise TypeError(f"a campaign is a list of Jobs, not {shown(jobs)}")
    listed = list(jobs)
    if not listed:
        raise ValueError("a campaign needs at least one job")
    users = dict.fromkeys(job.user for job in listed if isinstance(job, Job))
    if len(users) > 1:
        first, second, *_ = users
        raise ValueError(f"a campaign has one user, but there are jobs of {first!r} and of {second!r} in it")
    return listed


def numbers(jobs: Sequence[Job], following: int, known: Requests) -> list[int]:
    """The jobs' numbers: their own, which must be unique, or the next free ones from ``following`` on."""
    given: list[int] = []
    own: set[int] = set()
    free = following
    for job in jobs:
        number = free if job.id is None else job.id
        # Numbers from ``following`` on are new, so most callers need no search.
        there = number < following and bool((known.id[: known.size] == number).any())
        if job.id is not None and (there or number in own):
            raise ValueError(
                f"there is a job {number} on this machine already; give another id, or none: "
                f"the machine numbers jobs from {following} on"
            )
        given.append(number)
        own.add(number)
        free = max(free, number + 1)
    return given


def check_span(trace: Trace) -> None:
    """Raise an error for a log whose jobs would end beyond the grid of time."""
    ends = trace.submit + np.nan_to_num(trace.runtime, nan=0.0)
    late = np.flatnonzero(np.isfinite(ends) & (ends >= LIMIT))
    if late.size:
        row = int(late[0])
        raise ValueError(
            f"job {trace.id[row]} of {trace.runtime[row]:.15g} s is submitted at {trace.submit[row]:.15g} s, but "
            f"times must stay below {LIMIT:,.0f} s"
        )


def shown(value: Any) -> str:
    """A value as messages show it: shortened where it is long."""
    if isinstance(value, int) and abs(value) >= 10**_SHOWN:
        return f"a number of {value.bit_length()} bits"
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
