"""Which processors jobs have on a machine that changes: the lowest that are idle and up.

``gaps[:n]`` are the idle processors in ascending ranges [FROM, STOP). A job has, or had in its last run, the
``size[row]`` ranges of ``places`` from ``offset[row]`` on. ``outages[i]`` counts the outages of processor i,
``back[i]`` is when the last of them ends, and ``broken[:n]`` are the processors that are down.
"""

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.machine_state import CHANGING
from thinktime.models.kernels.room import occupy, vacate
from thinktime.workloads.compiler import Ints, call_back, kernel, whole
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure

FROM, STOP = 0, 1
PLACES, LOG = whole(0), whole(1)
"""What Python is asked to make longer."""


@written_for(CHANGING, occupy)
def occupy_lowest(state: Structure, row: int) -> None:
    """A job starts, on the lowest processors."""
    counts, situation, gaps = state.counts, state.situation, state.gaps
    while state.places.shape[0] < situation[of.PLACES] + situation[of.GAPS]:
        call_back(situation[of.GROW], PLACES, at.ZERO, at.ZERO)
    places, left, n, emptied = state.places, state.processors[row], situation[of.PLACES], 0
    counts[at.IDLE] -= left
    state.offset[row] = n
    while left > 0:
        begin, stop = gaps[emptied, FROM], gaps[emptied, STOP]
        if stop - begin > left:
            stop = begin + left
            gaps[emptied, FROM] = stop
        else:
            emptied += 1
        places[n, FROM], places[n, STOP] = begin, stop
        n, left = n + 1, left - (stop - begin)
    state.size[row], situation[of.PLACES] = n - state.offset[row], n
    _drop(state, at.ZERO, emptied)
    of.begin_run(state, row)
    of.go_on(state, row)


@written_for(CHANGING, vacate)
def vacate_places(state: Structure, row: int) -> None:
    """A job ends."""
    state.counts[at.IDLE] += state.processors[row]
    of.end_run(state, row)
    for place in range(state.offset[row], state.offset[row] + state.size[row]):
        give(state, state.places[place, FROM], state.places[place, STOP])


@kernel
def give(state: Structure, begin: int, stop: int) -> None:
    """A range of processors is idle from now on."""
    gaps, n = state.gaps, state.situation[of.GAPS]
    i = _first_from(state, begin)
    before, after = i > 0 and gaps[i - 1, STOP] == begin, i < n and gaps[i, FROM] == stop
    if before and after:
        gaps[i - 1, STOP] = gaps[i, STOP]
        _drop(state, i, 1)
    elif before:
        gaps[i - 1, STOP] = stop
    elif after:
        gaps[i, FROM] = begin
    else:
        _insert(state, i, begin, stop)


@by_kind
def go_down(state: Structure, indices: Ints) -> int:
    """Idle processors, or nodes, go down; how many processors these are."""
    for processor in indices:
        _remove(state, processor)
    return indices.size


@by_kind
def come_back(state: Structure, index: int) -> int:
    """A processor, or a node, is idle again; how many processors these are."""
    give(state, index, index + 1)
    return 1


@kernel
def _remove(state: Structure, processor: int) -> None:
    """Take a processor out of its gap."""
    gaps = state.gaps
    i = _first_from(state, processor + 1) - 1
    stop = gaps[i, STOP]
    gaps[i, STOP] = processor
    if stop > processor + 1:
        _insert(state, i + 1, processor + 1, stop)
    if gaps[i, FROM] == processor:
        _drop(state, i, 1)


@kernel
def _first_from(state: Structure, processor: int) -> int:
    """The first gap that begins at a processor or above."""
    gaps = state.gaps
    low, high = 0, state.situation[of.GAPS]
    while low < high:
        middle = (low + high) // 2
        if gaps[middle, FROM] < processor:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _insert(state: Structure, place: int, begin: int, stop: int) -> None:
    """One more gap."""
    gaps, n = state.gaps, state.situation[of.GAPS]
    for i in range(n, place, -1):
        gaps[i, FROM], gaps[i, STOP] = gaps[i - 1, FROM], gaps[i - 1, STOP]
    gaps[place, FROM], gaps[place, STOP] = begin, stop
    state.situation[of.GAPS] = n + 1


@kernel
def _drop(state: Structure, place: int, count: int) -> None:
    """Some gaps are no more."""
    gaps, n = state.gaps, state.situation[of.GAPS] - count
    if count > 0:
        for i in range(place, n):
            gaps[i, FROM], gaps[i, STOP] = gaps[i + count, FROM], gaps[i + count, STOP]
    state.situation[of.GAPS] = n
