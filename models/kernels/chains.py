"""Chains: jobs that are submitted when others are over.

The *segments* of a job that a runtime limit splits follow each other: ``following[row]`` is the segment after the one
in ``row``, or -1. It is submitted at the instant at which that one has run to its end, or has been refused. Whoever
waits for the job, and its watch, go on to the next segment.
"""

from thinktime.models.kernels.machine_state import ARRIVAL, ARRIVED, GIVEN, TO_COME
from thinktime.models.kernels.states import FINISHED, REFUSED
from thinktime.workloads.compiler import Structure, kernel


@kernel
def goes_on(state: Structure, truth: Structure, now: float, row: int) -> bool:
    """Submit the segment that follows one that is over; false if the job has no more."""
    counts, following = truth.counts, truth.following
    then = following[row]
    if then < 0:
        return False
    if state.state[row] != FINISHED and state.state[row] != REFUSED:
        while then >= 0:
            counts[TO_COME] -= 1
            then = following[then]
        return False
    truth.watch[then], truth.watch[row] = truth.watch[row], -1
    truth.attention[then] |= truth.attention[row]
    counts[TO_COME] -= 1
    submit_now(state, truth, now, then)
    return True


@kernel
def submit_now(state: Structure, truth: Structure, now: float, row: int) -> None:
    """Submit a job at this instant."""
    counts = truth.counts
    state.submit[row] = now
    truth.arrived[counts[ARRIVED]] = row
    counts[ARRIVED] += 1
    counts[GIVEN] += 1
    truth.clock[ARRIVAL] = now
