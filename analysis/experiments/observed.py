"""How many observations a metric of one run has, and how many are missing.

A mean of response times is over the jobs or campaigns that were served. Those given up, and those waiting or running
at the horizon, have none (`thinktime.models.results.outcome`) and are counted here. In a metric over users,
`n` counts the users with a value; the others count as `abandoned` if they gave up anything, else as `unfinished`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.response_times import response_times
from thinktime.models.results import measures
from thinktime.models.results.outcome import Outcome, abandonment, abandonment_by_user, outcomes
from thinktime.workloads.arrays import Floats, Whole


class Observed(NamedTuple):
    """The observations behind one number."""

    n: int
    """Observations with a value."""
    abandoned: int = 0
    """Observations without a value because they were given up."""
    unfinished: int = 0
    """Observations without a value because they had not ended."""
    partly: int = 0
    """Users with a value who also gave up something."""

    @property
    def wanted(self) -> int:
        """All observations, with and without a value."""
        return self.n + self.abandoned + self.unfinished

    @property
    def without_value(self) -> list[str]:
        """The numbers of observations without a value, as text."""
        kinds = ((self.abandoned, "given up"), (self.unfinished, "unfinished"))
        return [f"{count:,} {what}" for count, what in kinds if count]

    def __add__(self, other: object) -> "Observed":
        """The observations of two runs together."""
        if not isinstance(other, Observed):
            return NotImplemented
        return Observed(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class InRun(NamedTuple):
    """The jobs and campaigns of one run, the work lost, and the observations behind its metrics."""

    jobs: Observed
    campaigns: Observed
    lost_processor_hours: float
    """The work of abandoned jobs."""
    metrics: Mapping[str, Observed]
    """By name, for metrics that have observations."""
    lacks: tuple[str, ...] = ()
    """What users who were fitted to a log do beyond their model (`thinktime.workloads.calibration.beyond`)."""

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> "InRun":
        """Read what `kept` returned."""
        metrics = {name: Observed(*counts) for name, counts in plain["metrics"].items()}
        jobs, campaigns = (Observed(*plain[name]) for name in ("jobs", "campaigns"))
        return cls(jobs, campaigns, float(plain["lost_processor_hours"]), metrics, tuple(plain.get("lacks", ())))


def kept(metrics: Mapping[str, Observed], measured: Measured, lacks: Sequence[str] = ()) -> dict[str, Any]:
    """What is stored for a run, as plain values."""
    given_up = abandonment(measured.jobs)
    return {
        "jobs": list(of_jobs(measured, measured.values("response_time", measures.response_time))),
        "campaigns": list(of_campaigns(measured)),
        "lost_processor_hours": given_up.processor_hours,
        "metrics": {name: list(counts) for name, counts in metrics.items()},
        **({"lacks": list(lacks)} if lacks else {}),
    }


def of_jobs(measured: Measured, values: Floats) -> Observed:
    """The observations of a measure of jobs with these values."""
    unfinished = int(np.count_nonzero(outcomes(measured.jobs) == Outcome.UNFINISHED))
    return Observed(len(values), abandonment(measured.jobs).abandoned, unfinished)


def of_so_many(measured: Measured, jobs: int) -> Observed:
    """The observations of a measure of this many `jobs`, some of which may be running."""
    given_up = abandonment(measured.jobs)
    return Observed(jobs, given_up.abandoned, max(0, given_up.wanted - given_up.abandoned - jobs))


def of_campaigns(measured: Measured) -> Observed:
    """The observations of a measure of campaigns; campaigns without work have no value but count as served."""
    found = response_times(measured.jobs)
    return Observed(found.served, found.abandoned, found.unfinished)


def of_users(measured: Measured, codes: Whole) -> Observed:
    """The observations of a measure over users, of whom those with these codes have a value."""
    labels = [None, *measured.jobs.names["user"]]
    there = {labels[code + 1] for code in np.unique(codes).tolist()}
    found = abandonment_by_user(measured.jobs).items()
    without = [each.abandoned > 0 for user, each in found if user not in there and each.wanted]
    partly = sum(each.abandoned > 0 for user, each in found if user in there)
    return Observed(len(there), sum(without), len(without) - sum(without), partly)
