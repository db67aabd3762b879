"""When jobs end if something is assumed of them: a part of the pool, for forecasts and predictions."""

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import machine_state as codes
from thinktime.models.jobs.part import Part
from thinktime.models.state import State
from thinktime.workloads.arrays import Rows


class AssumedEnds(Part):
    """The part of a pool that lets all jobs end at other times."""

    mode: int
    expected: NDArray[np.float64]
    ending: Rows
    times: NDArray[np.float64]

    def as_expected(self, now: float) -> None:
        """From now on every job runs for its estimate; one that has reached it runs for another second."""
        jobs, truth = self.requests, self.outcomes
        self._run_as_expected()
        running = self.running_rows
        truth.end[running] = np.maximum(jobs.expected_end[running], now + self.grace)
        truth.fate[running] = State.FINISHED
        self.bind()
        self.sort_running()

    def as_known(self) -> None:
        """From now on every estimate is the time for which the job will run undisturbed, but at least 1 s."""
        jobs, truth = self.requests, self.outcomes
        cut = self.mode == codes.KILL
        truth.runtime = np.minimum(truth.runtime, jobs.requested) if cut else truth.runtime
        self._expect_as_known()
        running = self.running_rows
        jobs.expected_end[running] = np.maximum(truth.end[running], jobs.start[running] + 1.0)
        truth.fate[running] = State.FINISHED
        self.bind()
        self.sort_running()

    def progress(self, rows: Rows, now: float) -> NDArray[np.float64]:
        """How long jobs that run have run, s; 0 for others."""
        jobs = self.requests
        return np.where(jobs.state[rows] == State.RUNNING, now - jobs.start[rows], 0.0)

    def as_drawn(self, rows: Rows, runtime: NDArray[np.float64], now: float) -> None:
        """From now on these jobs, which run or wait, run for so long in all, s; one that should be over, for 1 s more.

        Checkpoints that a job makes in the time that is added or left out are not in it.
        """
        jobs, truth = self.requests, self.outcomes
        run = jobs.state[rows] == State.RUNNING
        runtime = np.where(run, np.maximum(runtime, now + 1.0 - jobs.start[rows]), runtime)
        limit = jobs.requested[rows] if self.mode == codes.KILL else np.inf
        before, after = np.minimum(truth.runtime[rows], limit), np.minimum(runtime, limit)
        killed = runtime > limit
        later = truth.end[rows] + (after - before)
        if self.state.sweep > 0.0:
            at, whole = self.state, jobs.start[rows] + runtime
            sweeps = np.ceil((jobs.start[rows] + limit + at.over_time_limit - at.sweep_phase) / at.sweep)
            swept = at.sweep_phase + sweeps * at.sweep + at.last_wait  # as `ended_at` of the engine
            later = np.where(killed, np.minimum(whole, swept), whole)
            killed &= whole > later
        later = np.where(later <= now, now + 1.0, later)
        truth.runtime[rows] = runtime
        truth.end[rows[run]] = later[run]
        truth.fate[rows[run]] = np.where(killed[run], State.KILLED, State.FINISHED)
        self.bind()
        self.sort_running()

    def _run_as_expected(self) -> None:
        jobs = self.requests
        self.outcomes.runtime = jobs.requested = jobs.estimate

    def _expect_as_known(self) -> None:
        self.requests.estimate = np.maximum(self.outcomes.runtime, 1.0)

    def sort_running(self) -> None:
        """Sort the running jobs anew, after times at which they end have changed."""
        self.sort_expected()
        rows, end = self.running_rows, self.outcomes.end
        n = len(rows)
        self.ending[:n] = rows[np.lexsort((rows, end[rows]))]
        self.times[:n] = end[self.ending[:n]]
        self.truth.next_end, self.truth.last_end = self.times[[0, n - 1]].tolist() if n else (np.inf, np.inf)

    def sort_expected(self) -> None:
        """The same after expected ends alone have changed."""
        rows, jobs = self.running_rows, self.requests
        rows[:] = rows[np.lexsort((jobs.id[rows], jobs.expected_end[rows]))]
        self.expected[: len(rows)] = jobs.expected_end[rows]
