"""Jobs that users wait for, counted down as they end.

A *watch* is a group of jobs with a number: ``watch[row]`` is a job's watch (-1 for none), and ``left[w]`` counts the
jobs of watch w that are not over. ``over[0]`` is how many watches ended in one call, and ``over[1:]`` which.
"""

from thinktime.models.kernels.instant import turn
from thinktime.models.kernels.pool import finish_due
from thinktime.workloads.compiler import Codes, Floats, Ints, kernel


@kernel
def count_down(rows: Ints, watch: Ints, left: Ints, over: Ints) -> None:
    """Jobs are over: add the watches that end with them to ``over``."""
    for row in rows:
        w = watch[row]
        if w >= 0:
            watch[row] = -1
            left[w] -= 1
            if left[w] == 0:
                over[0] += 1
                over[over[0]] = w


@kernel
def watched_turn(
    now: float,
    first: int,
    last: int,
    watch: Ints,
    left: Ints,
    over: Ints,
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
    """`turn` where jobs are watched: it stops after the ends if a watch has ended.

    Whoever waits for that watch may submit at this instant, before the pass, and the caller turns again. Otherwise the
    next wake-up is the next end, even while no job waits.
    """
    over[0] = 0
    ended = 0
    if next_end[0] <= now:
        ended = finish_due(
            now, done, counts, next_end, processors, expected_end, end, fate, state, running, ending
        )
        count_down(done[:ended], watch, left, over)
        if over[0] > 0:
            return now, ended, 0
    _, _, refused = turn(
        now, first, last, rule, grace, overrun, capacity, counts, next_end, ident, processors, requested,
        estimate, key, start, expected_end, runtime, end, fate, state, waiting, running, ending, done, accepted,
        rows, out, scratch,
    )  # fmt: skip
    return next_end[0], ended, refused
