"""The profile of a machine of nodes that changes: in windows, and while they are down, nodes have nothing.

A step has what `thinktime.models.engine.rooms.fences` leaves of the nodes. For a job that windows admit, these are
opened while the profile is looked at. A suspended job keeps what it has beside processors until it starts, and gives it
back when it ends.

While nodes are alike (there are no windows then, and no job is suspended), processors that are up are counted.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped, keeping, shapes
from thinktime.models.engine.codes import fences as fences_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import changing_profile, fences, node_profile, node_room, nodes
from thinktime.models.engine.rooms.node_profile import NodeProfiles
from thinktime.models.engine.rooms.pool_profile import PoolProfiles
from thinktime.workloads.arrays import Floats, IntTable

INFINITY = math.inf


def _add_windows(state: State, now: float, profile: Profile) -> None:
    """The known windows close their nodes."""
    for j in range(state.known_count):
        window = state.known[j]
        first = node_profile.step_at(state, max(state.opens[window], now), profile)
        stop = node_profile.step_at(state, state.closes[window], profile)
        for i in range(first, stop):
            fences.change_nodes(state, window, -fences.closed(window), node_profile.slab(state, i, profile))


def _add_repairs(state: State, profile: Profile) -> None:
    """Where repairs are told, nodes that are down come back."""
    for j in range(state.down * state.repairs_told):
        v = state.broken[j]
        first = node_profile.step_at(state, max(state.back[v], profile.times[0]), profile)
        for i in range(first, profile.n):
            fences.change_node(v, fences_codes.DOWN, node_profile.slab(state, i, profile))


def _change_part(state: State, row: int, sign: int, first: int, stop: int, i: int, profile: Profile) -> None:
    """A job's places have more of some resources in a step, or less."""
    table = node_profile.slab(state, i, profile)
    nodes.change_part(state, state.offset[row], state.size[row], state.shape[row], sign, table, first, stop)


def _change(state: State, row: int, sign: int, keeps: bool, begin: float, end: float, profile: Profile) -> None:
    """A job takes what it needs and gives it back, or the other way round; one that ``keeps`` the rest, processors.

    The rest it gives back at the end, or takes then.
    """
    if not begin < end or begin == INFINITY:
        return
    first = node_profile.step_at(state, begin, profile)
    stop = node_profile.step_at(state, end, profile)
    resources = fences_codes.ONE if keeps else state.free.shape[1]
    for i in range(first, stop):
        _change_part(state, row, sign, at.ZERO, resources, i, profile)
    if keeps:
        for i in range(stop, profile.n):
            _change_part(state, row, -sign, fences_codes.ONE, state.free.shape[1], i, profile)
    node_profile.join(state, stop, profile)
    node_profile.join(state, first, profile)


def _let_in(state: State, row: int, sign: int, profile: Profile) -> bool:
    """Open the windows that admit a job, or close them; whether there are any."""
    found = False
    if state.slots > 0:
        for j in range(state.known_count):
            window = state.known[j]
            if fences.lets_in(state, window, row):
                found = True
                for i in range(profile.n):
                    if state.opens[window] <= profile.times[i] < state.closes[window]:
                        fences.change_nodes(
                            state, window, sign * fences.closed(window), node_profile.slab(state, i, profile)
                        )
    return found


def _find(state: State, row: int, duration: float, since: float, before: float, profile: Profile) -> float:
    """The earliest step in [since, before) at which a job fits for so long, or infinity; `_settle` gives its places."""
    if state.suspended[row] == 0:
        return node_profile.earliest_between(state, row, duration, since, before, profile)
    i = arithmetic.first_from(profile.times, profile.n, since)
    while i < profile.n and profile.times[i] < before:
        node_profile.lowest(state, profile.times[i], profile.times[i] + duration, profile)
        if fences.resumes(state, row, state.low):
            return float(profile.times[i])
        i += 1
    return INFINITY


def _settle(state: State, row: int) -> None:
    """A suspended job has its places already."""
    if state.suspended[row] == 0:
        nodes.settle(state, row)


class ChangingNodeProfiles(NodeProfiles):
    """Nodes that change: in windows, and while they are down, nodes have nothing."""

    def add_processors(self, state: State, row: int, table: IntTable) -> None:
        """On the nodes where the job is, was, or is planned to be."""
        first, size, shape = state.offset[row], state.size[row], state.shape[row]
        nodes.change_part(state, first, size, shape, nodes_codes.GIVE, table, at.ZERO, fences_codes.ONE)

    def places(self, state: State) -> int:
        """All nodes."""
        return len(state.capacity)

    def change_step(self, state: State, i: int, sign: int, kept: IntTable, profile: Profile) -> None:
        """The processors of nodes."""
        table = node_profile.slab(state, i, profile)
        for v in range(kept.shape[0]):
            table[v, 0] += sign * kept[v, 0]

    def idle_profile(self, state: State, now: float, profile: Profile) -> None:
        """With what is down, the windows, and what suspended jobs keep."""
        if state.alike:
            changing_profile.idle_profile(state, now, profile)
            return
        profile.begin(now, node_profile.width(state))
        first = node_profile.slab(state, at.ZERO, profile)
        first[:] = state.capacity
        for j in range(state.down):
            v = state.broken[j]
            fences.change_node(v, -fences_codes.DOWN, first)
        for i in range(state.set_aside):
            row = state.kept[i]
            fences.change_others(state, row, nodes_codes.TAKE, first)
        _add_repairs(state, profile)
        _add_windows(state, now, profile)

    def running_profile(self, state: State, now: float, skip: int, profile: Profile) -> None:
        """By expected ends, and jobs that will be suspended give back processors alone."""
        if state.alike:
            changing_profile.running_profile(state, now, profile)
            return
        keeping.forget_bookings(state)
        profile.begin(now, node_profile.width(state))
        first = node_profile.slab(state, at.ZERO, profile)
        first[:] = state.free
        fences.ignore_windows(state, first)
        for i in range(gapped.line_up(state)):
            row = state.running[i]
            end = max(state.expected_end[row], now + state.grace)
            if end == INFINITY:
                break
            if end > profile.times[profile.n - 1]:
                node_profile.split(state, profile.n - 1, end, profile)
            stop = fences_codes.ONE if keeping.will_keep(state, row) else state.free.shape[1]
            _change_part(state, row, nodes_codes.GIVE, at.ZERO, stop, profile.n - 1, profile)
        for i in range(state.shrinking_count):
            row = state.shrinking[i]
            rest, end = shapes.rest_of(state, row), state.expected_end[row]
            _change(state, rest, nodes_codes.GIVE, False, state.shrinks_at[row], end, profile)
            shapes.part_is_over(state)
        _add_repairs(state, profile)
        _add_windows(state, now, profile)
        keeping.lay(state, profile)

    def book(self, state: State, row: int, sign: int, begin: float, end: float, profile: Profile) -> None:
        """A suspended job takes processors, and gives the rest back at its end.

        If the job is concerned, what suspended jobs keep is laid anew.
        """
        if state.alike:
            PoolProfiles.book(self, state, row, sign, begin, end, profile)
            return
        keeps = state.suspended[row] > 0
        if not keeping.concerns(state, row):
            _change(state, row, sign, keeps, begin, end, profile)
            return
        keeping.lift(state, profile)
        _change(state, row, sign, keeps, begin, end, profile)
        keeping.note_booking(state, row, sign, begin, end)
        keeping.lay(state, profile)

    def send_off(
        self, state: State, row: int, sign: int, suspends: bool, begin: float, end: float, profile: Profile
    ) -> None:
        """A job that is suspended gives processors back, and keeps the rest."""
        if state.alike:
            PoolProfiles.book(self, state, row, sign, begin, end, profile)
            return
        keeps = suspends or state.suspended[row] > 0
        _change(state, row, sign, keeps, begin, end, profile)

    def earliest(self, state: State, row: int, duration: float, profile: Profile) -> float:
        """The job's places are for that start."""
        if state.alike:
            state.size[row] = 0
            return PoolProfiles.earliest(self, state, row, duration, profile)
        return self.earliest_from(state, row, duration, -INFINITY, profile)

    def earliest_from(self, state: State, row: int, duration: float, since: float, profile: Profile) -> float:
        """The job's places are for that start."""
        if state.alike:
            state.size[row] = 0
            return PoolProfiles.earliest_from(self, state, row, duration, since, profile)
        own = keeping.seen_by(state, row, profile)
        _let_in(state, row, nodes_codes.GIVE, own)
        start = _find(state, row, duration, since, INFINITY, own)
        _let_in(state, row, nodes_codes.TAKE, own)
        _settle(state, row)
        return start

    def fits_from_now(self, state: State, row: int, duration: float, profile: Profile) -> bool:
        """The job's places are found as well."""
        if state.alike:
            state.size[row] = 0
            return PoolProfiles.fits_from_now(self, state, row, duration, profile)
        own = keeping.seen_by(state, row, profile)
        _let_in(state, row, nodes_codes.GIVE, own)
        start = _find(state, row, duration, -INFINITY, math.nextafter(own.times[0], INFINITY), own)
        _let_in(state, row, nodes_codes.TAKE, own)
        _settle(state, row)
        return start < INFINITY

    def fits_at(self, state: State, row: int, begin: float, duration: float, profile: Profile) -> bool:
        """The job's places are found as well."""
        if state.alike:
            state.size[row] = 0
            return PoolProfiles.fits_at(self, state, row, begin, duration, profile)
        own = keeping.seen_by(state, row, profile)
        _let_in(state, row, nodes_codes.GIVE, own)
        if state.suspended[row] > 0:
            node_profile.lowest(state, begin, begin + duration, own)
            fitting = fences.resumes(state, row, state.low)
        else:
            fitting = node_profile.fits_between(state, row, begin, begin + duration, own)
        _let_in(state, row, nodes_codes.TAKE, own)
        return fitting

    def fits_as_reserved(self, state: State, row: int, begin: float, profile: Profile) -> bool:
        """On the nodes that were reserved."""
        if state.alike:
            return PoolProfiles.fits_at(self, state, row, begin, state.estimate[row], profile)
        _let_in(state, row, nodes_codes.GIVE, profile)
        node_profile.lowest(state, begin, begin + state.estimate[row], profile)
        _let_in(state, row, nodes_codes.TAKE, profile)
        return node_room.holds(state, row, state.low)

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, profile: Profile
    ) -> float:
        """What is known of other jobs of its kind does not hold for a job that windows admit."""
        if state.alike:
            return PoolProfiles.bring_forward(self, state, row, reserved, reach, tried[:1], profile)
        if not _let_in(state, row, at.ZERO, profile):
            return node_profile.bring_forward(state, row, reserved, profile)
        duration = state.estimate[row]
        self.book(state, row, nodes_codes.GIVE, reserved, reserved + duration, profile)
        _let_in(state, row, nodes_codes.GIVE, profile)
        start = _find(state, row, duration, -INFINITY, reserved, profile)
        _let_in(state, row, nodes_codes.TAKE, profile)
        if start < reserved:
            state.blocked[:] = 0.0
            _settle(state, row)
        start = min(start, reserved)
        self.book(state, row, nodes_codes.TAKE, start, start + duration, profile)
        return start

    def more_from(self, state: State, now: float, profile: Profile) -> None:
        """Nodes that are up, but were not when the profile was made, are free."""
        if state.alike:
            changing_profile.more_from(state, profile)
            return
        for i in range(profile.n):
            table = node_profile.slab(state, i, profile)
            for v in range(table.shape[0]):
                if state.outages[v] == 0 and table[v, 0] < fences_codes.ABSENT:
                    fences.change_node(v, fences_codes.DOWN, table)
        state.blocked[:] = 0.0
