"""Batch means, stored to give intervals if there is only one run.

If nothing is random, each policy has a single run, and intervals come from batch means. Jobs are sorted by submission
(then by number) and divided into batches by their count alone. So policies that were given the same jobs at the same
times have the same batches, and are compared batch by batch.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.analysis.experiments.metrics import Metric
from thinktime.analysis.experiments.window import Measured, finite
from thinktime.analysis.statistics import Cut, Difference, common_batches, independent, paired, unpaired
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import AnyArray, Floats

SAME = ("submit", "id", "user", "processors", "runtime")
"""The columns that identify a job: jobs that agree in them are the same."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The batches of one metric in one run."""

    cut: Cut
    jobs: str
    """A hash of the measured jobs; runs with the same hash have the same batches."""

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> "Kept":
        """Read one metric that `kept` returned."""
        means = tuple(np.nan if each is None else float(each) for each in plain["means"])
        return cls(Cut(means, bool(plain["fine"])), str(plain["jobs"]))


def kept(metrics: Iterable[Metric], measured: Measured) -> dict[str, Any]:
    """For each metric that is a mean over jobs, its batch means as plain values; none for a short run."""
    found: dict[str, Any] = {}
    for each in metrics:
        if each.per_job is None:
            continue
        jobs, values = each.per_job(measured)
        own = of_jobs(values, jobs, np.lexsort((jobs["id"], jobs["submit"])))
        if own is not None:
            means = [finite(value) for value in own.cut.means]
            found[each.name] = {"means": means, "fine": own.cut.fine, "jobs": own.jobs}
    return found


def of_jobs(values: Floats, jobs: Result, order: AnyArray, same: Sequence[str] = SAME) -> Kept | None:
    """The batches of a value per job (NaN for none), with the jobs in the given order; None for a short run.

    Jobs that agree in the columns ``same`` are the same.
    """
    if (cut := common_batches(values[order])) is None:
        return None
    columns = b"".join(np.ascontiguousarray(jobs[name][order]).tobytes() for name in same)
    return Kept(cut, hashlib.sha256(columns).hexdigest()[:16])


def differing(first: Kept, second: Kept, confidence: float = 0.95) -> tuple[Difference, bool]:
    """First minus second, and whether the difference can be trusted.

    Runs of the same jobs are compared batch by batch, others by Welch's test on the batch means.
    """
    x, y = np.array(first.cut.means), np.array(second.cut.means)
    if first.jobs == second.jobs:
        sure = first.cut.fine and second.cut.fine and independent(x - y)
        return paired(x, y, confidence), sure
    return unpaired(x, y, confidence), first.cut.trusted and second.cut.trusted
