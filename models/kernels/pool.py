"""The machine's own kernels: jobs end, join the queue and start."""

import numpy as np

from thinktime.models.kernels import limits, room
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels.gapped import expect_later, is_gap, note_running, sort_in
from thinktime.models.kernels.state_codes import FINISHED, FUTURE, KILLED, REFUSED, RUNNING, WAITING, WITHDRAWN
from thinktime.models.kernels.true_ends import end_of, put_end, take_end
from thinktime.workloads.compiler import Ints, inlined, kernel, whole
from thinktime.workloads.structures import Structure

NOT_WAITING, NO_ROOM = 0, 1  # faults of a proposal
EVICTED, NEXT = whole(KILLED), whole(0)


@kernel
@inlined
def finish_due(state: Structure, truth: Structure, now: float) -> int:
    """End every running job whose true end is due; write the rows to ``done`` by (end, row) and return how many."""
    k = 0
    while truth.clock[at.NEXT_END] <= now:
        row = truth.ending[0]
        take_end(state, truth, NEXT)
        room.vacate(state, row)
        limits.vacate(state, row, truth.end[row])
        state.state[row] = truth.fate[row]
        truth.done[k] = row
        k += 1
    state.counts[at.PASSED_OVER] = 0
    return k


@kernel
def end_now(state: Structure, truth: Structure, now: float, row: int, how: int) -> None:
    """End one running job before its time: a release, a cancellation or an eviction."""
    take_end(state, truth, end_of(state, truth, row))
    room.vacate(state, row)
    limits.vacate(state, row, now)
    state.counts[at.PASSED_OVER] = 0
    truth.end[row] = now
    state.state[row] = how


@kernel
def prolong(state: Structure, truth: Structure, row: int, until: float) -> None:
    """Let a running job go on until its true end, or until it is killed at ``until``."""
    take_end(state, truth, end_of(state, truth, row))
    expect_later(state, row, until)
    true_end = state.start[row] + truth.runtime[row]
    truth.end[row] = min(until, true_end)
    truth.fate[row] = KILLED if true_end > until else FINISHED
    put_end(state, truth, row)


@kernel
@inlined
def enqueue(state: Structure, truth: Structure, now: float) -> int:
    """Queue what was submitted at one instant, by id, each behind all that have its key or a smaller one.

    Jobs that could not run on the idle machine, or that have no run time, are refused, unless they are already, and so
    are those beyond a limit of jobs that may be there. Jobs
    taken back before their submission are withdrawn. The others come first in ``arrived`` afterwards; return how many
    they are. Those turned away come first in ``scratch``.
    """
    arrived, turned_away, attention = truth.arrived, state.scratch, truth.attention
    code, ident, runtime = state.state, state.id, truth.runtime
    k = away = 0
    for place in range(truth.counts[at.ARRIVED]):
        row = arrived[place]
        can_run = runtime[row] >= 0.0 and room.possible(state, row)
        if RUNNING < code[row] < REFUSED:  # taken back at this instant
            continue
        if attention[row] & at.UNWANTED:
            code[row] = WITHDRAWN
        elif not can_run:
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
    queued = 0
    for row in arrived[:k]:
        if limits.enter(state, row):
            arrived[queued] = row
            queued += 1
            _join_queue(state, row, attention[row] & at.LATE > 0 or room.gone_back(state, row))
            code[row] = WAITING
        else:
            code[row], truth.end[row] = REFUSED, now
            turned_away[away] = row
            away += 1
    truth.counts[at.ARRIVED] = 0
    truth.counts[at.TURNED_AWAY] = away
    return queued


@kernel
@inlined
def queue_of(state: Structure) -> Ints:
    """The waiting rows, in queue order."""
    rows: Ints = state.waiting[state.counts[at.HEAD] : state.counts[at.HEAD] + state.counts[at.IN_QUEUE]]
    return rows


@kernel
@inlined
def _join_queue(state: Structure, row: int, back: bool) -> None:
    """Put a row behind all that have its key or a smaller one; one that comes ``back``, where its submission says."""
    waiting, key, head = state.waiting, state.key, state.counts[at.HEAD]
    stop = head + state.counts[at.IN_QUEUE]
    if stop == waiting.size:  # after jobs have left it and come back
        for i in range(head, stop):
            waiting[i - head] = waiting[i]
        head, stop, state.counts[at.HEAD] = 0, stop - head, 0
    state.counts[at.IN_QUEUE] += 1
    low, high = head, stop
    if stop > head and key[waiting[stop - 1]] <= key[row] and not back:
        low = stop
    while low < high:
        middle = (low + high) // 2
        if key[waiting[middle]] > key[row] or (back and _behind(state, waiting[middle], row)):
            high = middle
        else:
            low = middle + 1
    for i in range(stop, low, -1):
        waiting[i] = waiting[i - 1]
    waiting[low] = row
    state.counts[at.PASSED_OVER] = min(state.counts[at.PASSED_OVER], low - head)
    state.counts[at.OUT_OF_TURN] += back


@kernel
@inlined
def _behind(state: Structure, other: int, row: int) -> bool:
    """Whether a waiting job belongs behind one with the same key that comes to the queue later than others."""
    if state.key[other] != state.key[row] or state.submit[other] < state.submit[row]:
        return False
    return bool(state.submit[other] > state.submit[row] or state.id[other] > state.id[row])


@kernel
@inlined
def leave_queue(state: Structure, left: int) -> None:
    """Take the ``left`` rows that wait no longer out of the queue; the fewer of the others move up or back.

    They are not among those that have been passed over.
    """
    waiting, code, counts = state.waiting, state.state, state.counts
    head, stop = counts[at.HEAD], counts[at.HEAD] + counts[at.IN_QUEUE]
    counts[at.IN_QUEUE] -= left
    if counts[at.IN_QUEUE] == 0:
        counts[at.HEAD] = 0
        return
    last, found = head + counts[at.PASSED_OVER] - 1, 0
    while found < left:
        last += 1
        found += code[waiting[last]] != WAITING
    if last - head < stop - last:
        place = last
        for i in range(last, head - 1, -1):
            if code[waiting[i]] == WAITING:
                waiting[place] = waiting[i]
                place -= 1
        counts[at.HEAD] += left
        return
    place = head + counts[at.PASSED_OVER]
    for i in range(place, last + 1):
        if code[waiting[i]] == WAITING:
            waiting[place] = waiting[i]
            place += 1
    for i in range(last + 1, stop):
        waiting[i - left] = waiting[i]


@kernel
def _verdict(state: Structure, now: float, rows: Ints) -> int:
    """What is wrong with a proposal: 0 if every row waits and is there once, and all rows fit together.

    Otherwise -1 - 2 * place - fault, with one of the faults above.
    """
    code, fault, checked = state.state, 0, 0
    left = room.begin_pass(state, room.overrunning(state, now))
    for i in range(rows.size):
        row = rows[i]
        if row < 0 or row >= code.size or code[row] != WAITING:
            fault = -1 - 2 * i - NOT_WAITING
            break
        if not room.proposed_fits(state, row, left) and state.counts[at.OVERRUN] != at.AS_RECORDED:
            fault = -1 - 2 * i - NO_ROOM
            break
        left = room.take_now(state, row, left)
        code[row] = RUNNING  # a second proposal of the same row is caught above; undone below
        checked += 1
    room.rewind(state, rows[:checked])
    for i in range(checked):
        code[rows[i]] = WAITING
    return fault


@kernel
def start_proposed(state: Structure, truth: Structure, now: float, rows: Ints) -> int:
    """`start_rows` for a policy in Python: start all that it proposes, or none and return the fault (``_verdict``)."""
    fault = _verdict(state, now, rows)
    return start_rows(state, truth, now, rows) if fault == 0 else fault


@kernel
@inlined
def start_rows(state: Structure, truth: Structure, now: float, rows: Ints) -> int:
    """Start rows that wait and fit, and return how many overrunning jobs were evicted, which come first in ``done``."""
    code, start, expected_end, end, fate = state.state, state.start, state.expected_end, truth.end, truth.fate
    requested, estimate, runtime = state.requested, state.estimate, truth.runtime
    overrun = state.counts[at.OVERRUN]
    k = 0
    for row in rows:
        while overrun == at.UNTIL_NEEDED and room.must_evict(state, row):
            victim = _longest_overrun(state, row)
            truth.done[k] = victim
            k += 1
            end_now(state, truth, now, victim, EVICTED)
        start[row] = now
        expected_end[row] = now + estimate[row]
        killed = overrun == at.KILL and runtime[row] > requested[row]
        end[row] = now + room.run_length(state, row, requested[row] if killed else runtime[row])
        if killed and state.clock[at.SWEEP] > 0.0:
            whole, end[row] = now + room.run_length(state, row, runtime[row]), ended_at(state, end[row])
            killed, end[row] = whole > end[row], min(whole, end[row])
        fate[row] = KILLED if killed else FINISHED
        code[row] = RUNNING
        room.occupy(state, row)
        limits.occupy(state, row, now)
        note_running(state, row)
        put_end(state, truth, row)
    leave_queue(state, rows.size)
    return k


@kernel
def ended_at(state: Structure, limit: float) -> float:
    """When a job is ended whose limit is over at a time: at the next sweep, and when it has been waited for."""
    clock = state.clock
    sweeps = np.ceil((limit + clock[at.OVER_TIME] - clock[at.PHASE]) / clock[at.SWEEP])
    return float(clock[at.PHASE] + sweeps * clock[at.SWEEP] + clock[at.LAST_WAIT])


@kernel
def _longest_overrun(state: Structure, row: int) -> int:
    """Of the jobs in the way of one that starts, that with the longest overrun; the smallest id among equals."""
    sort_in(state)
    i = state.counts[at.FIRST_RUNNING]
    while is_gap(state, i) or not room.in_the_way(state, row, state.running[i]):
        i += 1
    victim: int = state.running[i]
    return victim
