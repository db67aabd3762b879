"""The profile of a machine of nodes: what every node will have left at what time.

On [times[i], times[i + 1]) node v has ``slab(i)[v, r]`` of resource r left, and the last step has no end. ``free``
holds a record for each step: the number of a slab, and a slab, which need not be the step's own. So a step can be
inserted by moving numbers instead of slabs. A reservation holds the nodes that the allocator chose when it was made,
from the least that each node has left in its time.

Where nodes are alike, processors are counted, as on a machine without nodes, and jobs have no places before they start.
"""

import numpy as np

from thinktime.models.kernels import node_room, nodes, profile
from thinktime.models.kernels.availability import locate
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import GRACE, INFINITY, ON_NODES, ZERO
from thinktime.models.kernels.room import begin_pass
from thinktime.workloads.compiler import Floats, Ints, IntTable, kernel
from thinktime.workloads.kinds import usual, written_for
from thinktime.workloads.structures import Structure

usual_idle_profile = usual(profile.idle_profile)
usual_running_profile = usual(profile.running_profile)
usual_advance = usual(profile.advance)
usual_book = usual(profile.book)
usual_earliest = usual(profile.earliest)
usual_fits_from_now = usual(profile.fits_from_now)
usual_fits_at = usual(profile.fits_at)
usual_bring_forward = usual(profile.bring_forward)
usual_narrowest = usual(profile.narrowest)
usual_left_now = usual(profile.left_now)


@kernel
def width(state: Structure) -> int:
    """How many numbers a record has."""
    return int(1 + state.capacity.size)


@kernel
def slab(state: Structure, i: int, free: Ints) -> IntTable:
    """What the nodes have left in step i."""
    size = width(state)
    begin = free[i * size] * size + 1
    return free[begin : begin + size - 1].reshape(state.capacity.shape)


@kernel
def split(state: Structure, i: int, time: float, times: Floats, free: Ints, n: int) -> int:
    """Cut step i in two at ``time``; the new length."""
    size = width(state)
    fresh = free[n * size]
    for j in range(n, i + 1, -1):
        times[j], free[j * size] = times[j - 1], free[(j - 1) * size]
    times[i + 1], free[(i + 1) * size] = time, fresh
    slab(state, i + 1, free)[:] = slab(state, i, free)
    return n + 1


@kernel
def drop(state: Structure, i: int, times: Floats, free: Ints, n: int) -> int:
    """Remove step i, and let the one before it last longer; the new length."""
    size = width(state)
    gone = free[i * size]
    for j in range(i, n - 1):
        times[j], free[j * size] = times[j + 1], free[(j + 1) * size]
    free[(n - 1) * size] = gone
    return n - 1


@kernel
def same(state: Structure, i: int, free: Ints) -> bool:
    """Whether steps i - 1 and i are equal."""
    a, b = slab(state, i - 1, free), slab(state, i, free)
    for v in range(a.shape[0]):
        for r in range(a.shape[1]):
            if a[v, r] != b[v, r]:
                return False
    return True


@written_for(ON_NODES, profile.idle_profile)
def nodes_idle_profile(state: Structure, now: float, times: Floats, free: Ints) -> int:
    """One step with everything."""
    if state.site[nodes.ALIKE]:
        return usual_idle_profile(state, now, times, free)
    times[0] = now
    slab(state, int(ZERO), free)[:] = state.capacity
    return 1


@written_for(ON_NODES, profile.running_profile)
def nodes_running_profile(state: Structure, now: float, skip: int, times: Floats, free: Ints) -> int:
    """Sorted by expected end, each gives back what it has."""
    if state.site[nodes.ALIKE]:
        return usual_running_profile(state, now, skip, times, free)
    times[0] = now
    begin_pass(state, skip)
    slab(state, int(ZERO), free)[:] = node_room.left_table(state)
    n = ZERO + 1
    for row in state.running[skip : line_up(state)]:
        end = max(state.expected_end[row], now + state.clock[GRACE])
        if end == INFINITY:
            break
        if end > times[n - 1]:
            n = split(state, n - 1, end, times, free, n)
        nodes.change(state, row, state.shape[row], nodes.GIVE, slab(state, n - 1, free))
    return n


@written_for(ON_NODES, profile.advance)
def nodes_advance(state: Structure, now: float, times: Floats, free: Ints, n: int) -> int:
    """Drop steps that are over."""
    if state.site[nodes.ALIKE]:
        return usual_advance(state, now, times, free, n)
    while n > 1 and times[1] <= now:
        n = drop(state, int(ZERO), times, free, n)
    times[0] = now
    return n


@written_for(ON_NODES, profile.book)
def nodes_book(
    state: Structure, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """In every step between."""
    if state.site[nodes.ALIKE]:
        return usual_book(state, row, sign, begin, end, times, free, n)
    if not begin < end or begin == INFINITY:
        return n
    i = int(np.searchsorted(times[:n], begin, side="right")) - 1
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


@written_for(ON_NODES, profile.earliest)
def nodes_earliest(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """With the job's places for that start."""
    if state.site[nodes.ALIKE]:
        return usual_earliest(state, row, duration, times, free, n)
    start = earliest_between(state, row, duration, -INFINITY, INFINITY, times, free, n)
    nodes.settle(state, row)
    return start


@written_for(ON_NODES, profile.fits_from_now)
def nodes_fits_from_now(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """With the job's places."""
    if state.site[nodes.ALIKE]:
        return usual_fits_from_now(state, row, duration, times, free, n)
    soon = np.nextafter(times[0], INFINITY)
    start = earliest_between(state, row, duration, -INFINITY, soon, times, free, n)
    nodes.settle(state, row)
    return start < INFINITY


@kernel
def earliest_between(
    state: Structure, row: int, duration: float, since: float, before: float, times: Floats, free: Ints, n: int,
) -> float:  # fmt: skip
    """The earliest step in [since, before) at which a job can be placed for so long; or infinity. It finds places."""
    shape = state.shape[row]
    single, low = nodes.has_one_chunk(state, shape), state.low
    i = int(np.searchsorted(times[:n], since))
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
        if fitting and nodes.find(state, shape, ZERO, low):
            return float(times[i])
        i += 1
        if not fitting and not room(state, shape, slab(state, j - 1, free)):
            i = j  # no window that holds step j - 1 will do
    state.site[nodes.FOUND] = 0
    return INFINITY


@kernel
def lower_to(low: IntTable, here: IntTable) -> bool:
    """Bring the minimum down to what is left in one more step; whether that changes it."""
    lower = False
    for v in range(here.shape[0]):
        for r in range(here.shape[1]):
            if here[v, r] < low[v, r]:
                low[v, r] = here[v, r]
                lower = True
    return lower


@kernel
def room(state: Structure, shape: int, free: IntTable) -> bool:
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


@written_for(ON_NODES, profile.fits_at)
def nodes_fits_at(state: Structure, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """With the job's places."""
    if state.site[nodes.ALIKE]:
        return usual_fits_at(state, row, begin, duration, times, free, n)
    i, shape, low = locate(begin, times, n), state.shape[row], state.low
    low[:] = slab(state, i, free)
    i += 1
    while i < n and times[i] < begin + duration:
        lower_to(low, slab(state, i, free))
        i += 1
    fitting = (not nodes.has_one_chunk(state, shape) or room(state, shape, low)) and nodes.find(state, shape, ZERO, low)
    if fitting:
        nodes.settle(state, row)
    return fitting


@written_for(ON_NODES, profile.bring_forward)
def nodes_bring_forward(
    state: Structure, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
) -> tuple[float, int]:
    """Take the job out, and put it back where it was unless there is an earlier fit.

    ``blocked[s]`` is the time up to which no step has room for a shape, so that jobs reserved before it need no search.
    """
    if state.site[nodes.ALIKE]:
        return usual_bring_forward(state, row, reserved, reach, tried, times, free, n)
    shape, duration = state.shape[row], state.estimate[row]
    if nodes.has_one_chunk(state, shape):
        if state.blocked[shape] >= reserved:
            return reserved, n
        if not _room_before(state, shape, reserved, times, free, n):
            state.blocked[shape] = reserved
            return reserved, n
    n = profile.book(state, row, nodes.GIVE, reserved, reserved + duration, times, free, n)
    start = min(earliest_between(state, row, duration, -INFINITY, reserved, times, free, n), reserved)
    if start < reserved:
        state.blocked[:] = 0.0
        nodes.settle(state, row)
    n = profile.book(state, row, nodes.TAKE, start, start + duration, times, free, n)
    return start, n


@kernel
def _room_before(state: Structure, shape: int, before: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether any step that begins before a time has room for a request of one kind of chunk."""
    for i in range(n):
        if times[i] >= before:
            return False
        if room(state, shape, slab(state, i, free)):
            return True
    return False


@written_for(ON_NODES, profile.begin_sweep)
def nodes_begin_sweep(state: Structure) -> bool:
    """With several kinds of chunks, less room may help."""
    state.blocked[:] = 0.0
    return bool(state.site[nodes.MIXED] > state.site[nodes.ALIKE])


@written_for(ON_NODES, profile.crowds)
def nodes_crowds(state: Structure) -> bool:
    """A job can be in the way of one that is reserved before it."""
    return bool(state.site[nodes.ALIKE] == 0 or state.clock[GRACE] > 0.0)


@written_for(ON_NODES, profile.narrowest)
def nodes_narrowest(state: Structure, rows: Ints) -> int:
    """It takes too long to say, unless processors are counted."""
    return usual_narrowest(state, rows) if state.site[nodes.ALIKE] else 0


@written_for(ON_NODES, profile.left_now)
def nodes_left_now(state: Structure, free: Ints) -> int:
    """The same."""
    return usual_left_now(state, free) if state.site[nodes.ALIKE] else 1
