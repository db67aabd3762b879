"""With which sizes jobs start: fixed ones, the largest that is idle, or that by which they are predicted to end first.

A waiting job has the size with which it would start, and the estimate that goes with it.
"""

from __future__ import annotations

import math

from thinktime.models.engine import shapes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import shapes as codes
from thinktime.models.engine.limits import budgets, limits
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def choose_fixed(state: State, row: int, size: int) -> None:
    """A job has the size that is the same whenever it starts, or a smaller one if its budget is too small for that."""
    first, place = shapes.first_place(state, row), starting_place(state, row, size)
    shapes.choose(state, row, place)
    while state.limited and place > first and budgets.is_beyond(state, row):
        place -= 1
        shapes.choose(state, row, place)


def keeps_within(state: State, now: float, row: int) -> bool:
    """Whether limits and budgets let a job start with its size, and in its place in the queue."""
    return not state.limited or (limits.is_within(state, row, now) and not budgets.falls(state, row))


def starting_place(state: State, row: int, size: int) -> int:
    """The place of the size with which a job starts, if it is the same whenever it starts."""
    first, last = shapes.first_place(state, row), shapes.place_below(state, row, state.machine_size)
    place = int(state.form_preferred[state.form[row]])
    if size == codes.LEAST:
        place = first
    elif size == codes.MOST:
        place = last
    elif size == codes.AVERAGE:
        both = state.form_sizes[first] + state.form_sizes[shapes.stop_place(state, row) - 1]
        place = shapes.place_below(state, row, both // 2)
    return max(first, min(place, last))


def choose_largest(state: State, now: float, rows: Ints, strict: bool) -> None:
    """Along the queue, the largest size that fits into what is idle; else the least."""
    left, k = state.room.begin_pass(state, at.ZERO), 0
    for i in range(len(rows)):
        row = rows[i]
        if choose_fitting(state, now, row, state.machine_size, left):
            left = state.room.take_now(state, row, left)
            state.out[k] = row
            k += 1
        elif strict:
            left = 0
    state.room.rewind(state, state.out[:k])


def choose_fitting(state: State, now: float, row: int, most: int, left: int) -> bool:
    """A job has its largest size up to one with which it fits into what a pass has left, else its least one."""
    if state.form[row] < 0:
        return bool(state.room.fits_now(state, row, left))
    first, place = shapes.first_place(state, row), shapes.place_below(state, row, min(most, left))
    while place >= first:
        shapes.choose(state, row, place)
        if (place == first or keeps_within(state, now, row)) and state.room.fits_now(state, row, left):
            return True
        place -= 1
    shapes.choose(state, row, first)
    return False


def choose_earliest(state: State, now: float, rows: Ints, profile: Profile) -> None:
    """Along the queue, the size with which a job is predicted to end first, of equal ones the smallest."""
    state.profiles.running_profile(state, now, at.ZERO, profile)
    for i in range(len(rows)):
        row = rows[i]
        if state.form[row] >= 0:
            best, end = shapes.first_place(state, row), INFINITY
            for place in range(best, shapes.place_below(state, row, state.machine_size) + 1):
                shapes.choose(state, row, place)
                if end < INFINITY and not keeps_within(state, now, row):
                    break
                duration = state.estimate[row]
                start = state.profiles.earliest(state, row, duration, profile)
                if start + duration < end:
                    best, end = place, start + duration
            shapes.choose(state, row, best)
        book_earliest(state, row, profile)


def book_earliest(state: State, row: int, profile: Profile) -> None:
    """A waiting job has its earliest fit in a profile."""
    duration = state.estimate[row]
    start = state.profiles.earliest(state, row, duration, profile)
    if start < INFINITY:
        state.profiles.book(state, row, profile_codes.TAKE, start, start + duration, profile)
