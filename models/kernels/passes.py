"""One scheduling pass of the rules that keep nothing between passes: none, no-guarantee, EASY with one reservation.

Every pass reads the queue in priority order and writes the rows that start now to ``out``. ``free`` is the number of
processors that starts may use: idle ones and, under ``until_needed``, those of overrunning jobs, which are the first
``skip`` in ``running`` and are left out. No expected end lies before ``now + grace``; ``grace`` is 1 s where jobs may
outlive their estimates, else 0.
"""

from thinktime.models.kernels.pool import INFINITY
from thinktime.workloads.compiler import Floats, Ints, kernel


@kernel
def strict_pass(queue: Ints, processors: Ints, free: int, out: Ints) -> int:
    """Start from the head of the queue while the head fits."""
    k = 0
    while k < queue.size and processors[queue[k]] <= free:
        out[k] = queue[k]
        free -= processors[queue[k]]
        k += 1
    return k


@kernel
def no_guarantee_pass(queue: Ints, processors: Ints, free: int, out: Ints) -> int:
    """Start everything that fits, in queue order, without any reservation."""
    k = 0
    for row in queue:
        if free <= 0:
            break
        if processors[row] <= free:
            out[k] = row
            free -= processors[row]
            k += 1
    return k


@kernel
def easy_pass(
    now: float,
    grace: float,
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
    """EASY: the head gets the one reservation; a later job starts if it cannot delay the head.

    The shadow time is the earliest time at which expected ends, all ends of one time together, free enough
    processors for the head; ``extra`` is what is free then beyond the head's need. A later job that fits
    starts if it ends by the shadow time, or else if ``extra`` covers it. The shadow time is computed only when a
    job could use it, which is rare.
    """
    k = 0
    while k < queue.size and processors[queue[k]] <= free:
        out[k] = queue[k]
        free -= processors[queue[k]]
        k += 1
    if k == queue.size or free <= 0:
        return k
    head = queue[k]
    started = k
    shadow = INFINITY
    extra = -1  # not known yet
    for i in range(k + 1, queue.size):
        row = queue[i]
        if processors[row] > free:
            continue
        if extra < 0:
            shadow, extra = _shadow(
                now,
                grace,
                processors[head] - free,
                out,
                started,
                processors,
                estimate,
                running,
                skip,
                expected_end,
                scratch,
            )
        if now + estimate[row] > shadow:
            if processors[row] > extra:
                continue
            extra -= processors[row]
        out[k] = row
        k += 1
        free -= processors[row]
        if free <= 0:
            break
    return k


@kernel
def reserve_head(
    now: float,
    grace: float,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    free: int,
    running: Ints,
    skip: int,
    expected_end: Floats,
    out: Ints,
    scratch: Ints,
) -> tuple[int, float]:
    """How many jobs EASY starts before the first that does not fit (the head), and the head's shadow time.

    The time is infinite if no job behind the head could start: there is no head, or no job behind it, or no processor
    is left.
    """
    k = strict_pass(queue, processors, free, out)
    for i in range(k):
        free -= processors[out[i]]
    if k + 1 >= queue.size or free <= 0:
        return k, INFINITY
    shadow, _ = _shadow(
        now,
        grace,
        processors[queue[k]] - free,
        out,
        k,
        processors,
        estimate,
        running,
        skip,
        expected_end,
        scratch,
    )
    return k, shadow


@kernel
def _shadow(
    now: float,
    grace: float,
    need: int,
    out: Ints,
    started: int,
    processors: Ints,
    estimate: Floats,
    running: Ints,
    skip: int,
    expected_end: Floats,
    scratch: Ints,
) -> tuple[float, int]:
    """The time by which expected ends free ``need`` processors, and how many more are free then.

    Merges the running jobs, which are sorted by their ends, with those started in this pass.
    """
    for i in range(started):  # insertion sort by end: rarely more than a few
        j = i
        while j > 0 and estimate[scratch[j - 1]] > estimate[out[i]]:
            scratch[j] = scratch[j - 1]
            j -= 1
        scratch[j] = out[i]
    earliest = now + grace
    i, j = int(skip), 0
    while i < running.size or j < started:
        ends_run = max(expected_end[running[i]], earliest) if i < running.size else INFINITY
        ends_new = max(now + estimate[scratch[j]], earliest) if j < started else INFINITY
        time = min(ends_run, ends_new)
        while i < running.size and max(expected_end[running[i]], earliest) == time:
            need -= processors[running[i]]
            i += 1
        while j < started and max(now + estimate[scratch[j]], earliest) == time:
            need -= processors[scratch[j]]
            j += 1
        if need <= 0:
            return time, -need
    return INFINITY, 0
