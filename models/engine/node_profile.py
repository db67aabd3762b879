"""The profile of a machine of nodes: what every node will have left at what time.

On [times[i], times[i + 1]) node v has ``slab(i)[v, r]`` of resource r left, and the last step has no end. ``free``
holds a record for each step: the number of a slab, and a slab, which need not be the step's own. So a step can be
inserted by moving numbers instead of slabs. A reservation holds the nodes that the allocator chose when it was made,
from the least that each node has left in its time.

Where nodes are alike, processors are counted, as on a machine without nodes, and jobs have no places before they start.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, availability, gapped, node_room, nodes, profile
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import tables
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf


def width(state: State) -> int:
    """How many numbers a record has."""
    return 1 + state.capacity.shape[0] * state.capacity.shape[1]


def slab(state: State, i: int, free: Ints) -> IntTable:
    """What the nodes have left in step i."""
    size = width(state)
    return tables.table_in(free, free[i * size] * size + 1, state.capacity)


def split(state: State, i: int, time: float, times: Floats, free: Ints, n: int) -> int:
    """Cut step i in two at ``time``; the new length."""
    size = width(state)
    fresh = free[n * size]
    for j in range(n, i + 1, -1):
        times[j], free[j * size] = times[j - 1], free[(j - 1) * size]
    times[i + 1], free[(i + 1) * size] = time, fresh
    slab(state, i + 1, free)[:] = slab(state, i, free)
    return n + 1


def drop(state: State, i: int, times: Floats, free: Ints, n: int) -> int:
    """Remove step i, and let the one before it last longer; the new length."""
    size = width(state)
    gone = free[i * size]
    for j in range(i, n - 1):
        times[j], free[j * size] = times[j + 1], free[(j + 1) * size]
    free[(n - 1) * size] = gone
    return n - 1


def same(state: State, i: int, free: Ints) -> bool:
    """Whether steps i - 1 and i are equal."""
    a, b = slab(state, i - 1, free), slab(state, i, free)
    for v in range(a.shape[0]):
        for r in range(a.shape[1]):
            if a[v, r] != b[v, r]:
                return False
    return True


def nodes_idle_profile(state: State, now: float, times: Floats, free: Ints) -> int:
    """As `idle_profile`: one step with everything."""
    if state.alike:
        return profile.idle_profile(state, now, times, free)
    times[0] = now
    slab(state, int(at.ZERO), free)[:] = state.capacity
    return 1


def nodes_running_profile(state: State, now: float, skip: int, times: Floats, free: Ints) -> int:
    """As `running_profile`: sorted by expected end, each gives back what it has."""
    if state.alike:
        return profile.running_profile(state, now, skip, times, free)
    times[0] = now
    state.room.begin_pass(state, skip)
    slab(state, int(at.ZERO), free)[:] = node_room.left_table(state)
    n = at.ZERO + 1
    for i in range(skip, gapped.line_up(state)):
        row = state.running[i]
        end = max(state.expected_end[row], now + state.grace)
        if end == INFINITY:
            break
        if end > times[n - 1]:
            n = split(state, n - 1, end, times, free, n)
        nodes.change(state, row, state.shape[row], nodes_codes.GIVE, slab(state, n - 1, free))
    return n


def nodes_advance(state: State, now: float, times: Floats, free: Ints, n: int) -> int:
    """As `advance`: drop steps that are over."""
    if state.alike:
        return profile.advance(state, now, times, free, n)
    while n > 1 and times[1] <= now:
        n = drop(state, int(at.ZERO), times, free, n)
    times[0] = now
    return n


def nodes_book(state: State, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int) -> int:
    """As `book`: in every step between, on the places of the job."""
    if state.alike:
        return profile.book(state, row, sign, begin, end, times, free, n)
    if not begin < end or begin == INFINITY:
        return n
    i = availability.locate(begin, times, n)
    if times[i] < begin:
        n = split(state, i, begin, times, free, n)
        i += 1
    j = i
    while j < n and times[j] < end:
        if end < INFINITY and (j + 1 == n or times[j + 1] > end):
            n = split(state, j, end, times, free, n)
        nodes.change(state, row, state.shape[row], sign, slab(state, j, free))
        j += 1
    if j < n and same(state, j, free):
        n = drop(state, j, times, free, n)
    if i > 0 and same(state, i, free):
        n = drop(state, i, times, free, n)
    return n


def nodes_earliest(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """As `earliest`: the job's places are for that start."""
    if state.alike:
        return profile.earliest(state, row, duration, times, free, n)
    start = earliest_between(state, row, duration, -INFINITY, INFINITY, times, free, n)
    nodes.settle(state, row)
    return start


def nodes_fits_from_now(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """As `fits_from_now`: the job's places are found as well."""
    if state.alike:
        return profile.fits_from_now(state, row, duration, times, free, n)
    soon = math.nextafter(times[0], INFINITY)
    start = earliest_between(state, row, duration, -INFINITY, soon, times, free, n)
    nodes.settle(state, row)
    return start < INFINITY


def earliest_between(
    state: State, row: int, duration: float, since: float, before: float, times: Floats, free: Ints, n: int,
) -> float:  # fmt: skip
    """The earliest step in [since, before) at which a job can be placed for so long; or infinity. It finds places."""
    shape = state.shape[row]
    single, low = nodes.has_one_chunk(state, shape), state.low
    i = arithmetic.first_from(times, n, since)
    while i < n and times[i] < before:
        low[:] = slab(state, i, free)
        if single and not room(state, shape, low):
            i += 1
            continue
        end = times[i] + duration
        j = i + 1
        fitting = True
        while fitting and j < n and times[j] < end:
            lower = lower_to(low, slab(state, j, free))
            fitting = not (single and lower) or room(state, shape, low)
            j += 1
        if fitting and nodes.find(state, shape, at.ZERO, low):
            return float(times[i])
        i += 1
        if not fitting and not room(state, shape, slab(state, j - 1, free)):
            i = j  # no window that holds step j - 1 will do
    state.found = 0
    return INFINITY


def lower_to(low: IntTable, here: IntTable) -> bool:
    """Bring the minimum down to what is left in one more step; whether that changes it."""
    lower = False
    for v in range(here.shape[0]):
        for r in range(here.shape[1]):
            if here[v, r] < low[v, r]:
                low[v, r] = here[v, r]
                lower = True
    return lower


def room(state: State, shape: int, free: IntTable) -> bool:
    """Whether enough nodes have room for a request of one kind of chunk, whatever the allocator.

    Such a request needs no more where there is more room, so one look at a step can rule out many windows.
    """
    chunk = state.first[shape]
    need, alone = state.need[chunk], state.alone[shape] > 0
    one_each = alone or state.apart[shape] > 0
    left = state.pieces[chunk]
    for v in range(free.shape[0]):
        if not nodes.takes(state, chunk, alone, v, free):
            continue
        units = 1 if one_each else left
        for r in range(0 if one_each else free.shape[1]):
            if need[r] > 0:
                units = min(units, free[v, r] // need[r])
        left -= units
        if left <= 0:
            return True
    return False


def nodes_fits_at(state: State, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """As `fits_at`: the job's places are found as well."""
    if state.alike:
        return profile.fits_at(state, row, begin, duration, times, free, n)
    i, shape, low = availability.locate(begin, times, n), state.shape[row], state.low
    low[:] = slab(state, i, free)
    i += 1
    while i < n and times[i] < begin + duration:
        lower_to(low, slab(state, i, free))
        i += 1
    fitting = (not nodes.has_one_chunk(state, shape) or room(state, shape, low)) and nodes.find(
        state, shape, at.ZERO, low
    )
    if fitting:
        nodes.settle(state, row)
    return fitting


def nodes_bring_forward(
    state: State, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
) -> tuple[float, int]:
    """As `bring_forward`: take the job out, and put it back where it was unless there is an earlier fit.

    ``blocked[s]`` is the time up to which no step has room for a shape, so that jobs reserved before it need no search.
    """
    if state.alike:
        return profile.bring_forward(state, row, reserved, reach, tried, times, free, n)
    shape, duration = state.shape[row], state.estimate[row]
    if nodes.has_one_chunk(state, shape):
        if state.blocked[shape] >= reserved:
            return reserved, n
        if not _room_before(state, shape, reserved, times, free, n):
            state.blocked[shape] = reserved
            return reserved, n
    n = state.profiles.book(state, row, nodes_codes.GIVE, reserved, reserved + duration, times, free, n)
    start = min(earliest_between(state, row, duration, -INFINITY, reserved, times, free, n), reserved)
    if start < reserved:
        state.blocked[:] = 0.0
        nodes.settle(state, row)
    n = state.profiles.book(state, row, nodes_codes.TAKE, start, start + duration, times, free, n)
    return start, n


def _room_before(state: State, shape: int, before: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether any step that begins before a time has room for a request of one kind of chunk."""
    for i in range(n):
        if times[i] >= before:
            return False
        if room(state, shape, slab(state, i, free)):
            return True
    return False


def nodes_begin_sweep(state: State) -> bool:
    """As `begin_sweep`: with several kinds of chunks, less room may help."""
    state.blocked[:] = 0.0
    return state.mixed and not state.alike


def nodes_crowds(state: State) -> bool:
    """As `crowds`: a job can be in the way of one that is reserved before it."""
    return bool(state.alike == 0 or state.grace > 0.0)


def nodes_narrowest(state: State, rows: Ints) -> int:
    """As `narrowest`: it takes too long to say, unless processors are counted."""
    return profile.narrowest(state, rows) if state.alike else 0


def nodes_left_now(state: State, free: Ints) -> int:
    """As `left_now`: processors."""
    return profile.left_now(state, free) if state.alike else 1
