"""Runtime limits: jobs longer than the limit are submitted as chains of segments.

A job with run > limit L becomes k = ceil(run / L) segments of lengths L, …, L, rest, each submitted when the
previous one ends. The estimate of segment i is min(L, max(estimate - (i - 1) L, its length)), so a segment never
overruns its estimate. The estimates of all other jobs are capped at L too (unless ``cap=False``). The first
segment keeps the job's number; the others get numbers above those of the log, in order of (job, part).

Source: the cplant paper, section V.A; estimates and their cap are our decisions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.grid import to_grid
from thinktime.workloads.trace import Trace

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Segments:
    """A log under a runtime limit.

    ``first`` are the jobs submitted at the log's times: whole jobs and first segments. ``later`` are the other
    segments, in order of (job, part). ``after[i]`` is the index of the one that ``later[i]`` waits for, and
    ``original[i]`` the log's row of each, both indexed through ``first`` and then ``later``.
    """

    trace: Trace
    limit: float
    first: Trace
    later: Trace
    after: Rows
    original: Rows

    def __len__(self) -> int:
        return len(self.first) + len(self.later)

    @property
    def split(self) -> int:
        """The number of jobs that were split."""
        return len(np.unique(self.original[len(self.first) :]))

    @cached_property
    def _rows_by_id(self) -> tuple[Rows, Rows]:
        ids = np.concatenate([self.first.id, self.later.id])
        order = np.argsort(ids)
        return ids[order], self.original[order]

    def originals(self, ids: NDArray[np.int64]) -> Rows:
        """The log's rows for these job numbers."""
        known, rows = self._rows_by_id
        return rows[np.searchsorted(known, ids)]

    def note(self) -> str:
        """A sentence on what the limit did to the log."""
        return (
            f"runtime limit {self.limit:g} s: {self.split} jobs were split, "
            f"{len(self)} jobs and segments in place of {len(self.trace)} jobs"
        )


def split(trace: Trace, limit: float, cap: bool = True) -> Segments:
    """A log under a runtime limit of ``limit`` seconds."""
    if not limit >= 1:
        raise ValueError(f"a runtime limit must be at least 1 s, not {limit!r}")
    limit = float(to_grid(limit))
    run = trace.runtime
    long = run > limit
    parts = np.where(long, np.ceil(run / limit), 1).astype(np.int64)
    estimate = np.minimum(trace.estimate, limit) if cap else trace.estimate.copy()
    estimate[long] = _estimates(trace.estimate[long], run[long], 0, limit)
    first = trace.with_columns(
        runtime=np.where(long, limit, run),
        requested_time=estimate,
        preceding=np.full(len(trace), -1),
        think_time=np.full(len(trace), np.nan),
    )
    row = np.repeat(np.arange(len(trace)), parts - 1)
    ends = np.cumsum(parts - 1)
    part = 1 + np.arange(len(row)) - np.repeat(ends - (parts - 1), parts - 1)
    length = np.minimum(run[row] - part * limit, limit)
    # New numbers, in order of (job, part).
    number = int(trace.id.max(initial=0)) + 1 + np.arange(len(row))
    before = np.where(part == 1, row, len(trace) + np.arange(len(row)) - 1)
    columns = {name: column[row] for name, column in trace.columns.items()}
    # Sorted by (submit, id), a trace keeps the order of rows with ascending numbers at one submit time.
    columns |= {
        "id": number,
        "submit": np.zeros(len(row)),
        "wait": np.full(len(row), np.nan),
        "runtime": length,
        "requested_time": _estimates(trace.estimate[row], length + part * limit, part, limit),
        "preceding": np.full(len(row), -1),
        "think_time": np.full(len(row), np.nan),
    }
    return Segments(
        trace,
        limit,
        first,
        Trace(columns, trace.header),
        before,
        np.concatenate([np.arange(len(trace)), row]),
    )


def _estimates(
    estimate: NDArray[np.float64], until: NDArray[np.float64], part: Rows | int, limit: float
) -> NDArray[np.float64]:
    """Estimates of segments that cover their jobs' run times from ``part * limit`` to ``until``."""
    length = np.minimum(until - part * limit, limit)
    capped: NDArray[np.float64] = np.minimum(limit, np.maximum(estimate - part * limit, length))
    return capped
