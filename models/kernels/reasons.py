"""Why jobs wait, on request: for each job the reason why it did not start at the last pass that found it waiting."""

from thinktime.models.kernels.limits import is_within, limited
from thinktime.models.kernels.machine_state import EXPLAINED
from thinktime.models.kernels.pool import queue_of
from thinktime.models.kernels.room import begin_pass, copied, fits, overrunning
from thinktime.models.kernels.state_codes import LIMIT, NO_ROOM
from thinktime.workloads.compiler import Structure, by_kind


@by_kind
def explain(state: Structure, truth: Structure, now: float) -> None:
    """After the starts of a pass: a job has no room, or the reason of this rule for all jobs that have."""
    queue = queue_of(state)
    if queue.size == 0:
        return
    left = copied(state, queue[0], begin_pass(state, overrunning(state, now)))
    for row in queue:
        if limited(state) and not is_within(state, row, now):
            truth.reason[row] = LIMIT
        else:
            truth.reason[row] = truth.counts[EXPLAINED] if fits(state, row, left) else NO_ROOM
