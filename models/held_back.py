"""What a pool says of waiting jobs that may not start yet: they wait for something else, or are beyond a limit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.limits import age, age_no_more, cut, leave, next_opening, sort_out
from thinktime.models.engine.machine_state import State as MachineState
from thinktime.models.job_columns import Requests
from thinktime.models.state import State

Rows = NDArray[np.int64]
NO_ROWS: Rows = np.empty(0, np.int64)
NO_TIMES: NDArray[np.float64] = np.empty(0)


class HeldBack:
    """The part of a pool that knows of conditions and limits."""

    state: MachineState
    requests: Requests
    out: Rows

    eligibility: Any = None
    """Which jobs wait outside the queue, and for what (`thinktime.models.eligibility`); None if no job has to."""
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

    limits: Any = None
    """The limits of the machine's site (`thinktime.models.limits.limiter`); None for none."""

    def sort_out(self, now: float) -> Rows:
        """Find out which waiting jobs may start; the rows of those that were within their limits so far."""
        return self.noted(sort_out(self.state, now))

    @property
    def eligible_rows(self) -> Rows:
        """The rows of the waiting jobs that no limit kept from starting when this was last found out."""
        if self.limits is None:
            return self.waiting_rows
        rows: Rows = np.asarray(self.state.limit_rows)
        return rows[: self.state.limit_eligible]

    def cut(self, now: float, queue: Rows, proposed: Rows) -> tuple[Rows, Rows, bool]:
        """Those that start and those that do not, so that all limits hold; whether another pass has to follow."""
        k = len(proposed)
        self.out[:k] = proposed
        n = cut(self.state, now, queue, k)
        kept = -1 - n if n < 0 else n
        return self.out[:kept], self.out[kept:k].copy(), n < 0

    def age(self, now: float) -> None:
        """After a pass, let the ages of waiting jobs count, if limits on their number allow it."""
        if self.limits is not None:
            age(self.state, now)

    def next_opening(self, now: float) -> float:
        """When time alone brings a waiting job within its limits; infinite for never."""
        return float(next_opening(self.state, now)) if self.limits is not None else np.inf

    def over(self, rows: Rows) -> None:
        """Jobs are over, so that they do not count as being there any more."""
        if self.limits is not None:
            leave(self.state, rows)

    @property
    def waiting_rows(self) -> Rows:
        """The waiting rows, in queue order."""
        raise NotImplementedError

    def noted(self, count: int) -> Rows:
        """The first rows that the engine has noted, as a copy."""
        raise NotImplementedError

    def _leave_queue(self) -> None:
        raise NotImplementedError
