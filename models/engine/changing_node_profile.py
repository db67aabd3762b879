"""The profile of a machine of nodes that changes: in windows, and while they are down, nodes have nothing.

A step has what `thinktime.models.engine.fences` leaves of the nodes. For a job that windows admit, these are opened
while the profile is looked at. A suspended job keeps what it has beside processors until it starts, and gives it back
when it ends.

While nodes are alike (there are no windows then, and nobody is suspended), processors that are up are counted.
"""

from __future__ import annotations

import math

from thinktime.models.engine import (
    availability,
    changing_profile,
    fences,
    gapped,
    keeping,
    node_profile,
    node_room,
    nodes,
    profile,
    trials,
)
from thinktime.models.engine.codes import fences as fences_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf


def _at(state: State, time: float, times: Floats, free: Ints, n: int) -> tuple[int, int]:
    """The step that begins at a time, which becomes one if need be, and the new length; none for infinity."""
    if time == INFINITY:
        return n, n
    i = availability.locate(time, times, n)
    if times[i] < time:
        return i + 1, node_profile.split(state, i, time, times, free, n)
    return i, n


def _between(state: State, begin: float, end: float, times: Floats, free: Ints, n: int) -> tuple[int, int, int]:
    """The steps of an interval, whose ends become steps; the new length."""
    first, n = _at(state, begin, times, free, n)
    stop, n = _at(state, end, times, free, n)
    return first, stop, n


def _join(state: State, i: int, times: Floats, free: Ints, n: int) -> int:
    """Join a step with the one before if they are equal; the new length."""
    return node_profile.drop(state, i, times, free, n) if 0 < i < n and node_profile.same(state, i, free) else n


def _add_windows(state: State, now: float, times: Floats, free: Ints, n: int) -> int:
    """The known windows close their nodes."""
    for i_window in range(state.known_count):
        window = state.known[i_window]
        first, stop, n = _between(state, max(state.opens[window], now), state.closes[window], times, free, n)
        for i in range(first, stop):
            fences.change_nodes(state, window, -fences.closed(window), node_profile.slab(state, i, free))
    return n


def _add_repairs(state: State, times: Floats, free: Ints, n: int) -> int:
    """Where repairs are told, nodes that are down come back."""
    for i_v in range(state.down * state.repairs_told):
        v = state.broken[i_v]
        first, n = _at(state, max(state.back[v], times[0]), times, free, n)
        for i in range(first, n):
            fences.change_node(v, fences_codes.DOWN, node_profile.slab(state, i, free))
    return n


def idle_nodes(state: State, now: float, times: Floats, free: Ints) -> int:
    """As `idle_profile`: with what is down, the windows, and what suspended jobs keep."""
    if state.alike:
        return changing_profile.changing_idle_profile(state, now, times, free)
    times[0] = now
    first = node_profile.slab(state, int(at.ZERO), free)
    first[:] = state.capacity
    for i_v in range(state.down):
        v = state.broken[i_v]
        fences.change_node(v, -fences_codes.DOWN, first)
    for i_row in range(state.set_aside):
        row = state.kept[i_row]
        fences.change_others(state, row, nodes_codes.TAKE, first)
    n = _add_repairs(state, times, free, at.ZERO + 1)
    return _add_windows(state, now, times, free, n)


def running_nodes(state: State, now: float, skip: int, times: Floats, free: Ints) -> int:
    """As `running_profile`: by expected ends, and jobs that will be suspended give back processors alone."""
    if state.alike:
        return changing_profile.changing_running_profile(state, now, skip, times, free)
    keeping.forget_bookings(state)
    times[0] = now
    first = node_profile.slab(state, int(at.ZERO), free)
    first[:] = state.free
    fences.ignore_windows(state, first)
    n = at.ZERO + 1
    for i_row in range(gapped.line_up(state)):
        row = state.running[i_row]
        end = max(state.expected_end[row], now + state.grace)
        if end == INFINITY:
            break
        if end > times[n - 1]:
            n = node_profile.split(state, n - 1, end, times, free, n)
        stop = fences_codes.ONE if keeping.will_keep(state, row) else state.free.shape[1]
        _change_part(state, row, nodes_codes.GIVE, at.ZERO, stop, n - 1, free)
    n = _add_repairs(state, times, free, n)
    return keeping.lay(state, times, free, _add_windows(state, now, times, free, n))


def _change_part(state: State, row: int, sign: int, first: int, stop: int, i: int, free: Ints) -> None:
    """A job's places have more of some resources in a step, or less."""
    table = node_profile.slab(state, i, free)
    nodes.change_part(state, state.offset[row], state.size[row], state.shape[row], sign, table, first, stop)


def book_on_nodes(
    state: State, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """As `book`: if the job is concerned, what suspended jobs keep is laid anew."""
    if state.alike:
        return profile.book(state, row, sign, begin, end, times, free, n)
    if not keeping.concerns(state, row):
        return _change(state, row, sign, begin, end, times, free, n)
    n = keeping.lift(state, times, free, n)
    n = _change(state, row, sign, begin, end, times, free, n)
    keeping.note_booking(state, row, sign, begin, end)
    return keeping.lay(state, times, free, n)


def _change(state: State, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int) -> int:
    """A suspended job takes processors, and gives the rest back at its end."""
    if not begin < end or begin == INFINITY:
        return n
    first, stop, n = _between(state, begin, end, times, free, n)
    resources = fences_codes.ONE if state.suspended[row] > 0 else state.free.shape[1]
    for i in range(first, stop):
        _change_part(state, row, sign, at.ZERO, resources, i, free)
    if state.suspended[row] > 0:
        for i in range(stop, n):
            _change_part(state, row, -sign, fences_codes.ONE, state.free.shape[1], i, free)
    n = _join(state, stop, times, free, n)
    return _join(state, first, times, free, n)


def send_off_on_nodes(
    state: State, row: int, sign: int, suspends: bool, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """As `send_off`: a job that is suspended gives processors back, and keeps the rest."""
    if state.alike:
        return profile.book(state, row, sign, begin, end, times, free, n)
    if not suspends:
        return _change(state, row, sign, begin, end, times, free, n)
    if not begin < end:
        return n
    first, stop, n = _between(state, begin, end, times, free, n)
    for i in range(first, stop):
        _change_part(state, row, sign, at.ZERO, fences_codes.ONE, i, free)
    for i in range(stop, n):
        _change_part(state, row, -sign, fences_codes.ONE, state.free.shape[1], i, free)
    n = _join(state, stop, times, free, n)
    return _join(state, first, times, free, n)


def _let_in(state: State, row: int, sign: int, times: Floats, free: Ints, n: int) -> bool:
    """Open the windows that admit a job, or close them; whether there are any."""
    found = False
    if state.slots > 0:
        for i_window in range(state.known_count):
            window = state.known[i_window]
            if fences.lets_in(state, window, row):
                found = True
                for i in range(n):
                    if state.opens[window] <= times[i] < state.closes[window]:
                        fences.change_nodes(
                            state, window, sign * fences.closed(window), node_profile.slab(state, i, free)
                        )
    return found


def _lowest(state: State, begin: float, end: float, times: Floats, free: Ints, n: int) -> None:
    """Write the least that each node has left in an interval to ``low``."""
    i = availability.locate(begin, times, n)
    state.low[:] = node_profile.slab(state, i, free)
    i += 1
    while i < n and times[i] < end:
        node_profile.lower_to(state.low, node_profile.slab(state, i, free))
        i += 1


def _find(state: State, row: int, duration: float, before: float, times: Floats, free: Ints, n: int) -> float:
    """The earliest step before a time at which a job fits for so long, or infinity; `nodes.settle` gives its places."""
    if state.suspended[row] == 0:
        return node_profile.earliest_between(state, row, duration, -INFINITY, before, times, free, n)
    i = 0
    while i < n and times[i] < before:
        _lowest(state, times[i], times[i] + duration, times, free, n)
        if fences.resumes(state, row, state.low):
            return float(times[i])
        i += 1
    return INFINITY


def _settle(state: State, row: int) -> None:
    """A suspended job has its places already."""
    if state.suspended[row] == 0:
        nodes.settle(state, row)


def earliest_on_nodes(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """As `earliest`: the job's places are for that start."""
    if state.alike:
        state.size[row] = 0
        return profile.earliest(state, row, duration, times, free, n)
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)  # objects: where suspended jobs keep everything
    _let_in(state, row, nodes_codes.GIVE, times, free, n)
    start = _find(state, row, duration, INFINITY, times, free, n)
    _let_in(state, row, nodes_codes.TAKE, times, free, n)
    _settle(state, row)
    return start


def fits_from_now_on_nodes(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """As `fits_from_now`: the job's places are found as well."""
    if state.alike:
        state.size[row] = 0
        return profile.fits_from_now(state, row, duration, times, free, n)
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)  # objects: where suspended jobs keep everything
    _let_in(state, row, nodes_codes.GIVE, times, free, n)
    start = _find(state, row, duration, math.nextafter(times[0], INFINITY), times, free, n)
    _let_in(state, row, nodes_codes.TAKE, times, free, n)
    _settle(state, row)
    return start < INFINITY


def fits_at_on_nodes(state: State, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """As `fits_at`: the job's places are found as well."""
    if state.alike:
        state.size[row] = 0
        return profile.fits_at(state, row, begin, duration, times, free, n)
    if keeping.concerns(state, row):
        times, free, n = keeping.seen_by(state, row, times, free, n)  # objects: where suspended jobs keep everything
    _let_in(state, row, nodes_codes.GIVE, times, free, n)
    if state.suspended[row] > 0:
        _lowest(state, begin, begin + duration, times, free, n)
        fitting = fences.resumes(state, row, state.low)
    else:
        fitting = node_profile.nodes_fits_at(state, row, begin, duration, times, free, n)
    _let_in(state, row, nodes_codes.TAKE, times, free, n)
    return fitting


def fits_as_reserved_on_nodes(state: State, row: int, begin: float, times: Floats, free: Ints, n: int) -> bool:
    """As `fits_as_reserved`: on the nodes that were reserved."""
    if state.alike:
        return profile.fits_at(state, row, begin, state.estimate[row], times, free, n)
    _let_in(state, row, nodes_codes.GIVE, times, free, n)
    _lowest(state, begin, begin + state.estimate[row], times, free, n)
    _let_in(state, row, nodes_codes.TAKE, times, free, n)
    return node_room.holds(state, row, state.low)


def bring_forward_on_nodes(
    state: State, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
) -> tuple[float, int]:
    """As `bring_forward`: what is known of other jobs of its kind does not hold for a job that windows admit."""
    if state.alike:
        return profile.bring_forward(state, row, reserved, reach, tried[:1], times, free, n)
    if not _let_in(state, row, at.ZERO, times, free, n):
        return node_profile.nodes_bring_forward(state, row, reserved, reach, tried, times, free, n)
    duration = state.estimate[row]
    n = state.profiles.book(state, row, nodes_codes.GIVE, reserved, reserved + duration, times, free, n)
    _let_in(state, row, nodes_codes.GIVE, times, free, n)
    start = _find(state, row, duration, reserved, times, free, n)
    _let_in(state, row, nodes_codes.TAKE, times, free, n)
    if start < reserved:
        state.blocked[:] = 0.0
        _settle(state, row)
    start = min(start, reserved)
    return start, state.profiles.book(state, row, nodes_codes.TAKE, start, start + duration, times, free, n)


def nodes_come_back(state: State, now: float, times: Floats, free: Ints, n: int) -> int:
    """As `more_from`: nodes that are up, but were not when the profile was made, are free."""
    if state.alike:
        return changing_profile.changing_more_from(state, now, times, free, n)
    for i in range(n):
        table = node_profile.slab(state, i, free)
        for v in range(table.shape[0]):
            if state.outages[v] == 0 and table[v, 0] < fences_codes.ABSENT:
                fences.change_node(v, fences_codes.DOWN, table)
    state.blocked[:] = 0.0
    return n


def nodes_step_at(state: State, time: float, times: Floats, free: Ints, n: int) -> int:
    """As `step_at`: a new step may need a slab."""
    return _at(state, time, times, free, n)[1]


def nodes_change_step(state: State, i: int, sign: int, kept: IntTable, free: Ints) -> None:
    """As `change_step`: the processors of nodes."""
    table = node_profile.slab(state, i, free)
    for v in range(kept.shape[0]):
        table[v, 0] += sign * kept[v, 0]


def copy_slabs(state: State, times: Floats, free: Ints, n: int, more: int, to_times: Floats, to_free: Ints) -> None:
    """As `copy_profile`: slab by slab."""
    trials.number(state, to_free, n + more)
    trials.copy_steps(state, times, free, n, to_times, to_free)


def node_places(state: State) -> int:
    """As `places`: all nodes."""
    return len(state.capacity)


def add_processors_on_nodes(state: State, row: int, table: IntTable) -> None:
    """As `add_processors`: on the nodes where the job is, was, or is planned to be."""
    nodes.change_part(
        state, state.offset[row], state.size[row], state.shape[row], nodes_codes.GIVE, table, at.ZERO, fences_codes.ONE
    )
