"""The plan of Slurm's backfill pass: a profile of running jobs, which leave in groups, and of reservations.

``options`` and ``seconds`` of the rule are those of `thinktime.models.policies.slurm.Slurm`.
"""

import numpy as np

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import node_profile, nodes, profile
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import INFINITY, ON_NODES
from thinktime.models.kernels.queue_orders import sort_places
from thinktime.models.kernels.slurm_victims import apply_notices, hide_notices, plan_suspended
from thinktime.workloads.compiler import Floats, Ints, IntTable, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure

BACKFILLS, DEPTH, PARTITION_DEPTH, TESTS, OF_USER, OF_PARTITION, OF_BOTH, OF_ASSOCIATION, STARTS_MOST = range(9)
RESERVATIONS, WHOLE, INCLUSIVE = range(9, 12)
"""Places in ``options``: whether there is backfill; numbers of jobs, 0 for all: that the main pass looks at, in all and
of a partition, that the backfill pass looks at, in all, of a user, of a partition, of a user in a partition and of an
association, that it starts, and that get reservations; whether these take whole nodes, and whether one that begins
exactly when a job would end is in its way."""
WINDOW, MIN_AGE, RESOLUTION, INTERVAL, GROUPS, LINEAR, MAIN_INTERVAL, ORIGIN, TICK, TICK_ORIGIN = range(10)
"""Places in ``seconds``: lengths, 0 for none, and times from which multiples of them are counted."""


@kernel
def next_multiple(time: float, length: float, origin: float) -> float:
    """The first multiple of a length after a time."""
    return float((np.floor((time - origin) / length) + 1.0) * length + origin)


@kernel
def rounded(time: float, length: float, origin: float) -> float:
    """A time, rounded down to a multiple of a length."""
    return float(np.floor((time - origin) / length) * length + origin) if length > 0.0 and time < INFINITY else time


@kernel
def plan(
    state: Structure, rule: Structure, now: float, skip: int, own: Floats, k: int, reserved: Ints, begins: Floats,
    ends: Floats,
) -> int:  # fmt: skip
    """The profile of running jobs, those that start now, and reservations; its length."""
    times, free, expected, started = rule.times, rule.free, state.expected_end, state.out[:k]
    running, soonest, m = state.running[skip : line_up(state)], now + state.clock[at.GRACE], 0
    notice, leave = np.empty(running.size), np.empty(running.size + k)
    for i in range(running.size):
        expected[running[i]] = own[i]
    hide_notices(state, running, notice)
    for i in range(running.size):
        if notice[i] > now:  # the others are gone
            leave[m] = max(min(own[i], notice[i]), soonest)
            m += 1
    for i in range(k):
        leave[m + i] = now + max(state.estimate[started[i]], state.clock[at.GRACE])
    _leave_in_groups(rule, leave[: m + k])
    ends_of_started, placed, last, j = leave[m : m + k].copy(), np.empty(running.size), soonest, 0
    leaves = np.full(running.size, now)
    for i in range(running.size):
        if notice[i] > now:
            leaves[i] = leave[j]
            j += 1
            if notice[i] == INFINITY:
                last = leaves[i]
        placed[i] = expected[running[i]] = last
    n = profile.running_profile(state, now, skip, times, free)
    n = apply_notices(state, now, running, notice, placed, leaves, times, free, n)
    for i in range(running.size):
        if notice[i] < INFINITY:
            expected[running[i]] = own[i]
    for i in range(k):
        settle_start(state, started[i], times, free, n)
        n = profile.book(state, started[i], profile.TAKE, now, ends_of_started[i], times, free, n)
    n = plan_suspended(state, started, times, free, n)
    for i in range(reserved.size):
        n = reserve(state, rule, reserved[i], begins[i], ends[i], n)
    return int(n)


@kernel
def _leave_in_groups(rule: Structure, leave: Floats) -> None:
    """Let each job leave with the last of its group."""
    length, n = rule.seconds[GROUPS], leave.size
    if length == 0.0 or n == 0:
        return
    order = sort_places(leave, np.arange(n), np.empty(n, np.int64))
    since, reach, i = next_multiple(leave[order[0]], length, rule.seconds[ORIGIN]), length, 0
    more = rule.seconds[LINEAR]
    while i < n and leave[order[i]] < INFINITY:
        j = i
        while j < n and leave[order[j]] <= since + reach:
            j += 1
        if j == i and more > 0.0:  # those that hold nobody are passed by at once
            reach += more * max(np.ceil((leave[order[i]] - since - reach) / more) - 1.0, 0.0)
        for member in order[i:j]:
            leave[member] = leave[order[j - 1]]
        i, reach = j, reach + (more if more > 0.0 else reach)


@kernel
def reserve(state: Structure, rule: Structure, row: int, begin: float, end: float, n: int) -> int:
    """Take a reservation out of the profile; its new length."""
    if rule.options[WHOLE]:
        return int(book_whole(state, row, begin, end, rule.times, rule.free, n))
    return int(profile.book(state, row, profile.TAKE, begin, end, rule.times, rule.free, n))


@by_kind
def settle_start(state: Structure, row: int, times: Floats, free: Ints, n: int) -> None:
    """Give a job that starts in the main pass its places."""


@written_for(ON_NODES, settle_start)
def settle_start_on_nodes(state: Structure, row: int, times: Floats, free: Ints, n: int) -> None:
    """Unless it has them, as only processors were counted."""
    if state.size[row] == 0:
        profile.fits_from_now(state, row, state.estimate[row], times, free, n)


@by_kind
def book_whole(state: Structure, row: int, begin: float, end: float, times: Floats, free: Ints, n: int) -> int:
    """Take a reservation of whole nodes out of a profile; its new length."""
    return int(profile.book(state, row, profile.TAKE, begin, end, times, free, n))


@written_for(ON_NODES, book_whole)
def book_whole_nodes(state: Structure, row: int, begin: float, end: float, times: Floats, free: Ints, n: int) -> int:
    """All that these nodes have, whatever others may have there now."""
    if state.site[nodes.ALIKE]:
        return int(profile.book(state, row, profile.TAKE, begin, end, times, free, n))
    if not begin < end:
        return n
    i = int(np.searchsorted(times[:n], begin, side="right")) - 1
    if times[i] < begin:
        n = node_profile.split(state, i, begin, times, free, n)
        i += 1
    while i < n and times[i] < end:
        if end < INFINITY and (i + 1 == n or times[i + 1] > end):
            n = node_profile.split(state, i, end, times, free, n)
        _take_whole(state, row, node_profile.slab(state, i, free))
        i += 1
    return n


@kernel
def _take_whole(state: Structure, row: int, free: IntTable) -> None:
    """The nodes of a job have nothing left."""
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for v in range(state.places[i, nodes.NODE], state.places[i, nodes.STOP]):
            for r in range(free.shape[1]):
                free[v, r] -= state.capacity[v, r]
