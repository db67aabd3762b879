"""The machine's own kernels: jobs end, join the queue and start.

Symbols: a *row* is a job's index in the columns. ``waiting[:n]`` holds rows in queue order (key, then arrival).
``running[:n]`` holds rows by ascending (expected end, id), and ``ending[:n]`` the same rows by descending true end, so
that the next job to end is the last. ``counts`` holds the numbers of idle processors, waiting jobs and running jobs.
``next_end[0]`` is the true end of the next job to end.

Sorted arrays with binary search beat heaps here. A few hundred jobs run at a time, and to move a few kilobytes costs
less than a heap's scattered writes. Policies need the ends in order as well.
"""

from thinktime.models.kernels.states import FINISHED, FUTURE, KILLED, REFUSED, RUNNING, WAITING
from thinktime.workloads.compiler import Codes, Floats, Ints, kernel, whole

INFINITY = float("inf")
ZERO = whole(0)
IDLE, IN_QUEUE, AT_WORK = 0, 1, 2  # places in ``counts``
# what happens to a job that reaches its estimate; AS_RECORDED also lets starts exceed the machine
KILL, EXTEND, UNTIL_NEEDED, AS_RECORDED = 0, 1, 2, 3
NOT_WAITING, NO_ROOM = 0, 1  # faults of a proposal
EVICTED = whole(KILLED)


@kernel
def finish_due(
    now: float,
    done: Ints,
    counts: Ints,
    next_end: Floats,
    processors: Ints,
    expected_end: Floats,
    end: Floats,
    fate: Codes,
    state: Codes,
    running: Ints,
    ending: Ints,
) -> int:
    """End every running job whose true end is due; write the rows to ``done`` by (end, row) and return how many."""
    n = counts[AT_WORK]
    k = 0
    while n > 0 and end[ending[n - 1]] <= now:
        row = ending[n - 1]
        _remove_running(row, n, running, expected_end)
        n -= 1
        counts[IDLE] += processors[row]
        state[row] = fate[row]
        done[k] = row
        k += 1
    counts[AT_WORK] = n
    next_end[0] = end[ending[n - 1]] if n > 0 else INFINITY
    return k


@kernel
def end_now(
    now: float,
    row: int,
    new_state: int,
    counts: Ints,
    next_end: Floats,
    processors: Ints,
    expected_end: Floats,
    end: Floats,
    state: Codes,
    running: Ints,
    ending: Ints,
) -> None:
    """End one running job before its time: a release, a cancellation or an eviction."""
    n = counts[AT_WORK]
    _remove_running(row, n, running, expected_end)
    _take_out(row, ZERO, n, ending)
    counts[AT_WORK] = n - 1
    next_end[0] = end[ending[n - 2]] if n > 1 else INFINITY
    counts[IDLE] += processors[row]
    end[row] = now
    state[row] = new_state


@kernel
def prolong(
    row: int,
    until: float,
    counts: Ints,
    next_end: Floats,
    ident: Ints,
    start: Floats,
    expected_end: Floats,
    runtime: Floats,
    end: Floats,
    fate: Codes,
    running: Ints,
    ending: Ints,
) -> None:
    """Let a running job go on until its true end, or until it is killed at ``until``."""
    n = counts[AT_WORK]
    _remove_running(row, n, running, expected_end)
    _take_out(row, ZERO, n, ending)
    expected_end[row] = until
    longer = start[row] + runtime[row] > until
    end[row] = until if longer else start[row] + runtime[row]
    fate[row] = KILLED if longer else FINISHED
    _insert_running(row, n - 1, ident, running, expected_end)
    _insert_ending(row, n - 1, ending, end)
    next_end[0] = end[ending[n - 1]]


@kernel
def enqueue(
    rows: Ints,
    ident: Ints,
    processors: Ints,
    capacity: int,
    runtime: Floats,
    key: Floats,
    state: Codes,
    waiting: Ints,
    counts: Ints,
    accepted: Ints,
) -> int:
    """Queue what was submitted at one instant, by id, each behind all that have its key or a smaller one.

    Jobs that cannot run here (wider than the machine, or without processors or a run time) are refused, and jobs
    withdrawn already are left out. The others are written to ``accepted``.
    """
    k = 0
    for row in rows:
        if state[row] != FUTURE:
            continue
        if not (1 <= processors[row] <= capacity and runtime[row] >= 0.0):
            state[row] = REFUSED
            continue
        i = k
        while i > 0 and ident[accepted[i - 1]] > ident[row]:
            accepted[i] = accepted[i - 1]
            i -= 1
        accepted[i] = row
        k += 1
    n = counts[IN_QUEUE]
    for row in accepted[:k]:
        at = n
        if n > 0 and key[waiting[n - 1]] > key[row]:
            low, high = 0, n
            while low < high:
                middle = (low + high) // 2
                if key[waiting[middle]] > key[row]:
                    high = middle
                else:
                    low = middle + 1
            at = low
            for i in range(n, at, -1):
                waiting[i] = waiting[i - 1]
        waiting[at] = row
        state[row] = WAITING
        n += 1
    counts[IN_QUEUE] = n
    return k


@kernel
def dequeue(row: int, waiting: Ints, counts: Ints) -> None:
    """Take one row out of the queue."""
    _take_out(row, ZERO, counts[IN_QUEUE], waiting)
    counts[IN_QUEUE] -= 1


@kernel
def _verdict(
    now: float,
    rows: Ints,
    overrun: int,
    counts: Ints,
    processors: Ints,
    expected_end: Floats,
    state: Codes,
    running: Ints,
) -> int:
    """What is wrong with a proposal: 0 if every row waits and is there once, and all rows fit together.

    Otherwise -1 - 2 * place - fault, with one of the faults above.
    """
    room = counts[IDLE]
    if overrun == UNTIL_NEEDED:
        for i in range(counts[AT_WORK]):
            if expected_end[running[i]] > now:
                break
            room += processors[running[i]]
    fault = 0
    checked = 0
    for i in range(rows.size):
        row = rows[i]
        if row < 0 or row >= state.size or state[row] != WAITING:
            fault = -1 - 2 * i - NOT_WAITING
            break
        if processors[row] > room and overrun != AS_RECORDED:
            fault = -1 - 2 * i - NO_ROOM
            break
        room -= processors[row]
        state[row] = RUNNING  # a second proposal of the same row is caught above; undone below
        checked += 1
    for i in range(checked):
        state[rows[i]] = WAITING
    return fault


@kernel
def start_rows(
    now: float,
    rows: Ints,
    overrun: int,
    evicted: Ints,
    counts: Ints,
    next_end: Floats,
    ident: Ints,
    processors: Ints,
    requested: Floats,
    estimate: Floats,
    start: Floats,
    expected_end: Floats,
    runtime: Floats,
    end: Floats,
    fate: Codes,
    state: Codes,
    waiting: Ints,
    running: Ints,
    ending: Ints,
) -> int:
    """Start all rows, or none, and return how many overrunning jobs were evicted, or the fault (``_verdict``)."""
    fault = _verdict(now, rows, overrun, counts, processors, expected_end, state, running)
    if fault < 0:
        return fault
    k = 0
    for row in rows:
        while overrun == UNTIL_NEEDED and processors[row] > counts[IDLE]:
            victim = running[0]  # the longest overrun, the smallest id among equals
            evicted[k] = victim
            k += 1
            end_now(
                now, victim, EVICTED, counts, next_end, processors, expected_end, end, state, running, ending
            )
        start[row] = now
        expected_end[row] = now + estimate[row]
        if overrun == KILL and runtime[row] > requested[row]:
            end[row] = now + requested[row]
            fate[row] = KILLED
        else:
            end[row] = now + runtime[row]
            fate[row] = FINISHED
        state[row] = RUNNING
        counts[IDLE] -= processors[row]
        _insert_running(row, counts[AT_WORK], ident, running, expected_end)
        _insert_ending(row, counts[AT_WORK], ending, end)
        counts[AT_WORK] += 1
    kept = 0
    for i in range(counts[IN_QUEUE]):
        if state[waiting[i]] == WAITING:
            waiting[kept] = waiting[i]
            kept += 1
    counts[IN_QUEUE] = kept
    if counts[AT_WORK] > 0:
        next_end[0] = end[ending[counts[AT_WORK] - 1]]
    return k


@kernel
def _first_not_before(value: float, n: int, running: Ints, expected_end: Floats) -> int:
    """The first place in ``running`` whose expected end is at or after ``value``."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if expected_end[running[middle]] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _remove_running(row: int, n: int, running: Ints, expected_end: Floats) -> None:
    _take_out(row, _first_not_before(expected_end[row], n, running, expected_end), n, running)


@kernel
def _take_out(row: int, i: int, n: int, rows: Ints) -> None:
    """Remove a row from ``rows[:n]``, where it is at place ``i`` or behind it."""
    while rows[i] != row:
        i += 1
    while i < n - 1:
        rows[i] = rows[i + 1]
        i += 1


@kernel
def _insert_running(row: int, n: int, ident: Ints, running: Ints, expected_end: Floats) -> None:
    i = _first_not_before(expected_end[row], n, running, expected_end)
    while i < n and expected_end[running[i]] == expected_end[row] and ident[running[i]] < ident[row]:
        i += 1
    for j in range(n, i, -1):
        running[j] = running[j - 1]
    running[i] = row


@kernel
def _insert_ending(row: int, n: int, ending: Ints, end: Floats) -> None:
    low, high = 0, n  # first place whose (end, row) is smaller than this one's: the order is descending
    while low < high:
        middle = (low + high) // 2
        other = ending[middle]
        if end[other] > end[row] or (end[other] == end[row] and other > row):
            low = middle + 1
        else:
            high = middle
    for j in range(n, low, -1):
        ending[j] = ending[j - 1]
    ending[low] = row
