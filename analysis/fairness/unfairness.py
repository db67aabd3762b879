"""From fair start times to numbers: who started later than was fair, and by how much.

A job's miss time is max(0, start - FST). Measures are over all jobs that have started and have a fair start
time; N is their number. Source: the cplant paper, section IV, which calls the sum of miss times divided by
*all* jobs the average "of the unfair jobs"; here the printed formula is `average_miss`, and the average over
unfair jobs stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinktime.models.results import measures
from thinktime.models.results.result import Result

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Unfairness:
    """How many jobs started later than was fair, and by how much (s); NaN where there is no such job."""

    jobs: int
    percent_unfair: float
    percent_unfair_load: float
    """The part of all processor-seconds that is those of unfair jobs, in percent."""
    total_miss: float
    average_miss: float
    """Over all jobs: the printed formula."""
    average_miss_unfair: float
    """Over the unfair jobs."""


def miss_times(result: Result, fst: Floats) -> Floats:
    """max(0, start - FST) of every job (s); NaN where either is missing."""
    return np.maximum(result["start"] - fst, 0.0)


def unfairness(result: Result, fst: Floats, tolerance: float = 0.0) -> Unfairness:
    """The measures for fair start times ``fst``, one per row of the result.

    A job is unfair if it starts more than ``tolerance`` seconds after its fair start time; miss times are
    counted without it.
    """
    miss = miss_times(result, fst)
    known = ~np.isnan(miss)
    miss, load = miss[known], measures.area(result)[known]
    unfair = (result["start"] - fst)[known] > tolerance
    jobs, total = len(miss), float(miss.sum())
    return Unfairness(
        jobs=jobs,
        percent_unfair=100.0 * _over(float(unfair.sum()), jobs),
        percent_unfair_load=100.0 * _over(float(load[unfair].sum()), float(load.sum())),
        total_miss=total,
        average_miss=_over(total, jobs),
        average_miss_unfair=_over(float(miss[unfair].sum()), int(unfair.sum())),
    )


def _over(part: float, whole: float) -> float:
    return part / whole if whole else np.nan
