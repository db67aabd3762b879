"""Lost demand: work that users wanted done and that was not, because of how they saw the machine.

A user who looks at a long queue and does not submit (balks), who takes a waiting job back (reneges), who makes a job
smaller, or gives it up, leaves no trace in a schedule: the queue of a saturated machine looks short when nobody
queues any more. So whoever models such users writes down what was lost (`Machine.lose`), and a result tells it.

Demand is counted in jobs and in node-hours: processors times the true run time that the job would have had. A job
that was only made smaller is no lost job, but the difference is lost in node-hours. Of a job that had been submitted,
and was taken back, the result has a row as well; the entry says so. Where nothing of a campaign was submitted, the
entry of its last job counts the campaign.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.workloads.job import Job
from thinktime.workloads.units import HOUR

COLUMNS = ("time", "user", "reason", "jobs", "node_hours", "submitted", "campaigns")


class LostDemand:
    """What was lost so far, entry by entry."""

    def __init__(self) -> None:
        self._entries: dict[str, list[Any]] = {name: [] for name in COLUMNS}

    def add(
        self, now: float, job: Job, reason: str, instead: Job | None = None, submitted: bool = False
    ) -> None:
        """A job is lost at ``now``, or the part of it that ``instead`` leaves out (nothing, if that is not less)."""
        lost = job.processors * job.runtime - (instead.processors * instead.runtime if instead else 0.0)
        if instead is not None and lost <= 0:
            return
        hours = lost / HOUR if math.isfinite(lost) else math.nan
        entry = (now, job.user, reason, 0 if instead else 1, hours, submitted, 0)
        for column, value in zip(self._entries.values(), entry, strict=True):
            column.append(value)

    def whole_campaign(self) -> None:
        """The last entry was the last job of a campaign of which nothing is submitted."""
        self._entries["campaigns"][-1] = 1

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """One array per column.

        ``time`` (s), ``user``, ``reason``, ``jobs`` (1, or 0 for a part), ``node_hours``, ``submitted`` (whether the
        job had been), ``campaigns`` (1 where it was the last job of a campaign of which nothing was submitted).
        """
        kinds = (np.float64, object, object, np.int64, np.float64, np.bool_, np.int64)
        return {
            name: _array(values, kind)
            for (name, values), kind in zip(self._entries.items(), kinds, strict=True)
        }


def _array(values: list[Any], kind: npt.DTypeLike) -> npt.NDArray[Any]:
    array = np.empty(len(values), kind)
    array[:] = values
    return array
