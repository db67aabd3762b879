"""What a pool says of waiting jobs that may not start yet: they wait for something else, or are beyond a limit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.limits.limits import age_no_more
from thinktime.models.jobs.part import Part
from thinktime.models.state import State
from thinktime.workloads.arrays import NO_ROWS, Rows

NO_TIMES: NDArray[np.float64] = np.empty(0)


class HeldBack(Part):
    """The part of a pool that knows of conditions and limits."""

    out: Rows

    eligibility: Any = None
    """Which jobs wait outside the queue, and for what (`thinktime.models.jobs.eligibility`); None if no job has to."""
    eligible = NO_TIMES
    """When the last condition of each job was met, s; 0 for jobs without any, and empty if no job has any."""

    def is_aside(self, row: int) -> bool:
        """Whether a job waits outside the queue."""
        return self.eligibility is not None and bool(self.eligibility.is_aside(row))

    @property
    def aside_rows(self) -> Rows:
        """The rows of the jobs that wait outside the queue, in order of submission."""
        return NO_ROWS if self.eligibility is None else self.eligibility.aside(self.requests)

    def take_out(self, row: int) -> None:
        """A job leaves the queue, and what was promised to it does not hold any more."""
        jobs = self.requests
        jobs.state[row], jobs.promised[row], jobs.latest_start[row] = State.FUTURE, np.nan, np.nan
        if self.limits is not None:
            age_no_more(self.state, row)
        self._leave_queue()

    def come_late(self, rows: Rows, time: float) -> None:
        """These jobs, which were submitted, come to the queue of a forecast at a time (s)."""
        self.outcomes.attention[rows] |= at.LATE
        if len(self.eligible):
            self.eligible = self.eligible.copy()  # the machine has the same
            self.eligible[rows] = time
            self.bind()

    limits: Any = None
    """The limits of the machine's site (`thinktime.models.machine.limits.limiter`); None for none."""

    @property
    def eligible_rows(self) -> Rows:
        """The rows of the waiting jobs that no limit kept from starting when this was last found out."""
        if self.limits is None:
            return self.waiting_rows
        rows: Rows = np.asarray(self.state.limit_rows)
        return rows[: self.state.limit_eligible]

    def _leave_queue(self) -> None:
        raise NotImplementedError
