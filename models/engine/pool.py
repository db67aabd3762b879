"""What a machine does itself: jobs end, join the queue and start."""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped, room, shapes, true_ends
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import pool as pool_codes
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.interruptions import runs
from thinktime.models.engine.limits import limits
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def finish_due(state: State, truth: Truth, now: float) -> int:
    """End every running job whose true end is due; write the rows to ``done`` by (end, row) and return how many."""
    k = 0
    while truth.next_end <= now:
        row = truth.ending[0]
        true_ends.take_end(state, truth, pool_codes.NEXT)
        state.room.vacate(state, row)
        limits.vacate(state, row, truth.end[row])
        state.state[row] = truth.fate[row]
        truth.done[k] = row
        k += 1
    state.passed_over = 0
    return k


def end_now(state: State, truth: Truth, now: float, row: int, how: int) -> None:
    """End one running job before its time: a release, a cancellation or an eviction."""
    true_ends.take_end(state, truth, true_ends.end_of(state, truth, row))
    state.room.vacate(state, row)
    limits.vacate(state, row, now)
    state.passed_over = 0
    truth.end[row] = now
    state.state[row] = how


def prolong(state: State, truth: Truth, row: int, until: float) -> None:
    """Let a running job go on until its true end, or until it is killed at ``until``."""
    true_ends.take_end(state, truth, true_ends.end_of(state, truth, row))
    gapped.expect_later(state, row, until)
    true_end = state.start[row] + truth.runtime[row]
    truth.end[row] = min(until, true_end)
    truth.fate[row] = states.KILLED if true_end > until else states.FINISHED
    true_ends.put_end(state, truth, row)


def enqueue(state: State, truth: Truth, now: float) -> int:
    """Queue what was submitted at one instant, by id, each behind all that have its key or a smaller one.

    Jobs that could not run on the idle machine, or that have no run time, are refused, unless they are already, and so
    are those beyond a limit of jobs that may be there. Jobs
    taken back before their submission are withdrawn. The others come first in ``arrived`` afterwards; return how many
    they are. Those turned away come first in ``scratch``.
    """
    k = away = 0
    for place in range(truth.arrived_count):
        row = truth.arrived[place]
        can_run = truth.runtime[row] >= 0.0 and state.room.possible(state, row)
        if states.RUNNING < state.state[row] < states.REFUSED:  # taken back at this instant
            continue
        if truth.attention[row] & at.UNWANTED:
            state.state[row] = states.WITHDRAWN
        elif not can_run:
            state.state[row] = states.REFUSED
        if state.state[row] != states.FUTURE:
            truth.end[row] = now
            state.scratch[away] = row
            away += 1
            continue
        i = k
        while i > 0 and state.id[truth.arrived[i - 1]] > state.id[row]:
            truth.arrived[i] = truth.arrived[i - 1]
            i -= 1
        truth.arrived[i] = row
        k += 1
    queued = 0
    for j in range(k):
        row = truth.arrived[j]
        if limits.enter(state, row):
            truth.arrived[queued] = row
            queued += 1
            _join_queue(state, row, truth.attention[row] & at.LATE > 0 or state.room.gone_back(state, row))
            state.state[row] = states.WAITING
        else:
            state.state[row], truth.end[row] = states.REFUSED, now
            state.scratch[away] = row
            away += 1
    truth.arrived_count = 0
    truth.turned_away = away
    return queued


def queue_of(state: State) -> Ints:
    """The waiting rows, in queue order."""
    rows: Ints = state.waiting[state.head : state.head + state.in_queue]
    return rows


def _join_queue(state: State, row: int, back: bool) -> None:
    """Put a row behind all that have its key or a smaller one; one that comes ``back``, where its submission says."""
    head, stop = state.head, state.head + state.in_queue
    if stop == len(state.waiting):  # after jobs have left it and come back
        for i in range(head, stop):
            state.waiting[i - head] = state.waiting[i]
        head, stop, state.head = 0, stop - head, 0
    state.in_queue += 1
    low, high = head, stop
    if stop > head and state.key[state.waiting[stop - 1]] <= state.key[row] and not back:
        low = stop
    while low < high:
        middle = (low + high) // 2
        other = state.waiting[middle]
        if state.key[other] > state.key[row] or (back and _behind(state, other, row)):
            high = middle
        else:
            low = middle + 1
    for i in range(stop, low, -1):
        state.waiting[i] = state.waiting[i - 1]
    state.waiting[low] = row
    state.shortest.joins(state.processors[row], state.estimate[row])
    if state.passed_over > low - head:
        state.passed_over = low - head
    if back:
        state.out_of_turn += 1


def _behind(state: State, other: int, row: int) -> bool:
    """Whether a waiting job belongs behind one with the same key that comes to the queue later than others."""
    if state.key[other] != state.key[row] or state.submit[other] < state.submit[row]:
        return False
    return bool(state.submit[other] > state.submit[row] or state.id[other] > state.id[row])


def leave_queue(state: State, left: int) -> None:
    """Take the ``left`` rows that wait no longer out of the queue; the fewer of the others move up or back.

    They are not among those that have been passed over.
    """
    head, stop = state.head, state.head + state.in_queue
    state.in_queue -= left
    if head + left == stop:
        state.head = 0
        return
    last, found = head + state.passed_over - 1, 0
    while found < left:
        last += 1
        found += state.state[state.waiting[last]] != states.WAITING
    if last - head < stop - last:
        place = i = last
        while found > 0:
            row = state.waiting[i]
            if state.state[row] == states.WAITING:
                state.waiting[place] = row
                place -= 1
            else:
                found -= 1
            i -= 1
        _move_up(state, head, i + 1, left)
        state.head += left
        return
    place = head + state.passed_over
    for i in range(place, last + 1):
        row = state.waiting[i]
        if state.state[row] == states.WAITING:
            state.waiting[place] = row
            place += 1
    _move_back(state, last + 1, stop, left)


def _move_up(state: State, first: int, stop: int, by: int) -> None:
    """Move rows of the queue up by some places; by one, which is usual, compilers make a block move of it."""
    if by == 1:
        for i in range(stop - 1, first - 1, -1):
            state.waiting[i + 1] = state.waiting[i]
    else:
        for i in range(stop - 1, first - 1, -1):
            state.waiting[i + by] = state.waiting[i]


def _move_back(state: State, first: int, stop: int, by: int) -> None:
    """As `_move_up`, towards the head."""
    if by == 1:
        for i in range(first, stop):
            state.waiting[i - 1] = state.waiting[i]
    else:
        for i in range(first, stop):
            state.waiting[i - by] = state.waiting[i]


def verdict(state: State, now: float, rows: Ints) -> int:
    """What is wrong with a proposal: 0 if every row waits and is there once, and all rows fit together.

    Otherwise -1 - 2 * place - fault, with one of the faults above.
    """
    code, fault, checked = state.state, 0, 0
    left = state.room.begin_pass(state, room.overrunning(state, now))
    for i in range(len(rows)):
        row = rows[i]
        if row < 0 or row >= len(code) or code[row] != states.WAITING:
            fault = -1 - 2 * i - pool_codes.NOT_WAITING
            break
        if not state.room.proposed_fits(state, row, left) and state.overrun != at.AS_RECORDED:
            fault = -1 - 2 * i - pool_codes.NO_ROOM
            break
        left = state.room.take_now(state, row, left)
        code[row] = states.RUNNING  # a second proposal of the same row is caught above; undone below
        checked += 1
    state.room.rewind(state, rows[:checked])
    for i in range(checked):
        code[rows[i]] = states.WAITING
    return fault


def start_rows(state: State, truth: Truth, now: float, rows: Ints) -> int:
    """Start rows that wait and fit, and return how many overrunning jobs were evicted, which come first in ``done``."""
    overrun, k = state.overrun, 0
    for i in range(len(rows)):
        row = rows[i]
        while overrun == at.UNTIL_NEEDED and state.room.must_evict(state, row):
            victim = _longest_overrun(state, row)
            truth.done[k] = victim
            k += 1
            end_now(state, truth, now, victim, pool_codes.EVICTED)
        state.start[row] = now
        state.expected_end[row] = now + state.estimate[row]
        if state.shaped:
            shapes.begin_run(state, truth, row, now)
            whole, limit = runs.end_of_run(state, truth, row, now)
            set_end(state, truth, row, whole, limit)
        else:
            killed, work = False, truth.runtime[row]
            if overrun == at.KILL and work > state.requested[row]:
                killed, work = True, state.requested[row]
            end = now + state.room.run_length(state, row, work)
            if killed and state.sweep > 0.0:
                whole, end = now + state.room.run_length(state, row, truth.runtime[row]), ended_at(state, end)
                killed, end = whole > end, min(whole, end)
            truth.end[row] = end
            truth.fate[row] = states.KILLED if killed else states.FINISHED
        state.state[row] = states.RUNNING
        state.room.occupy(state, row)
        limits.occupy(state, row, now)
        gapped.note_running(state, row)
        true_ends.put_end(state, truth, row)
    leave_queue(state, len(rows))
    return k


def set_end(state: State, truth: Truth, row: int, whole: float, limit: float) -> None:
    """A running job has done its work at a time, unless it is killed when its limit is used up."""
    if state.overrun != at.KILL:
        limit = INFINITY
    elif state.sweep > 0.0 and whole > limit:
        limit = ended_at(state, limit)
    truth.end[row] = min(whole, limit)
    truth.fate[row] = states.KILLED if whole > limit else states.FINISHED


def ended_at(state: State, limit: float) -> float:
    """When a job is ended whose limit is over at a time: at the next sweep, and when it has been waited for."""
    sweeps = arithmetic.ceil((limit + state.over_time_limit - state.sweep_phase) / state.sweep)
    return float(state.sweep_phase + sweeps * state.sweep + state.last_wait)


def _longest_overrun(state: State, row: int) -> int:
    """Of the jobs in the way of one that starts, that with the longest overrun; the smallest id among equals."""
    gapped.sort_in(state)
    i = state.first_running
    while gapped.is_gap(state, i) or not state.room.in_the_way(state, row, state.running[i]):
        i += 1
    victim: int = state.running[i]
    return victim
