"""When running jobs really end: a heap of rows by (true end, row), with their times beside them.

``next_end`` is the first of these times and ``last_end`` the last, infinite if nothing runs.
"""

from __future__ import annotations

import math

from thinktime.models.engine.machine_state import State
from thinktime.models.engine.truth import Truth

INFINITY = math.inf


def put_end(state: State, truth: Truth, row: int) -> None:
    """One more job runs."""
    end, n = truth.end[row], state.at_work
    state.at_work = n + 1
    _rise(truth, n, row, end)
    truth.next_end = truth.times[0]
    truth.last_end = end if n == 0 else max(truth.last_end, end)


def take_end(state: State, truth: Truth, place: int) -> None:
    """The job in a place of the heap runs no longer; 0 is the place of the next end."""
    n = state.at_work - 1
    state.at_work = n
    gone, row, time = truth.times[place], truth.ending[n], truth.times[n]
    child = 2 * place + 1
    while child < n:  # down to the end, then up: the last row mostly belongs there
        if child + 1 < n and _is_before(truth, child + 1, truth.times[child], truth.ending[child]):
            child += 1
        truth.ending[place], truth.times[place] = truth.ending[child], truth.times[child]
        place, child = child, 2 * child + 1
    if place < n:
        _rise(truth, place, row, time)
    truth.next_end = truth.times[0] if n > 0 else INFINITY
    if n == 0:
        truth.last_end = INFINITY
    elif gone == truth.last_end:
        last = truth.times[0]
        for i in range(n):
            last = max(last, truth.times[i])
        truth.last_end = last


def end_of(state: State, truth: Truth, row: int) -> int:
    """The place of a running job in the heap."""
    place = 0
    while truth.ending[place] != row:
        place += 1
    return place


def _rise(truth: Truth, place: int, row: int, time: float) -> None:
    """Put a row into a place, or above it where it belongs."""
    while place > 0:
        above = (place - 1) // 2
        if _is_before(truth, above, time, row):
            break
        truth.ending[place], truth.times[place] = truth.ending[above], truth.times[above]
        place = above
    truth.ending[place], truth.times[place] = row, time


def _is_before(truth: Truth, place: int, time: float, row: int) -> bool:
    """Whether the job in a place ends before another."""
    return bool(truth.times[place] < time or (truth.times[place] == time and truth.ending[place] < row))
