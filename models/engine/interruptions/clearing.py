"""A window begins: jobs that it does not admit make way, on a pool only those that are in the way."""

from __future__ import annotations

from thinktime.models.engine import gapped, situation
from thinktime.models.engine.codes import interruptions as interruptions_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.interruptions import interruptions
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints


def remain(state: State) -> int:
    """What is left now beside what open windows hold that clear; and what each open window has that admits jobs."""
    left = state.idle
    for j in range(state.known_count):
        window = state.known[j]
        if not situation.is_open(state, window):
            continue
        held = state.amount[window]
        if state.slot[window] != of.NOBODY:
            for i in range(gapped.line_up(state)):
                row = state.running[i]
                if situation.admits(state, window, row):
                    held -= state.processors[row]
            state.remaining[window] = held
        if state.manner[window] != of.WAIT:
            left -= max(0, held)
    return int(left)


def _move(state: State, left: int, row: int, sign: int) -> int:
    """What is left if a job leaves, or does not."""
    left += sign * state.processors[row]
    if state.open_for_some > 0:
        for i in range(state.known_count):
            window = state.known[i]
            if (
                state.slot[window] == of.NOBODY
                or not situation.is_open(state, window)
                or not situation.admits(state, window, row)
            ):
                continue
            before = max(0, state.remaining[window])
            state.remaining[window] += sign * state.processors[row]
            if state.manner[window] != of.WAIT:
                left -= max(0, state.remaining[window]) - before
    return left


def clear(state: State, truth: Truth, now: float, window: int, k: int) -> int:
    """A window begins: jobs that it does not admit leave, the youngest first, but only those that are in the way."""
    left = remain(state)
    if left >= 0:
        return k
    rows, n = state.out, 0
    for j in range(gapped.line_up(state)):
        row = state.running[j]
        if not situation.admits(state, window, row):
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
    for j in range(taken):
        row = candidates[j]
        if row != of.NOBODY:
            k = make_way(state, truth, now, window, row, k)
    return k


def come_below(state: State, truth: Truth, now: float, window: int, k: int) -> int:
    """The cap falls: jobs that draw power leave, the youngest first, as few as come below it."""
    left = state.power_free - state.power_held
    if left >= 0:
        return k
    rows, n = state.out, 0
    for j in range(gapped.line_up(state)):
        row = state.running[j]
        if state.processors[row] * state.watts[row] > 0:
            rows[n] = row
            n += 1
    candidates = youngest_first(state, rows[:n])
    taken = 0
    while left < 0 and taken < n:
        left += state.processors[candidates[taken]] * state.watts[candidates[taken]]
        taken += 1
    for i in range(taken - 1, -1, -1):
        draw = state.processors[candidates[i]] * state.watts[candidates[i]]
        if left - draw >= 0:
            left, candidates[i] = left - draw, of.NOBODY
    for j in range(taken):
        if candidates[j] != of.NOBODY:
            k = make_way(state, truth, now, window, candidates[j], k)
    return k


def make_way(state: State, truth: Truth, now: float, window: int, row: int, k: int) -> int:
    """A job leaves for a window; it is written to place k of ``done``."""
    fate = interruptions_codes.MAY_GO_ON
    if state.manner[window] == of.KILL_JOBS:
        fate = interruptions_codes.IS_KILLED
    elif state.manner[window] == of.SUSPEND:
        fate = interruptions_codes.KEEPS_WORK
    interruptions.interrupt(state, truth, now, row, interruptions_codes.WINDOW, fate)
    truth.done[k] = row
    return k + 1


def youngest_first(state: State, rows: Ints) -> Ints:
    """Running rows by the latest start of their runs, then by the larger id."""
    keys = state.spare.real(len(rows))
    for i in range(len(rows)):
        keys[i] = -state.id[rows[i]]
    by_id = state.spare.sorted_by(keys, rows)
    for i in range(len(rows)):
        keys[i] = -state.start[by_id[i]]
    return state.spare.sorted_by(keys, by_id)
