"""One scheduling pass of the rules that keep nothing between passes: none, no-guarantee, and EASY with one reservation.

Every pass reads the queue in priority order and writes the rows that start now to ``out``. ``free`` is the number of
processors that starts may use: idle ones and, under ``until_needed``, those of overrunning jobs, which are the first
``skip`` in ``running`` and are left out. No expected end lies before the present plus the grace, which is 1 s where
jobs may outlive their estimates, else 0.
"""

from thinktime.models.kernels.machine_state import FIRST_RUNNING, GRACE, INFINITY, STOP_RUNNING
from thinktime.models.kernels.pool import available, overrunning
from thinktime.models.kernels.rules import reserve_first, select
from thinktime.workloads.compiler import Ints, Structure, StructureKind, kernel, maker, written_for

STRICT, NO_GUARANTEE, EASY = 0, 1, 2
GREEDY = StructureKind("Greedy", options=Ints)
make_greedy = maker(GREEDY)


@written_for(GREEDY, select)
def greedy_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """The pass that the rule's option says."""
    skip = overrunning(state, now)
    free = available(state, skip)
    if free <= 0 or rows.size == 0:
        return 0
    if rule.options[0] == EASY:
        return easy_pass(state, now, rows, free, skip, state.out)
    if rule.options[0] == NO_GUARANTEE:
        return no_guarantee_pass(state, rows, free, state.out)
    return strict_pass(state, rows, free, state.out)


@kernel
def strict_pass(state: Structure, queue: Ints, free: int, out: Ints) -> int:
    """Start from the head of the queue while the head fits."""
    processors = state.processors
    k = 0
    while k < queue.size and processors[queue[k]] <= free:
        out[k] = queue[k]
        free -= processors[queue[k]]
        k += 1
    return k


@kernel
def no_guarantee_pass(state: Structure, queue: Ints, free: int, out: Ints) -> int:
    """Start everything that fits, in queue order, without any reservation."""
    processors = state.processors
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
def easy_pass(state: Structure, now: float, queue: Ints, free: int, skip: int, out: Ints) -> int:
    """EASY: the head gets the one reservation; a later job starts if it cannot delay the head.

    The shadow time is the earliest time at which expected ends, all ends of one time together, free enough
    processors for the head; ``extra`` is what is free then beyond the head's need. A later job that fits
    starts if it ends by the shadow time, or else if ``extra`` covers it. The shadow time is computed only when a
    job could use it, which is rare.
    """
    processors, estimate = state.processors, state.estimate
    k = strict_pass(state, queue, free, out)
    for i in range(k):
        free -= processors[out[i]]
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
            shadow, extra = _shadow(state, now, processors[head] - free, out, started, skip)
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


@written_for(GREEDY, reserve_first)
def reserve_head(state: Structure, rule: Structure, now: float, rows: Ints) -> tuple[int, float]:
    """How many jobs EASY starts before the first that does not fit (the head), and the head's shadow time.

    The time is infinite if no job behind the head could start: there is no head, or no job behind it, or no processor
    is left.
    """
    skip = overrunning(state, now)
    free = available(state, skip)
    if rule.options[0] != EASY:
        return 0, INFINITY
    k = strict_pass(state, rows, free, state.out)
    for i in range(k):
        free -= state.processors[state.out[i]]
    if k + 1 >= rows.size or free <= 0:
        return k, INFINITY
    return k, _shadow(state, now, state.processors[rows[k]] - free, state.out, k, skip)[0]


@kernel
def _shadow(state: Structure, now: float, need: int, out: Ints, started: int, skip: int) -> tuple[float, int]:
    """The time by which expected ends free ``need`` processors, and how many more are free then.

    Merges the running jobs, which are sorted by their ends, with those started in this pass.
    """
    processors, estimate, expected = state.processors, state.estimate, state.expected
    running, scratch = state.running, state.scratch
    for i in range(started):  # insertion sort by end: rarely more than a few
        j = i
        while j > 0 and estimate[scratch[j - 1]] > estimate[out[i]]:
            scratch[j] = scratch[j - 1]
            j -= 1
        scratch[j] = out[i]
    earliest = now + state.clock[GRACE]
    i, j, stop = state.counts[FIRST_RUNNING], 0, state.counts[STOP_RUNNING]
    while skip > 0:
        skip -= running[i] >= 0
        i += 1
    while i < stop or j < started:
        if i < stop and running[i] < 0:  # a gap
            i += 1
            continue
        ends_run = max(expected[i], earliest) if i < stop else INFINITY
        ends_new = max(now + estimate[scratch[j]], earliest) if j < started else INFINITY
        time = min(ends_run, ends_new)
        while i < stop and max(expected[i], earliest) == time:
            need -= processors[running[i]] if running[i] >= 0 else 0
            i += 1
        while j < started and max(now + estimate[scratch[j]], earliest) == time:
            need -= processors[scratch[j]]
            j += 1
        if need <= 0:
            return time, -need
    return INFINITY, 0
