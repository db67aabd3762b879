"""Jobs that somebody waits for, counted down as they end.

A *watch* is a number for some jobs: ``watch[row]`` (-1 for none), and ``left[w]`` of its jobs are not over.
``over[0]`` is how many watches came to their end in one call, ``over[1:]`` which.
"""

from thinktime.models.kernels.compiler import kernel
from thinktime.models.kernels.instant import turn
from thinktime.models.kernels.pool import Codes, Floats, Ints, finish_due


@kernel
def count_down(rows: Ints, watch: Ints, left: Ints, over: Ints) -> None:
    """These jobs are over; add the watches that end with them to ``over``."""
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
    """`turn` where jobs are watched: the ends come first, and it stops after them if a watch came to its end.

    Whoever waits for it may submit at this instant, before the pass; the caller turns again. Otherwise the
    next wake-up is the next end, even while nobody waits.
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
        now, first, last, rule, grace, overrun, capacity, counts, next_end, ident, processors, estimate, key,
        start, expected_end, runtime, end, fate, state, waiting, running, ending, done, accepted, rows, out,
        scratch,
    )  # fmt: skip
    return next_end[0], ended, refused
