"""One pass with a starvation queue in front of the main queue."""

from thinktime.models.kernels.passes import easy_pass, no_guarantee_pass
from thinktime.workloads.compiler import Floats, Ints, kernel


@kernel
def starvation_pass(
    now: float,
    grace: float,
    starving: int,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    free: int,
    running: Ints,
    skip: int,
    expected_end: Floats,
    out: Ints,
    scratch: Ints,
) -> int:
    """Start the first ``starving`` rows of ``queue`` strictly in order while they fit.

    The first of them that does not fit gets the one reservation, which all others must respect (EASY). If all of them
    start, the other rows start as they fit, without any reservation.
    """
    left = free
    k = 0
    while k < starving and processors[queue[k]] <= left:
        left -= processors[queue[k]]
        k += 1
    if k == starving:
        for i in range(k):
            out[i] = queue[i]
        return k + no_guarantee_pass(queue[k:], processors, left, out[k:])
    return easy_pass(
        now,
        grace,
        queue,
        processors,
        estimate,
        free,
        running,
        skip,
        expected_end,
        out,
        scratch,
    )
