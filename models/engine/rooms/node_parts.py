"""Parts of jobs on nodes: what a running job would have more, and the places that it keeps or gives back.

A part is a row of its own, which is never submitted, with a kind of request of its own (``part`` and ``part_shape``).
Jobs that may have several sizes have one kind of chunk, and keep the first of their places.
"""

from __future__ import annotations

from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms import nodes
from thinktime.workloads.arrays import Ints


def pieces_of(state: State, row: int, size: int) -> int:
    """How many pieces so many processors of a job are."""
    return int(size // state.need[state.first[state.shape[row]], 0])


def describe(state: State, row: int, part: int, size: int) -> None:
    """A part asks for so many processors as a job does."""
    chunk, own, shape = state.first[state.shape[row]], state.first[state.part_shape], state.part_shape
    state.pieces[own] = pieces_of(state, row, size)
    state.need[own, :] = state.need[chunk, :]
    state.mask[own, :] = state.mask[chunk, :]
    state.apart[shape], state.alone[shape] = state.apart[state.shape[row]], state.alone[state.shape[row]]
    state.tried[shape], state.memo[shape] = -1 - len(state.taken), 0
    state.blocked[shape], state.lowest[shape] = 0.0, 0
    state.shape[part] = shape
    state.most_places = max(state.most_places, state.pieces[own])


def ask(state: State, row: int, part: int, size: int) -> None:
    """A part asks for so many processors more; if a job's pieces are on nodes of their own, not on those it has."""
    describe(state, row, part, size)
    shape = state.part_shape
    if state.apart[shape] > 0 or state.alone[shape] > 0:
        for i in range(state.offset[row], state.offset[row] + state.size[row]):
            for v in range(state.places[i, nodes_codes.NODE], state.places[i, nodes_codes.STOP]):
                state.mask[state.first[shape], v] = 0
    state.size[part] = 0


def forget(state: State) -> None:
    """The kind of request of parts is that of one processor anywhere."""
    chunk, shape = state.first[state.part_shape], state.part_shape
    state.need[chunk, :] = 0
    state.need[chunk, 0] = state.pieces[chunk] = 1
    state.mask[chunk, :] = 1
    state.apart[shape] = state.alone[shape] = 0


def _block(state: State, count: int) -> int:
    """So many places that are given out."""
    while state.places.shape[0] < state.places_used + count + 2 * state.most_places and not state.failed:
        state.grow_places()  # objects: an array is made longer
    first: int = state.places_used
    state.places_used += count
    return first


def cut(state: State, row: int, part: int, size: int) -> None:
    """A part has the first places of a running job, for so many processors; those of the last ones if below 0."""
    describe(state, row, part, abs(size))
    count, offset = state.size[row], state.offset[row]
    if state.held[part] < count + 2:
        state.offset[part], state.held[part] = _block(state, count + 2), count + 2
    begin = state.offset[part]
    whole = pieces_of(state, row, state.processors[row])
    left = pieces_of(state, row, abs(size))
    skipped = whole - left if size < 0 else 0
    state.size[part] = _copy(state, offset, count, begin, skipped, left, state.first[state.part_shape])


def _copy(state: State, offset: int, count: int, begin: int, skipped: int, left: int, chunk: int) -> int:
    """Copy so many pieces of some places, behind those skipped, to other places, as pieces of a chunk; how many places.

    A place is a range of nodes with the same number of pieces on each; one node may be cut in two.
    """
    places, n = state.places, begin
    for i in range(offset, offset + count):
        units = places[i, nodes_codes.UNITS]
        for v in range(places[i, nodes_codes.NODE], places[i, nodes_codes.STOP]):
            here = max(0, units - skipped)
            skipped = max(0, skipped - units)
            here = min(here, left)
            left -= here
            if here == 0:
                continue
            last = n - 1
            if n > begin and places[last, nodes_codes.STOP] == v and places[last, nodes_codes.UNITS] == here:
                places[last, nodes_codes.STOP] = v + 1
                continue
            places[n, nodes_codes.NODE], places[n, nodes_codes.STOP] = v, v + 1
            places[n, nodes_codes.CHUNK], places[n, nodes_codes.UNITS] = chunk, here
            n += 1
    return n - begin


def note_more(state: State, row: int, part: int) -> None:
    """What a job gets is where its part has found room."""
    count = state.size[part]
    first = _block(state, count)
    for i in range(count):
        state.places[first + i] = state.places[state.offset[part] + i]
    state.more_offset[row], state.more_size[row] = first, count


def resize(state: State, row: int, place: int) -> None:
    """A running job has the size of a place: it keeps the first of its places, and gets those that were planned.

    If none were, the allocator chooses.
    """
    size, before, shape = state.form_sizes[place], state.processors[row], state.form_nodes[place]
    chunk, count, offset = state.first[shape], state.size[row], state.offset[row]
    more, found = state.more_offset[row], state.more_size[row]
    if size > before and found == 0:
        ask(state, row, state.part, size - before)
        nodes.find(state, state.part_shape, at.ZERO, state.free)
        nodes.give_found(state, state.part_shape, state.free)
        found = state.found
        more = _block(state, found)
    nodes.change(state, row, state.shape[row], nodes_codes.GIVE, state.free)
    if size < before:
        nodes.note_room(state, row)
    kept = pieces_of(state, row, min(size, before))
    first = _block(state, 2 * (count + found) + 2)
    n = _copy(state, offset, count, first, at.ZERO, kept, chunk)
    for i in range(found):
        state.places[first + n] = state.places[more + i]
        state.places[first + n, nodes_codes.CHUNK] = chunk
        n += 1
    state.offset[row], state.size[row], state.held[row], state.more_size[row] = first, n, 2 * (count + found) + 2, 0
    nodes.change(state, row, shape, nodes_codes.TAKE, state.free)
    state.idle -= size - before
    forget(state)


def _goes(gone: Ints, v: int) -> bool:
    """Whether a node is among some."""
    found = False
    for i in range(len(gone)):
        found = found or gone[i] == v
    return found


def count_of(state: State, row: int, gone: Ints) -> int:
    """How many processors a job has on some nodes."""
    pieces = 0
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(state.places[i, nodes_codes.NODE], state.places[i, nodes_codes.STOP]):
            if _goes(gone, v):
                pieces += state.places[i, nodes_codes.UNITS]
    return int(pieces * state.need[state.first[state.shape[row]], 0])


def leave(state: State, row: int, gone: Ints) -> None:
    """A running job gives back what it has on some nodes."""
    shape, count, offset = state.shape[row], state.size[row], state.offset[row]
    lost = count_of(state, row, gone)
    nodes.change(state, row, shape, nodes_codes.GIVE, state.free)
    nodes.note_room(state, row)
    room = 2 * count + len(gone)
    first = _block(state, room)
    n, places = first, state.places
    for i in range(offset, offset + count):
        for v in range(places[i, nodes_codes.NODE], places[i, nodes_codes.STOP]):
            if _goes(gone, v):
                continue
            last, units = n - 1, places[i, nodes_codes.UNITS]
            if n > first and places[last, nodes_codes.STOP] == v and places[last, nodes_codes.UNITS] == units:
                places[last, nodes_codes.STOP] = v + 1
                continue
            places[n, nodes_codes.NODE], places[n, nodes_codes.STOP] = v, v + 1
            places[n, nodes_codes.CHUNK], places[n, nodes_codes.UNITS] = places[i, nodes_codes.CHUNK], units
            n += 1
    state.offset[row], state.size[row], state.held[row] = first, n - first, room
    nodes.change(state, row, shape, nodes_codes.TAKE, state.free)
    state.idle += lost
    state.processors[row] -= lost
