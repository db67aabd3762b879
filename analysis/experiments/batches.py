"""What is kept of the only run of a point, so that it has intervals: the means of batches of its jobs.

Where nothing is random there is one run of each policy, and an interval comes from within it, by batch means. Jobs
are put in order of submission (then of their numbers) and cut by how many there are, so policies that were given
the same jobs at the same times have the same batches, and are compared batch by batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis.experiments.metrics import Metric
from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.statistics import Cut, Difference, common_batches, independent, paired, unpaired
from thinktime.models.results.result import Result

SAME = ("submit", "id", "user", "processors", "runtime")
"""Jobs that agree in these are the same ones."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One metric of one run."""

    cut: Cut
    jobs: str
    """A hash of the jobs that are measured: runs with the same one have the same batches."""

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Kept:
        """What `kept` gave."""
        means = tuple(np.nan if each is None else float(each) for each in plain["means"])
        return cls(Cut(means, bool(plain["fine"])), str(plain["jobs"]))


def kept(metrics: Iterable[Metric], measured: Measured) -> dict[str, Any]:
    """By metric that is a mean over jobs: the means of its batches, in plain values; none for a short run."""
    found: dict[str, Any] = {}
    for each in metrics:
        if each.per_job is None:
            continue
        jobs, values = each.per_job(measured)
        own = of_jobs(values, jobs, np.lexsort((jobs["id"], jobs["submit"])))
        if own is not None:
            means = [value if np.isfinite(value) else None for value in own.cut.means]
            found[each.name] = {"means": means, "fine": own.cut.fine, "jobs": own.jobs}
    return found


def of_jobs(
    values: npt.NDArray[np.float64], jobs: Result, order: npt.NDArray[Any], same: Sequence[str] = SAME
) -> Kept | None:
    """The batches of a value per job (NaN where there is none), with the jobs in this order; None for a short run.

    Jobs that agree in the columns ``same`` are the same ones.
    """
    cut = common_batches(values[order])
    return None if cut is None else Kept(cut, _hash(jobs, order, same))


def differing(first: Kept, second: Kept, confidence: float = 0.95) -> tuple[Difference, bool]:
    """First minus second, and whether it is to be trusted.

    Runs of the same jobs are compared batch by batch, others by Welch's test on the two rows of batches.
    """
    x, y = np.array(first.cut.means), np.array(second.cut.means)
    if first.jobs == second.jobs:
        sure = first.cut.fine and second.cut.fine and independent(x - y)
        return paired(x, y, confidence), sure
    return unpaired(x, y, confidence), first.cut.trusted and second.cut.trusted


def _hash(jobs: Result, order: npt.NDArray[Any], same: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for name in same:
        digest.update(np.ascontiguousarray(jobs[name][order]).tobytes())
    return digest.hexdigest()[:16]
