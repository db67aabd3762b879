"""Lost demand: work that users wanted done and that was not, because of how they saw the machine.

Users may look at a long queue and not submit (balk), take a waiting job back (renege), make a job smaller or give it
up. A schedule shows none of this: the queue of a saturated machine is short once no job joins it any more. Models of
such users therefore record what was lost (`Machine.lose`), and results report it.

Lost demand is counted in jobs and in node-hours, that is, processors times the true run time that the job would have
had. A job that was made smaller is not lost, but the difference in node-hours is. A job that was submitted and taken
back has a row in the result as well, and its entry says so. If nothing of a campaign was submitted, the entry of its
last job counts the campaign.
"""

import math
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.models.results.responses import Responses
from thinktime.models.results.typed import as_column
from thinktime.workloads.arrays import Floats
from thinktime.workloads.grid import to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.units import HOUR

BALK, RENEGE = "balk", "renege"
"""Why jobs are not submitted, or taken back."""
COLUMNS = ("time", "user", "reason", "jobs", "node_hours", "submitted", "campaigns")


class LostDemand:
    """What was lost so far, entry by entry. Run times are on the grid, as the machine would have them."""

    def __init__(self) -> None:
        self._entries: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self.responses = Responses()
        """What users did instead, when they were asked to."""

    def add(self, now: float, job: Job, reason: str, instead: Job | None = None, submitted: bool = False) -> None:
        """Record a job lost at ``now``, or the part that the smaller job ``instead`` leaves out."""
        lost = job.processors * to_grid(job.runtime)
        if instead is not None:
            lost -= instead.processors * to_grid(instead.runtime)
            if lost <= 0:
                return
        self._note(now, job.user, reason, 0 if instead else 1, lost, submitted)

    def balked(self, now: float, user: str | int, runtimes: Floats, processors: npt.NDArray[np.int64]) -> None:
        """Record a campaign that is not submitted at ``now`` (s): run times (s) and processors of its jobs."""
        for lost in (processors * runtimes).tolist():
            self._note(now, user, BALK, 1, lost, False)
        self.whole_campaign()

    def _note(self, now: float, user: Any, reason: str, jobs: int, lost: float, submitted: bool) -> None:
        entry = (now, user, reason, jobs, lost / HOUR if math.isfinite(lost) else math.nan, submitted, 0)
        for column, value in zip(self._entries.values(), entry, strict=True):
            column.append(value)

    def whole_campaign(self) -> None:
        """Note that the last entry was the last job of a campaign of which nothing was submitted."""
        self._entries["campaigns"][-1] = 1

    def columns(self, reneged: Sequence[tuple[float, Any, float]] = ()) -> dict[str, npt.NDArray[Any]]:
        """One array per column, by time; ``reneged`` are the time, user and processor-seconds of jobs taken back.

        ``time`` (s), ``user``, ``reason``, ``jobs`` (1, or 0 for a part), ``node_hours``, ``submitted`` (whether the
        job had been submitted), ``campaigns`` (1 for the last job of a campaign of which nothing was submitted).
        """
        every = copy(self)
        every._entries = {name: list(values) for name, values in self._entries.items()}
        for time, user, lost in reneged:
            every._note(time, user, RENEGE, 1, lost, True)
        order = np.argsort(np.array(every._entries["time"], np.float64), kind="stable")
        kinds = (np.float64, object, object, np.int64, np.float64, np.bool_, np.int64)
        columns = zip(every._entries.items(), kinds, strict=True)
        return {name: as_column(values, kind)[order] for (name, values), kind in columns}
