"""What will be left at what time: the profile that rules which reserve look at, on any machine.

A profile has two arrays, ``times`` and ``free``, and a length, which functions return that change it. They are written
here for processors (`thinktime.models.engine.availability`), and in `thinktime.models.engine.node_profile` for nodes.
There, whatever finds a time for a job also chooses its nodes.
"""

from __future__ import annotations

import math

from thinktime.models.engine import availability, gapped, keeping, room
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.parts import Profiles
from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf


def steps(state: State) -> int:
    """How many steps a profile may have."""
    return int(2 * (state.in_queue + state.at_work + state.changes_ahead) + 12)


def idle_profile(state: State, now: float, times: Floats, free: Ints) -> int:
    """The profile of an idle machine."""
    times[0], free[0] = now, state.machine_size
    return 1


def running_profile(state: State, now: float, skip: int, times: Floats, free: Ints) -> int:
    """The profile of the running jobs alone; the first ``skip`` count as ended."""
    return availability.build(
        now, state.grace, room.available(state, skip), state.processors,
        state.running[: gapped.line_up(state)], skip, state.expected_end, times, free,
    )  # fmt: skip


def advance(state: State, now: float, times: Floats, free: Ints, n: int) -> int:
    """Forget what is past."""
    return availability.advance(now, times, free, n)


def book(state: State, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int) -> int:
    """Take a job's place on [begin, end), or give it back; ``begin`` must not lie before the present."""
    return availability.change(begin, end, sign * state.processors[row], times, free, n)


def earliest(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """The earliest start at which a job finds room for so long; infinite if there is none."""
    return availability.earliest_fit(state.processors[row], duration, times, free, n)


def fits_from_now(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether a job finds room from now on for so long."""
    need = state.processors[row]
    return bool(free[0] >= need) and availability.fits_now(need, duration, times, free, n)


def bring_forward(
    state: State, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
) -> tuple[float, int]:
    """Move a reservation to an earlier fit, if there is one before ``reach``; its start and the new length.

    ``tried`` is for notes of one sweep over a profile that is never over-committed, and begins as 0. With these,
    conservative backfilling takes three quarters of the time on CEA-Curie. In short profiles they cost more than they
    save.
    """
    need, duration = state.processors[row], state.estimate[row]
    notes, since = n > profile_codes.LONG and len(tried) > 1, -INFINITY
    if notes:
        since = availability.no_fit_before(reserved, need, duration, tried)
        if since >= min(reserved, reach):
            return reserved, n
    start = availability.earlier_fit(reserved, need, duration, since, reach, times, free, n)
    if notes:
        availability.note_tried(need, duration, start, tried)
    if start < reserved:
        if len(tried) > 1:  # in a short profile, too: it may become long again within the sweep
            availability.note_given(max(reserved, start + duration), tried)
        n = availability.change(reserved, reserved + duration, need, times, free, n)
        n = availability.change(start, start + duration, -need, times, free, n)
    return start, n


def begin_sweep(state: State) -> bool:
    """Reservations will be brought forward; whether it may succeed although nothing was given back."""
    return False


def crowds(state: State) -> bool:
    """Whether reservations can be where others are."""
    return bool(state.grace > 0.0)


def narrowest(state: State, rows: Ints) -> int:
    """The least that any of some jobs needs now."""
    least: int = state.processors[rows[0]]
    for i_row in range(len(rows)):
        row = rows[i_row]
        least = min(least, state.processors[row])
    return least


def left_now(state: State, free: Ints) -> int:
    """How much of it there is at the present."""
    return int(free[0])


def fits_at(state: State, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether a job finds room at a time for so long."""
    i, end, need = availability.locate(begin, times, n), begin + duration, state.processors[row]
    while i < n and times[i] < end:
        if free[i] < need:
            return False
        i += 1
    return True


def fits_as_reserved(state: State, row: int, begin: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether a job finds room at the time that is reserved for it, where it was to be."""
    return state.profiles.fits_at(state, row, begin, state.estimate[row], times, free, n)


def send_off(
    state: State, row: int, sign: int, suspends: bool, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """A running job leaves at ``begin`` instead of ``end``, and may be suspended, or it does not; the new length."""
    return state.profiles.book(state, row, sign, begin, end, times, free, n)


def more_from(state: State, now: float, times: Floats, free: Ints, n: int) -> int:
    """Processors have come back unexpectedly; the new length."""
    return n


class PoolProfiles(Profiles):
    """A pool: a step of a profile has the number of processors that are free."""

    def add_processors(self, state: State, row: int, table: IntTable) -> None:
        keeping.add_processors(state, row, table)

    def places(self, state: State) -> int:
        return keeping.places(state)

    def step_at(self, state: State, time: float, times: Floats, free: Ints, n: int) -> int:
        return keeping.step_at(state, time, times, free, n)

    def change_step(self, state: State, i: int, sign: int, kept: IntTable, free: Ints) -> None:
        keeping.change_step(state, i, sign, kept, free)

    def width(self, state: State) -> int:
        return keeping.width(state)

    def copy_profile(
        self, state: State, times: Floats, free: Ints, n: int, more: int, to_times: Floats, to_free: Ints
    ) -> None:
        keeping.copy_profile(state, times, free, n, more, to_times, to_free)

    def idle_profile(self, state: State, now: float, times: Floats, free: Ints) -> int:
        return idle_profile(state, now, times, free)

    def running_profile(self, state: State, now: float, skip: int, times: Floats, free: Ints) -> int:
        return running_profile(state, now, skip, times, free)

    def advance(self, state: State, now: float, times: Floats, free: Ints, n: int) -> int:
        return advance(state, now, times, free, n)

    def book(
        self, state: State, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int
    ) -> int:
        return book(state, row, sign, begin, end, times, free, n)

    def earliest(self, state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
        return earliest(state, row, duration, times, free, n)

    def fits_from_now(self, state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
        return fits_from_now(state, row, duration, times, free, n)

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
    ) -> tuple[float, int]:
        return bring_forward(state, row, reserved, reach, tried, times, free, n)

    def begin_sweep(self, state: State) -> bool:
        return begin_sweep(state)

    def crowds(self, state: State) -> bool:
        return crowds(state)

    def narrowest(self, state: State, rows: Ints) -> int:
        return narrowest(state, rows)

    def left_now(self, state: State, free: Ints) -> int:
        return left_now(state, free)

    def fits_at(self, state: State, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int) -> bool:
        return fits_at(state, row, begin, duration, times, free, n)

    def fits_as_reserved(self, state: State, row: int, begin: float, times: Floats, free: Ints, n: int) -> bool:
        return fits_as_reserved(state, row, begin, times, free, n)

    def send_off(
        self,
        state: State,
        row: int,
        sign: int,
        suspends: bool,
        begin: float,
        end: float,
        times: Floats,
        free: Ints,
        n: int,
    ) -> int:
        return send_off(state, row, sign, suspends, begin, end, times, free, n)

    def more_from(self, state: State, now: float, times: Floats, free: Ints, n: int) -> int:
        return more_from(state, now, times, free, n)
