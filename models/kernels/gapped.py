"""Running jobs by (expected end, id), sorted when somebody reads them.

A job that starts is written to ``fresh``, and `sort_in` puts those that still run into ``running[first:stop]``, where
``first`` and ``stop`` are ``counts[FIRST_RUNNING]`` and ``counts[STOP_RUNNING]``. A place whose job runs no longer is a
gap, and keeps its key in ``expected``. So an end costs nothing, and an insertion moves the rows up to the nearest gap.
If that is far, the rows are spread evenly. If most places are gaps, they are closed.

Under FCFS nobody reads them, and many jobs of other rules start and end between two readings. Bender and Hu, An
adaptive packed-memory array (TODS 2007), have the analysis of such arrays.
"""

from thinktime.models.kernels.machine_state import AT_WORK, FIRST_RUNNING, FRESH, STOP_RUNNING
from thinktime.models.kernels.state_codes import RUNNING
from thinktime.workloads.compiler import Ints, inlined, kernel
from thinktime.workloads.structures import Structure

FAR = 256
"""How many rows an insertion may move."""


@kernel
@inlined
def note_running(state: Structure, row: int) -> None:
    """A job runs from now on."""
    counts, fresh, code = state.counts, state.fresh, state.state
    if counts[FRESH] == fresh.size:  # there is room for all that can run at once, so some of these are over
        n = 0
        for i in range(fresh.size):
            if code[fresh[i]] == RUNNING:
                fresh[n] = fresh[i]
                n += 1
        counts[FRESH] = n
    fresh[counts[FRESH]] = row
    counts[FRESH] += 1


@kernel
@inlined
def sort_by_estimate(state: Structure, rows: Ints, count: int) -> None:
    """Put the first of some rows into ``scratch`` by estimate: an insertion sort, since they are rarely many."""
    estimate, scratch = state.estimate, state.scratch
    for i in range(count):
        j = i
        while j > 0 and estimate[scratch[j - 1]] > estimate[rows[i]]:
            scratch[j] = scratch[j - 1]
            j -= 1
        scratch[j] = rows[i]


@kernel
@inlined
def sort_in(state: Structure) -> None:
    """Put the jobs that have started into their places."""
    counts, fresh, code = state.counts, state.fresh, state.state
    for i in range(counts[FRESH]):
        if code[fresh[i]] == RUNNING:
            _insert(state, fresh[i])
    counts[FRESH] = 0
    first, stop = counts[FIRST_RUNNING], counts[STOP_RUNNING]
    while first < stop and is_gap(state, first):
        first += 1
    counts[FIRST_RUNNING] = first
    if stop - first > 2 * counts[AT_WORK] + 16:
        _close_gaps(state)


@kernel
def line_up(state: Structure) -> int:
    """Put all running jobs at the beginning of ``running``; return how many they are."""
    sort_in(state)
    if state.counts[FIRST_RUNNING] > 0 or state.counts[STOP_RUNNING] > state.counts[AT_WORK]:
        _close_gaps(state)
    return int(state.counts[AT_WORK])


@kernel
def expect_later(state: Structure, row: int, end: float) -> None:
    """A running job is expected to end at another time than it was."""
    leave_place(state, row)
    state.expected_end[row] = end
    _insert(state, row)


@kernel
def leave_place(state: Structure, row: int) -> None:
    """The place of a running job becomes a gap, though the job will be in another one."""
    counts, running = state.counts, state.running
    sort_in(state)
    first, stop = counts[FIRST_RUNNING], counts[STOP_RUNNING]
    place = _position(state, row, first, stop)
    if place == stop or running[place] != row:  # the ids have been changed
        place = first
        while running[place] != row:
            place += 1
    running[place] = -1 - row


@kernel
@inlined
def is_gap(state: Structure, place: int) -> bool:
    """Whether no job runs whose row is in this place of ``running``."""
    row = state.running[place]
    return bool(row < 0 or state.state[row] != RUNNING)


@kernel
@inlined
def _position(state: Structure, row: int, first: int, stop: int) -> int:
    """The first place whose key and id are not smaller than those of a row."""
    rows, keys, ids, key = state.running, state.expected, state.id, state.expected_end[row]
    low, high = first, stop
    while low < high:
        middle = (low + high) // 2
        other = rows[middle] if rows[middle] >= 0 else -1 - rows[middle]
        if keys[middle] < key or (keys[middle] == key and ids[other] < ids[row]):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
@inlined
def _insert(state: Structure, row: int) -> None:
    """Put a row into its place; there must be room for one more."""
    rows, keys, counts = state.running, state.expected, state.counts
    first, stop = counts[FIRST_RUNNING], counts[STOP_RUNNING]
    if first == stop:
        first = stop = 0
    i = _position(state, row, first, stop)
    gap, step = _nearest(state, i, first, stop)
    if gap < 0:
        _spread(state)
        first, stop = counts[FIRST_RUNNING], counts[STOP_RUNNING]
        i = _position(state, row, first, stop)
        gap, step = _nearest(state, i, first, stop)
    if step > 0:
        for j in range(gap, i, -1):
            rows[j], keys[j] = rows[j - 1], keys[j - 1]
    else:
        i -= 1
        for j in range(gap, i):
            rows[j], keys[j] = rows[j + 1], keys[j + 1]
    rows[i], keys[i] = row, state.expected_end[row]
    counts[FIRST_RUNNING], counts[STOP_RUNNING] = min(first, gap), max(stop, gap + 1)


@kernel
@inlined
def _nearest(state: Structure, i: int, first: int, stop: int) -> tuple[int, int]:
    """The nearest gap and its direction for a row that belongs before place ``i``; -1 if it is far.

    Every place outside of the rows is a gap.
    """
    size = state.running.size
    reach = FAR if size > 4 * FAR else size
    for distance in range(reach):
        right, left = i + distance, i - 1 - distance
        if right < size and (right >= stop or is_gap(state, right)):
            return right, 1
        if left >= 0 and (left < first or is_gap(state, left)):
            return left, -1
    return -1, 0


@kernel
def _close_gaps(state: Structure) -> int:
    """Move all rows to the beginning and return how many they are."""
    rows, keys, counts = state.running, state.expected, state.counts
    n = 0
    for i in range(counts[FIRST_RUNNING], counts[STOP_RUNNING]):
        if not is_gap(state, i):
            rows[n], keys[n] = rows[i], keys[i]
            n += 1
    counts[FIRST_RUNNING], counts[STOP_RUNNING] = 0, n
    return n


@kernel
def _spread(state: Structure) -> None:
    """Spread the rows evenly over half as many places again; a gap gets the key of the row before it."""
    rows, keys, n = state.running, state.expected, _close_gaps(state)
    size = min(rows.size, n + n // 2 + 8)
    until = size
    for i in range(n - 1, -1, -1):
        row, key = rows[i], keys[i]
        place = i * size // n
        for j in range(place + 1, until):
            rows[j], keys[j] = -1 - row, key
        rows[place], keys[place] = row, key
        until = place
    state.counts[STOP_RUNNING] = size
