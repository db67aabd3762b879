"""Estimates of run times where policies do not plan with the requests.

`thinktime.models.jobs.estimates` has the rules.

``jobs[u]``, ``total[u]``, ``last[u]`` and ``before[u]`` are of user u's jobs that are over: how many they are, the sum
of their run times, and the last two of these. ``heap[:n]`` has the rows of jobs that have started, by (expected end,
row), and ``steps[row]`` says how often more was expected of a job. A job that is over stays in the heap until its
expected end.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.models.engine import arithmetic, gapped
from thinktime.models.engine.codes import estimates as estimates_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.codes.estimates import LEAST
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.structure import Structure
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Codes, Floats, Ints

INFINITY = math.inf


class Estimator(Structure):
    """Where expected run times come from, and what follows when a job outlives its own."""

    def predicts(self) -> bool:
        """Whether it does anything; if not, nobody calls its other methods, which EASY saves at every instant."""
        return True

    def admit(self, state: State, truth: Truth, rows: Ints) -> None:
        """Jobs are submitted: estimate their run times."""

    def learn(self, state: State, truth: Truth, rows: Ints) -> None:
        """Jobs are over: learn from those that ran."""

    def expect(self, state: State, rows: Ints) -> None:
        """Jobs have started: note when they reach their estimates."""

    def next_revision(self, state: State) -> float:
        """When the next job reaches its estimate, even if it is over before; infinite for none."""
        return INFINITY

    def revise(self, state: State, now: float) -> int:
        """Expect running jobs at their estimates to take longer; write their rows to ``scratch``: how many."""
        return 0


MINUTE, HOUR = 60.0, 3600.0
STEPS = (
    1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, 1 * HOUR, 2 * HOUR, 5 * HOUR, 10 * HOUR, 20 * HOUR, 50 * HOUR,
    100 * HOUR,
)  # fmt: skip
LADDER = np.array(STEPS)
TICKS_PER_SECOND, LIMIT = 1024.0, 2.0**43  # of the grid of time


def _expected(state: State, truth: Truth, estimator: Predicted, row: int) -> float:
    """The run time expected of a job."""
    user, limit, run = state.user[row], float(state.requested[row]), float(truth.runtime[row])
    code = estimator.code
    if code == estimates_codes.FACTOR:
        return estimator.factor * (min(run, limit) if estimator.kills else run)
    if user < 0 or estimator.jobs[user] == 0:
        return limit
    if code == estimates_codes.USER_AVERAGE:
        return min(float(estimator.total[user] / estimator.jobs[user]), limit)
    if estimator.jobs[user] == 1:
        return min(float(estimator.last[user]), limit)
    return min(float((estimator.before[user] + estimator.last[user]) / 2.0), limit)


def _sink(state: State, estimator: Predicted, row: int) -> None:
    """Put a row into the place of the first one in the heap, and down to where it belongs."""
    heap, n, place = estimator.heap, estimator.in_heap, 0
    while 2 * place + 1 < n:
        child = 2 * place + 1
        if child + 1 < n and _before(state, heap[child + 1], heap[child]):
            child += 1
        if not _before(state, heap[child], row):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = row


def _before(state: State, one: int, other: int) -> bool:
    """Whether one job reaches its estimate before another."""
    end, then = state.expected_end[one], state.expected_end[other]
    return bool(end < then or (end == then and one < other))


class AsRequested(Estimator):
    """Expected run times are the requests, and stay."""

    def predicts(self) -> bool:
        """Estimates are what was requested."""
        return False


class Predicted(Estimator):
    """Expected run times are predicted from a user's earlier ones; ``heap`` has the jobs that can outlive them."""

    FIELDS = {"jobs": Ints, "total": Floats, "last": Floats, "before": Floats, "heap": Ints, "steps": Codes}
    NUMBERS = {"code": 0, "factor": 1.0, "kills": False, "revises": False, "in_heap": 0}
    code: int
    """How run times are predicted (`thinktime.models.engine.codes.estimates`)."""
    factor: float
    """What run times are multiplied by."""
    kills: bool
    """Whether jobs are killed at their requests."""
    revises: bool
    """Whether jobs can outlive what is expected of them."""
    in_heap: int
    """Rows in ``heap``."""
    jobs: Ints
    total: Floats
    last: Floats
    before: Floats
    heap: Ints
    steps: Codes

    def admit(self, state: State, truth: Truth, rows: Ints) -> None:
        """Jobs are submitted: predict their run times."""
        for i in range(len(rows)):
            row = rows[i]
            if truth.attention[row] & at.UNWANTED:
                continue
            expected = _expected(state, truth, self, row)
            if -LIMIT < expected < LIMIT:
                expected = arithmetic.rint(expected * TICKS_PER_SECOND) / TICKS_PER_SECOND
            state.estimate[row] = max(expected, LEAST)

    def learn(self, state: State, truth: Truth, rows: Ints) -> None:
        """Jobs are over: note the run times of their users."""
        for i in range(len(rows)):
            row = rows[i]
            user, start = state.user[row], state.start[row]
            if user >= 0 and start == start:
                run = truth.end[row] - start
                self.jobs[user] += 1
                self.total[user] += run
                self.before[user], self.last[user] = self.last[user], run

    def expect(self, state: State, rows: Ints) -> None:
        """Jobs have started: put them into the heap, if they can outlive their estimates."""
        heap = self.heap
        if not self.revises:
            return
        for i in range(len(rows)):
            row = rows[i]
            place = self.in_heap
            self.in_heap += 1
            while place > 0 and _before(state, row, heap[(place - 1) // 2]):
                heap[place] = heap[(place - 1) // 2]
                place = (place - 1) // 2
            heap[place] = row

    def next_revision(self, state: State) -> float:
        """The expected end of the first job in the heap."""
        return float(state.expected_end[self.heap[0]]) if self.in_heap > 0 else INFINITY

    def revise(self, state: State, now: float) -> int:
        """Running jobs that have reached their estimates are expected to take another step."""
        heap, k = self.heap, 0
        while self.in_heap > 0 and state.expected_end[heap[0]] <= now:
            row = heap[0]
            if state.state[row] != states.RUNNING:
                self.in_heap -= 1
                _sink(state, self, heap[self.in_heap])
                continue
            estimate = self.longer(state, row, now)
            if self.kills:
                estimate = min(estimate, state.requested[row])
            if estimate <= now - state.start[row]:  # it is beyond its limit, and will be ended at a sweep
                self.in_heap -= 1
                _sink(state, self, heap[self.in_heap])
                continue
            state.estimate[row] = estimate
            gapped.expect_later(state, row, state.start[row] + estimate)
            _sink(state, self, row)
            state.scratch[k] = row
            k += 1
        return k

    def longer(self, state: State, row: int, now: float) -> float:
        """A running job has reached its estimate: the run time expected in all from now on."""
        step = self.steps[row]
        self.steps[row] = min(step + 1, len(LADDER) - 1)
        return float(now - state.start[row] + LADDER[step])
