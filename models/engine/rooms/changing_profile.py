"""The profile of a machine that changes: what is free beside running and reserved jobs, and beside windows.

For jobs that no window admits, this is a number for each step. Where windows admit some jobs, a step has a record: that
number, and for each slot what the window that is open then has left beside the jobs that it admits. It can be negative;
what the window holds is the positive part. Jobs that it admits find this as well.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped, keeping, shapes, situation
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms.pool_profile import PoolProfiles
from thinktime.workloads.arrays import Floats

INFINITY = math.inf


def width(state: State) -> int:
    """How many numbers a record has."""
    return int(1 + state.slots)


def _merge(state: State, profile: Profile) -> None:
    """Join neighbours that are equal, in the same windows."""
    size, k = profile.width, 0
    for i in range(1, profile.n):
        same = not _is_edge(state, profile.times[i])
        for j in range(size):
            same = same and profile.free[i * size + j] == profile.free[k * size + j]
        if not same:
            k += 1
            profile.times[k] = profile.times[i]
            for j in range(size):
                profile.free[k * size + j] = profile.free[i * size + j]
    profile.n = k + 1


def _is_edge(state: State, time: float) -> bool:
    """Whether a window that admits some jobs begins or ends at a time."""
    for i in range(state.known_count):
        window = state.known[i]
        if state.slot[window] != of.NOBODY and (state.opens[window] == time or state.closes[window] == time):
            return True
    return False


def window_profile(state: State, now: float, left: int, profile: Profile) -> None:
    """So many processors, and the windows that are known."""
    profile.begin(now, width(state))
    profile.free[0] = left
    for j in range(1, profile.width):
        profile.free[j] = 0
    include_windows(state, at.ZERO, state.known_count, now, profile)


def _hold(state: State, window: int, now: float, profile: Profile) -> None:
    """A window holds its processors while it is open."""
    begin, end, held = max(state.opens[window], now), state.closes[window], state.amount[window]
    size = profile.width
    if size == 1:
        profile.change(begin, end, -held)
        return
    first = profile.step_at(begin)
    stop = profile.step_at(end)
    for i in range(first, stop):
        profile.free[i * size] -= held
        if state.slot[window] != of.NOBODY:
            profile.free[i * size + 1 + state.slot[window]] += held


def _add_repairs(state: State, profile: Profile) -> None:
    """Where repairs are told, processors that are down come back."""
    if state.repairs_told:
        for j in range(state.down):
            processor = state.broken[j]
            first = profile.step_at(max(state.back[processor], profile.times[0]))
            for i in range(first, profile.n):
                profile.free[i * profile.width] += 1


def idle_profile(state: State, now: float, profile: Profile) -> None:
    """With what is down, and the windows."""
    window_profile(state, now, state.machine_size - state.down, profile)
    _add_repairs(state, profile)


def running_profile(state: State, now: float, profile: Profile) -> None:
    """Running jobs, and the windows."""
    without_windows(state, now, profile)
    if profile.width == 1:
        include_windows(state, at.ZERO, state.known_count, now, profile)


def without_windows(state: State, now: float, profile: Profile) -> None:
    """Running jobs and what suspended ones keep alone, unless windows admit some of them."""
    keeping.forget_bookings(state)
    if width(state) > 1:
        state.profiles.idle_profile(state, now, profile)
        for i in range(gapped.line_up(state)):
            row = state.running[i]
            end = max(state.expected_end[row], now + state.grace)
            change(state, row, profile_codes.TAKE, now, end, profile)
    else:
        profile.begin(now, 1)
        profile.free[0] = state.idle
        running = state.running[: gapped.line_up(state)]
        profile.add_ends(state.grace, state.processors, running, at.ZERO, state.expected_end)
        _add_repairs(state, profile)
    for i in range(state.shrinking_count):
        row = state.shrinking[i]
        rest = shapes.rest_of(state, row)
        change(state, rest, profile_codes.GIVE, state.shrinks_at[row], state.expected_end[row], profile)
        shapes.part_is_over(state)
    keeping.lay(state, profile)


def include_windows(state: State, first: int, stop: int, now: float, profile: Profile) -> None:
    """Some of the known windows hold their processors."""
    for i in range(first, stop):
        window = state.known[i]
        _hold(state, window, now, profile)


def more_from(state: State, profile: Profile) -> None:
    """Processors that are back are free from now on."""
    for i in range(profile.n):
        profile.free[i * profile.width] += state.came_back


def change(state: State, row: int, sign: int, begin: float, end: float, profile: Profile) -> None:
    """A job takes, or gives back, what windows that admit it have left, then others."""
    size, need = profile.width, sign * state.processors[row]
    if size == 1:
        profile.change(begin, end, need)
        return
    if not begin < end or begin == INFINITY:
        return
    first = profile.step_at(begin)
    stop = profile.step_at(end)
    for i in range(first, stop):
        profile.free[i * size] += need
    for j in range(state.known_count):
        window = state.known[j]
        place = 1 + state.slot[window]
        if (
            place == 0
            or state.opens[window] >= end
            or state.closes[window] <= begin
            or not situation.admits(state, window, row)
        ):
            continue
        for i in range(first, stop):
            if state.opens[window] <= profile.times[i] < state.closes[window]:
                before = max(0, profile.free[i * size + place])
                profile.free[i * size + place] += need
                profile.free[i * size] += before - max(0, profile.free[i * size + place])
    _merge(state, profile)


def _free_for(state: State, row: int, i: int, profile: Profile) -> int:
    """What a job finds in a step: more where a window admits it."""
    size = profile.width
    found = profile.free[i * size]
    for j in range(state.known_count):
        window = state.known[j]
        place = 1 + state.slot[window]
        if (
            place > 0
            and state.opens[window] <= profile.times[i] < state.closes[window]
            and situation.admits(state, window, row)
        ):
            found += max(0, profile.free[i * size + place])
    return int(found)


def earliest_fit(state: State, row: int, duration: float, since: float, profile: Profile) -> float:
    """The earliest start, from a time on, in a profile over which nothing is laid that is kept."""
    need, n = state.processors[row], profile.n
    if profile.width == 1:
        return profile.earlier_fit(INFINITY, need, duration, since, INFINITY)
    i = arithmetic.first_from(profile.times, n, since)
    while i < n:
        end, j = profile.times[i] + duration, i
        while j < n and profile.times[j] < end and _free_for(state, row, j, profile) >= need:
            j += 1
        if j == n or profile.times[j] >= end:
            return float(profile.times[i])
        i = j + 1
    return INFINITY


class ChangingProfiles(PoolProfiles):
    """A pool that changes: a step knows the windows, and what each leaves to the jobs that it admits."""

    def width(self, state: State) -> int:
        """Where windows admit some jobs, a step has a record."""
        return width(state)

    def idle_profile(self, state: State, now: float, profile: Profile) -> None:
        """With what is down, and the windows."""
        idle_profile(state, now, profile)

    def running_profile(self, state: State, now: float, skip: int, profile: Profile) -> None:
        """Running jobs, and the windows."""
        running_profile(state, now, profile)

    def without_windows(self, state: State, now: float, profile: Profile) -> None:
        """For passes, which look at windows as far as they need."""
        without_windows(state, now, profile)

    def include_windows(self, state: State, first: int, stop: int, now: float, profile: Profile) -> None:
        """Some of the known windows."""
        include_windows(state, first, stop, now, profile)

    def book(self, state: State, row: int, sign: int, begin: float, end: float, profile: Profile) -> None:
        """If the job is concerned, what suspended jobs keep is laid anew."""
        if not keeping.concerns(state, row):
            change(state, row, sign, begin, end, profile)
            return
        keeping.lift(state, profile)
        change(state, row, sign, begin, end, profile)
        keeping.note_booking(state, row, sign, begin, end)
        keeping.lay(state, profile)

    def send_off(
        self, state: State, row: int, sign: int, suspends: bool, begin: float, end: float, profile: Profile
    ) -> None:
        """The job leaves earlier; what suspended jobs keep is for the caller to lay anew."""
        change(state, row, sign, begin, end, profile)

    def earliest(self, state: State, row: int, duration: float, profile: Profile) -> float:
        """Beside windows, or in them."""
        return self.earliest_from(state, row, duration, -INFINITY, profile)

    def earliest_from(self, state: State, row: int, duration: float, since: float, profile: Profile) -> float:
        """Beside windows, or in them."""
        return earliest_fit(state, row, duration, since, keeping.seen_by(state, row, profile))

    def fits_from_now(self, state: State, row: int, duration: float, profile: Profile) -> bool:
        """Beside windows, or in them."""
        own = keeping.seen_by(state, row, profile)
        if own.width == 1:
            return PoolProfiles.fits_from_now(self, state, row, duration, own)
        end, i = own.times[0] + duration, 0
        while i < own.n and own.times[i] < end:
            if _free_for(state, row, i, own) < state.processors[row]:
                return False
            i += 1
        return True

    def fits_at(self, state: State, row: int, begin: float, duration: float, profile: Profile) -> bool:
        """Beside windows, or in them."""
        own = keeping.seen_by(state, row, profile)
        i, end = own.locate(begin), begin + duration
        while i < own.n and own.times[i] < end:
            if _free_for(state, row, i, own) < state.processors[row]:
                return False
            i += 1
        return True

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, profile: Profile
    ) -> float:
        """Where windows admit some jobs: take it out, and put it back where it was unless there is an earlier fit."""
        if profile.width == 1:
            return PoolProfiles.bring_forward(self, state, row, reserved, reach, tried[:1], profile)
        duration = state.estimate[row]
        self.book(state, row, profile_codes.GIVE, reserved, reserved + duration, profile)
        start = min(self.earliest(state, row, duration, profile), reserved)
        self.book(state, row, profile_codes.TAKE, start, start + duration, profile)
        return start

    def left_now(self, state: State, profile: Profile) -> int:
        """What anybody may find now, a suspended job or its preemptor included."""
        found = profile.free[0]
        if keeping.active(state):
            found += keeping.kept_at(state, of.NOBODY, state.now)[0, 0]
        for j in range(1, profile.width):
            found += max(0, profile.free[j])
        return int(found)

    def more_from(self, state: State, now: float, profile: Profile) -> None:
        """Processors that are back are free from now on."""
        more_from(state, profile)
