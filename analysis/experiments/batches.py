"""What is kept of the only run of a point, so that it has intervals: the means of batches of its jobs.

Where nothing is random there is one run of each policy, and an interval comes from within it, by batch means. Jobs
are put in order of submission (then of their numbers) and cut by how many there are, so policies that were given
the same jobs at the same times have the same batches, and are compared batch by batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.analysis.experiments.metrics import Metric
from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.statistics import Cut, common_batches
from thinktime.models.result import Result

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
        order = np.lexsort((jobs["id"], jobs["submit"]))
        cut = common_batches(values[order])
        if cut is not None:
            means = [value if np.isfinite(value) else None for value in cut.means]
            found[each.name] = {"means": means, "fine": cut.fine, "jobs": _hash(jobs, order)}
    return found


def _hash(jobs: Result, order: Any) -> str:
    digest = hashlib.sha256()
    for name in SAME:
        digest.update(np.ascontiguousarray(jobs[name][order]).tobytes())
    return digest.hexdigest()[:16]
