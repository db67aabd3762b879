"""Jobs that their users take back when they have waited for too long.

A log may say so of those that never ran, and so do users with patience.
"""

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels.machine_state import CHANGING
from thinktime.models.kernels.pool import leave_queue, queue_of
from thinktime.models.kernels.rules import withdrawn
from thinktime.models.kernels.sources import note_over
from thinktime.models.kernels.state_codes import WITHDRAWN
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure


@by_kind
def has_run(state: Structure, row: int) -> bool:
    """Whether a waiting job was interrupted in an earlier run: then its user stays."""
    return False


@written_for(CHANGING, has_run)
def has_run_before(state: Structure, row: int) -> bool:
    """Machines that change interrupt jobs."""
    return bool(state.runs[row] > 0)


@kernel
def next_leaving(state: Structure, truth: Structure) -> float:
    """When the next job in the queue is taken back; infinite for never."""
    time = at.INFINITY
    if truth.counts[at.IMPATIENT] > 0:
        for row in queue_of(state):
            leaves = state.submit[row] + truth.patience[row]
            if leaves < time and not has_run(state, row):
                time = float(leaves)
    return time


@kernel
def out_of_patience(state: Structure, truth: Structure, now: float) -> Ints:
    """The jobs in the queue that are taken back now, by id."""
    rows, k = state.scratch, 0
    for row in queue_of(state):
        if state.submit[row] + truth.patience[row] <= now and not has_run(state, row):
            place = k
            while place > 0 and state.id[rows[place - 1]] > state.id[row]:
                rows[place] = rows[place - 1]
                place -= 1
            rows[place] = row
            k += 1
    return rows[:k]  # type: ignore[no-any-return]


@by_kind
def leave_impatiently(state: Structure, truth: Structure, rule: Structure, sources: Structure, now: float) -> bool:
    """Whoever has waited for too long leaves the queue; true if somebody has to be told."""
    if truth.counts[at.IMPATIENT] == 0:
        return False
    rows = out_of_patience(state, truth, now).copy()
    if rows.size == 0:
        return False
    for row in rows:
        state.state[row], truth.end[row] = WITHDRAWN, now
    state.counts[at.PASSED_OVER] = 0
    leave_queue(state, rows.size)
    truth.counts[at.IN_SIGHT], truth.counts[at.STIRRED] = state.counts[at.IN_QUEUE], 1
    withdrawn(state, rule, now, rows)
    return bool(note_over(state, truth, sources, now, rows))
