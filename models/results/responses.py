"""Responses: what users did instead of what they wanted, when a site asked them to, by a price or another signal.

=============  =====================================================================================
`delayed`      a job was submitted later: in a window, at a lower price, in the next session, in another period
`reshaped`     it had fewer processors and ran for longer
`degraded`     a smaller problem was computed; the rest is lost demand
`renounced`    it was never submitted; all of it is lost demand
`shifted`      it went to another queue or partition
=============  =====================================================================================

A response is counted against what the same user would have submitted without it: an entry has the processor-hours of
the job as it was wanted, and those that were submitted instead. So, over all jobs,

    wanted = submitted + Σ (wanted - submitted) of the responses

and what is renounced or degraded is never a saving. A job may have several entries, one for each response.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.models.results.typed import as_column
from thinktime.workloads.arrays import AnyArray
from thinktime.workloads.grid import to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.units import HOUR, counted

KINDS = ("delayed", "reshaped", "degraded", "renounced", "shifted")
"""What responses are counted as."""
TYPES: dict[str, npt.DTypeLike] = {
    "time": np.float64, "user": object, "response": object, "reason": object, "wanted": np.float64,
    "submitted": np.float64, "delay": np.float64,
}  # fmt: skip


class Responses:
    """The responses so far, entry by entry."""

    def __init__(self) -> None:
        self._entries: dict[str, list[Any]] = {name: [] for name in TYPES}

    def add(self, now: float, job: Job, kind: str, reason: str, instead: Job | None, delay: float = 0.0) -> None:
        """Record that ``instead`` (None: nothing) is submitted at ``now`` (s), ``delay`` later than it was wanted."""
        if kind not in KINDS:
            raise ValueError(f"a response is one of {', '.join(KINDS)}, not {kind!r}")
        submitted = 0.0 if instead is None else _hours(instead)
        entry = (now, job.user, kind, reason, _hours(job), submitted, delay)
        for column, value in zip(self._entries.values(), entry, strict=True):
            column.append(value)

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """One array per column, by time.

        ``time`` (s), ``user``, ``response`` (one of `KINDS`), ``reason`` (the behaviour), ``wanted`` and ``submitted``
        (processor-hours), ``delay`` (s).
        """
        order = np.argsort(np.array(self._entries["time"], np.float64), kind="stable")
        return {name: as_column(self._entries[name], kind)[order] for name, kind in TYPES.items()}


def _hours(job: Job) -> float:
    return job.processors * to_grid(job.runtime) / HOUR


def told(responses: Mapping[str, AnyArray]) -> str:
    """A sentence on what users did instead."""
    parts = []
    for kind in KINDS:
        own = responses["response"] == kind
        if own.any():
            hours = float(responses["wanted"][own].sum())
            parts.append(f"{counted(int(own.sum()), 'job')} {kind} ({hours:,.4g} processor-hours as they were wanted)")
    return f"users who respond: {', '.join(parts) or 'nobody did'}"
