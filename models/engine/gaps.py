"""Which processors jobs have on a machine that changes: the lowest that are idle and up.

``gaps[:n]`` are the idle processors in ascending ranges [FROM, STOP). A job has, or had in its last run, the
``size[row]`` ranges of ``places`` from ``offset[row]`` on. ``outages[i]`` counts the outages of processor i,
``back[i]`` is when the last of them ends, and ``broken[:n]`` are the processors that are down.
"""

from __future__ import annotations

from thinktime.models.engine import situation
from thinktime.models.engine.codes import gaps as gaps_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Ints


def occupy_lowest(state: State, row: int) -> None:
    """As `occupy`: a job starts on the lowest processors."""
    while state.places.shape[0] < state.places_used + state.gap_count:
        state.grow(gaps_codes.PLACES)  # objects: an array is made longer
    state.idle -= state.processors[row]
    state.offset[row] = state.places_used
    _take_lowest(state, row, state.processors[row], state.places_used)
    situation.begin_run(state, row)
    situation.go_on(state, row)


def _take_lowest(state: State, row: int, left: int, n: int) -> None:
    """The last places of a job, from place ``n`` on, are the lowest processors that are idle, so many of them."""
    gaps, places, emptied = state.gaps, state.places, 0
    while left > 0:
        begin, stop = gaps[emptied, gaps_codes.FROM], gaps[emptied, gaps_codes.STOP]
        if stop - begin > left:
            stop = begin + left
            gaps[emptied, gaps_codes.FROM] = stop
        else:
            emptied += 1
        places[n, gaps_codes.FROM], places[n, gaps_codes.STOP] = begin, stop
        n, left = n + 1, left - (stop - begin)
    state.size[row], state.places_used = n - state.offset[row], n
    _drop(state, at.ZERO, emptied)


def vacate_places(state: State, row: int) -> None:
    """As `vacate`: a job ends."""
    state.idle += state.processors[row]
    situation.end_run(state, row)
    for place in range(state.offset[row], state.offset[row] + state.size[row]):
        give(state, state.places[place, gaps_codes.FROM], state.places[place, gaps_codes.STOP])


def resize_places(state: State, row: int, size: int) -> None:
    """A running job has so many processors from now on: the first of its own, and the lowest that are idle."""
    count = state.size[row]
    while state.places.shape[0] < state.places_used + state.gap_count + count:
        state.grow(gaps_codes.PLACES)  # objects: an array is made longer
    places, left, n, first = state.places, size, state.places_used, state.offset[row]
    state.offset[row] = n
    for place in range(first, first + count):
        begin, stop = places[place, gaps_codes.FROM], places[place, gaps_codes.STOP]
        kept = min(left, stop - begin)
        if kept > 0:
            places[n, gaps_codes.FROM], places[n, gaps_codes.STOP] = begin, begin + kept
            n += 1
        if begin + kept < stop:
            give(state, begin + kept, stop)
        left -= kept
    _take_lowest(state, row, left, n)
    state.idle -= size - state.processors[row]


def count_of(state: State, row: int, gone: Ints) -> int:
    """How many of a job's processors are among some that ascend."""
    found = 0
    for place in range(state.offset[row], state.offset[row] + state.size[row]):
        for i in range(len(gone)):
            found += state.places[place, gaps_codes.FROM] <= gone[i] < state.places[place, gaps_codes.STOP]
    return found


def let_go(state: State, row: int, gone: Ints) -> None:
    """A running job gives back those of its processors that are among some that ascend."""
    count, first = state.size[row], state.offset[row]
    while state.places.shape[0] < state.places_used + count + len(gone):
        state.grow(gaps_codes.PLACES)  # objects: an array is made longer
    places, n = state.places, state.places_used
    state.offset[row] = n
    for place in range(first, first + count):
        begin, stop = places[place, gaps_codes.FROM], places[place, gaps_codes.STOP]
        for i in range(len(gone)):
            if begin <= gone[i] < stop:
                if gone[i] > begin:
                    places[n, gaps_codes.FROM], places[n, gaps_codes.STOP] = begin, gone[i]
                    n += 1
                give(state, gone[i], gone[i] + 1)
                state.idle += 1
                state.processors[row] -= 1
                begin = gone[i] + 1
        if begin < stop:
            places[n, gaps_codes.FROM], places[n, gaps_codes.STOP] = begin, stop
            n += 1
    state.size[row], state.places_used = n - state.offset[row], n


def give(state: State, begin: int, stop: int) -> None:
    """A range of processors is idle from now on."""
    gaps, n = state.gaps, state.gap_count
    i = _first_from(state, begin)
    before, after = i > 0 and gaps[i - 1, gaps_codes.STOP] == begin, i < n and gaps[i, gaps_codes.FROM] == stop
    if before and after:
        gaps[i - 1, gaps_codes.STOP] = gaps[i, gaps_codes.STOP]
        _drop(state, i, 1)
    elif before:
        gaps[i - 1, gaps_codes.STOP] = stop
    elif after:
        gaps[i, gaps_codes.FROM] = begin
    else:
        _insert(state, i, begin, stop)


def go_down(state: State, indices: Ints) -> int:
    """Idle processors, or nodes, go down; how many processors these are."""
    for i in range(len(indices)):
        processor = indices[i]
        _remove(state, processor)
    return len(indices)


def come_back(state: State, index: int) -> int:
    """A processor, or a node, is idle again; how many processors these are."""
    give(state, index, index + 1)
    return 1


def _remove(state: State, processor: int) -> None:
    """Take a processor out of its gap."""
    gaps = state.gaps
    i = _first_from(state, processor + 1) - 1
    stop = gaps[i, gaps_codes.STOP]
    gaps[i, gaps_codes.STOP] = processor
    if stop > processor + 1:
        _insert(state, i + 1, processor + 1, stop)
    if gaps[i, gaps_codes.FROM] == processor:
        _drop(state, i, 1)


def _first_from(state: State, processor: int) -> int:
    """The first gap that begins at a processor or above."""
    gaps = state.gaps
    low, high = 0, state.gap_count
    while low < high:
        middle = (low + high) // 2
        if gaps[middle, gaps_codes.FROM] < processor:
            low = middle + 1
        else:
            high = middle
    return low


def _insert(state: State, place: int, begin: int, stop: int) -> None:
    """Put one more gap into its place among the others."""
    gaps, n = state.gaps, state.gap_count
    for i in range(n, place, -1):
        gaps[i, gaps_codes.FROM], gaps[i, gaps_codes.STOP] = gaps[i - 1, gaps_codes.FROM], gaps[i - 1, gaps_codes.STOP]
    gaps[place, gaps_codes.FROM], gaps[place, gaps_codes.STOP] = begin, stop
    state.gap_count = n + 1


def _drop(state: State, place: int, count: int) -> None:
    """Some gaps are no more."""
    gaps, n = state.gaps, state.gap_count - count
    if count > 0:
        for i in range(place, n):
            gaps[i, gaps_codes.FROM], gaps[i, gaps_codes.STOP] = (
                gaps[i + count, gaps_codes.FROM],
                gaps[i + count, gaps_codes.STOP],
            )
    state.gap_count = n
