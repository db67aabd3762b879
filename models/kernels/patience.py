"""Jobs that their users take back when they have waited for too long, as a log says of those that never ran.

They are few, and each is taken back by Python: kernels only look when the next one is.
"""

from thinktime.models.kernels.machine_state import CHANGING, IMPATIENT, INFINITY
from thinktime.models.kernels.pool import queue_of
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
    time = INFINITY
    if truth.counts[IMPATIENT] > 0:
        for row in queue_of(state):
            leaves = state.submit[row] + truth.patience[row]
            if leaves < time and not has_run(state, row):
                time = leaves
    return time


@kernel
def out_of_patience(state: Structure, truth: Structure, now: float) -> Ints:
    """The jobs in the queue that are taken back now."""
    k = 0
    for row in queue_of(state):
        if state.submit[row] + truth.patience[row] <= now and not has_run(state, row):
            state.scratch[k] = row
            k += 1
    return state.scratch[:k]  # type: ignore[no-any-return]
