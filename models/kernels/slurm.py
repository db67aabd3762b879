"""Slurm's two passes: the main pass, and backfill with reservations that do not outlive it.

Source: what Slurm 22.05.8 was measured to do. In the main pass, the first job of a partition that does not fit closes
the partition, and its nodes are for nobody else in this pass. In the backfill pass every job that is looked at gets a
reservation, on whole nodes, unless the options say otherwise. Running jobs are expected to leave in groups: all that
end by w + 30 s, by w + 60 s, w + 120 s, …, where w is the first end, rounded up; each group leaves with its last.

``options`` and ``seconds`` are those of `thinktime.models.policies.slurm.Slurm`; ``clock`` has the time of the next
backfill pass.
"""

import numpy as np

from thinktime.models.kernels import limits, node_profile, nodes, profile, room
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import CHANGING, INFINITY, ON_NODES
from thinktime.models.kernels.queue_orders import sort_places
from thinktime.models.kernels.rules import NEEDS_ROOM, due, select
from thinktime.workloads.compiler import (
    Codes,
    Floats,
    Ints,
    IntTable,
    Structure,
    StructureKind,
    by_kind,
    fields,
    kernel,
    maker,
    written_for,
)

BACKFILLS, DEPTH, TESTS, USER_TESTS, RESERVATIONS, WHOLE, INCLUSIVE = range(7)
"""Places in ``options``: numbers of jobs, 0 for all; whether reservations take whole nodes, and whether one that begins
exactly when a job would end is in its way."""
WINDOW, MIN_AGE, RESOLUTION, INTERVAL, GROUPS, ORIGIN = range(6)
"""Places in ``seconds``: lengths, 0 for none, and a time from which multiples of them are counted."""
STEP = 2.0**-10  # s: the grid of time
CLOSED = 2**59
"""What a node of a closed partition has less of everything."""
SLURM = StructureKind("Slurm", **fields((Ints, "options"), (Floats, "seconds clock times"), (Ints, "free")))
make_slurm = maker(SLURM)


@written_for(SLURM, select)
def slurm_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """The main pass, then backfill if it is time for it."""
    clock = rule.clock
    if rows.size == 0:
        clock[0] = INFINITY
        return 0
    if rule.times.size < profile.steps(state):
        return NEEDS_ROOM
    skip = room.overrunning(state, now)
    if limits.limited(state):
        state.limit_counts[limits.LEAVES] = 1
    k = _main_pass(state, rule, rows, skip)
    if rule.options[BACKFILLS]:
        interval = rule.seconds[INTERVAL]
        clock[0] = _next_multiple(now - STEP, interval, rule.seconds[ORIGIN]) if interval > 0.0 else now
        if clock[0] <= now:
            clock[0] = INFINITY
            edge = STEP if rule.options[INCLUSIVE] else 0.0
            delay_windows(state, edge)
            k = _backfill_pass(state, rule, now, rows, k, skip, edge)
            delay_windows(state, -edge)
    return k


@written_for(SLURM, due)
def slurm_due(state: Structure, rule: Structure, now: float, rows: Ints) -> float:
    """The next backfill pass, if anything has happened since the last one."""
    return float(rule.clock[0])


@kernel
def _next_multiple(time: float, length: float, origin: float) -> float:
    """The first multiple of a length after a time."""
    return float((np.floor((time - origin) / length) + 1.0) * length + origin)


@kernel
def _rounded(time: float, length: float, origin: float) -> float:
    """A time, rounded down to a multiple of a length."""
    return float(np.floor((time - origin) / length) * length + origin) if length > 0.0 and time < INFINITY else time


@kernel
def _main_pass(state: Structure, rule: Structure, rows: Ints, skip: int) -> int:
    """Along the queue, start what fits in partitions in which all before it have started; how many."""
    left, out, k, some = room.begin_pass(state, skip), state.out, 0, False
    closed = np.zeros(node_count(state), np.int8)
    depth = rule.options[DEPTH] if rule.options[DEPTH] > 0 else rows.size
    for row in rows[:depth]:
        if room.used_up(state, left):
            break
        if limits.is_taken(state, row, out[:k]):
            continue
        if room.fits_now(state, row, left):
            left = room.take_now(state, row, left)
            out[k] = row
            k += 1
        elif close_partition(state, row, closed):
            break
        else:
            some = True
    if some:
        open_partitions(state, closed)
    room.rewind(state, out[:k])
    return k


@kernel
def _backfill_pass(state: Structure, rule: Structure, now: float, rows: Ints, k: int, skip: int, edge: float) -> int:
    """Along the queue, start what fits beside the reservations of those before it; how many, ``k`` included.

    Room is looked for over a job's time and ``edge`` s more.
    """
    options, seconds, times, free = rule.options, rule.seconds, rule.times, rule.free
    estimate, out, main, tested, m = state.estimate, state.out, k, 0, 0
    reserved, begins, ends = np.empty(rows.size, np.int64), np.empty(rows.size), np.empty(rows.size)
    of_user, of_partition = _counts_of_users(state, rows), np.zeros(rows.size, np.int64)
    least, passed = profile.narrowest(state, rows), 0
    n = _plan(state, rule, now, skip, k, reserved[:0], begins, ends)
    for row in rows:
        if passed < main and out[passed] == row:  # it has started in the main pass
            passed += 1
            continue
        if profile.left_now(state, free) < least or 0 < options[TESTS] <= tested:
            break
        if limits.is_taken(state, row, out[:k]):
            continue
        user = state.user[row] + 1
        if 0 < options[USER_TESTS] <= of_user[user]:
            continue
        of_user[user] += 1
        tested += 1
        length = estimate[row] + edge
        if profile.fits_from_now(state, row, length, times, free, n):
            out[k] = row
            k += 1
            n = _plan(state, rule, now, skip, k, reserved[:m], begins, ends)
            continue
        first = _first_of_partition(state, reserved[:m], row)
        if (
            0 < options[RESERVATIONS] <= of_partition[first]
            or now - limits.eligible_since(state, row) < seconds[MIN_AGE]
        ):
            continue
        start = profile.earliest(state, row, length, times, free, n)
        if 0.0 < seconds[WINDOW] < start - now or start == INFINITY:
            continue
        reserved[m], begins[m] = row, max(_rounded(start, seconds[RESOLUTION], seconds[ORIGIN]), now)
        ends[m] = _rounded(start + estimate[row], seconds[RESOLUTION], seconds[ORIGIN])
        n = _reserve(state, rule, row, begins[m], ends[m], n)
        of_partition[first] += 1
        m += 1
    return k


@kernel
def _counts_of_users(state: Structure, rows: Ints) -> Ints:
    """A number for each user, and for nobody."""
    most = -1
    for row in rows:
        most = max(most, state.user[row])
    return np.zeros(most + 2, np.int64)


@kernel
def _first_of_partition(state: Structure, reserved: Ints, row: int) -> int:
    """The place of the first job with a reservation in the same partition, or the next place."""
    for i in range(reserved.size):
        if same_partition(state, reserved[i], row):
            return i
    return int(reserved.size)


@kernel
def _plan(
    state: Structure, rule: Structure, now: float, skip: int, k: int, reserved: Ints, begins: Floats, ends: Floats
) -> int:
    """The profile of running jobs, those that start now, and reservations; its length."""
    times, free, expected, started = rule.times, rule.free, state.expected_end, state.out[:k]
    running = state.running[skip : line_up(state)]
    before, leave = np.empty(running.size), np.empty(running.size + k)
    for i in range(running.size):
        before[i] = expected[running[i]]
        leave[i] = max(before[i], now + state.clock[at.GRACE])
    for i in range(k):
        leave[running.size + i] = now + max(state.estimate[started[i]], state.clock[at.GRACE])
    _leave_in_groups(rule, leave)
    for i in range(running.size):
        expected[running[i]] = leave[i]
    n = profile.running_profile(state, now, skip, times, free)
    for i in range(running.size):
        expected[running[i]] = before[i]
    for i in range(k):
        settle_start(state, started[i], times, free, n)
        n = profile.book(state, started[i], profile.TAKE, now, leave[running.size + i], times, free, n)
    for i in range(reserved.size):
        n = _reserve(state, rule, reserved[i], begins[i], ends[i], n)
    return int(n)


@kernel
def _leave_in_groups(rule: Structure, leave: Floats) -> None:
    """Let each job leave with the last of its group."""
    length, n = rule.seconds[GROUPS], leave.size
    if length == 0.0 or n == 0:
        return
    order = sort_places(leave, np.arange(n), np.empty(n, np.int64))
    since, reach, i = _next_multiple(leave[order[0]], length, rule.seconds[ORIGIN]), length, 0
    while i < n and leave[order[i]] < INFINITY:
        j = i
        while j < n and leave[order[j]] <= since + reach:
            j += 1
        for member in order[i:j]:
            leave[member] = leave[order[j - 1]]
        i, reach = j, 2.0 * reach


@kernel
def _reserve(state: Structure, rule: Structure, row: int, begin: float, end: float, n: int) -> int:
    """Take a reservation out of the profile; its new length."""
    if rule.options[WHOLE]:
        return int(book_whole(state, row, begin, end, rule.times, rule.free, n))
    return int(profile.book(state, row, profile.TAKE, begin, end, rule.times, rule.free, n))


@by_kind
def delay_windows(state: Structure, seconds: float) -> None:
    """Let windows to come begin later, so that a job may end when one begins; a machine that is steady has none."""


@written_for(CHANGING, delay_windows)
def delay_known_windows(state: Structure, seconds: float) -> None:
    """Those that are not open."""
    for window in state.known[: state.situation[of.KNOWN]]:
        if state.opens[window] > state.when[of.NOW]:
            state.opens[window] += seconds


@by_kind
def settle_start(state: Structure, row: int, times: Floats, free: Ints, n: int) -> None:
    """Give a job that starts in the main pass its places."""


@written_for(ON_NODES, settle_start)
def settle_start_on_nodes(state: Structure, row: int, times: Floats, free: Ints, n: int) -> None:
    """Unless it has them, as only processors were counted."""
    if state.size[row] == 0:
        profile.fits_from_now(state, row, state.estimate[row], times, free, n)


@by_kind
def node_count(state: Structure) -> int:
    """How many nodes there are; a pool is a single partition without any."""
    return 0


@written_for(ON_NODES, node_count)
def count_of_nodes(state: Structure) -> int:
    """All."""
    return len(state.capacity)


@by_kind
def close_partition(state: Structure, row: int, closed: Codes) -> bool:
    """The nodes that a job may be on are for nobody else in this pass; whether this holds for all nodes now."""
    return True


@written_for(ON_NODES, close_partition)
def close_nodes_of_job(state: Structure, row: int, closed: Codes) -> bool:
    """They have nothing left. All nodes are closed by leaving the pass."""
    shape, whole = state.shape[row], True
    for v in range(closed.size):
        mine = closed[v] > 0
        for chunk in range(state.first[shape], state.first[shape + 1]):
            mine = mine or state.mask[chunk, v] > 0
        whole = whole and mine
    for v in range(0 if whole else closed.size):
        mine = False
        for chunk in range(state.first[shape], state.first[shape + 1]):
            mine = mine or state.mask[chunk, v] > 0
        if mine and not closed[v]:
            closed[v] = 1
            _change_node(state, v, -CLOSED)
    return whole


@by_kind
def open_partitions(state: Structure, closed: Codes) -> None:
    """The pass is over."""


@written_for(ON_NODES, open_partitions)
def open_nodes(state: Structure, closed: Codes) -> None:
    """What was found of the nodes in the meantime does not hold."""
    for v in range(closed.size):
        if closed[v]:
            _change_node(state, v, CLOSED)
    state.site[nodes.GIVEN] += 2 * state.given.size


@kernel
def _change_node(state: Structure, v: int, amount: int) -> None:
    """A node has more of everything, or less, in all that a pass looks at."""
    for r in range(state.free.shape[1]):
        state.free[v, r] += amount
        if state.site[nodes.NEEDED] > 0:
            state.left[v, r] += amount
            state.idle[v, r] += amount


@kernel
def same_partition(state: Structure, row: int, other: int) -> bool:
    """Whether two jobs are in the same partition of the site, or may be on the same nodes if it has but one."""
    if limits.limited(state):
        return bool(state.partition[row] == state.partition[other])
    return bool(same_nodes(state, row, other))


@by_kind
def same_nodes(state: Structure, row: int, other: int) -> bool:
    """Whether two jobs may be on the same nodes."""
    return True


@written_for(ON_NODES, same_nodes)
def same_nodes_of_shapes(state: Structure, row: int, other: int) -> bool:
    """By the nodes on which the first kind of chunk of each may be."""
    a, b = state.first[state.shape[row]], state.first[state.shape[other]]
    same = True
    for v in range(state.mask.shape[1]):
        same = same and (state.mask[a, v] > 0) == (state.mask[b, v] > 0)
    return same


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
