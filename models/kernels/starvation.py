"""One pass with a starvation queue in front of the main queue."""

from thinktime.models.kernels.passes import easy_pass, no_guarantee_pass
from thinktime.models.kernels.pool import available, overrunning
from thinktime.workloads.compiler import Ints, Structure, kernel


@kernel
def starvation_pass(state: Structure, now: float, starving: int, queue: Ints) -> int:
    """Start the first ``starving`` rows of ``queue`` strictly in order while they fit.

    The first of them that does not fit gets the one reservation, which all others must respect (EASY). If all of them
    start, the other rows start as they fit, without any reservation.
    """
    skip = overrunning(state, now)
    free = available(state, skip)
    processors, out = state.processors, state.out
    left = free
    k = 0
    while k < starving and processors[queue[k]] <= left:
        left -= processors[queue[k]]
        k += 1
    if k < starving:
        return easy_pass(state, now, queue, free, skip, out)
    for i in range(k):
        out[i] = queue[i]
    return k + no_guarantee_pass(state, queue[k:], left, out[k:])
