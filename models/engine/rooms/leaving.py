"""Running jobs that leave in groups: when each group does, and what it gives back (`EndGroups`).

A group of a pass has running jobs whose expected ends lie in an interval, and those of the jobs that start in this pass
whose ends, in ``expected_end``, do: these stand there as those of their groups. What starting jobs have is no part of
what the group gives back, since it is booked until then.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped
from thinktime.models.engine.codes import end_groups as groups_codes
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import tables
from thinktime.models.engine.end_groups import EndGroups
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms import nodes
from thinktime.workloads.arrays import IntTable

INFINITY = math.inf


def note(state: State, row: int, sign: int) -> None:
    """A job runs from now on, and will give back what it has; or it does not run any more."""
    groups, end = state.end_groups, state.expected_end[row]
    for slot in range(groups_codes.SLOTS if groups.known else 0):
        if groups.lower[slot] < end <= groups.upper[slot]:
            nodes.change(state, row, state.shape[row], sign, _table(state, slot))


def _table(state: State, slot: int) -> IntTable:
    """A table that is kept."""
    groups = state.end_groups
    return tables.table_in(groups.tables, slot * groups.size, state.capacity)


def look_at_ends(state: State, now: float, skip: int) -> float:
    """Begin a pass: the first end of running jobs, but for the first ``skip``, which have outlived their estimates."""
    groups, size = state.end_groups, state.capacity.shape[0] * state.capacity.shape[1]
    gapped.sort_in(state)
    if not groups.known or groups.size != size or state.shaped:
        groups.forget(size)
    groups.after, groups.soonest = now if skip > 0 else -INFINITY, now + state.grace
    return _next_end(state, groups.after)


def begin(state: State, since: float, length: float, linear: float) -> None:
    """The first group has all ends up to ``since`` and so many seconds; `EndGroups` says how far others reach."""
    groups = state.end_groups
    groups.since, groups.length, groups.linear, groups.count = since, length, linear, 0


def interval(groups: EndGroups, time: float) -> tuple[float, float]:
    """The ends of the group that has a time are after the first of two times, and until the second."""
    lower, since, reach, more = groups.after, groups.since, groups.length, groups.linear
    if more > 0.0 and time > since + reach:
        reach += more * max(arithmetic.ceil((time - since - reach) / more) - 1.0, 0.0)
    while time > since + reach:
        lower = since + reach
        reach += more if more > 0.0 else reach
    return lower, since + reach


def next_group(state: State) -> float:
    """When the next group leaves that has running jobs; infinite if there is none."""
    groups = state.end_groups
    time = _next_end(state, groups.uppers[groups.count - 1] if groups.count > 0 else groups.after)
    if time == INFINITY:
        return INFINITY
    lower, upper = interval(groups, time)
    last = last_running(state, lower, upper)
    for i in range(groups.started):
        end = state.expected_end[state.out[i]]
        if lower < end <= upper:
            last = max(last, end)
    groups.add(lower, upper, last)
    return float(last)


def last_running(state: State, lower: float, upper: float) -> float:
    """The last expected end of running jobs in (``lower``, ``upper``], as `look_at_ends`; -infinity for none."""
    i = _place_after(state, upper) - 1
    while i >= state.first_running and state.expected[i] > lower:
        if not gapped.is_gap(state, i):
            return float(max(state.expected[i], state.end_groups.soonest))
        i -= 1
    return -INFINITY


def given_by(state: State, group: int) -> IntTable:
    """What a group of this pass gives back."""
    groups, slot = state.end_groups, _slot(state.end_groups, group)
    lower, upper = groups.lowers[group], groups.uppers[group]
    if not (groups.lower[slot] < upper and lower < groups.upper[slot]):
        groups.clear(slot, lower)
    if groups.lower[slot] != lower:
        _change(state, slot, lower, groups.lower[slot])
        groups.lower[slot] = lower
    if groups.upper[slot] != upper:
        _change(state, slot, groups.upper[slot], upper)
        groups.upper[slot] = upper
    return _table(state, slot)


def _slot(groups: EndGroups, group: int) -> int:
    """Where the table of a group is: that of the same one, if some have jobs in one pass and none in another."""
    slot, reach = 0, groups.length
    if groups.linear > 0.0:
        return group % groups_codes.SLOTS
    while groups.since + reach < groups.uppers[group]:
        slot, reach = slot + 1, reach + reach
    return slot % groups_codes.SLOTS


def _change(state: State, slot: int, begin: float, end: float) -> None:
    """A table is of ends after ``begin`` until ``end``, too; or no longer of those in between, if ``end`` is first."""
    early, late, spare = min(begin, end), max(begin, end), state.spare
    i, n, before, running = _place_after(state, early), 0, spare.used, state.running
    rows = spare.whole(state.stop_running - i)
    while i < state.stop_running and state.expected[i] <= late:
        if not gapped.is_gap(state, i):
            rows[n] = running[i]
            n += 1
        i += 1
    nodes.change_each(state, rows[:n], nodes_codes.GIVE if begin < end else nodes_codes.TAKE, _table(state, slot))
    spare.used = before


def _place_after(state: State, time: float) -> int:
    """The first place in ``running`` with an end after a time, though nobody may be there."""
    low, high = state.first_running, state.stop_running
    while low < high:
        middle = (low + high) // 2
        if state.expected[middle] <= time:
            low = middle + 1
        else:
            high = middle
    return int(low)


def _next_end(state: State, after: float) -> float:
    """The first expected end of running jobs after a time, but no earlier than any job can end."""
    i = _place_after(state, after)
    while i < state.stop_running and gapped.is_gap(state, i):
        i += 1
    return max(state.expected[i], state.end_groups.soonest) if i < state.stop_running else INFINITY
