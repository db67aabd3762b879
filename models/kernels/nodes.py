"""A machine of nodes: where a job's chunks fit, and the passes of the rules that keep nothing between passes.

Symbols: ``free[v, r]`` is what node v has left of resource r, and ``capacity[v, r]`` what it has in all. A job's
*shape* is the number of its kind of request. `Shapes` holds all shapes: shape s has the kinds of chunks ``first[s]``
to ``first[s + 1]``, each with ``pieces`` pieces that need ``need`` and may be on the nodes of ``mask``. With
``apart[s]``, every piece is on a node of its own; with ``alone[s]``, on an idle node that is then taken whole.

`Places` holds where a job is or is planned to be: ``size[row]`` entries from ``offset[row]`` on, each with a ``node``,
a kind of ``chunk`` and its number of pieces (``units``).

The allocator chooses node by node: the first that fits, or of all that fit the one with the least free (best fit) or
the most free (worst fit), compared by the first resource in which two nodes differ, then by number.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thinktime.models.kernels.machine_state import INFINITY, ZERO
from thinktime.workloads.compiler import Floats, Ints, kernel, whole

Flags = NDArray[np.bool_]
FIRST, BEST, WORST = 0, 1, 2  # allocators
GIVE, TAKE = whole(1), whole(-1)  # signs of a change
UNTRIED, NO_ROOM, HELD_BACK = 0, 1, -2  # what is known of a shape in a pass: `easy_pass`


class Shapes(NamedTuple):
    """All kinds of requests, see the module."""

    first: Ints
    pieces: Ints
    need: Ints  # kinds of chunks × resources
    mask: Flags  # kinds of chunks × nodes
    apart: Flags
    alone: Flags


class Places(NamedTuple):
    """Where jobs are, row by row."""

    offset: Ints
    size: Ints
    node: Ints
    chunk: Ints
    units: Ints


@kernel
def pick(
    allocator: int,
    chunk: int,
    alone: bool,
    begin: int,
    free: Ints,
    capacity: Ints,
    shapes: Shapes,
    taken: Flags,
) -> int:
    """The node for one piece of a chunk, from node ``begin`` on; -1 if none fits."""
    need = shapes.need[chunk]
    mask = shapes.mask[chunk]
    resources = need.size
    best = -1
    for v in range(begin, mask.size):
        if taken[v] or not mask[v]:
            continue
        fits = True
        for r in range(resources):
            if free[v, r] < need[r] or (alone and free[v, r] != capacity[v, r]):
                fits = False
                break
        if not fits:
            continue
        if allocator == FIRST:
            return v
        if best < 0:
            best = v
            continue
        for r in range(resources):
            if free[v, r] != free[best, r]:
                if (free[v, r] < free[best, r]) == (allocator == BEST):
                    best = v
                break
    return best


@kernel
def place(
    row: int,
    shape: int,
    allocator: int,
    free: Ints,
    capacity: Ints,
    shapes: Shapes,
    places: Places,
    taken: Flags,
) -> bool:
    """Choose nodes for a job and take what it needs from ``free``; change nothing and return False if it does not fit.

    ``taken`` is a scratch array of False.
    """
    at = places.offset[row]
    size = 0
    apart, alone = shapes.apart[shape], shapes.alone[shape]
    fits = True
    for chunk in range(shapes.first[shape], shapes.first[shape + 1]):
        left = shapes.pieces[chunk]
        begin = ZERO
        while left > 0:
            v = pick(allocator, chunk, alone, begin, free, capacity, shapes, taken)
            if v < 0:
                fits = False
                break
            units = left
            if apart or alone:
                units = 1
                taken[v] = True
            else:
                for r in range(shapes.need.shape[1]):
                    if shapes.need[chunk, r] > 0:
                        units = min(units, free[v, r] // shapes.need[chunk, r])
            for r in range(shapes.need.shape[1]):
                free[v, r] -= capacity[v, r] if alone else units * shapes.need[chunk, r]
            places.node[at + size] = v
            places.chunk[at + size] = chunk
            places.units[at + size] = units
            size += 1
            left -= units
            if allocator == FIRST:
                begin = v
        if not fits:
            break
    places.size[row] = size
    for i in range(at, at + size):
        taken[places.node[i]] = False
    if not fits:
        change(row, shape, GIVE, free, capacity, shapes, places)
        places.size[row] = 0
    return fits


@kernel
def change(
    row: int, shape: int, sign: int, free: Ints, capacity: Ints, shapes: Shapes, places: Places
) -> None:
    """Give back what a job has, or take it."""
    alone = shapes.alone[shape]
    for i in range(places.offset[row], places.offset[row] + places.size[row]):
        v = places.node[i]
        for r in range(capacity.shape[1]):
            amount = capacity[v, r] if alone else places.units[i] * shapes.need[places.chunk[i], r]
            free[v, r] += sign * amount


@kernel
def fits_where_it_is(
    row: int, shape: int, free: Ints, capacity: Ints, shapes: Shapes, places: Places
) -> bool:
    """Whether a job's nodes have what it needs; if so, it is taken."""
    change(row, shape, TAKE, free, capacity, shapes, places)
    for i in range(places.offset[row], places.offset[row] + places.size[row]):
        for r in range(capacity.shape[1]):
            if free[places.node[i], r] < 0:
                change(row, shape, GIVE, free, capacity, shapes, places)
                return False
    return True


@kernel
def take_rows(
    rows: Ints,
    shape: Ints,
    planned: Flags,
    allocator: int,
    free: Ints,
    capacity: Ints,
    shapes: Shapes,
    places: Places,
    taken: Flags,
) -> int:
    """Take what starting jobs need, where it was planned or else where the allocator says.

    Return -1, or the place in ``rows`` of the first job that does not fit; then nothing is taken.
    """
    for k in range(rows.size):
        row = rows[k]
        if planned[row]:
            fits = fits_where_it_is(row, shape[row], free, capacity, shapes, places)
        else:
            fits = place(row, shape[row], allocator, free, capacity, shapes, places, taken)
        if not fits:
            for i in range(k):
                change(rows[i], shape[rows[i]], GIVE, free, capacity, shapes, places)
            return k
    return -1


@kernel
def give_all_back(
    rows: Ints, shape: Ints, free: Ints, capacity: Ints, shapes: Shapes, places: Places
) -> None:
    """Jobs have ended."""
    for row in rows:
        change(row, shape[row], GIVE, free, capacity, shapes, places)


@kernel
def greedy_pass(
    strict: bool,
    allocator: int,
    queue: Ints,
    shape: Ints,
    left: Ints,
    capacity: Ints,
    shapes: Shapes,
    places: Places,
    taken: Flags,
    failed: Ints,
    out: Ints,
) -> int:
    """Start what can be placed, in queue order; ``strict`` stops at the first job that cannot.

    ``left`` is a copy of what is free, ``failed`` a scratch array of zeros, one for each shape. A shape that could not
    be placed cannot be placed later in the pass, since room only shrinks. (With several kinds of chunks it can: less
    room may drive the first kind from nodes that the second needs.)
    """
    k = 0
    for row in queue:
        s = shape[row]
        if failed[s] == UNTRIED and place(row, s, allocator, left, capacity, shapes, places, taken):
            out[k] = row
            k += 1
        elif strict:
            break
        elif shapes.first[s + 1] - shapes.first[s] == 1:
            failed[s] = NO_ROOM
    return k


@kernel
def shadow_time(
    now: float,
    grace: float,
    head: int,
    allocator: int,
    started: Ints,
    shape: Ints,
    estimate: Floats,
    running: Ints,
    expected_end: Floats,
    later: Ints,
    capacity: Ints,
    shapes: Shapes,
    places: Places,
    taken: Flags,
) -> float:
    """The earliest expected end, all ends of one time together, at which the head can be placed.

    ``later`` holds what is free now, and afterwards what is free then. ``running`` is sorted by expected end.
    """
    ends = now + estimate[started]
    order = np.argsort(ends, kind="mergesort")
    earliest = now + grace
    i, j = 0, 0
    while i < running.size or j < started.size:
        ends_run = max(expected_end[running[i]], earliest) if i < running.size else INFINITY
        ends_new = max(ends[order[j]], earliest) if j < started.size else INFINITY
        time = min(ends_run, ends_new)
        if time == INFINITY:
            break
        while i < running.size and max(expected_end[running[i]], earliest) == time:
            change(running[i], shape[running[i]], GIVE, later, capacity, shapes, places)
            i += 1
        while j < started.size and max(ends[order[j]], earliest) == time:
            change(started[order[j]], shape[started[order[j]]], GIVE, later, capacity, shapes, places)
            j += 1
        if place(head, shape[head], allocator, later, capacity, shapes, places, taken):
            change(head, shape[head], GIVE, later, capacity, shapes, places)
            return time
    return INFINITY


@kernel
def easy_pass(
    now: float,
    grace: float,
    allocator: int,
    queue: Ints,
    shape: Ints,
    estimate: Floats,
    running: Ints,
    expected_end: Floats,
    left: Ints,
    later: Ints,
    both: Ints,
    capacity: Ints,
    shapes: Shapes,
    places: Places,
    taken: Flags,
    failed: Ints,
    out: Ints,
) -> int:
    """EASY on nodes, as described in ``docs/design.md``.

    ``left`` is what is free now, ``later`` what is free at the shadow time (the head's part included), ``both``
    a scratch array; ``failed[s]`` is NO_ROOM where a shape does not fit now, and HELD_BACK - k where the head
    held one back when k jobs had been started.
    """
    k = 0
    while k < queue.size and place(
        queue[k], shape[queue[k]], allocator, left, capacity, shapes, places, taken
    ):
        out[k] = queue[k]
        k += 1
    if k == queue.size:
        return k
    head = queue[k]
    started = k
    shadow = -INFINITY
    for i in range(started + 1, queue.size):
        row = queue[i]
        s = shape[row]
        if failed[s] == NO_ROOM:
            continue
        if failed[s] == HELD_BACK - k and now + estimate[row] > shadow:
            continue
        if not place(row, s, allocator, left, capacity, shapes, places, taken):
            if shapes.first[s + 1] - shapes.first[s] == 1:
                failed[s] = NO_ROOM
            continue
        if shadow == -INFINITY:
            change(row, s, GIVE, left, capacity, shapes, places)
            later[:] = left
            shadow = shadow_time(
                now, grace, head, allocator, out[:started], shape, estimate, running, expected_end, later,
                capacity, shapes, places, taken,
            )  # fmt: skip
            change(row, s, TAKE, left, capacity, shapes, places)
        fits = now + estimate[row] <= shadow or shadow == INFINITY
        if not fits:
            change(row, s, TAKE, later, capacity, shapes, places)
            if place(head, shape[head], allocator, later, capacity, shapes, places, taken):
                change(head, shape[head], GIVE, later, capacity, shapes, places)
                fits = True
            else:
                change(row, s, GIVE, later, capacity, shapes, places)
                change(row, s, GIVE, left, capacity, shapes, places)
                place(head, shape[head], allocator, later, capacity, shapes, places, taken)
                for v in range(left.shape[0]):
                    for r in range(left.shape[1]):
                        both[v, r] = min(left[v, r], later[v, r])
                fits = place(row, s, allocator, both, capacity, shapes, places, taken)
                change(head, shape[head], GIVE, later, capacity, shapes, places)
                if fits:
                    change(row, s, TAKE, left, capacity, shapes, places)
                    change(row, s, TAKE, later, capacity, shapes, places)
        if fits:
            out[k] = row
            k += 1
        else:
            failed[s] = HELD_BACK - k
            places.size[row] = 0
    places.size[head] = 0
    return k
