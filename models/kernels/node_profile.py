"""The profile of a machine of nodes: what every node will have left at what time, and the rules that reserve in it.

A profile is a step function: on [times[i], times[i + 1]) node v has ``slab[slot[i], v, r]`` of resource r left, and
the last step has no end. ``slot`` is a permutation, so that a step can be inserted by moving numbers instead of slabs.
``times[0]`` is the present. A job's reservation is its start and its `Places`: the allocator chooses the nodes when
the reservation is made, from the least that each node has left in the window.
"""

from typing import NamedTuple

import numpy as np

from thinktime.models.kernels.machine_state import INFINITY, ZERO
from thinktime.models.kernels.nodes import GIVE, TAKE, Flags, Places, Shapes, change, fits_where_it_is, place
from thinktime.models.kernels.reservations import BROKEN, LENGTH, LOOSE, REBUILD, SWEEP
from thinktime.workloads.compiler import Floats, Ints, kernel


class ProfileSteps(NamedTuple):
    """The arrays of a profile."""

    times: Floats
    slot: Ints
    slab: Ints


class SiteArrays(NamedTuple):
    """What stays the same while a machine runs, and scratch arrays."""

    capacity: Ints
    shapes: Shapes
    places: Places
    taken: Flags
    low: Ints


@kernel
def split(i: int, time: float, steps: ProfileSteps, n: int) -> int:
    """Cut step i in two at ``time``; the new length."""
    fresh = steps.slot[n]
    for j in range(n, i + 1, -1):
        steps.times[j] = steps.times[j - 1]
        steps.slot[j] = steps.slot[j - 1]
    steps.times[i + 1] = time
    steps.slot[i + 1] = fresh
    steps.slab[fresh] = steps.slab[steps.slot[i]]
    return n + 1


@kernel
def drop(i: int, steps: ProfileSteps, n: int) -> int:
    """Remove step i, and let the one before it last longer; the new length."""
    gone = steps.slot[i]
    for j in range(i, n - 1):
        steps.times[j] = steps.times[j + 1]
        steps.slot[j] = steps.slot[j + 1]
    steps.slot[n - 1] = gone
    return n - 1


@kernel
def locate(time: float, steps: ProfileSteps, n: int) -> int:
    """The step that holds ``time``: the last one that starts at or before it."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if steps.times[middle] <= time:
            low = middle + 1
        else:
            high = middle
    return low - 1


@kernel
def same(i: int, steps: ProfileSteps) -> bool:
    """Whether steps i - 1 and i are equal."""
    a, b = steps.slab[steps.slot[i - 1]], steps.slab[steps.slot[i]]
    for v in range(a.shape[0]):
        for r in range(a.shape[1]):
            if a[v, r] != b[v, r]:
                return False
    return True


@kernel
def advance(now: float, steps: ProfileSteps, n: int) -> int:
    """Forget what is past."""
    while n > 1 and steps.times[1] <= now:
        n = drop(ZERO, steps, n)
    steps.times[0] = now
    return n


@kernel
def book(
    row: int, shape: int, sign: int, start: float, end: float, steps: ProfileSteps, n: int, site: SiteArrays
) -> int:
    """Take a job's places on [start, end), or give them back; the new length."""
    if not start < end or start == INFINITY:
        return n
    i = locate(start, steps, n)
    if steps.times[i] < start:
        n = split(i, start, steps, n)
        i += 1
    j = i
    while j < n and steps.times[j] < end:
        if end < INFINITY and (j + 1 == n or steps.times[j + 1] > end):
            n = split(j, end, steps, n)
        change(row, shape, sign, steps.slab[steps.slot[j]], site.capacity, site.shapes, site.places)
        j += 1
    if j < n and same(j, steps):
        n = drop(j, steps, n)
    if i > 0 and same(i, steps):
        n = drop(i, steps, n)
    return n


@kernel
def earliest(
    row: int,
    shape: int,
    allocator: int,
    duration: float,
    before: float,
    steps: ProfileSteps,
    n: int,
    site: SiteArrays,
) -> float:
    """The earliest start before ``before`` at which the job can be placed for its whole ``duration``; infinity if none.

    The job's places are set for that start.
    """
    single = site.shapes.first[shape + 1] - site.shapes.first[shape] == 1
    i = 0
    while i < n and steps.times[i] < before:
        site.low[:] = steps.slab[steps.slot[i]]
        if single and not room(shape, site.low, site):
            i += 1
            continue
        end = steps.times[i] + duration
        j = i + 1
        fits = True
        while fits and j < n and steps.times[j] < end:
            here = steps.slab[steps.slot[j]]
            lower = False
            for v in range(here.shape[0]):
                for r in range(here.shape[1]):
                    if here[v, r] < site.low[v, r]:
                        site.low[v, r] = here[v, r]
                        lower = True
            fits = not (single and lower) or room(shape, site.low, site)
            j += 1
        if fits and place(
            row, shape, allocator, site.low, site.capacity, site.shapes, site.places, site.taken
        ):
            return float(steps.times[i])
        i += 1
        if not fits and not room(shape, steps.slab[steps.slot[j - 1]], site):
            i = j  # no window that holds step j - 1 will do
    places = site.places
    places.size[row] = 0
    return INFINITY


@kernel
def room(shape: int, free: Ints, site: SiteArrays) -> bool:
    """Whether enough nodes have room for a request of one kind of chunk, whatever the allocator.

    Such a request needs no more where there is more room, so one look at a step can rule out many windows.
    """
    shapes = site.shapes
    chunk = shapes.first[shape]
    apart, alone = shapes.apart[shape], shapes.alone[shape]
    left = shapes.pieces[chunk]
    for v in range(free.shape[0]):
        if not shapes.mask[chunk, v]:
            continue
        units = left
        for r in range(free.shape[1]):
            need = shapes.need[chunk, r]
            if free[v, r] < need or (alone and free[v, r] != site.capacity[v, r]):
                units = 0
                break
            if need > 0:
                units = min(units, free[v, r] // need)
        left -= min(units, 1) if apart or alone else units
        if left <= 0:
            return True
    return False


@kernel
def room_before(shape: int, before: float, steps: ProfileSteps, n: int, site: SiteArrays) -> bool:
    """Whether any step that begins before a time has room for a request of one kind of chunk."""
    for i in range(n):
        if steps.times[i] >= before:
            return False
        if room(shape, steps.slab[steps.slot[i]], site):
            return True
    return False


@kernel
def build(
    now: float,
    grace: float,
    free: Ints,
    shape: Ints,
    running: Ints,
    expected_end: Floats,
    steps: ProfileSteps,
    site: SiteArrays,
) -> int:
    """The profile of the running jobs alone, which are sorted by expected end; its length."""
    steps.times[0] = now
    steps.slab[steps.slot[0]] = free
    n = ZERO + 1
    for row in running:
        end = max(expected_end[row], now + grace)
        if end == INFINITY:
            break
        if end > steps.times[n - 1]:
            n = split(n - 1, end, steps, n)
        last = steps.slab[steps.slot[n - 1]]
        change(row, shape[row], GIVE, last, site.capacity, site.shapes, site.places)
    return n


@kernel
def rebuild_pass(
    now: float,
    grace: float,
    reservations: int,
    allocator: int,
    queue: Ints,
    shape: Ints,
    estimate: Floats,
    free: Ints,
    running: Ints,
    expected_end: Floats,
    steps: ProfileSteps,
    site: SiteArrays,
    out: Ints,
) -> int:
    """Place every job in queue order anew, and start those that can be placed from now on.

    The first ``reservations`` others reserve their earliest fit: with all of them this is conservative-dynamic, with n
    of them EASY with n reservations.
    """
    n = build(now, grace, free, shape, running, expected_end, steps, site)
    k = 0
    reserved = 0
    for row in queue:
        limit = INFINITY if reserved < reservations else np.nextafter(now, INFINITY)
        start = earliest(row, shape[row], allocator, estimate[row], limit, steps, n, site)
        if start < INFINITY:
            n = book(row, shape[row], TAKE, start, start + estimate[row], steps, n, site)
        if start == now:
            out[k] = row
            k += 1
        else:
            reserved += 1
            site.places.size[row] = 0
    return k


@kernel
def give_back(
    now: float, rows: Ints, shape: Ints, hold: Floats, memory: Ints, steps: ProfileSteps, site: SiteArrays
) -> None:
    """Jobs have ended: what the profile still held for them is free."""
    n = advance(now, steps, memory[LENGTH])
    for row in rows:
        if hold[row] > now:
            n = book(row, shape[row], GIVE, now, hold[row], steps, n, site)
            memory[LOOSE] = True
    memory[LENGTH] = n


@kernel
def withdraw(
    now: float,
    rows: Ints,
    shape: Ints,
    estimate: Floats,
    reserved: Floats,
    memory: Ints,
    steps: ProfileSteps,
    site: SiteArrays,
) -> None:
    """Jobs have left the queue: their reservations are free."""
    n = advance(now, steps, memory[LENGTH])
    for row in rows:
        if reserved[row] < INFINITY:
            begin = max(reserved[row], now)
            n = book(row, shape[row], GIVE, begin, reserved[row] + estimate[row], steps, n, site)
        site.places.size[row] = 0
        memory[LOOSE] = True
    memory[LENGTH] = n


@kernel
def refresh_holds(
    now: float,
    grace: float,
    running: Ints,
    shape: Ints,
    hold: Floats,
    memory: Ints,
    steps: ProfileSteps,
    site: SiteArrays,
) -> None:
    """Jobs at or beyond their estimates hold their nodes for ``grace`` more."""
    n = memory[LENGTH]
    for row in running:
        if hold[row] >= now + grace:
            break
        n = book(row, shape[row], TAKE, max(hold[row], now), now + grace, steps, n, site)
        hold[row] = now + grace
    memory[LENGTH] = n


@kernel
def conservative_pass(
    now: float,
    sweep: int,
    allocator: int,
    queue: Ints,
    order: Ints,
    shape: Ints,
    estimate: Floats,
    free: Ints,
    reserved: Floats,
    promised: Floats,
    hold: Floats,
    memory: Ints,
    steps: ProfileSteps,
    site: SiteArrays,
    spare: Ints,
    blocked: Floats,
    grace: float,
    out: Ints,
) -> tuple[int, float]:
    """(a) sweep along ``order``, (b) reserve for newcomers, (c) start what is due; the rule of `kernels.reservations`.

    Return how many jobs start, and the next due time. ``free`` is a copy of what is really free now; ``spare`` has room
    for three numbers for each of a job's places. ``blocked`` (zeros, one for each shape) holds the time up to which no
    step has room for a shape, so that jobs reserved before it need no search.
    """
    n = advance(now, steps, memory[LENGTH])
    if sweep == SWEEP and memory[LOOSE]:
        moved = False
        for row in order:
            if not reserved[row] > now:  # NaN for newcomers
                continue
            s = shape[row]
            if site.shapes.first[s + 1] - site.shapes.first[s] == 1:
                if blocked[s] >= reserved[row]:
                    continue
                if not room_before(s, reserved[row], steps, n, site):
                    blocked[s] = reserved[row]
                    continue
            n = book(row, shape[row], GIVE, reserved[row], reserved[row] + estimate[row], steps, n, site)
            _keep(row, site.places, spare)
            start = earliest(row, shape[row], allocator, estimate[row], reserved[row], steps, n, site)
            if start < reserved[row]:
                reserved[row] = start
                moved = True
                blocked[:] = 0.0
            else:
                _bring_back(row, site.places, spare)
            n = book(row, shape[row], TAKE, reserved[row], reserved[row] + estimate[row], steps, n, site)
        memory[LOOSE] = moved or grace > 0.0
    elif sweep == REBUILD:
        for row in order:
            begin = max(reserved[row], now)
            n = book(row, shape[row], GIVE, begin, reserved[row] + estimate[row], steps, n, site)
        for row in order:
            reserved[row] = earliest(row, shape[row], allocator, estimate[row], INFINITY, steps, n, site)
            n = book(row, shape[row], TAKE, reserved[row], reserved[row] + estimate[row], steps, n, site)
    for row in queue:
        if np.isnan(reserved[row]) or reserved[row] == INFINITY:  # a newcomer, or nothing was in sight so far
            reserved[row] = earliest(row, shape[row], allocator, estimate[row], INFINITY, steps, n, site)
            if np.isnan(promised[row]):
                promised[row] = reserved[row]
            n = book(row, shape[row], TAKE, reserved[row], reserved[row] + estimate[row], steps, n, site)
    k = 0
    following = INFINITY
    for row in queue:
        if reserved[row] <= now:
            due = fits_where_it_is(row, shape[row], free, site.capacity, site.shapes, site.places)
        else:
            due = False
        if reserved[row] <= now and not due:  # broken: its nodes are still in use
            n = book(row, shape[row], GIVE, now, reserved[row] + estimate[row], steps, n, site)
            reserved[row] = earliest(row, shape[row], allocator, estimate[row], INFINITY, steps, n, site)
            n = book(row, shape[row], TAKE, reserved[row], reserved[row] + estimate[row], steps, n, site)
            memory[LOOSE] = True
            memory[BROKEN] += 1
            due = reserved[row] == now and fits_where_it_is(
                row, shape[row], free, site.capacity, site.shapes, site.places
            )
        if due:
            hold[row] = now + estimate[row]
            out[k] = row
            k += 1
        else:
            following = min(following, reserved[row])
    memory[LENGTH] = n
    return k, following


@kernel
def _keep(row: int, places: Places, spare: Ints) -> None:
    spare[0] = places.size[row]
    for i in range(places.size[row]):
        at = places.offset[row] + i
        spare[3 * i + 1], spare[3 * i + 2], spare[3 * i + 3] = (
            places.node[at],
            places.chunk[at],
            places.units[at],
        )


@kernel
def _bring_back(row: int, places: Places, spare: Ints) -> None:
    places.size[row] = spare[0]
    for i in range(places.size[row]):
        at = places.offset[row] + i
        places.node[at], places.chunk[at], places.units[at] = (
            spare[3 * i + 1],
            spare[3 * i + 2],
            spare[3 * i + 3],
        )
