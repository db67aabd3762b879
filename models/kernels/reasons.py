"""Why jobs wait, on request: for each job the reason why it did not start at the last pass that found it waiting."""

from thinktime.models.kernels.entry_rows import entries_of
from thinktime.models.kernels.limits import is_within, limited
from thinktime.models.kernels.machine_state import EXPLAINED
from thinktime.models.kernels.pool import queue_of
from thinktime.models.kernels.room import begin_pass, copied, fits, overrunning
from thinktime.models.kernels.state_codes import LIMIT, NO_ROOM
from thinktime.workloads.kinds import by_kind
from thinktime.workloads.structures import Structure


@by_kind
def explain(state: Structure, truth: Structure, now: float) -> None:
    """After the starts of a pass: a job has no room, or the reason of this rule for all jobs that have."""
    queue = queue_of(state)
    if queue.size == 0:
        return
    left = copied(state, queue[0], begin_pass(state, overrunning(state, now)))
    for row in queue:
        reason, (first, stop) = LIMIT if limited(state) else NO_ROOM, entries_of(state, row)
        for each in range(first, stop):
            if limited(state) and not is_within(state, each, now):
                continue
            if fits(state, each, left):
                reason = truth.counts[EXPLAINED]
                break
            reason = NO_ROOM
        truth.reason[row] = reason
