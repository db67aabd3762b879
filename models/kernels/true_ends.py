"""When running jobs really end: a heap of rows by (true end, row), with their times beside them.

``clock[NEXT_END]`` is the first of these times and ``clock[LAST_END]`` the last, infinite if nothing runs.
"""

from thinktime.models.kernels.machine_state import AT_WORK, INFINITY, LAST_END, NEXT_END
from thinktime.workloads.compiler import inlined, kernel
from thinktime.workloads.structures import Structure


@kernel
@inlined
def put_end(state: Structure, truth: Structure, row: int) -> None:
    """One more job runs."""
    end, n, clock = truth.end[row], state.counts[AT_WORK], truth.clock
    state.counts[AT_WORK] = n + 1
    _rise(truth, n, row, end)
    clock[NEXT_END] = truth.times[0]
    clock[LAST_END] = end if n == 0 else max(clock[LAST_END], end)


@kernel
@inlined
def take_end(state: Structure, truth: Structure, place: int) -> None:
    """The job in a place of the heap runs no longer; 0 is the place of the next end."""
    ending, times, clock = truth.ending, truth.times, truth.clock
    n = state.counts[AT_WORK] - 1
    state.counts[AT_WORK] = n
    gone, row, time = times[place], ending[n], times[n]
    child = 2 * place + 1
    while child < n:  # down to the end, then up: the last row mostly belongs there
        if child + 1 < n and _before(times[child + 1], ending[child + 1], times[child], ending[child]):
            child += 1
        ending[place], times[place] = ending[child], times[child]
        place, child = child, 2 * child + 1
    if place < n:
        _rise(truth, place, row, time)
    clock[NEXT_END] = times[0] if n > 0 else INFINITY
    if n == 0:
        clock[LAST_END] = INFINITY
    elif gone == clock[LAST_END]:
        last = times[0]
        for time in times[:n]:
            last = max(last, time)
        clock[LAST_END] = last


@kernel
def end_of(state: Structure, truth: Structure, row: int) -> int:
    """The place of a running job in the heap."""
    place = 0
    while truth.ending[place] != row:
        place += 1
    return place


@kernel
@inlined
def _rise(truth: Structure, place: int, row: int, time: float) -> None:
    """Put a row into a place, or above it where it belongs."""
    ending, times = truth.ending, truth.times
    while place > 0:
        above = (place - 1) // 2
        if _before(times[above], ending[above], time, row):
            break
        ending[place], times[place] = ending[above], times[above]
        place = above
    ending[place], times[place] = row, time


@kernel
@inlined
def _before(time: float, row: int, other_time: float, other: int) -> bool:
    """Whether one job ends before another."""
    return bool(time < other_time or (time == other_time and row < other))
