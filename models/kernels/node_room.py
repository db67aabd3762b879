"""What passes and machines ask of a room that is made of nodes (`thinktime.models.kernels.nodes`).

Most questions have the answer that they had before. ``given`` has the nodes that got more room, the last ones only.
When there were ``tried[s]`` of them, no node before ``lowest[s]`` had room for shape s, if that has one kind of chunk.
So only nodes that have come since can make a difference to it.

While all jobs ask for processors anywhere, or where nodes are alike, passes that do not look ahead count
processors, and the allocator is asked when a job starts: the nodes are the same. ``blocks`` counts the idle processors
of 64 nodes each.
"""

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import room
from thinktime.models.kernels.gapped import is_gap
from thinktime.models.kernels.nodes import (
    ALLOCATOR,
    ANYWHERE,
    BLOCK,
    CHUNK,
    FIRST_FIT,
    FOUND,
    GIVE,
    GIVEN,
    HEAD,
    HOPE,
    LOWEST,
    NEEDED,
    NOBODY,
    NODE,
    OWN,
    PLAIN,
    STAMP,
    STOP,
    TAKE,
    UNITS,
    USED,
    change,
    find,
    give_found,
    has_one_chunk,
    has_places,
    lowest_of,
    note_room,
    settle,
    takes,
)
from thinktime.models.kernels.passes import last_shadow
from thinktime.workloads.compiler import Ints, IntTable, kernel
from thinktime.workloads.kinds import written_for
from thinktime.workloads.structures import Structure


@kernel
def left_table(state: Structure) -> IntTable:
    """What the nodes have left in this pass."""
    free: IntTable = state.left if state.site[NEEDED] > 0 else state.free
    return free


@written_for(at.ON_NODES, room.begin_pass)
def nodes_begin_pass(state: Structure, skip: int) -> int:
    """The pass takes from the table of what is free, and `rewind` restores it: to copy it would take most of the time.

    Where somebody may be evicted, it is a copy, and ``idle`` is what can be had without: jobs take that first.
    """
    site, i, over = state.site, state.counts[at.FIRST_RUNNING], skip
    if skip > 0 or site[NEEDED] > 0 or site[ALLOCATOR] == OWN:
        site[GIVEN] += 2 * state.given.size  # another table, or a choice that may depend on all nodes
    site[NEEDED] = skip
    site[STAMP] += 1
    if state.counts[at.PASSED_OVER] == 0:
        state.counts[at.WITHHELD] = False
    if skip > 0 and not site[ANYWHERE]:
        state.left[:] = state.idle[:] = state.free
        while over > 0:
            if not is_gap(state, i):
                row = state.running[i]
                change(state, row, state.shape[row], GIVE, state.left)
                over -= 1
            i += 1
    return room.available(state, skip)


@written_for(at.ON_NODES, room.rewind)
def nodes_rewind(state: Structure, rows: Ints) -> None:
    """Give back what they have taken of what is free."""
    if state.site[NEEDED] == 0:
        for row in rows:
            change(state, row, state.shape[row], GIVE, state.free)
            note_room(state, row)


@written_for(at.ON_NODES, room.fits_now)
def nodes_fits_now(state: Structure, row: int, left: int) -> bool:
    """Nodes are looked at only if the answer may be another than before."""
    site, shape = state.site, state.shape[row]
    if site[ANYWHERE]:
        state.size[row] = 0
        return bool(state.processors[row] <= left)
    if room.hopeless(state, row, left):
        return False
    free = left_table(state)
    lowest = lowest_of(state, shape, free)
    if site[NEEDED] > 0 and finds_nodes(state, row, at.ZERO, state.idle):
        return True
    if lowest < free.shape[0] and finds_nodes(state, row, lowest, free):
        if has_one_chunk(state, shape):
            state.lowest[shape] = state.places[state.offset[row], NODE]
        return True
    if has_one_chunk(state, shape):
        state.lowest[shape] = free.shape[0]
    if site[ALLOCATOR] == OWN or not has_one_chunk(state, shape):
        state.counts[at.WITHHELD] = True
    return False


@kernel
def finds_nodes(state: Structure, row: int, lowest: int, free: IntTable) -> bool:
    """Whether the allocator finds nodes, which are the job's places then."""
    fitting = find(state, state.shape[row], lowest, free)
    give_found(state, state.shape[row], free)
    settle(state, row)
    return fitting


@written_for(at.ON_NODES, room.fits)
def nodes_fits(state: Structure, row: int, left: int) -> bool:
    """Most often, there are not even enough processors, or no node has got room for a piece since the last time."""
    if state.processors[row] > left or state.site[ANYWHERE]:
        return bool(state.processors[row] <= left)
    fitting = _find_later(state, row)
    if fitting:
        give_found(state, state.shape[row], state.later)
    return fitting


@kernel
def _find_later(state: Structure, row: int) -> bool:
    """What `find` does, in what is left later; remember from which node on."""
    site, shape, count = state.site, state.shape[row], state.later.shape[0]
    known = site[HEAD] == shape
    if known and site[HOPE] == count:
        return False
    exact = state.pieces[state.first[shape]] == 1 and site[ALLOCATOR] == FIRST_FIT
    fitting = find(state, shape, site[HOPE] if known and exact else at.ZERO, state.later)
    if has_one_chunk(state, shape) and site[ALLOCATOR] != OWN:
        site[HEAD], site[HOPE] = shape, count
        if fitting:
            site[HOPE] = state.places[site[USED], NODE] if exact else 0
    return fitting


@written_for(at.ON_NODES, room.fits_as_planned)
def nodes_fits_as_planned(state: Structure, row: int, left: int) -> bool:
    """Whether the job's places have what it needs; where processors are counted, it may have none."""
    if state.size[row] == 0:
        return bool(state.processors[row] <= left)
    return holds(state, row, left_table(state))


@kernel
def holds(state: Structure, row: int, free: IntTable) -> bool:
    """Whether the job's places have what it needs."""
    shape, places, fitting = state.shape[row], state.places, True
    change(state, row, shape, TAKE, free)
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(places[i, NODE], places[i, STOP]):
            for r in range(free.shape[1]):
                fitting = fitting and free[v, r] >= 0
    change(state, row, shape, GIVE, free)
    return fitting


@written_for(at.ON_NODES, room.proposed_fits)
def nodes_proposed_fits(state: Structure, row: int, left: int) -> bool:
    """Where its pass has planned it, or else where the allocator says."""
    if state.planned[row] and state.size[row] > 0:
        return room.fits_as_planned(state, row, left)
    fitting = room.fits_now(state, row, left)
    state.planned[row] = fitting
    return fitting


@written_for(at.ON_NODES, room.take_now)
def nodes_take_now(state: Structure, row: int, left: int) -> int:
    """Also from what can be had without evictions; there it may leave less than nothing."""
    change(state, row, state.shape[row], TAKE, left_table(state))
    state.site[STAMP] += 1
    if state.site[NEEDED] > 0:
        change(state, row, state.shape[row], TAKE, state.idle)
    return left - int(state.processors[row])


@written_for(at.ON_NODES, room.take)
def nodes_take(state: Structure, row: int, left: int) -> int:
    """From the job's places."""
    if not state.site[ANYWHERE]:
        change(state, row, state.shape[row], TAKE, state.later)
    return left - int(state.processors[row])


@written_for(at.ON_NODES, room.give)
def nodes_give(state: Structure, row: int, left: int) -> int:
    """At the job's places; whoever was refused may have room now."""
    if not state.site[ANYWHERE]:
        _give_later(state, row)
    return left + int(state.processors[row])


@kernel
def _give_later(state: Structure, row: int) -> None:
    """Give back in what is left later; the head may have room then."""
    site, places = state.site, state.places
    change(state, row, state.shape[row], GIVE, state.later)
    if site[HEAD] == NOBODY:
        return
    chunk, alone = state.first[site[HEAD]], state.alone[site[HEAD]] > 0
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(places[i, NODE], places[i, STOP]):
            if v < site[HOPE] and takes(state, chunk, alone, v, state.later):
                site[HOPE] = v


@written_for(at.ON_NODES, room.copied)
def nodes_copied(state: Structure, head: int, left: int) -> int:
    """There is one copy."""
    site, shape = state.site, state.shape[head]
    if not site[ANYWHERE]:
        state.later[:] = left_table(state)
        site[HEAD], site[HOPE] = NOBODY, state.later.shape[0]
        if state.tried[shape] == site[GIVEN] and state.lowest[shape] == site[HOPE]:
            site[HEAD] = shape
    return left


@written_for(at.ON_NODES, room.hopeless)
def nodes_hopeless(state: Structure, row: int, left: int) -> bool:
    """Whether there are too few processors, or a job of the same kind has found no room."""
    if state.processors[row] > left:
        return True
    shape = state.shape[row]
    return bool(state.tried[shape] == state.site[GIVEN] and state.lowest[shape] == state.taken.size)


@written_for(at.ON_NODES, room.held_back)
def nodes_held_back(state: Structure, row: int, started: int) -> bool:
    """Whether a job of the same kind would have; once another starts, the allocator may choose other nodes."""
    return bool(state.memo[state.shape[row]] == state.site[STAMP])


@written_for(at.ON_NODES, room.hold_back)
def nodes_hold_back(state: Structure, row: int, started: int) -> None:
    """Remember it for the kind of request."""
    if not state.site[ANYWHERE]:
        state.memo[state.shape[row]] = state.site[STAMP]
        state.counts[at.WITHHELD] = True


@written_for(at.ON_NODES, room.fits_beside)
def nodes_fits_beside(state: Structure, row: int, head: int, left: int, later: int) -> bool:
    """On what is left both now and besides the head."""
    if state.site[ANYWHERE]:
        return False
    _find_later(state, head)
    both, now, then = state.low, left_table(state), state.later
    lowest = lowest_of(state, state.shape[row], now)
    for v in range(lowest, both.shape[0]):
        for r in range(both.shape[1]):
            both[v, r] = min(now[v, r], then[v, r])
    give_found(state, state.shape[head], then)
    return finds_nodes(state, row, lowest, both)


@written_for(at.ON_NODES, last_shadow)
def nodes_last_shadow(state: Structure) -> tuple[float, int]:
    """What is left of every node then is not kept."""
    if state.site[ANYWHERE]:
        return float(state.clock[at.SHADOW]), int(state.clock[at.LATER])
    return -at.INFINITY, 0


@written_for(at.ON_NODES, room.possible)
def nodes_possible(state: Structure, row: int) -> bool:
    """As was found when the kind of request was first seen."""
    return bool(state.possible[state.shape[row]])


@written_for(at.ON_NODES, room.must_evict)
def nodes_must_evict(state: Structure, row: int) -> bool:
    """Whether its places are not free."""
    if state.size[row] == 0:
        return bool(state.processors[row] > state.counts[at.IDLE])
    return not holds(state, row, state.free)


@written_for(at.ON_NODES, room.in_the_way)
def nodes_in_the_way(state: Structure, row: int, victim: int) -> bool:
    """Whether they share a node."""
    if state.size[row] == 0:
        return True
    places = state.places
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for j in range(state.offset[victim], state.offset[victim] + state.size[victim]):
            if places[i, NODE] < places[j, STOP] and places[j, NODE] < places[i, STOP]:
                return True
    return False


@written_for(at.ON_NODES, room.occupy)
def nodes_occupy(state: Structure, row: int) -> None:
    """Take the job's places."""
    state.counts[at.IDLE] -= state.processors[row]
    state.planned[row] = 0
    if state.size[row] > 0:
        change(state, row, state.shape[row], TAKE, state.free)
    elif state.site[ALLOCATOR] == FIRST_FIT and state.site[PLAIN] and state.site[ANYWHERE]:
        _place_anywhere(state, row)
    else:
        find(state, state.shape[row], at.ZERO, state.free)
        settle(state, row)
    _count_blocks(state, row, TAKE)


@kernel
def _place_anywhere(state: Structure, row: int) -> None:
    """Take processors of the first nodes that have any; blocks of nodes without any are passed over."""
    shape, site, free, blocks = state.shape[row], state.site, state.free, state.blocks
    if not has_places(state):
        return
    chunk, processors, begin, left, size, places = (
        state.first[shape],
        0,
        site[USED],
        state.processors[row],
        0,
        state.places,
    )
    while state.need[chunk, processors] == 0:
        processors += 1
    while blocks[site[LOWEST]] == 0:
        site[LOWEST] += 1
    v = site[LOWEST] * BLOCK
    while left > 0:
        if v % BLOCK == 0 and blocks[v // BLOCK] == 0:
            v += BLOCK
            continue
        units, count = min(left, free[v, processors]), 1
        if units > 0:
            while v + count < free.shape[0] and free[v + count, processors] == units and units * (count + 1) <= left:
                count += 1
            places[begin + size, NODE], places[begin + size, STOP] = v, v + count
            places[begin + size, CHUNK], places[begin + size, UNITS] = chunk, units
            left -= units * count
            size += 1
        v += count
    site[FOUND] = size
    settle(state, row)
    change(state, row, shape, TAKE, free)


@kernel
def _count_blocks(state: Structure, row: int, sign: int) -> None:
    """A job has taken its places, or given them back."""
    if not state.site[ANYWHERE]:
        return
    places = state.places
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        v, stop = places[i, NODE], places[i, STOP]
        if sign == GIVE:
            state.site[LOWEST] = min(state.site[LOWEST], v // BLOCK)
        while v < stop:
            until = min(stop, (v // BLOCK + 1) * BLOCK)
            state.blocks[v // BLOCK] += sign * places[i, UNITS] * (until - v)
            v = until


@written_for(at.ON_NODES, room.vacate)
def nodes_vacate(state: Structure, row: int) -> None:
    """Give the job's places back."""
    state.counts[at.IDLE] += state.processors[row]
    change(state, row, state.shape[row], GIVE, state.free)
    note_room(state, row)
    _count_blocks(state, row, GIVE)


@written_for(at.ON_NODES, room.plan_starts)
def nodes_plan_starts(state: Structure, queue: Ints, rows: Ints) -> None:
    """Others of the queue may have been planned before, and have not been started."""
    state.planned[queue] = 0
    state.planned[rows] = 1
