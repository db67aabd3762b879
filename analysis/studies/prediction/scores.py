"""What is measured of a run: from one week to four and a half, after its beginning and before the log runs out.

Jobs count for waits and slowdowns if they were submitted in the window and ran, for throughput if they ended in it.
Utilization is the busy time in it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import thinktime as tt

Window = tuple[float, float]
MEASURED: Window = (1 * tt.WEEK, 4.5 * tt.WEEK)
TO_THE_END: Window = (1 * tt.WEEK, 6 * tt.WEEK)
"""With which a log runs out under a policy that is better than its own."""
SHORT = 10.0
"""Of the bounded slowdown, s."""
NAMES = ("wait", "slowdown", "slowdown_gm", "jobs_a_day", "utilization")
INSTANT = 1.0
"""Shorter mean waits count as this (s), so that every ratio of waits is finite."""


class Scores(NamedTuple):
    """The numbers of one run; NaN where there is nothing to measure."""

    wait: float
    """The mean wait of a job, s."""
    slowdown: float
    """Mean bounded slowdown (10 s)."""
    slowdown_gm: float
    """The geometric mean of the same."""
    jobs_a_day: float
    utilization: float
    responses: Mapping[int, float] = {}
    """Mean response time (s) of each person's jobs."""

    @classmethod
    def of(cls, values: Sequence[float], responses: Mapping[int, float]) -> "Scores":
        """Scores of the numbers named `NAMES`."""
        return cls(**dict(zip(NAMES, values, strict=True)), responses=responses)

    @property
    def values(self) -> tuple[float, ...]:
        """The numbers named `NAMES`."""
        return tuple(getattr(self, name) for name in NAMES)


def scores(result: tt.Result, window: Window = MEASURED) -> Scores:
    """Measure a run within a window of time (from, to; s)."""
    within = result.during(*window)
    jobs = within.jobs
    ended = tt.measures.ended(jobs)
    slowdown, some = tt.measures.bounded_slowdown(jobs, SHORT)[ended], bool(ended.any())
    return Scores(
        wait=max(float(tt.measures.wait(jobs)[ended].mean()), INSTANT) if some else np.nan,
        slowdown=float(slowdown.mean()) if some else np.nan,
        slowdown_gm=float(np.exp(np.log(slowdown).mean())) if some else np.nan,
        jobs_a_day=within.throughput(),
        utilization=within.utilization(),
        responses=_responses(jobs, ended),
    )


def mean_of(runs: Sequence[Scores]) -> Scores:
    """The mean of several draws, number by number."""
    values = np.array([each.values for each in runs]).mean(axis=0).tolist()
    persons = set().union(*(each.responses for each in runs))
    responses = {
        one: float(np.mean([each.responses[one] for each in runs if one in each.responses])) for one in sorted(persons)
    }
    return Scores.of(values, responses)


def hours_of_day(result: tt.Result, window: Window = MEASURED) -> list[int]:
    """How many jobs are submitted in each hour of the day."""
    submit = result.during(*window).jobs["submit"]
    counted: list[int] = np.bincount((submit % tt.DAY // tt.HOUR).astype(int), minlength=24).tolist()
    return counted


def _responses(jobs: tt.Result, ended: NDArray[np.bool_]) -> dict[int, float]:
    users, of = np.unique(jobs["user"][ended], return_inverse=True)
    means = np.bincount(of, tt.measures.response_time(jobs)[ended]) / np.bincount(of)
    names = jobs.names["user"]
    pairs = ((_number(names[user]), mean) for user, mean in zip(users.tolist(), means.tolist(), strict=True))
    return {number: mean for number, mean in pairs if number is not None}


def _number(name: object) -> int | None:
    """The number of a person; None for a second one drawn from the same."""
    text = str(name)
    return int(text) if text.isdecimal() else None
