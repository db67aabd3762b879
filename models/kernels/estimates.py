"""Estimates of run times where policies do not plan with the requests (`thinktime.models.estimates` has the rules).

``jobs[u]``, ``total[u]``, ``last[u]`` and ``before[u]`` are of user u's jobs that are over: how many they are, the sum
of their run times, and the last two of these. ``heap[:n]`` has the rows of jobs that have started, by (expected end,
row), and ``steps[row]`` says how often more was expected of a job. A job that is over stays in the heap until its
expected end.
"""

import numpy as np

from thinktime.models.kernels.gapped import expect_later
from thinktime.models.kernels.machine_state import INFINITY, UNWANTED
from thinktime.models.kernels.state_codes import RUNNING
from thinktime.workloads.compiler import Codes, Floats, Ints, kernel
from thinktime.workloads.kinds import by_kind_of, written_for
from thinktime.workloads.structures import Structure, StructureKind, fields, maker

FACTOR, LAST_TWO, USER_AVERAGE = range(3)  # codes
CODE, KILLS, REVISES, IN_HEAP = range(4)  # places in ``options``
LEAST = 1.0  # s
MINUTE, HOUR = 60.0, 3600.0
STEPS = (
    1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, 1 * HOUR, 2 * HOUR, 5 * HOUR, 10 * HOUR, 20 * HOUR, 50 * HOUR,
    100 * HOUR,
)  # fmt: skip
TICKS_PER_SECOND, LIMIT = 1024.0, 2.0**43  # of the grid of time
AS_REQUESTED = StructureKind("AsRequested", options=Ints)
"""Policies plan with the requests."""
PREDICTED = StructureKind(
    "Predicted",
    **fields(
        (Ints, "options"),
        (Floats, "factor"),
        (Ints, "jobs"),
        (Floats, "total last before"),
        (Ints, "heap"),
        (Codes, "steps"),
    ),
)
make_as_requested = maker(AS_REQUESTED)
make_predicted = maker(PREDICTED)


@by_kind_of("estimator")
def admit(state: Structure, truth: Structure, estimator: Structure, rows: Ints) -> None:
    """Jobs are submitted: estimate their run times."""


@by_kind_of("estimator")
def learn(state: Structure, truth: Structure, estimator: Structure, rows: Ints) -> None:
    """Jobs are over: learn from those that ran."""


@by_kind_of("estimator")
def expect(state: Structure, estimator: Structure, rows: Ints) -> None:
    """Jobs have started: note when they reach their estimates."""


@by_kind_of("estimator")
def next_revision(state: Structure, estimator: Structure) -> float:
    """When the next job reaches its estimate, even if it is over before; infinite for none."""
    return INFINITY


@by_kind_of("estimator")
def revise(state: Structure, estimator: Structure, now: float) -> int:
    """Expect running jobs at their estimates to take longer; write their rows to ``scratch`` and return how many."""
    return 0


@written_for(PREDICTED, admit)
def admit_predicted(state: Structure, truth: Structure, estimator: Structure, rows: Ints) -> None:
    """Jobs are submitted: predict their run times."""
    for row in rows:
        if truth.attention[row] & UNWANTED:
            continue
        expected = _expected(state, truth, estimator, row)
        if -LIMIT < expected < LIMIT:
            expected = np.rint(expected * TICKS_PER_SECOND) / TICKS_PER_SECOND
        state.estimate[row] = max(expected, LEAST)


@kernel
def _expected(state: Structure, truth: Structure, estimator: Structure, row: int) -> float:
    """The run time expected of a job."""
    user, limit, run = state.user[row], float(state.requested[row]), float(truth.runtime[row])
    code = estimator.options[CODE]
    if code == FACTOR:
        return float(estimator.factor[0]) * (min(run, limit) if estimator.options[KILLS] else run)
    if user < 0 or estimator.jobs[user] == 0:
        return limit
    if code == USER_AVERAGE:
        return min(float(estimator.total[user] / estimator.jobs[user]), limit)
    if estimator.jobs[user] == 1:
        return min(float(estimator.last[user]), limit)
    return min(float((estimator.before[user] + estimator.last[user]) / 2.0), limit)


@written_for(PREDICTED, learn)
def learn_runs(state: Structure, truth: Structure, estimator: Structure, rows: Ints) -> None:
    """Jobs are over: note the run times of their users."""
    for row in rows:
        user, start = state.user[row], state.start[row]
        if user >= 0 and start == start:
            run = truth.end[row] - start
            estimator.jobs[user] += 1
            estimator.total[user] += run
            estimator.before[user], estimator.last[user] = estimator.last[user], run


@written_for(PREDICTED, expect)
def expect_ends(state: Structure, estimator: Structure, rows: Ints) -> None:
    """Jobs have started: put them into the heap, if they can outlive their estimates."""
    heap, options = estimator.heap, estimator.options
    if not options[REVISES]:
        return
    for row in rows:
        place = options[IN_HEAP]
        options[IN_HEAP] += 1
        while place > 0 and _before(state, row, heap[(place - 1) // 2]):
            heap[place] = heap[(place - 1) // 2]
            place = (place - 1) // 2
        heap[place] = row


@written_for(PREDICTED, next_revision)
def next_in_heap(state: Structure, estimator: Structure) -> float:
    """The expected end of the first job in the heap."""
    return float(state.expected_end[estimator.heap[0]]) if estimator.options[IN_HEAP] > 0 else INFINITY


@written_for(PREDICTED, revise)
def revise_expected(state: Structure, estimator: Structure, now: float) -> int:
    """Running jobs that have reached their estimates are expected to take another step."""
    heap, options, steps = estimator.heap, estimator.options, estimator.steps
    k = 0
    while options[IN_HEAP] > 0 and state.expected_end[heap[0]] <= now:
        row = heap[0]
        if state.state[row] != RUNNING:
            options[IN_HEAP] -= 1
            _sink(state, estimator, heap[options[IN_HEAP]])
            continue
        estimate = now - state.start[row] + STEPS[steps[row]]
        steps[row] = min(steps[row] + 1, len(STEPS) - 1)
        if options[KILLS]:
            estimate = min(estimate, state.requested[row])
        state.estimate[row] = estimate
        expect_later(state, row, state.start[row] + estimate)
        _sink(state, estimator, row)
        state.scratch[k] = row
        k += 1
    return k


@kernel
def _sink(state: Structure, estimator: Structure, row: int) -> None:
    """Put a row into the place of the first one in the heap, and down to where it belongs."""
    heap, n, place = estimator.heap, estimator.options[IN_HEAP], 0
    while 2 * place + 1 < n:
        child = 2 * place + 1
        if child + 1 < n and _before(state, heap[child + 1], heap[child]):
            child += 1
        if not _before(state, heap[child], row):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = row


@kernel
def _before(state: Structure, one: int, other: int) -> bool:
    """Whether one job reaches its estimate before another."""
    end, then = state.expected_end[one], state.expected_end[other]
    return bool(end < then or (end == then and one < other))
