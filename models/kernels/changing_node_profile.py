"""The profile of a machine of nodes that changes: in windows, and while they are down, nodes have nothing.

A step has what `thinktime.models.kernels.fences` leaves of the nodes. For a job that windows admit, these are opened
while the profile is looked at. A suspended job keeps what it has beside processors until it starts, and gives it back
when it ends.

While nodes are alike (there are no windows then, and nobody is suspended), processors that are up are counted.
"""

import numpy as np

from thinktime.models.kernels import keeping, node_profile, node_room, nodes, profile
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.availability import locate
from thinktime.models.kernels.fences import (
    ABSENT,
    DOWN,
    ONE,
    change_node,
    change_nodes,
    change_others,
    closed,
    ignore_windows,
    lets_in,
    resumes,
)
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import CHANGING, CHANGING_NODES, INFINITY, ON_NODES
from thinktime.models.kernels.node_profile import drop, same, slab, split
from thinktime.models.kernels.nodes import GIVE, TAKE
from thinktime.models.kernels.trials import copy_steps, number
from thinktime.workloads.compiler import Floats, Ints, IntTable, kernel
from thinktime.workloads.kinds import usual, written_for
from thinktime.workloads.structures import Structure

nodes_bring_forward = usual(profile.bring_forward, ON_NODES)
nodes_fits_at = usual(profile.fits_at, ON_NODES)
counted_idle_profile = usual(profile.idle_profile, CHANGING)
counted_running_profile = usual(profile.running_profile, CHANGING)
counted_book = usual(profile.book)
counted_earliest = usual(profile.earliest)
counted_fits_from_now = usual(profile.fits_from_now)
counted_fits_at = usual(profile.fits_at)
counted_bring_forward = usual(profile.bring_forward)
counted_more_from = usual(profile.more_from, CHANGING)


@kernel
def _at(state: Structure, time: float, times: Floats, free: Ints, n: int) -> tuple[int, int]:
    """The step that begins at a time, which becomes one if need be, and the new length; none for infinity."""
    if time == INFINITY:
        return n, n
    i = locate(time, times, n)
    if times[i] < time:
        return i + 1, split(state, i, time, times, free, n)
    return i, n


@kernel
def _between(state: Structure, begin: float, end: float, times: Floats, free: Ints, n: int) -> tuple[int, int, int]:
    """The steps of an interval, whose ends become steps; the new length."""
    first, n = _at(state, begin, times, free, n)
    stop, n = _at(state, end, times, free, n)
    return first, stop, n


@kernel
def _join(state: Structure, i: int, times: Floats, free: Ints, n: int) -> int:
    """Join a step with the one before if they are equal; the new length."""
    return drop(state, i, times, free, n) if 0 < i < n and same(state, i, free) else n


@kernel
def _add_windows(state: Structure, now: float, times: Floats, free: Ints, n: int) -> int:
    """The known windows close their nodes."""
    for window in state.known[: state.situation[of.KNOWN]]:
        first, stop, n = _between(state, max(state.opens[window], now), state.closes[window], times, free, n)
        for i in range(first, stop):
            change_nodes(state, window, -closed(window), slab(state, i, free))
    return n


@kernel
def _add_repairs(state: Structure, times: Floats, free: Ints, n: int) -> int:
    """Where repairs are told, nodes that are down come back."""
    situation = state.situation
    for v in state.broken[: situation[of.DOWN] * situation[of.TOLD]]:
        first, n = _at(state, max(state.back[v], times[0]), times, free, n)
        for i in range(first, n):
            change_node(v, DOWN, slab(state, i, free))
    return n


@written_for(CHANGING_NODES, profile.idle_profile)
def idle_nodes(state: Structure, now: float, times: Floats, free: Ints) -> int:
    """With what is down, the windows, and what suspended jobs keep."""
    if state.site[nodes.ALIKE]:
        return counted_idle_profile(state, now, times, free)
    times[0] = now
    first = slab(state, int(at.ZERO), free)
    first[:] = state.capacity
    for v in state.broken[: state.situation[of.DOWN]]:
        change_node(v, -DOWN, first)
    for row in state.kept[: state.situation[of.SET_ASIDE]]:
        change_others(state, row, TAKE, first)
    n = _add_repairs(state, times, free, at.ZERO + 1)
    return _add_windows(state, now, times, free, n)


@written_for(CHANGING_NODES, profile.running_profile)
def running_nodes(state: Structure, now: float, skip: int, times: Floats, free: Ints) -> int:
    """Sorted by expected end, each gives back what it has, or its processors alone if it will be suspended."""
    if state.site[nodes.ALIKE]:
        return counted_running_profile(state, now, skip, times, free)
    keeping.forget_bookings(state)
    times[0] = now
    first = slab(state, int(at.ZERO), free)
    first[:] = state.free
    ignore_windows(state, first)
    n = at.ZERO + 1
    for row in state.running[: line_up(state)]:
        end = max(state.expected_end[row], now + state.clock[at.GRACE])
        if end == INFINITY:
            break
        if end > times[n - 1]:
            n = split(state, n - 1, end, times, free, n)
        stop = ONE if keeping.will_keep(state, row) else state.free.shape[1]
        _change_part(state, row, GIVE, at.ZERO, stop, n - 1, free)
    n = _add_repairs(state, times, free, n)
    return keeping.lay(state, times, free, _add_windows(state, now, times, free, n))


@kernel
def _change_part(state: Structure, row: int, sign: int, first: int, stop: int, i: int, free: Ints) -> None:
    """A job's places have more of some resources in a step, or less."""
    table = slab(state, i, free)
    nodes.change_part(state, state.offset[row], state.size[row], state.shape[row], sign, table, first, stop)


@written_for(CHANGING_NODES, profile.book)
def book_on_nodes(
    state: Structure, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """What is kept depends on it where the job is concerned."""
    if state.site[nodes.ALIKE]:
        return counted_book(state, row, sign, begin, end, times, free, n)
    if not keeping.concerns(state, row):
        return _change(state, row, sign, begin, end, times, free, n)
    n = keeping.lift(state, times, free, n)
    n = _change(state, row, sign, begin, end, times, free, n)
    keeping.note_booking(state, row, sign, begin, end)
    return keeping.lay(state, times, free, n)


@kernel
def _change(state: Structure, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int) -> int:
    """A suspended job takes processors, and gives the rest back at its end."""
    if not begin < end or begin == INFINITY:
        return n
    first, stop, n = _between(state, begin, end, times, free, n)
    resources = ONE if state.suspended[row] > 0 else state.free.shape[1]
    for i in range(first, stop):
        _change_part(state, row, sign, at.ZERO, resources, i, free)
    if state.suspended[row] > 0:
        for i in range(stop, n):
            _change_part(state, row, -sign, ONE, state.free.shape[1], i, free)
    n = _join(state, stop, times, free, n)
    return _join(state, first, times, free, n)


@written_for(CHANGING_NODES, profile.send_off)
def send_off_on_nodes(
    state: Structure, row: int, sign: int, suspends: bool, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """A job that is suspended gives processors back, and keeps the rest."""
    if state.site[nodes.ALIKE]:
        return counted_book(state, row, sign, begin, end, times, free, n)
    if not suspends:
        return _change(state, row, sign, begin, end, times, free, n)
    if not begin < end:
        return n
    first, stop, n = _between(state, begin, end, times, free, n)
    for i in range(first, stop):
        _change_part(state, row, sign, at.ZERO, ONE, i, free)
    for i in range(stop, n):
        _change_part(state, row, -sign, ONE, state.free.shape[1], i, free)
    n = _join(state, stop, times, free, n)
    return _join(state, first, times, free, n)


@kernel
def _let_in(state: Structure, row: int, sign: int, times: Floats, free: Ints, n: int) -> bool:
    """Open the windows that admit a job, or close them; whether there are any."""
    found = False
    if state.situation[of.SLOTS] > 0:
        for window in state.known[: state.situation[of.KNOWN]]:
            if lets_in(state, window, row):
                found = True
                for i in range(n):
                    if state.opens[window] <= times[i] < state.closes[window]:
                        change_nodes(state, window, sign * closed(window), slab(state, i, free))
    return found


@kernel
def _lowest(state: Structure, begin: float, end: float, times: Floats, free: Ints, n: int) -> None:
    """Write the least that each node has left in an interval to ``low``."""
    i = locate(begin, times, n)
    state.low[:] = slab(state, i, free)
    i += 1
    while i < n and times[i] < end:
        node_profile.lower_to(state.low, slab(state, i, free))
        i += 1


@kernel
def _find(state: Structure, row: int, duration: float, before: float, times: Floats, free: Ints, n: int) -> float:
    """The earliest step before a time at which a job fits for so long, or infinity; `nodes.settle` gives its places."""
    if state.suspended[row] == 0:
        return node_profile.earliest_between(state, row, duration, -INFINITY, before, times, free, n)
    i = 0
    while i < n and times[i] < before:
        _lowest(state, times[i], times[i] + duration, times, free, n)
        if resumes(state, row, state.low):
            return float(times[i])
        i += 1
    return INFINITY


@kernel
def _settle(state: Structure, row: int) -> None:
    """A suspended job has its places already."""
    if state.suspended[row] == 0:
        nodes.settle(state, row)


@written_for(CHANGING_NODES, profile.earliest)
def earliest_on_nodes(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """With the job's places for that start."""
    if state.site[nodes.ALIKE]:
        state.size[row] = 0
        return counted_earliest(state, row, duration, times, free, n)
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)
    _let_in(state, row, GIVE, times, free, n)
    start = _find(state, row, duration, INFINITY, times, free, n)
    _let_in(state, row, TAKE, times, free, n)
    _settle(state, row)
    return start


@written_for(CHANGING_NODES, profile.fits_from_now)
def fits_from_now_on_nodes(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """With the job's places."""
    if state.site[nodes.ALIKE]:
        state.size[row] = 0
        return counted_fits_from_now(state, row, duration, times, free, n)
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)
    _let_in(state, row, GIVE, times, free, n)
    start = _find(state, row, duration, np.nextafter(times[0], INFINITY), times, free, n)
    _let_in(state, row, TAKE, times, free, n)
    _settle(state, row)
    return start < INFINITY


@written_for(CHANGING_NODES, profile.fits_at)
def fits_at_on_nodes(
    state: Structure, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int
) -> bool:
    """With the job's places."""
    if state.site[nodes.ALIKE]:
        state.size[row] = 0
        return counted_fits_at(state, row, begin, duration, times, free, n)
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)
    _let_in(state, row, GIVE, times, free, n)
    if state.suspended[row] > 0:
        _lowest(state, begin, begin + duration, times, free, n)
        fitting = resumes(state, row, state.low)
    else:
        fitting = nodes_fits_at(state, row, begin, duration, times, free, n)
    _let_in(state, row, TAKE, times, free, n)
    return fitting


@written_for(CHANGING_NODES, profile.fits_as_reserved)
def fits_as_reserved_on_nodes(state: Structure, row: int, begin: float, times: Floats, free: Ints, n: int) -> bool:
    """On the nodes that were reserved."""
    if state.site[nodes.ALIKE]:
        return counted_fits_at(state, row, begin, state.estimate[row], times, free, n)
    _let_in(state, row, GIVE, times, free, n)
    _lowest(state, begin, begin + state.estimate[row], times, free, n)
    _let_in(state, row, TAKE, times, free, n)
    return node_room.holds(state, row, state.low)


@written_for(CHANGING_NODES, profile.bring_forward)
def bring_forward_on_nodes(
    state: Structure, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
) -> tuple[float, int]:
    """What is known of other jobs of its kind does not hold for a job that windows admit."""
    if state.site[nodes.ALIKE]:
        return counted_bring_forward(state, row, reserved, reach, tried[:1], times, free, n)
    if not _let_in(state, row, at.ZERO, times, free, n):
        return nodes_bring_forward(state, row, reserved, reach, tried, times, free, n)
    duration = state.estimate[row]
    n = profile.book(state, row, GIVE, reserved, reserved + duration, times, free, n)
    _let_in(state, row, GIVE, times, free, n)
    start = _find(state, row, duration, reserved, times, free, n)
    _let_in(state, row, TAKE, times, free, n)
    if start < reserved:
        state.blocked[:] = 0.0
        _settle(state, row)
    start = min(start, reserved)
    return start, profile.book(state, row, TAKE, start, start + duration, times, free, n)


@written_for(CHANGING_NODES, profile.more_from)
def nodes_come_back(state: Structure, now: float, times: Floats, free: Ints, n: int) -> int:
    """Those that are up, but were not when the profile was made."""
    if state.site[nodes.ALIKE]:
        return counted_more_from(state, now, times, free, n)
    for i in range(n):
        table = slab(state, i, free)
        for v in range(table.shape[0]):
            if state.outages[v] == 0 and table[v, 0] < ABSENT:
                change_node(v, DOWN, table)
    state.blocked[:] = 0.0
    return n


@written_for(CHANGING_NODES, keeping.step_at)
def nodes_step_at(state: Structure, time: float, times: Floats, free: Ints, n: int) -> int:
    """A slab more, maybe."""
    return _at(state, time, times, free, n)[1]


@written_for(CHANGING_NODES, keeping.change_step)
def nodes_change_step(state: Structure, i: int, sign: int, kept: IntTable, free: Ints) -> None:
    """Processors of the nodes."""
    table = slab(state, i, free)
    for v in range(kept.shape[0]):
        table[v, 0] += sign * kept[v, 0]


@written_for(CHANGING_NODES, keeping.copied_profile)
def copied_node_profile(state: Structure, times: Floats, free: Ints, n: int, more: int) -> tuple[Floats, Ints]:
    """Slab by slab."""
    to_times, to_free = np.empty(n + more), np.empty((n + more) * node_profile.width(state), np.int64)
    number(state, to_free, n + more)
    copy_steps(state, times, free, n, to_times, to_free)
    return to_times, to_free


@written_for(CHANGING_NODES, keeping.places)
def node_places(state: Structure) -> int:
    """All."""
    return len(state.capacity)


@written_for(CHANGING_NODES, keeping.add_processors)
def add_processors_on_nodes(state: Structure, row: int, table: IntTable) -> None:
    """Where it is, was, or is planned to be."""
    nodes.change_part(state, state.offset[row], state.size[row], state.shape[row], GIVE, table, at.ZERO, ONE)
