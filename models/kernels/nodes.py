"""A machine of nodes: where a job's chunks fit.

Symbols: ``free[v, r]`` is what node v has left of resource r, and ``capacity[v, r]`` what it has in all. ``shape[row]``
is the number of a job's kind of request. Shape s has the kinds of chunks ``first[s]`` to ``first[s + 1]``, each with
``pieces`` pieces that need ``need`` and may be on the nodes of ``mask``. With ``apart[s]``, every piece is on a node of
its own; with ``alone[s]``, on an idle node that is then taken whole.

A job is, or is planned to be, at the ``size[row]`` *places* from ``offset[row]`` on, each with a node, a kind of chunk
and its number of pieces. ``spare`` has room for other places of one job. ``planned[row]`` says that a job that
starts is to take its places, and not others that the allocator would choose now.

While all jobs ask for processors anywhere, passes that do not look ahead count them, and the allocator is asked when a
job starts: the nodes are the same. ``blocks`` counts the idle processors of 64 nodes each.

The allocator chooses node by node: the first that fits, or of all that fit the one with the least free (best fit) or
the most free (worst fit), compared by the first resource in which two nodes differ, then by number. Or it is a user's
own function, which is called at an address.
"""

from thinktime.models.kernels.gapped import is_gap
from thinktime.models.kernels.machine_state import (
    ALIKE_NODES,
    FIRST_RUNNING,
    IDLE,
    ON_NODES,
    ZERO,
)
from thinktime.models.kernels.room import (
    available,
    begin_pass,
    copied,
    fits,
    fits_as_planned,
    fits_beside,
    fits_now,
    give,
    held_back,
    hold_back,
    hopeless,
    in_the_way,
    must_evict,
    occupy,
    plan_starts,
    possible,
    proposed_fits,
    rewind,
    take,
    take_now,
    used_up,
    vacate,
)
from thinktime.workloads.compiler import Ints, IntTable, Structure, call_back, kernel, whole, written_for

FIRST_FIT, BEST_FIT, WORST_FIT, OWN = range(4)  # allocators
ALLOCATOR, ADDRESS, MIXED, NEEDED, LEFT, LATER, ANYWHERE, KEPT_PLACES = range(8)  # places in ``site``
NODE, CHUNK, UNITS = range(3)  # columns of ``places``
GIVE, TAKE = whole(1), whole(-1)  # signs of a change
BLOCK = 64
"""Nodes whose idle processors are counted together."""
UNTRIED, NO_ROOM, HELD_BACK = 0, 1, -2  # what a pass knows of a shape


@kernel
def pick(state: Structure, chunk: int, alone: bool, begin: int, free: IntTable) -> int:
    """The node for one piece of a chunk, from node ``begin`` on; -1 if none fits."""
    allocator = state.site[ALLOCATOR]
    if allocator == OWN:
        return int(call_back(state.site[ADDRESS], chunk, 1 if alone else 0, free.ctypes.data))
    need, mask, capacity = state.need[chunk], state.mask[chunk], state.capacity
    best = -1
    for v in range(begin, mask.size):
        if state.taken[v] or not mask[v]:
            continue
        fitting = True
        for r in range(need.size):
            if free[v, r] < need[r] or (alone and free[v, r] != capacity[v, r]):
                fitting = False
                break
        if not fitting:
            continue
        if allocator == FIRST_FIT:
            return v
        if best < 0:
            best = v
            continue
        for r in range(need.size):
            if free[v, r] != free[best, r]:
                if (free[v, r] < free[best, r]) == (allocator == BEST_FIT):
                    best = v
                break
    return best


@kernel
def place(state: Structure, row: int, shape: int, free: IntTable) -> bool:
    """Choose nodes for a job and take what it needs from ``free``; change nothing there if it does not fit."""
    at, size, places, need = state.offset[row], 0, state.places, state.need
    apart, alone = state.apart[shape] > 0, state.alone[shape] > 0
    fitting = True
    for chunk in range(state.first[shape], state.first[shape + 1]):
        left = state.pieces[chunk]
        begin = ZERO
        while left > 0:
            v = pick(state, chunk, alone, begin, free)
            if v < 0:
                fitting = False
                break
            units = left
            if apart or alone:
                units = 1
                state.taken[v] = 1
            else:
                for r in range(need.shape[1]):
                    if need[chunk, r] > 0:
                        units = min(units, free[v, r] // need[chunk, r])
            for r in range(need.shape[1]):
                free[v, r] -= state.capacity[v, r] if alone else units * need[chunk, r]
            places[at + size, NODE], places[at + size, CHUNK], places[at + size, UNITS] = v, chunk, units
            size += 1
            left -= units
            if state.site[ALLOCATOR] == FIRST_FIT:
                begin = v
        if not fitting:
            break
    state.size[row] = size
    for i in range(at, at + size):
        state.taken[places[i, NODE]] = 0
    if not fitting:
        change(state, row, shape, GIVE, free)
        state.size[row] = 0
    return fitting


@kernel
def change(state: Structure, row: int, shape: int, sign: int, free: IntTable) -> None:
    """Give back what a job has, or take it."""
    alone, places = state.alone[shape], state.places
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        v = places[i, NODE]
        for r in range(free.shape[1]):
            amount = state.capacity[v, r] if alone else places[i, UNITS] * state.need[places[i, CHUNK], r]
            free[v, r] += sign * amount


@kernel
def keep_places(state: Structure, row: int) -> None:
    """Remember where a job is planned to be, until the next call for any job."""
    begin, size = state.offset[row], state.size[row]
    state.site[KEPT_PLACES] = size
    state.spare[:size] = state.places[begin : begin + size]


@kernel
def restore_places(state: Structure, row: int) -> None:
    """Plan a job where it was when `keep_places` was called."""
    begin, size = state.offset[row], state.site[KEPT_PLACES]
    state.size[row] = size
    state.places[begin : begin + size] = state.spare[:size]


@kernel
def has_one_chunk(state: Structure, shape: int) -> bool:
    """Whether there is one kind of chunk, so that less room never helps.

    With several, it can: it may drive the first kind from nodes that the second needs.
    """
    return bool(state.first[shape + 1] - state.first[shape] == 1)


@written_for(ON_NODES, begin_pass)
def nodes_begin_pass(state: Structure, skip: int) -> IntTable:
    """The table of what is free, which `rewind` restores: to copy it would take most of the time.

    Where somebody may be evicted, it is a copy, and ``idle`` is what can be had without: jobs take that first.
    """
    if not state.site[ANYWHERE]:
        state.memo[:] = UNTRIED
    state.site[NEEDED], state.site[LEFT] = skip, available(state, skip)
    if skip == 0:
        free: IntTable = state.free
        return free
    state.left[:] = state.idle[:] = state.free
    i = state.counts[FIRST_RUNNING]
    while skip > 0:
        if not is_gap(state, i):
            row = state.running[i]
            change(state, row, state.shape[row], GIVE, state.left)
            skip -= 1
        i += 1
    left: IntTable = state.left
    return left


@written_for(ON_NODES, rewind)
def nodes_rewind(state: Structure, rows: Ints) -> None:
    """Give back what they have taken of what is free."""
    if state.site[NEEDED] == 0:
        for row in rows:
            change(state, row, state.shape[row], GIVE, state.free)


@written_for(ON_NODES, fits_now)
def nodes_fits_now(state: Structure, row: int, left: IntTable) -> bool:
    """A kind of request that did not fit does not fit later in the pass, since room only shrinks."""
    if state.site[ANYWHERE]:
        state.size[row] = 0
        return bool(state.processors[row] <= state.site[LEFT])
    shape = state.shape[row]
    if state.memo[shape] == NO_ROOM or state.processors[row] > state.site[LEFT]:
        return False
    if state.site[NEEDED] > 0 and _finds_nodes(state, row, state.idle):
        return True
    if _finds_nodes(state, row, left):
        return True
    if has_one_chunk(state, shape):
        state.memo[shape] = NO_ROOM
    return False


@written_for(ON_NODES, fits)
def nodes_fits(state: Structure, row: int, left: IntTable) -> bool:
    """Most often, there are not even enough processors."""
    enough = bool(state.processors[row] <= state.site[LATER])
    return enough and (state.site[ANYWHERE] > 0 or _finds_nodes(state, row, left))


@kernel
def _finds_nodes(state: Structure, row: int, left: IntTable) -> bool:
    """Whether the allocator finds nodes, which are the job's places then."""
    fitting = place(state, row, state.shape[row], left)
    if fitting:
        change(state, row, state.shape[row], GIVE, left)
    return fitting


@written_for(ON_NODES, fits_as_planned)
def nodes_fits_as_planned(state: Structure, row: int, left: IntTable) -> bool:
    """Whether the job's places have what it needs."""
    shape, begin = state.shape[row], state.offset[row]
    change(state, row, shape, TAKE, left)
    fitting = True
    for i in range(begin, begin + state.size[row]):
        for r in range(left.shape[1]):
            fitting = fitting and left[state.places[i, NODE], r] >= 0
    change(state, row, shape, GIVE, left)
    return fitting


@written_for(ON_NODES, proposed_fits)
def nodes_proposed_fits(state: Structure, row: int, left: IntTable) -> bool:
    """Where its pass has planned it, or else where the allocator says."""
    if state.planned[row] and state.size[row] > 0:
        return fits_as_planned(state, row, left)
    state.memo[:] = UNTRIED
    fitting = fits_now(state, row, left)
    state.planned[row] = fitting
    return fitting


@written_for(ON_NODES, take_now)
def nodes_take_now(state: Structure, row: int, left: IntTable) -> IntTable:
    """Also from what can be had without evictions; there it may leave less than nothing."""
    change(state, row, state.shape[row], TAKE, left)
    state.site[LEFT] -= state.processors[row]
    if state.site[NEEDED] > 0:
        change(state, row, state.shape[row], TAKE, state.idle)
    return left


@written_for(ON_NODES, take)
def nodes_take(state: Structure, row: int, left: IntTable) -> IntTable:
    """From the job's places."""
    state.site[LATER] -= state.processors[row]
    if not state.site[ANYWHERE]:
        change(state, row, state.shape[row], TAKE, left)
    return left


@written_for(ON_NODES, give)
def nodes_give(state: Structure, row: int, left: IntTable) -> IntTable:
    """At the job's places."""
    state.site[LATER] += state.processors[row]
    if not state.site[ANYWHERE]:
        change(state, row, state.shape[row], GIVE, left)
    return left


@written_for(ON_NODES, copied)
def nodes_copied(state: Structure, left: IntTable) -> IntTable:
    """There is one copy."""
    if not state.site[ANYWHERE]:
        state.later[:] = left
    state.site[LATER] = state.site[LEFT]
    later: IntTable = state.later
    return later


@written_for(ON_NODES, used_up)
def nodes_used_up(state: Structure, left: IntTable) -> bool:
    """Whether there is no processor."""
    return bool(state.site[LEFT] <= 0)


@written_for(ON_NODES, hopeless)
def nodes_hopeless(state: Structure, row: int, left: IntTable) -> bool:
    """Whether there are too few processors, or a job of the same kind has found no room."""
    return bool(state.processors[row] > state.site[LEFT] or state.memo[state.shape[row]] == NO_ROOM)


@written_for(ON_NODES, held_back)
def nodes_held_back(state: Structure, row: int, started: int) -> bool:
    """Whether a job of the same kind would have."""
    return bool(state.memo[state.shape[row]] == HELD_BACK - started)


@written_for(ON_NODES, hold_back)
def nodes_hold_back(state: Structure, row: int, started: int) -> None:
    """Remember it for the kind of request."""
    if not state.site[ANYWHERE]:
        state.memo[state.shape[row]] = HELD_BACK - started


@written_for(ON_NODES, fits_beside)
def nodes_fits_beside(state: Structure, row: int, head: int, left: IntTable, later: IntTable) -> bool:
    """On what is left both now and besides the head."""
    if state.site[ANYWHERE]:
        return False
    place(state, head, state.shape[head], later)
    both = state.low
    for v in range(left.shape[0]):
        for r in range(left.shape[1]):
            both[v, r] = min(left[v, r], later[v, r])
    change(state, head, state.shape[head], GIVE, later)
    return _finds_nodes(state, row, both)


@written_for(ALIKE_NODES, possible)
@written_for(ON_NODES, possible)
def nodes_possible(state: Structure, row: int) -> bool:
    """As was found when the kind of request was first seen."""
    return bool(state.possible[state.shape[row]])


@written_for(ON_NODES, must_evict)
def nodes_must_evict(state: Structure, row: int) -> bool:
    """Whether its places are not free."""
    if state.size[row] == 0:
        return bool(state.processors[row] > state.counts[IDLE])
    return not fits_as_planned(state, row, state.free)


@written_for(ON_NODES, in_the_way)
def nodes_in_the_way(state: Structure, row: int, victim: int) -> bool:
    """Whether they share a node."""
    if state.size[row] == 0:
        return True
    places = state.places
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for j in range(state.offset[victim], state.offset[victim] + state.size[victim]):
            if places[i, NODE] == places[j, NODE]:
                return True
    return False


@written_for(ON_NODES, occupy)
def nodes_occupy(state: Structure, row: int) -> None:
    """Take the job's places."""
    state.counts[IDLE] -= state.processors[row]
    state.planned[row] = 0
    if state.size[row] > 0:
        change(state, row, state.shape[row], TAKE, state.free)
    elif state.site[ALLOCATOR] == FIRST_FIT:
        _place_anywhere(state, row)
    else:
        place(state, row, state.shape[row], state.free)
    _count_blocks(state, row, TAKE)


@kernel
def _place_anywhere(state: Structure, row: int) -> None:
    """Take processors of the first nodes that have any; blocks of nodes without any are passed over."""
    chunk, free, places = state.first[state.shape[row]], state.free, state.places
    processors = 0
    while state.need[chunk, processors] == 0:
        processors += 1
    at, left, b = state.offset[row], state.processors[row], 0
    while left > 0:
        if state.blocks[b] > 0:
            for v in range(b * BLOCK, min((b + 1) * BLOCK, free.shape[0])):
                units = min(left, free[v, processors])
                if units > 0:
                    free[v, processors] -= units
                    places[at, NODE], places[at, CHUNK], places[at, UNITS] = v, chunk, units
                    left -= units
                    at += 1
        b += 1
    state.size[row] = at - state.offset[row]


@kernel
def _count_blocks(state: Structure, row: int, sign: int) -> None:
    """A job has taken its places, or given them back."""
    if not state.site[ANYWHERE]:
        return
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        state.blocks[state.places[i, NODE] // BLOCK] += sign * state.places[i, UNITS]


@written_for(ALIKE_NODES, occupy)
def alike_nodes_occupy(state: Structure, row: int) -> None:
    """Take what the allocator says: on nodes that are alike, a number of them is all that was planned."""
    state.counts[IDLE] -= state.processors[row]
    place(state, row, state.shape[row], state.free)
    _count_blocks(state, row, TAKE)


@written_for(ALIKE_NODES, vacate)
@written_for(ON_NODES, vacate)
def nodes_vacate(state: Structure, row: int) -> None:
    """Give the job's places back."""
    state.counts[IDLE] += state.processors[row]
    change(state, row, state.shape[row], GIVE, state.free)
    _count_blocks(state, row, GIVE)


@written_for(ON_NODES, plan_starts)
def nodes_plan_starts(state: Structure, queue: Ints, rows: Ints) -> None:
    """Others of the queue may have been planned before, and have not been started."""
    state.planned[queue] = 0
    state.planned[rows] = 1
