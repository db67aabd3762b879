"""Runtime limits: jobs longer than the limit are submitted as chains of segments.

A job with run > limit L becomes k = ceil(run / L) segments of lengths L, …, L, rest, each submitted when the
one before is over. The estimate of segment i is min(L, max(estimate - (i - 1) L, its length)), so a segment
never outlives its estimate. The estimates of all other jobs are capped at L. The first segment keeps the job's
number; the others get numbers above all of the log, in order of (job, part).

Source: the cplant paper, section V.A; estimates and their cap are our decisions.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.grid import to_grid
from thinktime.workloads.names import quoted
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import Duration, as_seconds


class SegmentCut(NamedTuple):
    """Jobs cut at a runtime limit: their first segments, one per job, and the later ones in order of (job, part)."""

    runtime: Floats
    """Of each job's first segment, or of the whole job, s."""
    estimate: Floats
    job: Whole
    """The place of each later segment's job."""
    part: Whole
    """The number of each later segment within its job: 1 for the second segment, and so on."""
    later_runtime: Floats
    later_estimate: Floats


def cut(runtime: Floats, estimate: Floats, limit: float) -> SegmentCut:
    """Cut jobs at a runtime limit (s); an infinite run time, that of a hold, stays whole."""
    long = (runtime > limit) & np.isfinite(runtime)
    parts = np.ceil(np.where(long, runtime, limit) / limit).astype(np.int64)
    job = np.repeat(np.arange(len(runtime)), parts - 1)
    part = 1 + np.arange(len(job)) - np.repeat(np.cumsum(parts - 1) - (parts - 1), parts - 1)
    first = np.where(long, limit, runtime)
    rest = np.minimum(runtime[job] - part * limit, limit)
    return SegmentCut(
        first,
        np.where(long, _estimates(estimate, first, limit), np.minimum(estimate, limit)),
        job,
        part,
        rest,
        _estimates(estimate[job] - part * limit, rest, limit),
    )


def _estimates(left: Floats, length: Floats, limit: float) -> Floats:
    """Estimates of segments that cover their lengths, from what is left of the jobs' estimates."""
    capped: Floats = np.minimum(limit, np.maximum(left, length))
    return capped


@dataclass(frozen=True)
class Segments:
    """The jobs of a log under a runtime limit, numbered as a machine with this limit numbers them.

    ``cut`` has the segments. ``original[i]`` is the log's row of each, counted through first and then later ones.
    """

    trace: Trace
    limit: float
    cut: SegmentCut

    def __len__(self) -> int:
        return len(self.trace) + len(self.cut.job)

    @property
    def ids(self) -> Whole:
        """The numbers of all segments: the log's, and above them those of the later ones."""
        return np.concatenate([self.trace.id, first_number(self.trace.id) + np.arange(len(self.cut.job))])

    @property
    def original(self) -> Whole:
        """The log's row of each."""
        return np.concatenate([np.arange(len(self.trace)), self.cut.job])

    @cached_property
    def _rows_by_id(self) -> tuple[Whole, Whole]:
        order = np.argsort(self.ids)
        return self.ids[order], self.original[order]

    def originals(self, ids: Whole) -> Whole:
        """The log's rows of the jobs that have these numbers in a result."""
        known, rows = self._rows_by_id
        return rows[np.searchsorted(known, ids)]


def first_number(ids: Whole) -> int:
    """The number of the first later segment: a log's own numbers are never given twice."""
    return int(ids.max(initial=0)) + 1


def split(trace: Trace, limit: Duration) -> Segments:
    """The segments of a log under a runtime limit (s); ``ValueError`` for less than 1 s."""
    limit = checked_limit(limit)
    return Segments(trace, limit, cut(trace.runtime, trace.estimate, limit))


def checked_limit(limit: Duration) -> float:
    """A runtime limit on the grid of time."""
    limit = as_seconds("limit", limit)
    if not limit >= 1:
        raise ValueError(f"a runtime limit is at least 1 s, not {quoted(limit)}")
    return float(to_grid(limit))
