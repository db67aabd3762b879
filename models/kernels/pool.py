"""The machine's own kernels: jobs end, join the queue and start.

Sorted arrays with binary search beat heaps here. A few hundred jobs run at a time, and to move a few kilobytes costs
less than a heap's scattered writes. Policies need the ends in order as well.
"""

from thinktime.models.kernels.machine_state import (
    ARRIVED,
    AS_RECORDED,
    AT_WORK,
    IDLE,
    IN_QUEUE,
    INFINITY,
    KILL,
    NEXT_END,
    OVERRUN,
    PROCESSORS,
    TURNED_AWAY,
    UNTIL_NEEDED,
    UNWANTED,
    ZERO,
)
from thinktime.models.kernels.states import FINISHED, FUTURE, KILLED, REFUSED, RUNNING, WAITING, WITHDRAWN
from thinktime.workloads.compiler import Floats, Ints, Structure, kernel, whole

NOT_WAITING, NO_ROOM = 0, 1  # faults of a proposal
EVICTED = whole(KILLED)


@kernel
def finish_due(state: Structure, truth: Structure, now: float) -> int:
    """End every running job whose true end is due; write the rows to ``done`` by (end, row) and return how many."""
    counts, ending, end, done = state.counts, truth.ending, truth.end, truth.done
    processors, fate, code = state.processors, truth.fate, state.state
    running, expected_end = state.running, state.expected_end
    n = counts[AT_WORK]
    k = 0
    while n > 0 and end[ending[n - 1]] <= now:
        row = ending[n - 1]
        _remove_running(row, n, running, expected_end)
        n -= 1
        counts[IDLE] += processors[row]
        code[row] = fate[row]
        done[k] = row
        k += 1
    counts[AT_WORK] = n
    truth.clock[NEXT_END] = end[ending[n - 1]] if n > 0 else INFINITY
    return k


@kernel
def end_now(state: Structure, truth: Structure, now: float, row: int, how: int) -> None:
    """End one running job before its time: a release, a cancellation or an eviction."""
    counts, ending = state.counts, truth.ending
    n = counts[AT_WORK]
    _remove_running(row, n, state.running, state.expected_end)
    _take_out(row, ZERO, n, ending)
    counts[AT_WORK] = n - 1
    truth.clock[NEXT_END] = truth.end[ending[n - 2]] if n > 1 else INFINITY
    counts[IDLE] += state.processors[row]
    truth.end[row] = now
    state.state[row] = how


@kernel
def prolong(state: Structure, truth: Structure, row: int, until: float) -> None:
    """Let a running job go on until its true end, or until it is killed at ``until``."""
    n = state.counts[AT_WORK]
    _remove_running(row, n, state.running, state.expected_end)
    _take_out(row, ZERO, n, truth.ending)
    state.expected_end[row] = until
    true_end = state.start[row] + truth.runtime[row]
    truth.end[row] = min(until, true_end)
    truth.fate[row] = KILLED if true_end > until else FINISHED
    _insert_running(row, n - 1, state.id, state.running, state.expected_end)
    _insert_ending(row, n - 1, truth.ending, truth.end)
    truth.clock[NEXT_END] = truth.end[truth.ending[n - 1]]


@kernel
def enqueue(state: Structure, truth: Structure, now: float) -> int:
    """Queue what was submitted at one instant, by id, each behind all that have its key or a smaller one.

    Jobs that cannot run here (wider than the machine, or without processors or a run time) are refused, unless they are
    already. Jobs taken back before their submission are withdrawn. The others come first in ``arrived`` afterwards;
    return how many they are. Those turned away come first in ``scratch``.
    """
    counts, arrived, turned_away, attention = state.counts, truth.arrived, state.scratch, truth.attention
    code, ident, processors, runtime = state.state, state.id, state.processors, truth.runtime
    k = away = 0
    for place in range(truth.counts[ARRIVED]):
        row = arrived[place]
        fits = 1 <= processors[row] <= counts[PROCESSORS] and runtime[row] >= 0.0
        if code[row] == WITHDRAWN:  # at this instant
            continue
        if attention[row] & UNWANTED:
            code[row] = WITHDRAWN
        elif not fits:
            code[row] = REFUSED
        if code[row] != FUTURE:
            truth.end[row] = now
            turned_away[away] = row
            away += 1
            continue
        i = k
        while i > 0 and ident[arrived[i - 1]] > ident[row]:
            arrived[i] = arrived[i - 1]
            i -= 1
        arrived[i] = row
        k += 1
    truth.counts[ARRIVED] = 0
    truth.counts[TURNED_AWAY] = away
    waiting, key = state.waiting, state.key
    n = counts[IN_QUEUE]
    for row in arrived[:k]:
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
        code[row] = WAITING
        n += 1
    counts[IN_QUEUE] = n
    return k


@kernel
def dequeue(state: Structure, row: int) -> None:
    """Take one row out of the queue."""
    _take_out(row, ZERO, state.counts[IN_QUEUE], state.waiting)
    state.counts[IN_QUEUE] -= 1


@kernel
def overrunning(state: Structure, now: float) -> int:
    """How many jobs at the head of ``running`` have outlived their estimates and may be evicted."""
    n = 0
    if state.counts[OVERRUN] == UNTIL_NEEDED:
        while n < state.counts[AT_WORK] and state.expected_end[state.running[n]] <= now:
            n += 1
    return n


@kernel
def available(state: Structure, skip: int) -> int:
    """How many processors starts may use: idle ones, and those of the first ``skip`` running jobs."""
    free: int = state.counts[IDLE]
    for i in range(skip):
        free += state.processors[state.running[i]]
    return free


@kernel
def _verdict(state: Structure, now: float, rows: Ints) -> int:
    """What is wrong with a proposal: 0 if every row waits and is there once, and all rows fit together.

    Otherwise -1 - 2 * place - fault, with one of the faults above.
    """
    code, processors = state.state, state.processors
    room = available(state, overrunning(state, now))
    fault = checked = 0
    for i in range(rows.size):
        row = rows[i]
        if row < 0 or row >= code.size or code[row] != WAITING:
            fault = -1 - 2 * i - NOT_WAITING
            break
        if processors[row] > room and state.counts[OVERRUN] != AS_RECORDED:
            fault = -1 - 2 * i - NO_ROOM
            break
        room -= processors[row]
        code[row] = RUNNING  # a second proposal of the same row is caught above; undone below
        checked += 1
    for i in range(checked):
        code[rows[i]] = WAITING
    return fault


@kernel
def start_rows(state: Structure, truth: Structure, now: float, rows: Ints) -> int:
    """Start all rows, or none, and return how many overrunning jobs were evicted, or the fault (``_verdict``).

    The rows of evicted jobs come first in ``done``.
    """
    fault = _verdict(state, now, rows)
    if fault < 0:
        return fault
    counts, code, processors, running = state.counts, state.state, state.processors, state.running
    start, expected_end, end, fate = state.start, state.expected_end, truth.end, truth.fate
    requested, estimate, runtime, ending = state.requested, state.estimate, truth.runtime, truth.ending
    ident, evicted, waiting = state.id, truth.done, state.waiting
    overrun = counts[OVERRUN]
    k = 0
    for row in rows:
        while overrun == UNTIL_NEEDED and processors[row] > counts[IDLE]:
            victim = running[0]  # the longest overrun, the smallest id among equals
            evicted[k] = victim
            k += 1
            end_now(state, truth, now, victim, EVICTED)
        start[row] = now
        expected_end[row] = now + estimate[row]
        killed = overrun == KILL and runtime[row] > requested[row]
        end[row] = now + (requested[row] if killed else runtime[row])
        fate[row] = KILLED if killed else FINISHED
        code[row] = RUNNING
        counts[IDLE] -= processors[row]
        _insert_running(row, counts[AT_WORK], ident, running, expected_end)
        _insert_ending(row, counts[AT_WORK], ending, end)
        counts[AT_WORK] += 1
    kept = 0
    for i in range(counts[IN_QUEUE]):
        if code[waiting[i]] == WAITING:
            waiting[kept] = waiting[i]
            kept += 1
    counts[IN_QUEUE] = kept
    if counts[AT_WORK] > 0:
        truth.clock[NEXT_END] = end[ending[counts[AT_WORK] - 1]]
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
