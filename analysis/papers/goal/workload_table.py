"""The workload of a month in numbers: demand, users, jobs, and how they spread (the goal paper's Table I)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thinktime.workloads.calendar import Month
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import HOUR


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, median and maximum; NaN of nothing."""

    mean: float
    median: float
    maximum: float

    @classmethod
    def of(cls, values: ArrayLike) -> "Spread":
        """The spread of some numbers."""
        numbers = np.asarray(values, np.float64)
        if not len(numbers):
            return cls(np.nan, np.nan, np.nan)
        return cls(float(numbers.mean()), float(np.median(numbers)), float(numbers.max()))


@dataclass(frozen=True, slots=True)
class MonthlyWorkload:
    """The jobs submitted in one month; sizes in processor-hours, processors and hours, from true run times."""

    month: str
    demand: float
    """Processor-hours of the month's jobs over those of the machine in the month: a fraction."""
    users: int
    jobs: int
    jobs_per_user: Spread
    demand_per_user: Spread
    """Processor-hours."""
    size: Spread
    """Processor-hours of a job."""
    processors: Spread
    runtime: Spread
    """Hours."""


def workload_of(trace: Trace, month: Month, processors: int) -> MonthlyWorkload:
    """One line of the table: the jobs that are submitted in a month and fit the machine."""
    part = trace.select(
        (trace.submit >= month.start) & (trace.submit < month.end) & (trace.processors <= processors)
    )
    hours = part.processors * part.runtime / HOUR
    _, owner = np.unique(part.user, return_inverse=True)
    return MonthlyWorkload(
        month=month.name,
        demand=float(hours.sum()) / (processors * (month.end - month.start) / HOUR),
        users=len(np.unique(owner)),
        jobs=len(part),
        jobs_per_user=Spread.of(np.bincount(owner)),
        demand_per_user=Spread.of(np.bincount(owner, hours)),
        size=Spread.of(hours),
        processors=Spread.of(part.processors),
        runtime=Spread.of(part.runtime / HOUR),
    )
