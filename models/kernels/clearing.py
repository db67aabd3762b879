"""A window begins: jobs that it does not admit make way, on a pool only those that are in the way."""

import numpy as np

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.interruptions import IS_KILLED, MAY_GO_ON, WINDOW, interrupt
from thinktime.models.kernels.queue_orders import sort_places
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import by_kind
from thinktime.workloads.structures import Structure


@kernel
def remain(state: Structure) -> int:
    """What is left now beside what open windows hold that clear; and what each open window has that admits somebody."""
    left = state.counts[at.IDLE]
    for window in state.known[: state.situation[of.KNOWN]]:
        if not of.is_open(state, window):
            continue
        held = state.amount[window]
        if state.slot[window] != of.NOBODY:
            for row in state.running[: line_up(state)]:
                if of.admits(state, window, row):
                    held -= state.processors[row]
            state.remaining[window] = held
        if state.manner[window] != of.WAIT:
            left -= max(0, held)
    return int(left)


@kernel
def _move(state: Structure, left: int, row: int, sign: int) -> int:
    """What is left if a job leaves, or does not."""
    left += sign * state.processors[row]
    if state.situation[of.OPEN_FOR_SOME] > 0:
        for window in state.known[: state.situation[of.KNOWN]]:
            if state.slot[window] == of.NOBODY or not of.is_open(state, window) or not of.admits(state, window, row):
                continue
            before = max(0, state.remaining[window])
            state.remaining[window] += sign * state.processors[row]
            if state.manner[window] != of.WAIT:
                left -= max(0, state.remaining[window]) - before
    return left


@by_kind
def clear(state: Structure, truth: Structure, now: float, window: int, k: int) -> int:
    """A window begins: jobs that it does not admit leave, the youngest first, but only those that are in the way."""
    left = remain(state)
    if left >= 0:
        return k
    rows, n = state.out, 0
    for row in state.running[: line_up(state)]:
        if not of.admits(state, window, row):
            rows[n] = row
            n += 1
    candidates = youngest_first(state, rows[:n])
    taken = 0
    while left < 0 and taken < n:
        left = _move(state, left, candidates[taken], 1)
        taken += 1
    for i in range(taken - 1, -1, -1):
        without = _move(state, left, candidates[i], -1)
        if without >= 0 or without == left:
            left, candidates[i] = without, of.NOBODY
        else:
            _move(state, without, candidates[i], 1)
    for row in candidates[:taken]:
        if row != of.NOBODY:
            k = make_way(state, truth, now, window, row, k)
    return k


@kernel
def make_way(state: Structure, truth: Structure, now: float, window: int, row: int, k: int) -> int:
    """A job leaves for a window; it is written to place k of ``done``."""
    interrupt(state, truth, now, row, WINDOW, IS_KILLED if state.manner[window] == of.KILL_JOBS else MAY_GO_ON)
    truth.done[k] = row
    return k + 1


@kernel
def youngest_first(state: Structure, rows: Ints) -> Ints:
    """Running rows by the latest start of their runs, then by the larger id."""
    keys, places, spare = np.empty(rows.size), np.arange(rows.size), np.empty(rows.size, np.int64)
    for i in range(rows.size):
        keys[i] = -state.id[rows[i]]
    places = sort_places(keys, places, spare)
    for i in range(rows.size):
        keys[i] = -state.start[rows[i]]
    places = sort_places(keys, places, np.empty(rows.size, np.int64))
    for i in range(rows.size):
        places[i] = rows[places[i]]
    return places
