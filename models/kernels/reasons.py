"""Why jobs wait, on request: for each job the reason why it did not start at the last pass that found it waiting."""

from thinktime.models.kernels.entry_rows import entries_of
from thinktime.models.kernels.limits import NEVER, UNBOUND, binding, limited
from thinktime.models.kernels.machine_state import EXPLAINED
from thinktime.models.kernels.pool import queue_of
from thinktime.models.kernels.room import begin_pass, copied, fits, overrunning
from thinktime.models.kernels.state_codes import LIMIT, NO_ROOM
from thinktime.workloads.compiler import kernel
from thinktime.workloads.kinds import by_kind
from thinktime.workloads.structures import Structure


@kernel
def explain(state: Structure, truth: Structure, now: float) -> None:
    """After the starts of a pass: a job is beyond a limit, has no room, or has the reason of this rule for the others.

    ``truth.limit`` is the limit, as `binding` says it, of the first of the job's entries that may start some day.
    """
    queue = queue_of(state)
    if queue.size == 0:
        return
    left, beyond = what_is_left(state, queue[0], now), limited(state)
    for row in queue:
        reason, (first, stop) = LIMIT if beyond else NO_ROOM, entries_of(state, row)
        for each in range(first, stop):
            limit = binding(state, each, now) if beyond else UNBOUND
            if each == first or truth.limit[row] == -NEVER:
                truth.limit[row] = limit
            if limit != UNBOUND:
                continue
            if has_room(state, each, left):
                reason = truth.counts[EXPLAINED]
                break
            reason = NO_ROOM
        truth.reason[row] = reason
    forget_what_is_left(state)


@by_kind
def what_is_left(state: Structure, first: int, now: float) -> int:
    """What the starts of a pass have left, to ask about the ``first`` job that waits and all others."""
    return copied(state, first, begin_pass(state, overrunning(state, now)))


@by_kind
def has_room(state: Structure, row: int, left: int) -> bool:
    """Whether there is room for a job in what is left."""
    return fits(state, row, left)


@by_kind
def forget_what_is_left(state: Structure) -> None:
    """All have been asked about."""
