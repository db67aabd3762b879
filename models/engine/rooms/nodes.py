"""A machine of nodes: where a job's chunks fit.

Symbols: ``free[v, r]`` is what node v has left of resource r, and ``capacity[v, r]`` what it has in all. ``shape[row]``
is the number of a job's kind of request. Shape s has the kinds of chunks ``first[s]`` to ``first[s + 1]``, each with
``pieces`` pieces that need ``need`` and may be on the nodes of ``mask``. With ``apart[s]``, every piece is on a node of
its own; with ``alone[s]``, on an idle node that is then taken whole.

A job is, or is planned to be, at the ``size[row]`` *places* from ``offset[row]`` on. Each is a range of nodes,
with a kind of chunk and the number of its pieces on each node. ``held[row]`` is the number of places from there
on that are the job's. It gets more at the end of ``places`` if it needs more. If there are none, Python makes that
array longer. ``planned[row]`` says that a job that starts is to take its places, and not others that the allocator
would choose now.

The allocator chooses node by node: the first that fits, or of all that fit the one with the least free (best fit) or
the most free (worst fit), compared by the first resource in which two nodes differ, then by number. Or it takes runs
of consecutive nodes that fit: the one with the least room among those with enough, else the one with the most, whole,
and goes on. Within a run, it takes the node with the fewest idle processors that holds all pieces that are left, or, if
none does, nodes from the low end; and so does `SERIAL_LAST`, but that jobs of one processor take the last node with
room. Or it is a user's own function, which is called at an address.
"""

from __future__ import annotations

from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Codes, Ints, IntTable


def takes(state: State, chunk: int, alone: bool, v: int, free: IntTable) -> bool:
    """Whether a node has room for a piece of a chunk."""
    if state.mask[chunk, v] == 0:
        return False
    for r in range(free.shape[1]):
        if free[v, r] < state.need[chunk, r] or (alone and free[v, r] != state.capacity[v, r]):
            return False
    return True


def pick(state: State, chunk: int, alone: bool, begin: int, free: IntTable) -> int:
    """The node for one piece of a chunk, from node ``begin`` on; -1 if none fits."""
    allocator = state.allocator
    if allocator == nodes_codes.OWN:
        return int(state.chooser(chunk, alone, free))  # objects: a user's own allocator
    best = -1
    for v in range(begin, free.shape[0]):
        if state.taken[v] or not takes(state, chunk, alone, v, free):
            continue
        if allocator == nodes_codes.FIRST_FIT:
            return v
        if best < 0:
            best = v
            continue
        for r in range(free.shape[1]):
            if free[v, r] != free[best, r]:
                if (free[v, r] < free[best, r]) == (allocator == nodes_codes.BEST_FIT):
                    best = v
                break
    return best


def _units(state: State, chunk: int, single: bool, v: int, most: int, free: IntTable) -> int:
    """How many pieces of a chunk a node with room for one has room for; ``single``: each is on a node of its own."""
    if single:
        return 1
    units, need = most, state.need
    for r in range(need.shape[1]):
        if need[chunk, r] > 0:
            units = min(units, free[v, r] // need[chunk, r])
    return int(units)


def _list_runs(state: State, chunk: int, single: bool, alone: bool, free: IntTable, runs: Ints) -> int:
    """The runs of nodes with room for pieces of a chunk; how many.

    For each its first node, the one after its last, and how many pieces it has room for. ``single``: each piece is on a
    node of its own.
    """
    count, room, first, nodes = 0, 0, 0, free.shape[0]
    if state.plain:
        return _list_runs_of_processors(free, state.taken, runs)
    for v in range(nodes + 1):
        units = 0
        if v < nodes and state.mask[chunk, v] > 0 and state.taken[v] == 0:
            units = 1 if single else nodes_codes.MANY
            for r in range(free.shape[1]):
                need = state.need[chunk, r]
                if free[v, r] < need or (alone and free[v, r] != state.capacity[v, r]):
                    units = 0
                elif not single and need > 0:
                    units = min(units, free[v, r] if need == 1 else free[v, r] // need)
        if units > 0:
            first = v if room == 0 else first
            room += units
        elif room != 0:
            runs[3 * count], runs[3 * count + 1], runs[3 * count + 2] = first, v, room
            count, room = count + 1, 0
    return count


def _list_runs_of_processors(free: IntTable, taken: Codes, runs: Ints) -> int:
    """As `_list_runs`: each piece is a processor, on whatever node that is not taken."""
    count, v, stop = 0, 0, free.shape[0]
    while v < stop:
        if free[v, 0] <= 0 or taken[v] != 0:
            v += 1
            continue
        first, room = v, 0
        while v < stop and free[v, 0] > 0 and taken[v] == 0:
            room += free[v, 0]
            v += 1
        runs[3 * count], runs[3 * count + 1], runs[3 * count + 2] = first, v, room
        count += 1
    return count


def _next_nodes(
    state: State, shape: int, chunk: int, left: int, free: IntTable, runs: Ints, count: int
) -> tuple[int, int]:
    """What to take for so many pieces: the best run, or the node in it with the fewest idle processors that holds all.

    Like a run, it is a first node and the one after its last; -1 if no node fits. A run that is taken counts no more.
    """
    single, alone, best, place = state.apart[shape] > 0 or state.alone[shape] > 0, state.alone[shape] > 0, -1, -1
    if _goes_last(state, shape, chunk):
        for v in range(free.shape[0]):
            best = v if takes(state, chunk, alone, v, free) else best
        return best, best + 1
    most = 0
    for i in range(count):
        room = runs[3 * i + 2]
        better = room > most if most < left else left <= room < most
        if better:
            most, place = room, i
    if place < 0:
        return -1, -1
    begin, stop = runs[3 * place], runs[3 * place + 1]
    runs[3 * place + 2] = 0
    for v in range(begin, stop if most >= left else begin):
        holds = takes(state, chunk, alone, v, free) and _units(state, chunk, single, v, left, free) >= left
        if holds and (best < 0 or free[v, 0] < free[best, 0]):
            best = v
    if best >= 0:
        return best, best + 1
    return begin, stop


def _goes_last(state: State, shape: int, chunk: int) -> bool:
    """Whether a job is of one processor and takes the last node with room, so that runs do not matter."""
    serial = state.alone[shape] == 0 and state.pieces[chunk] == 1 and state.need[chunk, 0] == 1
    return bool(serial and state.allocator == nodes_codes.SERIAL_LAST and has_one_chunk(state, shape))


def has_places(state: State) -> bool:
    """Whether there are places for any job after those that are given out; Python makes more."""
    while state.places.shape[0] < state.places_used + 2 * state.most_places and not state.failed:
        state.grow_places()  # objects: an array is made longer
    return not state.failed


def find(state: State, shape: int, lowest: int, free: IntTable) -> bool:
    """Choose nodes from ``lowest`` on and take what they need from ``free``; change nothing there if it does not fit.

    The places are the ``FOUND`` first that are not given out.
    """
    fitting, begin, size, before = has_places(state), state.places_used, 0, state.spare.used
    places, need, in_runs = state.places, state.need, state.allocator >= nodes_codes.CONSECUTIVE
    apart, alone = state.apart[shape] > 0, state.alone[shape] > 0
    for chunk in range(state.first[shape], state.first[shape + 1]):
        left, v, stop, count = state.pieces[chunk], lowest, 0, 0
        runs = state.spare.whole(3 * (free.shape[0] // 2 + 1) if in_runs else 0)
        if in_runs and fitting and not _goes_last(state, shape, chunk):
            count = _list_runs(state, chunk, apart or alone, alone, free, runs)
        while fitting and left > 0:
            if not in_runs:
                v = pick(state, chunk, alone, v if state.allocator == nodes_codes.FIRST_FIT else lowest, free)
            elif v + 1 < stop:
                v += 1
            else:
                v, stop = _next_nodes(state, shape, chunk, left, free, runs, count)
            if v < 0:
                fitting = False
                break
            units = _units(state, chunk, apart or alone, v, left, free)
            if apart or alone:
                state.taken[v] = 1
            for r in range(need.shape[1]):
                free[v, r] -= state.capacity[v, r] if alone else units * need[chunk, r]
            last = begin + size - 1
            same = size > 0 and places[last, nodes_codes.CHUNK] == chunk and places[last, nodes_codes.UNITS] == units
            if same and places[last, nodes_codes.STOP] == v:
                places[last, nodes_codes.STOP] += 1
            else:
                size += 1
                places[last + 1, nodes_codes.NODE], places[last + 1, nodes_codes.STOP] = v, v + 1
                places[last + 1, nodes_codes.CHUNK], places[last + 1, nodes_codes.UNITS] = chunk, units
            left -= units
    if apart or alone:
        for i in range(begin, begin + size):
            state.taken[places[i, nodes_codes.NODE] : places[i, nodes_codes.STOP]] = 0
    state.found, state.spare.used = size, before
    if not fitting:
        give_found(state, shape, free)
        state.found = 0
    return fitting


def settle(state: State, row: int) -> None:
    """Give the places that were found to a job, or copy them to where it has some."""
    begin, size, held, places = state.places_used, state.found, state.held, state.places
    if size > held[row]:
        held[row] = max(size, 2 * held[row])
        state.offset[row] = begin
        state.places_used += held[row]
    else:
        for i in range(size):
            places[state.offset[row] + i] = places[begin + i]
    state.size[row] = size


def change(state: State, row: int, shape: int, sign: int, free: IntTable) -> None:
    """Give back what a job has, or take it."""
    change_part(state, state.offset[row], state.size[row], shape, sign, free, 0, free.shape[1])


def change_each(state: State, rows: Ints, sign: int, free: IntTable) -> None:
    """As `change`, for several jobs: to pass a table on for each of 5,000 costs more than to change it."""
    places, need = state.places, state.need
    for j in range(len(rows)):
        row = rows[j]
        alone = state.alone[state.shape[row]] > 0
        for i in range(state.offset[row], state.offset[row] + state.size[row]):
            for r in range(free.shape[1]):
                amount = sign * places[i, nodes_codes.UNITS] * need[places[i, nodes_codes.CHUNK], r]
                for v in range(places[i, nodes_codes.NODE], places[i, nodes_codes.STOP]):
                    free[v, r] += sign * state.capacity[v, r] if alone else amount


def change_part(
    state: State, begin: int, size: int, shape: int, sign: int, free: IntTable, first: int, stop: int
) -> None:
    """As `change`, at some places, for the resources from ``first`` to ``stop``."""
    alone, places = state.alone[shape], state.places
    for i in range(begin, begin + size):
        for r in range(first, stop):
            amount = sign * places[i, nodes_codes.UNITS] * state.need[places[i, nodes_codes.CHUNK], r]
            if alone:
                for v in range(places[i, nodes_codes.NODE], places[i, nodes_codes.STOP]):
                    free[v, r] += sign * state.capacity[v, r]
            else:
                for v in range(places[i, nodes_codes.NODE], places[i, nodes_codes.STOP]):
                    free[v, r] += amount


def give_found(state: State, shape: int, free: IntTable) -> None:
    """Give back what `find` has taken."""
    change_part(state, state.places_used, state.found, shape, nodes_codes.GIVE, free, 0, free.shape[1])


def has_one_chunk(state: State, shape: int) -> bool:
    """Whether there is one kind of chunk, so that less room never helps.

    With several, it can: it may drive the first kind from nodes that the second needs.
    """
    return bool(state.first[shape + 1] - state.first[shape] == 1)


def note_room(state: State, row: int) -> None:
    """The nodes of a job have got more room."""
    places, given = state.places, state.given
    if state.anywhere:
        return
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(places[i, nodes_codes.NODE], places[i, nodes_codes.STOP]):
            given[state.given_so_far % len(given)] = v
            state.given_so_far += 1


def lowest_of(state: State, shape: int, free: IntTable) -> int:
    """The first node that may be chosen; the number of nodes if none has room.

    Only nodes that have got more room since the last time are looked at, if they are not too many.
    """
    given, count, tried, lowest = state.given, state.given_so_far, state.tried, state.lowest
    chunk = state.first[shape]
    if count - tried[shape] > len(given) or not has_one_chunk(state, shape):
        lowest[shape] = 0
    else:
        for i in range(tried[shape], count):
            v = given[i % len(given)]
            if v < lowest[shape] and takes(state, chunk, state.alone[shape] > 0, v, free):
                lowest[shape] = v
    tried[shape] = count
    if lowest[shape] < free.shape[0] and (state.pieces[chunk] > 1 or state.allocator != nodes_codes.FIRST_FIT):
        lowest[shape] = 0
    return int(lowest[shape])


def room(state: State, shape: int, free: IntTable) -> bool:
    """Whether enough nodes have room for a request of one kind of chunk, whatever the allocator.

    Such a request needs no more where there is more room, so one look at a step can rule out many windows.
    """
    chunk = state.first[shape]
    if state.plain:
        return has_processors(free, state.pieces[chunk])
    need, alone = state.need[chunk], state.alone[shape] > 0
    one_each = alone or state.apart[shape] > 0
    left = state.pieces[chunk]
    for v in range(free.shape[0]):
        units = left if state.mask[chunk, v] > 0 else 0
        for r in range(free.shape[1]):
            if free[v, r] < need[r] or (alone and free[v, r] != state.capacity[v, r]):
                units = 0
            elif need[r] > 0 and not one_each:
                units = min(units, free[v, r] if need[r] == 1 else free[v, r] // need[r])
        left -= min(units, 1) if one_each else units
        if left <= 0:
            return True
    return False


def has_processors(free: IntTable, left: int) -> bool:
    """Whether there are so many processors, on whatever nodes."""
    for v in range(free.shape[0]):
        left -= max(free[v, 0], 0)
        if left <= 0:
            return True
    return False
