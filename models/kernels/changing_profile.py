"""The profile of a machine that changes: what is free beside running and reserved jobs, and beside windows.

For jobs that no window admits, this is a number for each step. Where windows admit some jobs, a step has a record: that
number, and for each slot what the window that is open then has left beside the jobs that it admits. It can be negative;
what the window holds is the positive part. Whoever it admits finds this as well.
"""

import numpy as np

from thinktime.models.kernels import availability, keeping, profile
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import CHANGING, INFINITY
from thinktime.workloads.compiler import Floats, Ints, IntTable, kernel
from thinktime.workloads.kinds import usual, written_for
from thinktime.workloads.structures import Structure

usual_book = usual(profile.book)
usual_earliest = usual(profile.earliest)
usual_fits_from_now = usual(profile.fits_from_now)
usual_advance = usual(profile.advance)
usual_bring_forward = usual(profile.bring_forward)


@kernel
def width(state: Structure) -> int:
    """How many numbers a record has."""
    return int(1 + state.situation[of.SLOTS])


@kernel
def _split(size: int, i: int, time: float, times: Floats, free: Ints, n: int) -> int:
    """Cut step i in two at ``time``; the new length."""
    for j in range(n, i + 1, -1):
        times[j] = times[j - 1]
    for j in range((n + 1) * size - 1, (i + 1) * size - 1, -1):
        free[j] = free[j - size]
    times[i + 1] = time
    return n + 1


@kernel
def _at(size: int, time: float, times: Floats, free: Ints, n: int) -> tuple[int, int]:
    """The step that begins at a time, which becomes one if need be, and the new length; none for infinity."""
    if time == INFINITY:
        return n, n
    i = availability.locate(time, times, n)
    if times[i] < time:
        n = _split(size, i, time, times, free, n)
        i += 1
    return i, n


@kernel
def _merge(state: Structure, times: Floats, free: Ints, n: int) -> int:
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


@kernel
def _is_edge(state: Structure, time: float) -> bool:
    """Whether a window that admits somebody begins or ends at a time."""
    for window in state.known[: state.situation[of.KNOWN]]:
        if state.slot[window] != of.NOBODY and (state.opens[window] == time or state.closes[window] == time):
            return True
    return False


@kernel
def window_profile(state: Structure, now: float, left: int, times: Floats, free: Ints) -> int:
    """So many processors, and the windows that are known."""
    size = width(state)
    times[0], free[0] = now, left
    free[1:size] = 0
    n = 1
    for window in state.known[: state.situation[of.KNOWN]]:
        n = _hold(state, window, now, times, free, n)
    return n


@kernel
def _hold(state: Structure, window: int, now: float, times: Floats, free: Ints, n: int) -> int:
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


@kernel
def _add_repairs(state: Structure, times: Floats, free: Ints, n: int) -> int:
    """Where repairs are told, processors that are down come back."""
    situation, size = state.situation, width(state)
    if situation[of.TOLD]:
        for processor in state.broken[: situation[of.DOWN]]:
            first, n = _at(size, max(state.back[processor], times[0]), times, free, n)
            for i in range(first, n):
                free[i * size] += 1
    return n


@written_for(CHANGING, profile.idle_profile)
def changing_idle_profile(state: Structure, now: float, times: Floats, free: Ints) -> int:
    """With what is down, and the windows."""
    n = window_profile(state, now, state.counts[at.PROCESSORS] - state.situation[of.DOWN], times, free)
    return _add_repairs(state, times, free, n)


@written_for(CHANGING, profile.running_profile)
def changing_running_profile(state: Structure, now: float, skip: int, times: Floats, free: Ints) -> int:
    """Running jobs, and the windows."""
    n = without_windows(state, now, times, free)
    return n if width(state) > 1 else include(state, at.ZERO, state.situation[of.KNOWN], now, times, free, n)


@kernel
def without_windows(state: Structure, now: float, times: Floats, free: Ints) -> int:
    """Running jobs and what suspended ones keep alone, unless windows admit some of them."""
    keeping.forget_bookings(state)
    if width(state) > 1:
        n = profile.idle_profile(state, now, times, free)
        for row in state.running[: line_up(state)]:
            end = max(state.expected_end[row], now + state.clock[at.GRACE])
            n = _change(state, row, profile.TAKE, now, end, times, free, n)
        return keeping.lay(state, times, free, n)
    n = availability.build(
        now, state.clock[at.GRACE], state.counts[at.IDLE], state.processors, state.running[: line_up(state)], 0,
        state.expected_end, times, free,
    )  # fmt: skip
    return keeping.lay(state, times, free, _add_repairs(state, times, free, n))


@kernel
def include(state: Structure, first: int, stop: int, now: float, times: Floats, free: Ints, n: int) -> int:
    """Some of the known windows hold their processors."""
    for window in state.known[first:stop]:
        n = _hold(state, window, now, times, free, n)
    return n


@written_for(CHANGING, profile.advance)
def changing_advance(state: Structure, now: float, times: Floats, free: Ints, n: int) -> int:
    """Drop steps that are over."""
    size, k = width(state), 0
    if size == 1:
        return usual_advance(state, now, times, free, n)
    while k + 1 < n and times[k + 1] <= now:
        k += 1
    if k > 0:
        for i in range(n - k):
            times[i] = times[i + k]
        for i in range((n - k) * size):
            free[i] = free[i + k * size]
    times[0] = now
    return n - k


@written_for(CHANGING, profile.book)
def changing_book(
    state: Structure, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """What is kept depends on it where the job is concerned."""
    if not keeping.concerns(state, row):
        return _change(state, row, sign, begin, end, times, free, n)
    n = keeping.lift(state, times, free, n)
    n = _change(state, row, sign, begin, end, times, free, n)
    keeping.note_booking(state, row, sign, begin, end)
    return keeping.lay(state, times, free, n)


@written_for(CHANGING, profile.send_off)
def changing_send_off(
    state: Structure, row: int, sign: int, suspends: bool, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """It leaves earlier."""
    return _change(state, row, sign, begin, end, times, free, n)


@kernel
def _change(state: Structure, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int) -> int:
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
    for window in state.known[: state.situation[of.KNOWN]]:
        place = 1 + state.slot[window]
        if (
            place == 0
            or state.opens[window] >= end
            or state.closes[window] <= begin
            or not of.admits(state, window, row)
        ):
            continue
        for i in range(first, stop):
            if state.opens[window] <= times[i] < state.closes[window]:
                before = max(0, free[i * size + place])
                free[i * size + place] += need
                free[i * size] += before - max(0, free[i * size + place])
    return _merge(state, times, free, n)


@kernel
def _free_for(state: Structure, row: int, i: int, times: Floats, free: Ints) -> int:
    """What a job finds in a step: more where a window admits it."""
    size = width(state)
    found = free[i * size]
    for window in state.known[: state.situation[of.KNOWN]]:
        place = 1 + state.slot[window]
        if place > 0 and state.opens[window] <= times[i] < state.closes[window] and of.admits(state, window, row):
            found += max(0, free[i * size + place])
    return int(found)


@kernel
def _fit(state: Structure, row: int, duration: float, before: float, times: Floats, free: Ints, n: int) -> float:
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


@written_for(CHANGING, profile.earliest)
def changing_earliest(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """Beside windows, or in them."""
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)
    return earliest_fit(state, row, duration, times, free, n)


@kernel
def earliest_fit(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """The earliest start in a profile over which nothing is laid that is kept."""
    if width(state) == 1:
        return usual_earliest(state, row, duration, times, free, n)
    return _fit(state, row, duration, INFINITY, times, free, n)


@written_for(CHANGING, profile.fits_from_now)
def changing_fits_from_now(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """Beside windows, or in them."""
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)
    if width(state) == 1:
        return usual_fits_from_now(state, row, duration, times, free, n)
    end = times[0] + duration
    i = 0
    while i < n and times[i] < end:
        if _free_for(state, row, i, times, free) < state.processors[row]:
            return False
        i += 1
    return True


@written_for(CHANGING, profile.fits_at)
def changing_fits_at(
    state: Structure, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int
) -> bool:
    """Beside windows, or in them."""
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)
    i, end = availability.locate(begin, times, n), begin + duration
    while i < n and times[i] < end:
        if _free_for(state, row, i, times, free) < state.processors[row]:
            return False
        i += 1
    return True


@written_for(CHANGING, profile.bring_forward)
def changing_bring_forward(
    state: Structure, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
) -> tuple[float, int]:
    """Take the job out, and put it back where it was unless there is an earlier fit."""
    if width(state) == 1:
        return usual_bring_forward(state, row, reserved, reach, tried[:1], times, free, n)
    duration = state.estimate[row]
    n = profile.book(state, row, profile.GIVE, reserved, reserved + duration, times, free, n)
    start = min(profile.earliest(state, row, duration, times, free, n), reserved)
    return start, profile.book(state, row, profile.TAKE, start, start + duration, times, free, n)


@written_for(CHANGING, profile.left_now)
def changing_left_now(state: Structure, free: Ints) -> int:
    """What anybody may find now, a suspended job or its preemptor included."""
    found = free[0]
    if keeping.active(state):
        found += keeping.kept_at(state, of.NOBODY, state.when[of.NOW])[0, 0]
    for i in range(1, width(state)):
        found += max(0, free[i])
    return int(found)


@written_for(CHANGING, profile.more_from)
def changing_more_from(state: Structure, now: float, times: Floats, free: Ints, n: int) -> int:
    """From now on."""
    back, size = state.situation[of.BACK], width(state)
    for i in range(n):
        free[i * size] += back
    return n


@written_for(CHANGING, keeping.step_at)
def changing_step_at(state: Structure, time: float, times: Floats, free: Ints, n: int) -> int:
    """A record more, maybe."""
    return _at(width(state), time, times, free, n)[1]


@written_for(CHANGING, keeping.change_step)
def changing_change_step(state: Structure, i: int, sign: int, kept: IntTable, free: Ints) -> None:
    """For anybody."""
    free[i * width(state)] += sign * kept[0, 0]


@written_for(CHANGING, keeping.copied_profile)
def changing_copied_profile(state: Structure, times: Floats, free: Ints, n: int, more: int) -> tuple[Floats, Ints]:
    """Record by record."""
    to_times, to_free = np.empty(n + more), np.empty((n + more) * width(state), np.int64)
    to_times[:n], to_free[: n * width(state)] = times[:n], free[: n * width(state)]
    return to_times, to_free
