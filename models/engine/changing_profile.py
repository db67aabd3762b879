"""The profile of a machine that changes: what is free beside running and reserved jobs, and beside windows.

For jobs that no window admits, this is a number for each step. Where windows admit some jobs, a step has a record: that
number, and for each slot what the window that is open then has left beside the jobs that it admits. It can be negative;
what the window holds is the positive part. Whoever it admits finds this as well.
"""

from __future__ import annotations

import math

from thinktime.models.engine import availability, gapped, keeping, profile
from thinktime.models.engine import situation as situation_kernel
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf


def width(state: State) -> int:
    """How many numbers a record has."""
    return int(1 + state.slots)


def _split(size: int, i: int, time: float, times: Floats, free: Ints, n: int) -> int:
    """Cut step i in two at ``time``; the new length."""
    for j in range(n, i + 1, -1):
        times[j] = times[j - 1]
    for j in range((n + 1) * size - 1, (i + 1) * size - 1, -1):
        free[j] = free[j - size]
    times[i + 1] = time
    return n + 1


def _at(size: int, time: float, times: Floats, free: Ints, n: int) -> tuple[int, int]:
    """The step that begins at a time, which becomes one if need be, and the new length; none for infinity."""
    if time == INFINITY:
        return n, n
    i = availability.locate(time, times, n)
    if times[i] < time:
        n = _split(size, i, time, times, free, n)
        i += 1
    return i, n


def _merge(state: State, times: Floats, free: Ints, n: int) -> int:
    """Join neighbours that are equal, in the same windows; the new length."""
    size, k = width(state), 0
    for i in range(1, n):
        same = not _is_edge(state, times[i])
        for j in range(size):
            same = same and free[i * size + j] == free[k * size + j]
        if not same:
            k += 1
            times[k] = times[i]
            for j in range(size):
                free[k * size + j] = free[i * size + j]
    return k + 1


def _is_edge(state: State, time: float) -> bool:
    """Whether a window that admits somebody begins or ends at a time."""
    for i_window in range(state.known_count):
        window = state.known[i_window]
        if state.slot[window] != of.NOBODY and (state.opens[window] == time or state.closes[window] == time):
            return True
    return False


def window_profile(state: State, now: float, left: int, times: Floats, free: Ints) -> int:
    """So many processors, and the windows that are known."""
    size = width(state)
    times[0], free[0] = now, left
    free[1:size] = 0
    n = 1
    for i_window in range(state.known_count):
        window = state.known[i_window]
        n = _hold(state, window, now, times, free, n)
    return n


def _hold(state: State, window: int, now: float, times: Floats, free: Ints, n: int) -> int:
    """A window holds its processors while it is open."""
    begin, end, held = max(state.opens[window], now), state.closes[window], state.amount[window]
    size = width(state)
    if size == 1:
        return availability.change(begin, end, -held, times, free, n)
    first, n = _at(size, begin, times, free, n)
    stop, n = _at(size, end, times, free, n)
    for i in range(first, stop):
        free[i * size] -= held
        if state.slot[window] != of.NOBODY:
            free[i * size + 1 + state.slot[window]] += held
    return n


def _add_repairs(state: State, times: Floats, free: Ints, n: int) -> int:
    """Where repairs are told, processors that are down come back."""
    size = width(state)
    if state.repairs_told:
        for i_processor in range(state.down):
            processor = state.broken[i_processor]
            first, n = _at(size, max(state.back[processor], times[0]), times, free, n)
            for i in range(first, n):
                free[i * size] += 1
    return n


def changing_idle_profile(state: State, now: float, times: Floats, free: Ints) -> int:
    """As `idle_profile`: with what is down, and the windows."""
    n = window_profile(state, now, state.machine_size - state.down, times, free)
    return _add_repairs(state, times, free, n)


def changing_running_profile(state: State, now: float, skip: int, times: Floats, free: Ints) -> int:
    """As `running_profile`: running jobs, and the windows."""
    n = without_windows(state, now, times, free)
    return n if width(state) > 1 else include_windows(state, at.ZERO, state.known_count, now, times, free, n)


def without_windows(state: State, now: float, times: Floats, free: Ints) -> int:
    """Running jobs and what suspended ones keep alone, unless windows admit some of them."""
    keeping.forget_bookings(state)
    if width(state) > 1:
        n = state.profiles.idle_profile(state, now, times, free)
        for i_row in range(gapped.line_up(state)):
            row = state.running[i_row]
            end = max(state.expected_end[row], now + state.grace)
            n = _change(state, row, profile_codes.TAKE, now, end, times, free, n)
        return keeping.lay(state, times, free, n)
    n = availability.build(
        now, state.grace, state.idle, state.processors, state.running[: gapped.line_up(state)], 0,
        state.expected_end, times, free,
    )  # fmt: skip
    return keeping.lay(state, times, free, _add_repairs(state, times, free, n))


def include_windows(state: State, first: int, stop: int, now: float, times: Floats, free: Ints, n: int) -> int:
    """Some of the known windows hold their processors."""
    for i_window in range(first, stop):
        window = state.known[i_window]
        n = _hold(state, window, now, times, free, n)
    return n


def changing_advance(state: State, now: float, times: Floats, free: Ints, n: int) -> int:
    """As `advance`: drop steps that are over."""
    size, k = width(state), 0
    if size == 1:
        return profile.advance(state, now, times, free, n)
    while k + 1 < n and times[k + 1] <= now:
        k += 1
    if k > 0:
        for i in range(n - k):
            times[i] = times[i + k]
        for i in range((n - k) * size):
            free[i] = free[i + k * size]
    times[0] = now
    return n - k


def changing_book(
    state: State, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """As `book`: if the job is concerned, what suspended jobs keep is laid anew."""
    if not keeping.concerns(state, row):
        return _change(state, row, sign, begin, end, times, free, n)
    n = keeping.lift(state, times, free, n)
    n = _change(state, row, sign, begin, end, times, free, n)
    keeping.note_booking(state, row, sign, begin, end)
    return keeping.lay(state, times, free, n)


def changing_send_off(
    state: State, row: int, sign: int, suspends: bool, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """As `send_off`: the job leaves earlier, and what suspended jobs keep is laid anew."""
    return _change(state, row, sign, begin, end, times, free, n)


def _change(state: State, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int) -> int:
    """A job takes, or gives back, what windows that admit it have left, then others."""
    size, need = width(state), sign * state.processors[row]
    if size == 1:
        return availability.change(begin, end, need, times, free, n)
    if not begin < end or begin == INFINITY:
        return n
    first, n = _at(size, begin, times, free, n)
    stop, n = _at(size, end, times, free, n)
    for i in range(first, stop):
        free[i * size] += need
    for i_window in range(state.known_count):
        window = state.known[i_window]
        place = 1 + state.slot[window]
        if (
            place == 0
            or state.opens[window] >= end
            or state.closes[window] <= begin
            or not situation_kernel.admits(state, window, row)
        ):
            continue
        for i in range(first, stop):
            if state.opens[window] <= times[i] < state.closes[window]:
                before = max(0, free[i * size + place])
                free[i * size + place] += need
                free[i * size] += before - max(0, free[i * size + place])
    return _merge(state, times, free, n)


def _free_for(state: State, row: int, i: int, times: Floats, free: Ints) -> int:
    """What a job finds in a step: more where a window admits it."""
    size = width(state)
    found = free[i * size]
    for i_window in range(state.known_count):
        window = state.known[i_window]
        place = 1 + state.slot[window]
        if (
            place > 0
            and state.opens[window] <= times[i] < state.closes[window]
            and situation_kernel.admits(state, window, row)
        ):
            found += max(0, free[i * size + place])
    return int(found)


def _fit(state: State, row: int, duration: float, before: float, times: Floats, free: Ints, n: int) -> float:
    """The earliest step before a time at which a job fits for so long; or infinity."""
    need, i = state.processors[row], 0
    while i < n and times[i] < before:
        end, j = times[i] + duration, i
        while j < n and times[j] < end and _free_for(state, row, j, times, free) >= need:
            j += 1
        if j == n or times[j] >= end:
            return float(times[i])
        i = j + 1
    return INFINITY


def changing_earliest(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """As `earliest`: beside windows, or in them."""
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)  # objects: where suspended jobs keep everything
    return earliest_fit(state, row, duration, times, free, n)


def earliest_fit(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """The earliest start in a profile over which nothing is laid that is kept."""
    if width(state) == 1:
        return profile.earliest(state, row, duration, times, free, n)
    return _fit(state, row, duration, INFINITY, times, free, n)


def changing_fits_from_now(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """As `fits_from_now`: beside windows, or in them."""
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)  # objects: where suspended jobs keep everything
    if width(state) == 1:
        return profile.fits_from_now(state, row, duration, times, free, n)
    end = times[0] + duration
    i = 0
    while i < n and times[i] < end:
        if _free_for(state, row, i, times, free) < state.processors[row]:
            return False
        i += 1
    return True


def changing_fits_at(state: State, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """As `fits_at`: beside windows, or in them."""
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)  # objects: where suspended jobs keep everything
    i, end = availability.locate(begin, times, n), begin + duration
    while i < n and times[i] < end:
        if _free_for(state, row, i, times, free) < state.processors[row]:
            return False
        i += 1
    return True


def changing_bring_forward(
    state: State, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
) -> tuple[float, int]:
    """As `bring_forward`: take the job out, and put it back where it was unless there is an earlier fit."""
    if width(state) == 1:
        return profile.bring_forward(state, row, reserved, reach, tried[:1], times, free, n)
    duration = state.estimate[row]
    n = state.profiles.book(state, row, profile_codes.GIVE, reserved, reserved + duration, times, free, n)
    start = min(state.profiles.earliest(state, row, duration, times, free, n), reserved)
    return start, state.profiles.book(state, row, profile_codes.TAKE, start, start + duration, times, free, n)


def changing_left_now(state: State, free: Ints) -> int:
    """As `left_now`: what anybody may find now, a suspended job or its preemptor included."""
    found = free[0]
    if keeping.active(state):
        found += keeping.kept_at(state, of.NOBODY, state.now)[0, 0]
    for i in range(1, width(state)):
        found += max(0, free[i])
    return int(found)


def changing_more_from(state: State, now: float, times: Floats, free: Ints, n: int) -> int:
    """As `more_from`: from now on."""
    back, size = state.came_back, width(state)
    for i in range(n):
        free[i * size] += back
    return n


def changing_step_at(state: State, time: float, times: Floats, free: Ints, n: int) -> int:
    """As `step_at`: a new step needs a record."""
    return _at(width(state), time, times, free, n)[1]


def changing_change_step(state: State, i: int, sign: int, kept: IntTable, free: Ints) -> None:
    """As `change_step`: what anybody may have."""
    free[i * width(state)] += sign * kept[0, 0]


def copy_records(state: State, times: Floats, free: Ints, n: int, more: int, to_times: Floats, to_free: Ints) -> None:
    """As `copy_profile`: record by record."""
    to_times[:n], to_free[: n * width(state)] = times[:n], free[: n * width(state)]
