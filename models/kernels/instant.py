"""A whole round of an instant in one call, for rules that keep nothing between passes and queue by arrival.

The phases are those of `thinktime.models.phases`, and the kernels are the same: ends, submissions, one pass, starts.
Four calls from Python, each with up to seventeen arrays to unwrap, cost more than the work that they do. On LANL-CM5
under EASY, the one call brought the event loop from 5.8 times the time of a bare SimPy loop to below 4.
"""

from thinktime.models.kernels.passes import easy_pass, no_guarantee_pass, strict_pass
from thinktime.models.kernels.pool import AT_WORK, IDLE, IN_QUEUE, ZERO, enqueue, finish_due, start_rows
from thinktime.workloads.compiler import Codes, Floats, Ints, kernel

STRICT, NO_GUARANTEE, EASY = 0, 1, 2


@kernel
def turn(
    now: float,
    first: int,
    last: int,
    rule: int,
    grace: float,
    overrun: int,
    capacity: int,
    counts: Ints,
    next_end: Floats,
    ident: Ints,
    processors: Ints,
    requested: Floats,
    estimate: Floats,
    key: Floats,
    start: Floats,
    expected_end: Floats,
    runtime: Floats,
    end: Floats,
    fate: Codes,
    state: Codes,
    waiting: Ints,
    running: Ints,
    ending: Ints,
    done: Ints,
    accepted: Ints,
    rows: Ints,
    out: Ints,
    scratch: Ints,
) -> tuple[float, int, int]:
    """One round, in which the rows from ``first`` to ``last`` are submitted.

    Return when to wake up next, how many jobs ended and how many were refused. The next wake-up is the next end while
    jobs wait; otherwise it is the last end, since the others change nothing.
    """
    ended = 0
    if next_end[0] <= now:
        ended = finish_due(
            now, done, counts, next_end, processors, expected_end, end, fate, state, running, ending
        )
    refused = last - first
    if last > first:
        refused -= enqueue(
            rows[first:last], ident, processors, capacity, runtime, key, state, waiting, counts, accepted
        )
    if counts[IDLE] > 0 and counts[IN_QUEUE] > 0:
        queue = waiting[: counts[IN_QUEUE]]
        if rule == EASY:
            k = easy_pass(
                now,
                grace,
                queue,
                processors,
                estimate,
                counts[IDLE],
                running[: counts[AT_WORK]],
                ZERO,
                expected_end,
                out,
                scratch,
            )
        elif rule == NO_GUARANTEE:
            k = no_guarantee_pass(queue, processors, counts[IDLE], out)
        else:
            k = strict_pass(queue, processors, counts[IDLE], out)
        if k > 0:
            start_rows(
                now,
                out[:k],
                overrun,
                done,
                counts,
                next_end,
                ident,
                processors,
                requested,
                estimate,
                start,
                expected_end,
                runtime,
                end,
                fate,
                state,
                waiting,
                running,
                ending,
            )
    if counts[IN_QUEUE] > 0 or counts[AT_WORK] == 0:
        return next_end[0], ended, refused
    return end[ending[0]], ended, refused
