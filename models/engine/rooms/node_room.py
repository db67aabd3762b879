"""What passes and machines ask of a room that is made of nodes (`thinktime.models.engine.rooms.nodes`).

Most questions have the answer that they had before. ``given`` has the nodes that got more room, the last ones only.
When there were ``tried[s]`` of them, no node before ``lowest[s]`` had room for shape s, if that has one kind of chunk.
So only nodes that have come since can make a difference to it.

While all jobs ask for processors anywhere, or where nodes are alike, passes that do not look ahead count
processors, and the allocator is asked when a job starts: the nodes are the same. ``blocks`` counts the idle processors
of 64 nodes each.
"""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, passes, room
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms import leaving, node_parts, nodes
from thinktime.models.engine.rooms.pool_room import PoolRoom
from thinktime.workloads.arrays import Ints, IntTable

INFINITY = math.inf


class NodeRoom(PoolRoom):
    """Nodes: a job has room if its chunks have places, and tables say what each node has left."""

    def backfill(self, state: State, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
        """As on a pool, where processors are counted; the allocator places those that start."""
        if not state.anywhere:
            return passes.backfill(state, now, queue, k, skip, out, left)
        started = k
        k = PoolRoom.backfill(self, state, now, queue, k, skip, out, left)
        for i in range(started, k):
            state.size[out[i]] = 0
        return k

    def shadow_time(
        self, state: State, now: float, head: int, out: Ints, started: int, skip: int, later: int
    ) -> tuple[float, int]:
        if state.anywhere:
            return PoolRoom.shadow_time(self, state, now, head, out, started, skip, later)
        return passes.shadow_time(state, now, head, out, started, skip, later)

    def begin_pass(self, state: State, skip: int) -> int:
        """The pass takes from the table of what is free, which `rewind` restores: a copy costs more.

        Where jobs may be evicted, it is a copy, and ``idle_left`` is what can be had without: jobs take that first.
        """
        i, over = state.first_running, skip
        if skip > 0 or state.needed > 0 or state.allocator == nodes_codes.OWN:
            state.given_so_far += 2 * len(state.given)  # another table, or a choice that may depend on all nodes
        state.needed = skip
        state.stamp += 1
        if state.passed_over == 0:
            state.withheld = False
        if skip > 0 and not state.anywhere:
            state.left[:, :], state.idle_left[:, :] = state.free, state.free
            while over > 0:
                if not gapped.is_gap(state, i):
                    row = state.running[i]
                    nodes.change(state, row, state.shape[row], nodes_codes.GIVE, state.left)
                    over -= 1
                i += 1
        return room.available(state, skip)

    def rewind(self, state: State, rows: Ints) -> None:
        """Give back what they have taken of what is free."""
        if state.needed == 0:
            for i in range(len(rows)):
                row = rows[i]
                nodes.change(state, row, state.shape[row], nodes_codes.GIVE, state.free)
                nodes.note_room(state, row)

    def fits_now(self, state: State, row: int, left: int) -> bool:
        """Nodes are looked at only if the answer may be another than before."""
        shape = state.shape[row]
        if state.anywhere:
            state.size[row] = 0
            return bool(state.processors[row] <= left)
        if state.room.hopeless(state, row, left):
            return False
        free = left_table(state)
        lowest = nodes.lowest_of(state, shape, free)
        if state.needed > 0 and finds_nodes(state, row, at.ZERO, state.idle_left):
            return True
        if lowest < free.shape[0] and finds_nodes(state, row, lowest, free):
            if nodes.has_one_chunk(state, shape):
                state.lowest[shape] = state.places[state.offset[row], nodes_codes.NODE]
            return True
        if nodes.has_one_chunk(state, shape):
            state.lowest[shape] = free.shape[0]
        if state.allocator == nodes_codes.OWN or not nodes.has_one_chunk(state, shape):
            state.withheld = True
        return False

    def fits(self, state: State, row: int, left: int) -> bool:
        """Mostly there are too few processors, or no node has got room for a piece since the last time."""
        if state.processors[row] > left or state.anywhere:
            return bool(state.processors[row] <= left)
        fitting = _find_later(state, row)
        if fitting:
            nodes.give_found(state, state.shape[row], state.later)
        return fitting

    def fits_as_planned(self, state: State, row: int, left: int) -> bool:
        """Whether the job's places have what it needs; it has none where processors count."""
        if state.size[row] == 0:
            return bool(state.processors[row] <= left)
        return holds(state, row, left_table(state))

    def proposed_fits(self, state: State, row: int, left: int) -> bool:
        """Where its pass has planned the job, or else where the allocator says."""
        if state.planned[row] and state.size[row] > 0:
            return state.room.fits_as_planned(state, row, left)
        fitting = state.room.fits_now(state, row, left)
        state.planned[row] = fitting
        return fitting

    def take_now(self, state: State, row: int, left: int) -> int:
        """Also from what can be had without evictions; there it may leave less than nothing."""
        nodes.change(state, row, state.shape[row], nodes_codes.TAKE, left_table(state))
        state.stamp += 1
        if state.needed > 0:
            nodes.change(state, row, state.shape[row], nodes_codes.TAKE, state.idle_left)
        return left - state.processors[row]

    def take(self, state: State, row: int, left: int) -> int:
        """From the nodes of the job's places."""
        if not state.anywhere:
            nodes.change(state, row, state.shape[row], nodes_codes.TAKE, state.later)
        return left - state.processors[row]

    def give(self, state: State, row: int, left: int) -> int:
        """To the nodes of the job's places; jobs that were refused may have room now."""
        if not state.anywhere:
            _give_later(state, row)
        return left + state.processors[row]

    def copied(self, state: State, head: int, left: int) -> int:
        """There is one copy."""
        shape = state.shape[head]
        if not state.anywhere:
            state.later[:, :] = left_table(state)
            state.later_shape, state.hope = nodes_codes.NOBODY, state.later.shape[0]
            if state.tried[shape] == state.given_so_far and state.lowest[shape] == state.hope:
                state.later_shape = shape
        return left

    def hopeless(self, state: State, row: int, left: int) -> bool:
        """Whether there are too few processors, or a job of the same kind has found no room."""
        if state.processors[row] > left:
            return True
        shape = state.shape[row]
        return bool(state.tried[shape] == state.given_so_far and state.lowest[shape] == len(state.taken))

    def held_back(self, state: State, row: int, started: int) -> bool:
        """Whether a job of its kind would; once another starts, the allocator may choose other nodes."""
        return bool(state.memo[state.shape[row]] == state.stamp)

    def hold_back(self, state: State, row: int, started: int) -> None:
        """Remember it for the kind of request."""
        if not state.anywhere:
            state.memo[state.shape[row]] = state.stamp
            state.withheld = True

    def fits_beside(self, state: State, row: int, head: int, left: int, later: int) -> bool:
        """On what is left both now and besides the head."""
        if state.anywhere:
            return False
        _find_later(state, head)
        both, now, then = state.low, left_table(state), state.later
        lowest = nodes.lowest_of(state, state.shape[row], now)
        for v in range(lowest, both.shape[0]):
            for r in range(both.shape[1]):
                both[v, r] = min(now[v, r], then[v, r])
        nodes.give_found(state, state.shape[head], then)
        return finds_nodes(state, row, lowest, both)

    def last_shadow(self, state: State) -> tuple[float, int]:
        """What is left of every node then is not kept."""
        if state.anywhere:
            return float(state.shadow), int(state.extra)
        return -INFINITY, 0

    def possible(self, state: State, row: int) -> bool:
        """As was found when the kind of request was first seen."""
        return bool(state.possible[state.shape[row]])

    def must_evict(self, state: State, row: int) -> bool:
        """Whether the job's places are not free."""
        if state.size[row] == 0:
            return bool(state.processors[row] > state.idle)
        return not holds(state, row, state.free)

    def in_the_way(self, state: State, row: int, victim: int) -> bool:
        """Whether they share a node."""
        if state.size[row] == 0:
            return True
        places = state.places
        for i in range(state.offset[row], state.offset[row] + state.size[row]):
            for j in range(state.offset[victim], state.offset[victim] + state.size[victim]):
                if (
                    places[i, nodes_codes.NODE] < places[j, nodes_codes.STOP]
                    and places[j, nodes_codes.NODE] < places[i, nodes_codes.STOP]
                ):
                    return True
        return False

    def occupy(self, state: State, row: int) -> None:
        """Take the job's places."""
        state.idle -= state.processors[row]
        state.planned[row] = 0
        if state.size[row] > 0:
            nodes.change(state, row, state.shape[row], nodes_codes.TAKE, state.free)
        elif state.allocator == nodes_codes.FIRST_FIT and state.plain and state.anywhere:
            _place_anywhere(state, row)
        else:
            nodes.find(state, state.shape[row], at.ZERO, state.free)
            nodes.settle(state, row)
        _count_blocks(state, row, nodes_codes.TAKE)
        leaving.note(state, row, nodes_codes.GIVE)

    def vacate(self, state: State, row: int) -> None:
        """Give the job's places back."""
        state.idle += state.processors[row]
        nodes.change(state, row, state.shape[row], nodes_codes.GIVE, state.free)
        nodes.note_room(state, row)
        _count_blocks(state, row, nodes_codes.GIVE)
        leaving.note(state, row, nodes_codes.TAKE)

    def cut_part(self, state: State, row: int, part: int, size: int) -> None:
        """With places of its own."""
        node_parts.cut(state, row, part, size)

    def ask_part(self, state: State, row: int, part: int, size: int) -> None:
        """As a kind of request of its own."""
        node_parts.ask(state, row, part, size)

    def note_part(self, state: State, row: int, part: int) -> None:
        """The places that it has found, if nodes are told apart."""
        if not state.alike:
            node_parts.note_more(state, row, part)

    def forget_part(self, state: State) -> None:
        """Its kind of request is that of one processor anywhere."""
        node_parts.forget(state)

    def plan_starts(self, state: State, queue: Ints, rows: Ints) -> None:
        """Others of the queue may have been planned before, and have not been started."""
        for i in range(len(queue)):
            state.planned[queue[i]] = 0
        for i in range(len(rows)):
            state.planned[rows[i]] = 1


def left_table(state: State) -> IntTable:
    """What the nodes have left in this pass."""
    free: IntTable = state.left if state.needed > 0 else state.free
    return free


def finds_nodes(state: State, row: int, lowest: int, free: IntTable) -> bool:
    """Whether the allocator finds nodes, which are the job's places then."""
    fitting = nodes.find(state, state.shape[row], lowest, free)
    nodes.give_found(state, state.shape[row], free)
    nodes.settle(state, row)
    return fitting


def _find_later(state: State, row: int) -> bool:
    """What `find` does, in what is left later; remember from which node on."""
    shape, count = state.shape[row], state.later.shape[0]
    known = state.later_shape == shape
    if known and state.hope == count:
        return False
    exact = state.pieces[state.first[shape]] == 1 and state.allocator == nodes_codes.FIRST_FIT
    fitting = nodes.find(state, shape, state.hope if known and exact else at.ZERO, state.later)
    if nodes.has_one_chunk(state, shape) and state.allocator != nodes_codes.OWN:
        state.later_shape, state.hope = shape, count
        if fitting:
            state.hope = state.places[state.places_used, nodes_codes.NODE] if exact else 0
    return fitting


def holds(state: State, row: int, free: IntTable) -> bool:
    """Whether the job's places have what it needs."""
    shape, places, fitting = state.shape[row], state.places, True
    nodes.change(state, row, shape, nodes_codes.TAKE, free)
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(places[i, nodes_codes.NODE], places[i, nodes_codes.STOP]):
            for r in range(free.shape[1]):
                fitting = fitting and free[v, r] >= 0
    nodes.change(state, row, shape, nodes_codes.GIVE, free)
    return fitting


def _give_later(state: State, row: int) -> None:
    """Give back in what is left later; the head may have room then."""
    places = state.places
    nodes.change(state, row, state.shape[row], nodes_codes.GIVE, state.later)
    if state.later_shape == nodes_codes.NOBODY:
        return
    chunk, alone = state.first[state.later_shape], state.alone[state.later_shape] > 0
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(places[i, nodes_codes.NODE], places[i, nodes_codes.STOP]):
            if v < state.hope and nodes.takes(state, chunk, alone, v, state.later):
                state.hope = v


def _place_anywhere(state: State, row: int) -> None:
    """Take processors of the first nodes that have any; blocks of nodes without any are passed over."""
    shape, free, blocks = state.shape[row], state.free, state.blocks
    if not nodes.has_places(state):
        return
    chunk, processors, begin, left, size, places = (
        state.first[shape],
        0,
        state.places_used,
        state.processors[row],
        0,
        state.places,
    )
    while state.need[chunk, processors] == 0:
        processors += 1
    while blocks[state.lowest_block] == 0:
        state.lowest_block += 1
    v = state.lowest_block * nodes_codes.BLOCK
    while left > 0:
        if v % nodes_codes.BLOCK == 0 and blocks[v // nodes_codes.BLOCK] == 0:
            v += nodes_codes.BLOCK
            continue
        units, count = min(left, free[v, processors]), 1
        if units > 0:
            while v + count < free.shape[0] and free[v + count, processors] == units and units * (count + 1) <= left:
                count += 1
            places[begin + size, nodes_codes.NODE], places[begin + size, nodes_codes.STOP] = v, v + count
            places[begin + size, nodes_codes.CHUNK], places[begin + size, nodes_codes.UNITS] = chunk, units
            left -= units * count
            size += 1
        v += count
    state.found = size
    nodes.settle(state, row)
    nodes.change(state, row, shape, nodes_codes.TAKE, free)


def _count_blocks(state: State, row: int, sign: int) -> None:
    """A job has taken its places, or given them back."""
    if not state.anywhere:
        return
    places = state.places
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        v, stop = places[i, nodes_codes.NODE], places[i, nodes_codes.STOP]
        if sign == nodes_codes.GIVE:
            state.lowest_block = min(state.lowest_block, v // nodes_codes.BLOCK)
        while v < stop:
            until = min(stop, (v // nodes_codes.BLOCK + 1) * nodes_codes.BLOCK)
            state.blocks[v // nodes_codes.BLOCK] += sign * places[i, nodes_codes.UNITS] * (until - v)
            v = until
