"""Checks of what comes from outside: what users submit, and what policies answer."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from thinktime.models.jobs.columns import Requests
from thinktime.models.jobs.refusing import PolicyError
from thinktime.workloads.grid import LIMIT, ceil_to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.job_arrays import TaskList
from thinktime.workloads.names import quoted
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import as_seconds


def check_job(job: Any, now: float) -> None:
    """Raise an error for what is not a job, and for a job that would run beyond the grid of time."""
    if not isinstance(job, Job):
        several = isinstance(job, list | tuple) and all(isinstance(each, Job) for each in job)
        hint = "submit_campaign takes several" if several else "write submit(Job(runtime=60, processors=4))"
        raise TypeError(f"a machine takes a Job, not {quoted(job)}; {hint}")
    longest = max(job.runtime, job.requested_time)
    if not now + longest < LIMIT:
        name = "a job" if job.id is None else f"job {job.id}"
        raise ValueError(
            f"{name} of {longest:.15g} s is submitted at {now:.15g} s, but times must stay below {LIMIT:,.0f} s"
        )


def campaign_list(jobs: Any) -> list[Job]:
    """The jobs of a campaign as a list: at least one, and all of one user."""
    if isinstance(jobs, Job | str | dict) or not isinstance(jobs, Iterable):
        raise TypeError(f"a campaign is a list of Jobs, not {quoted(jobs)}")
    listed = list(jobs)
    if not listed:
        raise ValueError("a campaign needs at least one job")
    users = dict.fromkeys(job.user for job in listed if isinstance(job, Job))
    if len(users) > 1:
        first, second, *_ = users
        raise ValueError(
            f"a campaign has one user, but there are jobs of {quoted(first)} and of {quoted(second)} in it"
        )
    return listed


def check_tasks(tasks: TaskList, most: int) -> None:
    """``ValueError`` for an array with a task beyond those that a site has (MaxArraySize), which begin at 0."""
    if (last := max(tasks.numbers)) >= most:
        raise ValueError(f"task {last} is beyond max_array_size of the site: the last one is {most - 1}")


def tasks_of(jobs: list[Job], tasks: TaskList) -> list[Job]:
    """The jobs of an array: one for each task, or the same for all, then with numbers that follow each other."""
    if len(jobs) == 1:
        first = jobs[0].id
        return [jobs[0] if first is None else replace(jobs[0], id=first + k) for k in range(len(tasks))]
    if len(jobs) != len(tasks):
        raise ValueError(f"the array has {len(tasks)} tasks, so give one job for all of them, or {len(tasks)} jobs")
    return jobs


def job_numbers(jobs: Sequence[Job], following: int, known: Requests) -> list[int]:
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


def repaired_at(until: Any, now: float) -> float:
    """When processors are repaired that fail now, on the grid of time."""
    until = as_seconds("until", until)
    end = float(until) if isinstance(until, Real) else now
    if not end > now:
        raise ValueError(f"until must be a time after {now:.15g} s, not {quoted(until)}")
    return ceil_to_grid(end)


def checked_clock(policy: Any, clock: Any, now: float) -> float:
    """A policy's next clock, on the grid of time; None and infinity mean that it wants none."""
    if clock is None or clock == inf:
        return inf
    if not isinstance(clock, int | float | np.number) or not clock > now:
        raise PolicyError(
            f"policy {name_of(policy)}: next_clock({now:g}) gave {quoted(clock)}, but must give a time later than now"
        )
    return ceil_to_grid(float(clock))


def checked_until(policy: Any, until: Any, now: float) -> float:
    """The time until which a policy lets an unfinished job go on, on the grid of time; it may be now or earlier."""
    if not isinstance(until, int | float | np.number) or not until < inf:
        raise PolicyError(
            f"policy {name_of(policy)}: on_estimate gave {quoted(until)} at {now:g} s, but must give a time for each "
            "job"
        )
    return ceil_to_grid(float(until))


def name_of(policy: Any) -> str:
    """A policy's text, or the name of its class where it has none; the same in every run."""
    has_text = "__str__" in {name for kind in type(policy).__mro__[:-1] for name in vars(kind)}
    return str(policy) if has_text else type(policy).__name__
