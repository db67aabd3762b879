"""Running jobs by (expected end, id), sorted when they are read.

A job that starts is written to ``fresh``, and `sort_in` puts those that still run into ``running[first:stop]``, where
``first`` and ``stop`` are ``first_running`` and ``stop_running``. A place whose job runs no longer is a
gap, and keeps its key in ``expected``. So an end costs nothing, and an insertion moves the rows up to the nearest gap.
If that is far, the rows are spread evenly. If most places are gaps, they are closed.

Under FCFS they are never read, and many jobs of other rules start and end between two readings. Bender and Hu, An
adaptive packed-memory array (TODS 2007), have the analysis of such arrays.
"""

from __future__ import annotations

from thinktime.models.engine.codes import gapped as gapped_codes
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Ints


def note_running(state: State, row: int) -> None:
    """A job runs from now on."""
    n = state.fresh_count
    if n == len(state.fresh):  # there is room for all that can run at once, so some of these are over
        n = 0
        for i in range(len(state.fresh)):
            if state.state[state.fresh[i]] == states.RUNNING:
                state.fresh[n] = state.fresh[i]
                n += 1
    state.fresh[n] = row
    state.fresh_count = n + 1


def sort_by_estimate(state: State, rows: Ints, count: int) -> None:
    """Put the first of some rows into ``scratch`` by estimate: an insertion sort, since they are rarely many."""
    for i in range(count):
        j, estimate = i, state.estimate[rows[i]]
        while j > 0 and state.estimate[state.scratch[j - 1]] > estimate:
            state.scratch[j] = state.scratch[j - 1]
            j -= 1
        state.scratch[j] = rows[i]


def sort_in(state: State) -> None:
    """Put the jobs that have started into their places."""
    for i in range(state.fresh_count):
        if state.state[state.fresh[i]] == states.RUNNING:
            _insert(state, state.fresh[i])
    state.fresh_count = 0
    first, stop = state.first_running, state.stop_running
    while first < stop and is_gap(state, first):
        first += 1
    state.first_running = first
    if stop - first > 2 * state.at_work + 16:
        _close_gaps(state)


def line_up(state: State) -> int:
    """Put all running jobs at the beginning of ``running``; return how many they are."""
    sort_in(state)
    if state.first_running > 0 or state.stop_running > state.at_work:
        _close_gaps(state)
    return int(state.at_work)


def expect_later(state: State, row: int, end: float) -> None:
    """A running job is expected to end at another time than it was."""
    leave_place(state, row)
    state.expected_end[row] = end
    _insert(state, row)


def leave_place(state: State, row: int) -> None:
    """The place of a running job becomes a gap, though the job will be in another one."""
    sort_in(state)
    state.end_groups.known = False
    first, stop = state.first_running, state.stop_running
    place = _position(state, row, first, stop)
    if place == stop or state.running[place] != row:  # the ids have been changed
        place = first
        while state.running[place] != row:
            place += 1
    state.running[place] = -1 - row


def is_gap(state: State, place: int) -> bool:
    """Whether no job runs whose row is in this place of ``running``."""
    row = state.running[place]
    return bool(row < 0 or state.state[row] != states.RUNNING)


def _position(state: State, row: int, first: int, stop: int) -> int:
    """The first place whose key and id are not smaller than those of a row."""
    low, high, key = first, stop, state.expected_end[row]
    while low < high:
        middle = (low + high) // 2
        other = state.running[middle]
        if state.expected[middle] < key or (
            state.expected[middle] == key and state.id[other if other >= 0 else -1 - other] < state.id[row]
        ):
            low = middle + 1
        else:
            high = middle
    return low


def _insert(state: State, row: int) -> None:
    """Put a row into its place; there must be room for one more."""
    first, stop = state.first_running, state.stop_running
    if first == stop:
        first = stop = 0
    i = _position(state, row, first, stop)
    gap, step = _nearest(state, i, first, stop)
    if gap < 0:
        _spread(state)
        first, stop = state.first_running, state.stop_running
        i = _position(state, row, first, stop)
        gap, step = _nearest(state, i, first, stop)
    if step > 0:
        for j in range(gap, i, -1):
            state.running[j], state.expected[j] = state.running[j - 1], state.expected[j - 1]
    else:
        i -= 1
        for j in range(gap, i):
            state.running[j], state.expected[j] = state.running[j + 1], state.expected[j + 1]
    state.running[i], state.expected[i] = row, state.expected_end[row]
    state.first_running, state.stop_running = min(first, gap), max(stop, gap + 1)


def _nearest(state: State, i: int, first: int, stop: int) -> tuple[int, int]:
    """The nearest gap and its direction for a row that belongs before place ``i``; -1 if it is far.

    Every place outside of the rows is a gap.
    """
    size = len(state.running)
    reach = gapped_codes.FAR if size > 4 * gapped_codes.FAR else size
    for distance in range(reach):
        right, left = i + distance, i - 1 - distance
        if right < size and (right >= stop or is_gap(state, right)):
            return right, 1
        if left >= 0 and (left < first or is_gap(state, left)):
            return left, -1
    return -1, 0


def _close_gaps(state: State) -> int:
    """Move all rows to the beginning and return how many they are."""
    rows, keys = state.running, state.expected
    n = 0
    for i in range(state.first_running, state.stop_running):
        if not is_gap(state, i):
            rows[n], keys[n] = rows[i], keys[i]
            n += 1
    state.first_running, state.stop_running = 0, n
    return n


def _spread(state: State) -> None:
    """Spread the rows evenly over half as many places again; a gap gets the key of the row before it."""
    rows, keys, n = state.running, state.expected, _close_gaps(state)
    size = min(len(rows), n + n // 2 + 8)
    until = size
    for i in range(n - 1, -1, -1):
        row, key = rows[i], keys[i]
        place = i * size // n
        for j in range(place + 1, until):
            rows[j], keys[j] = -1 - row, key
        rows[place], keys[place] = row, key
        until = place
    state.stop_running = size
