"""Profiles below a cap on power: what is free of the machine's own, and of the watts.

A profile has a ``second`` one, whose steps have the power that is free, in units of 2⁻¹⁰ W. Whatever a job finds, it
finds in both, and takes from both. Processors or nodes, with or without windows, are for the ``inner`` profiles.
"""

from __future__ import annotations

import math

from thinktime.models.engine import gapped
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.parts import Profiles
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import trials
from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf


def draw_of(state: State, row: int) -> int:
    """The power that a job draws above idle while it runs, 2⁻¹⁰ W."""
    draw: int = state.processors[row] * state.watts[row]
    return draw


def power_of(profile: Profile) -> Profile:
    """The profile of power that belongs to one of processors or nodes."""
    if profile.second is None:
        profile.second = Profile()  # objects: once for each profile
    return profile.second


def running_power(state: State, now: float, skip: int, own: Profile) -> None:
    """Begin the profile of the power that running jobs leave; the first ``skip`` count as ended."""
    free, stop = state.power_free, gapped.line_up(state)
    for i in range(skip):
        free += draw_of(state, state.running[i])
    own.begin(now, 1)
    own.free[0] = free
    for i in range(skip, stop):
        row = state.running[i]
        end = max(state.expected_end[row], now + state.grace)
        if end == INFINITY:
            break
        if end > own.times[own.n - 1]:
            own.split(own.n - 1, end)
        own.free[own.n - 1] += draw_of(state, row)
    for i in range(state.shrinking_count):
        row = state.shrinking[i]
        less = (state.processors[row] - state.form_sizes[state.shrinks_to[row]]) * state.watts[row]
        own.change(state.shrinks_at[row], state.expected_end[row], less)


def withhold(state: State, first: int, stop: int, now: float, own: Profile) -> None:
    """Some of the known windows take their watts off the cap."""
    for i in range(first, stop):
        window = state.known[i]
        if state.window_watts[window] != 0:
            own.change(max(state.opens[window], now), state.closes[window], -state.window_watts[window])


class CappedProfiles(Profiles):
    """What fits, fits among processors or nodes, and below the cap."""

    def __init__(self, inner: Profiles) -> None:
        self.inner = inner

    def add_processors(self, state: State, row: int, table: IntTable) -> None:
        self.inner.add_processors(state, row, table)

    def places(self, state: State) -> int:
        return self.inner.places(state)

    def width(self, state: State) -> int:
        return self.inner.width(state)

    def step_at(self, state: State, time: float, profile: Profile) -> None:
        self.inner.step_at(state, time, profile)

    def change_step(self, state: State, i: int, sign: int, kept: IntTable, profile: Profile) -> None:
        self.inner.change_step(state, i, sign, kept, profile)

    def copy_profile(self, state: State, profile: Profile, to: Profile) -> None:
        self.inner.copy_profile(state, profile, to)
        power_of(to).copy_from(power_of(profile))

    def idle_profile(self, state: State, now: float, profile: Profile) -> None:
        """Nothing runs: all that the cap leaves above idle is free."""
        self.inner.idle_profile(state, now, profile)
        own = power_of(profile)
        own.begin(now, 1)
        own.free[0] = state.power_cap
        withhold(state, at.ZERO, state.known_count, now, own)

    def running_profile(self, state: State, now: float, skip: int, profile: Profile) -> None:
        """By expected ends, jobs give back what they draw."""
        self.inner.running_profile(state, now, skip, profile)
        running_power(state, now, skip, power_of(profile))
        withhold(state, at.ZERO, state.known_count, now, power_of(profile))

    def without_windows(self, state: State, now: float, profile: Profile) -> None:
        """Where a step has a record, the machine's own windows are there already; those of power are not."""
        self.inner.without_windows(state, now, profile)
        running_power(state, now, at.ZERO, power_of(profile))
        if profile.width > 1:
            withhold(state, at.ZERO, state.known_count, now, power_of(profile))

    def include_windows(self, state: State, first: int, stop: int, now: float, profile: Profile) -> None:
        self.inner.include_windows(state, first, stop, now, profile)
        withhold(state, first, stop, now, power_of(profile))

    def advance(self, state: State, now: float, profile: Profile) -> None:
        self.inner.advance(state, now, profile)
        power_of(profile).advance(now)

    def book(self, state: State, row: int, sign: int, begin: float, end: float, profile: Profile) -> None:
        self.inner.book(state, row, sign, begin, end, profile)
        power_of(profile).change(begin, end, sign * draw_of(state, row))

    def earliest(self, state: State, row: int, duration: float, profile: Profile) -> float:
        """One says when it could be, then the other, until they agree."""
        return self._agreed(state, row, duration, self.inner.earliest(state, row, duration, profile), profile)

    def earliest_from(self, state: State, row: int, duration: float, since: float, profile: Profile) -> float:
        """A step of power need not be one of the machine's own."""
        start = max(since, profile.times[0])
        if not self.inner.fits_at(state, row, start, duration, profile):
            start = self.inner.earliest_from(state, row, duration, start, profile)
        return self._agreed(state, row, duration, start, profile)

    def _agreed(self, state: State, row: int, duration: float, start: float, profile: Profile) -> float:
        """The earliest start from one on that the machine's own profile has found."""
        own, draw = power_of(profile), draw_of(state, row)
        while start < INFINITY:
            later = own.fit_from(start, draw, duration)
            if later in (start, INFINITY):
                return later
            start = later
            if not self.inner.fits_at(state, row, start, duration, profile):
                start = self.inner.earliest_from(state, row, duration, start, profile)
        return start

    def fits_from_now(self, state: State, row: int, duration: float, profile: Profile) -> bool:
        fitting = power_of(profile).fits_now(draw_of(state, row), duration)
        return bool(fitting and self.inner.fits_from_now(state, row, duration, profile))

    def fits_at(self, state: State, row: int, begin: float, duration: float, profile: Profile) -> bool:
        fitting = power_of(profile).fits_at(draw_of(state, row), begin, duration)
        return bool(fitting and self.inner.fits_at(state, row, begin, duration, profile))

    def fits_as_reserved(self, state: State, row: int, begin: float, profile: Profile) -> bool:
        fitting = power_of(profile).fits_at(draw_of(state, row), begin, state.estimate[row])
        return bool(fitting and self.inner.fits_as_reserved(state, row, begin, profile))

    def part_holds(self, state: State, part: int, begin: float, end: float, profile: Profile) -> bool:
        fitting = power_of(profile).fits_at(draw_of(state, part), begin, end - begin)
        return bool(fitting and self.inner.part_holds(state, part, begin, end, profile))

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, profile: Profile
    ) -> float:
        """If there is power for it earlier: take it out, and put it back where it was unless there is room as well."""
        duration, draw = state.estimate[row], draw_of(state, row)
        if power_of(profile).earlier_fit(reserved, draw, duration, -INFINITY, reach) == reserved:
            return reserved
        planned = trials.kept_place(state, row)
        self.book(state, row, profile_codes.GIVE, reserved, reserved + duration, profile)
        start = self.earliest(state, row, duration, profile)
        if not start < min(reserved, reach):
            start = reserved
            trials.plan_one_again(state, row, planned)
        self.book(state, row, profile_codes.TAKE, start, start + duration, profile)
        return start

    def begin_sweep(self, state: State) -> bool:
        return self.inner.begin_sweep(state)

    def crowds(self, state: State) -> bool:
        return self.inner.crowds(state)

    def narrowest(self, state: State, rows: Ints) -> int:
        return self.inner.narrowest(state, rows)

    def left_now(self, state: State, profile: Profile) -> int:
        return self.inner.left_now(state, profile)

    def send_off(
        self, state: State, row: int, sign: int, suspends: bool, begin: float, end: float, profile: Profile
    ) -> None:
        """A suspended job draws nothing."""
        self.inner.send_off(state, row, sign, suspends, begin, end, profile)
        power_of(profile).change(begin, end, sign * draw_of(state, row))

    def more_from(self, state: State, now: float, profile: Profile) -> None:
        self.inner.more_from(state, now, profile)
