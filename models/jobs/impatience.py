"""Jobs that their users take back when they have waited for too long: a part of the pool.

A log says so of those that never ran, and users who follow plans may have patience.
"""

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.sources.patience import next_leaving
from thinktime.models.jobs.part import Part
from thinktime.models.state import State

RAN = (State.RUNNING, State.FINISHED, State.KILLED)
FOR_EVER: NDArray[np.float64] = np.empty(0)
"""The patience of all jobs, where none has an end."""


class Impatience(Part):
    """How long the users of jobs let them wait (`thinktime.models.engine.sources.patience`)."""

    cancelled_in_log: list[NDArray[np.int64]]
    """The rows of the jobs of which a log says so."""
    patience: NDArray[np.float64]

    def expect_impatience(self) -> None:
        """Users may come who take jobs back."""
        self.truth.impatient += 1
        self.make_patient()
        self.bind()

    def be_impatient(self, rows: NDArray[np.int64], patience: NDArray[np.float64]) -> None:
        """The users of these jobs take them back when they have waited for so long, s (NaN: never)."""
        if known := int(np.isfinite(patience).sum()):
            self.truth.impatient += known
            self.make_patient()
            self.patience[rows] = patience
            self.cancelled_in_log.append(rows[np.isfinite(patience)])
            self.bind()

    def let_wait(self, rows: NDArray[np.int64], patience: NDArray[np.float64]) -> None:
        """The same whatever a log says (infinite: never)."""
        if np.isfinite(patience).any() or self.truth.impatient:
            self.truth.impatient += int(np.isfinite(patience).sum())
            self.make_patient()
            self.patience[rows] = np.where(np.isfinite(patience), patience, np.nan)
            self.bind()

    def make_patient(self) -> None:
        """Jobs wait for ever of which nothing else is said."""
        if self.truth.impatient:
            more = self.requests.capacity - len(self.patience)
            self.patience = np.concatenate([self.patience, np.full(more, np.nan)])

    def next_leaving(self) -> float:
        """When the next job in the queue is taken back; infinite for never."""
        time: float = next_leaving(self.state, self.truth)
        return time

    def reneged(self) -> NDArray[np.int64]:
        """The rows of the jobs that users who follow plans have taken back, by time."""
        if not self.truth.impatient:
            return np.empty(0, np.int64)
        jobs, end = self.requests, self.outcomes.end[: self.requests.size]
        on_time = jobs.submit[: jobs.size] + self.patience[: jobs.size] == end
        rows = np.flatnonzero((jobs.state[: jobs.size] == State.WITHDRAWN) & on_time)
        rows = np.setdiff1d(rows, np.concatenate([rows[:0], *self.cancelled_in_log]))
        return rows[np.lexsort((rows, end[rows]))]

    def told_of_patience(self, rows: NDArray[np.int64]) -> list[str]:
        """What a result with these jobs says of those that their users would take back."""
        if not self.cancelled_in_log:
            return []
        state = self.requests.state[np.intersect1d(rows, np.concatenate(self.cancelled_in_log))]
        left, ran = int((state == State.WITHDRAWN).sum()), int(np.isin(state, RAN).sum())
        return [
            f"{len(state):,} jobs that were cancelled in the log before they ran: "
            f"{left:,} left the queue after as long, {ran:,} started before, with run times by rank"
        ]
