"""Slurm's two passes: the main pass, and backfill with reservations that do not outlive it.

Source: what Slurm 22.05.8 was measured to do. In the main pass, the first job of a partition that does not fit closes
the partition, and its nodes are for nobody else in this pass. In the backfill pass every job that is looked at gets a
reservation, on whole nodes, unless the options say otherwise. Running jobs are expected to leave in groups: all that
end by w + 30 s, by w + 60 s, w + 120 s, …, where w is the first end, rounded up; each group leaves with its last.

``options`` and ``seconds`` are those of `thinktime.models.policies.slurm.Slurm`; ``clock`` has the time of the next
backfill pass, that at which the next running job may be preempted, that of the next main pass over the whole queue,
and that of the next tick, at which the order may change.
"""

import numpy as np

from thinktime.models.kernels import limits, profile, room
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.entry_rows import eligible_since, is_taken
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import CHANGING, INFINITY
from thinktime.models.kernels.rules import NEEDS_ROOM, due, order_matters, select
from thinktime.models.kernels.slurm_counts import counts_for, is_looked_at, numbers_of, places_in_main_pass
from thinktime.models.kernels.slurm_partitions import (
    close_in_profile,
    close_partition,
    node_count,
    open_partitions,
    same_partition,
)
from thinktime.models.kernels.slurm_plan import (
    BACKFILLS,
    DEPTH,
    INCLUSIVE,
    INTERVAL,
    MAIN_INTERVAL,
    MIN_AGE,
    ORIGIN,
    PARTITION_DEPTH,
    RESERVATIONS,
    RESOLUTION,
    STARTS_MOST,
    TESTS,
    TICK,
    TICK_ORIGIN,
    WINDOW,
    next_multiple,
    plan,
    reserve,
    rounded,
)
from thinktime.models.kernels.slurm_preemption import is_suspended, next_candidate, preempts
from thinktime.models.kernels.slurm_victims import LEFT, STARTS, make_room, mark_candidates, unmark_candidates
from thinktime.workloads.compiler import Floats, Ints, kernel
from thinktime.workloads.kinds import by_kind, usual, written_for
from thinktime.workloads.structures import Structure, StructureKind, fields, maker

STEP = 2.0**-10  # s: the grid of time
UNKNOWN = -1.0
BACKFILL, CANDIDATE, MAIN, NEXT_TICK = range(4)  # places in ``clock``
SLURM = StructureKind("Slurm", **fields((Ints, "options"), (Floats, "seconds clock times"), (Ints, "free")))
make_slurm = maker(SLURM)
usual_order_matters = usual(order_matters)


@written_for(SLURM, select)
def slurm_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """The main pass, then backfill if it is time for it."""
    clock = rule.clock
    if rows.size == 0:
        clock[:] = INFINITY
        return 0
    if rule.times.size < profile.steps(state):
        return NEEDS_ROOM
    skip = room.overrunning(state, now)
    if limits.limited(state):
        state.limit_counts[limits.LEAVES] = 1
    if preempts(state):
        k, over = _preempting_main_pass(state, rule, now, rows, skip)
    else:
        k, over = _main_pass(state, rule, now, rows, skip), False
    if rule.options[BACKFILLS]:
        interval = rule.seconds[INTERVAL]
        clock[BACKFILL] = next_multiple(now - STEP, interval, rule.seconds[ORIGIN]) if interval > 0.0 else now
        backfills = clock[BACKFILL] <= now and not over
        if clock[BACKFILL] <= now:
            clock[BACKFILL] = INFINITY
        if backfills:
            edge = STEP if rule.options[INCLUSIVE] else 0.0
            delay_windows(state, edge)
            k = _backfill_pass(state, rule, now, rows, k, skip, edge)
            delay_windows(state, -edge)
    clock[CANDIDATE] = next_candidate(state, now, rows, state.out[:k])
    clock[NEXT_TICK] = _next_tick(state, rule, now, rows.size, k)
    return k


@kernel
def _next_tick(state: Structure, rule: Structure, now: float, waiting: int, starting: int) -> float:
    """The next tick, if jobs still wait then, and the machine changes by itself after it; else infinite.

    It does when a window begins or ends that is known, or when a job ends that starts or is within its estimate. Where
    there is nothing like this, ticks would go on for ever for jobs that can never start.
    """
    if rule.seconds[TICK] == 0.0 or starting == waiting:
        return INFINITY
    ahead = starting > 0 or awaits_window(state)
    for row in state.running[: line_up(state)]:
        ahead = ahead or now < state.expected_end[row] < INFINITY
    return next_multiple(now, rule.seconds[TICK], rule.seconds[TICK_ORIGIN]) if ahead else INFINITY


@written_for(SLURM, order_matters)
def slurm_order_matters(state: Structure, rule: Structure, now: float, rows: Ints) -> bool:
    """If somebody fits, or may send others away."""
    return preempts(state) or usual_order_matters(state, rule, now, rows)


@written_for(SLURM, due)
def slurm_due(state: Structure, rule: Structure, now: float, rows: Ints) -> float:
    """The next backfill pass, if anything has happened since the last, main pass, candidate for preemption, or tick."""
    return float(rule.clock.min())


@kernel
def _main_pass(state: Structure, rule: Structure, now: float, rows: Ints, skip: int) -> int:
    """Along the queue, start what fits in partitions in which all before it have started; how many."""
    left, out, k, some, looked = room.begin_pass(state, skip), state.out, 0, False, 0
    closed, depth = np.zeros(node_count(state), np.int8), _depth(rule, now)
    places = places_in_main_pass(state, rule, rows)
    of_partition = np.zeros(places.size, np.int64)
    for i in range(rows.size):
        row = rows[i]
        if room.used_up(state, left):
            break
        if _is_passed_over(rule, now, places, of_partition, i):
            continue
        looked += 1
        if 0 < depth < looked - 1:  # as measured, it is one job more
            _look_again(rule, now)
            break
        if is_taken(state, row, out[:k]):
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
def _preempting_main_pass(state: Structure, rule: Structure, now: float, rows: Ints, skip: int) -> tuple[int, bool]:
    """The same in a profile, where others may leave: how many start, and whether the pass is over since somebody does.

    Suspended jobs come first in the queue, and wait for those who have sent them away.
    """
    times, free, out, k, looked = rule.times, rule.free, state.out, 0, 0
    closed, depth = np.zeros(node_count(state), np.int8), _depth(rule, now)
    places = places_in_main_pass(state, rule, rows)
    of_partition = np.zeros(places.size, np.int64)
    n = profile.running_profile(state, now, skip, times, free)
    for i in range(rows.size):
        row = rows[i]
        aside, length = is_suspended(state, row), state.estimate[row]
        if not aside and _is_passed_over(rule, now, places, of_partition, i):
            continue
        looked += not aside
        if 0 < depth < looked - 1:  # as measured, it is one job more
            _look_again(rule, now)
            break
        if is_taken(state, row, out[:k]):
            continue
        if profile.fits_from_now(state, row, length, times, free, n):
            n = profile.book(state, row, profile.TAKE, now, now + length, times, free, n)
            out[k] = row
            k += 1
        elif not aside:
            what = make_room(state, now, row, length, times, free, n)
            if what == STARTS:
                out[k] = row
                k += 1
            if what in (STARTS, LEFT):
                return k, True
            if close_in_profile(state, row, closed, times, free, n):
                break
    return k, False


@kernel
def _depth(rule: Structure, now: float) -> int:
    """How many jobs this main pass looks at; 0 for all, as it does at every multiple of its interval."""
    length = rule.seconds[MAIN_INTERVAL]
    rule.clock[MAIN] = INFINITY
    if length > 0.0 and next_multiple(now - STEP, length, rule.seconds[ORIGIN]) <= now:
        return 0
    return int(rule.options[DEPTH])


@kernel
def _is_passed_over(rule: Structure, now: float, places: Ints, of_partition: Ints, i: int) -> bool:
    """Whether the main pass has looked at as many jobs of the partition of the ``i``-th row as it may."""
    if places.size == 0:
        return False
    of_partition[places[i]] += 1
    if of_partition[places[i]] <= rule.options[PARTITION_DEPTH]:
        return False
    _look_again(rule, now)
    return True


@kernel
def _look_again(rule: Structure, now: float) -> None:
    """There is another main pass after its interval, since this one has not looked at all jobs."""
    length = rule.seconds[MAIN_INTERVAL]
    rule.clock[MAIN] = next_multiple(now, length, rule.seconds[ORIGIN]) if length > 0.0 else INFINITY


@kernel
def _backfill_pass(state: Structure, rule: Structure, now: float, rows: Ints, k: int, skip: int, edge: float) -> int:
    """The backfill pass; in its course, running jobs are expected to end with their groups."""
    running, expected = state.running[skip : line_up(state)], state.expected_end
    own = expected[running]
    k = _backfill(state, rule, now, rows, k, skip, edge, own)
    for i in range(running.size):
        expected[running[i]] = own[i]
    return int(k)


@kernel
def _backfill(
    state: Structure, rule: Structure, now: float, rows: Ints, k: int, skip: int, edge: float, own: Floats
) -> int:
    """Along the queue, start what fits beside the reservations of those before it; how many, ``k`` included.

    Room is looked for over a job's time and ``edge`` s more. ``own`` are the expected ends of running jobs.
    """
    options, seconds, times, free = rule.options, rule.seconds, rule.times, rule.free
    estimate, out, main, tested, m = state.estimate, state.out, k, 0, 0
    reserved, begins, ends = np.empty(rows.size, np.int64), np.empty(rows.size), np.empty(rows.size)
    of_partition, numbers = np.zeros(rows.size, np.int64), numbers_of(state, rule, rows)
    counts = counts_for(numbers)
    least, passed, left_out = profile.narrowest(state, rows), 0, False
    n = plan(state, rule, now, skip, own, k, reserved[:0], begins, ends)
    for i in range(rows.size):
        row = rows[i]
        if passed < main and out[passed] == row:  # it has started in the main pass
            passed += 1
            continue
        if is_suspended(state, row):
            continue
        if profile.left_now(state, free) < least and not preempts(state):
            break
        if is_taken(state, row, out[:k]):
            continue
        cut = 0 < options[TESTS] <= tested or 0 < options[STARTS_MOST] <= k - main
        left_out = left_out or cut
        if cut:
            break
        if not is_looked_at(rule, numbers, counts, i):
            left_out = True
            continue
        tested += 1
        length = estimate[row] + edge
        if profile.fits_from_now(state, row, length, times, free, n):
            out[k] = row
            k += 1
            n = plan(state, rule, now, skip, own, k, reserved[:m], begins, ends)
            continue
        start = UNKNOWN
        if mark_candidates(state, now, row):
            n = plan(state, rule, now, skip, own, k, reserved[:m], begins, ends)
            if profile.fits_from_now(state, row, length, times, free, n):
                what = make_room(state, now, row, length, times, free, n)
                if what == STARTS:
                    out[k] = row
                    return k + 1
                if what == LEFT:
                    return k
            else:
                start = _earliest(state, now, row, edge, ends[:m], times, free, n)
            unmark_candidates(state, now)
            n = plan(state, rule, now, skip, own, k, reserved[:m], begins, ends)
        first = _first_of_partition(state, reserved[:m], row)
        if 0 < options[RESERVATIONS] <= of_partition[first] or now - eligible_since(state, row) < seconds[MIN_AGE]:
            continue
        if start == UNKNOWN:
            start = _earliest(state, now, row, edge, ends[:m], times, free, n)
        if 0.0 < seconds[WINDOW] < start - now or start == INFINITY:
            continue
        reserved[m], begins[m] = row, max(rounded(start, seconds[RESOLUTION], seconds[ORIGIN]), now)
        ends[m] = rounded(start + estimate[row], seconds[RESOLUTION], seconds[ORIGIN])
        n = reserve(state, rule, row, begins[m], ends[m], n)
        of_partition[first] += 1
        m += 1
    if left_out and k > main and seconds[INTERVAL] > 0.0:  # those who have started make room for others to be tested
        rule.clock[BACKFILL] = next_multiple(now, seconds[INTERVAL], seconds[ORIGIN])
    return k


@kernel
def _earliest(
    state: Structure, now: float, row: int, edge: float, ends: Floats, times: Floats, free: Ints, n: int
) -> float:
    """The earliest start of a job; infinite if there is none.

    Nodes are looked up now and at each of the ``ends`` of reservations and windows, with the edge. If running jobs let
    the job start only later, their ends are no times of a look, and it may end exactly when a reservation begins.
    """
    length = state.estimate[row]
    start = profile.earliest(state, row, length, times, free, n)
    if edge == 0.0 or start == INFINITY or not _is_looked_at(state, now, start, ends):
        return start
    late = profile.earliest(state, row, length + edge, times, free, n)
    for time in times[:n]:
        if time >= late:
            break
        waits = time > start and not _is_looked_at(state, now, time, ends)
        if waits and profile.fits_at(state, row, time, length, times, free, n):
            return float(time)
    return late


@kernel
def _is_looked_at(state: Structure, now: float, time: float, ends: Floats) -> bool:
    """Whether nodes are looked up at a time, and not only found to be left by running jobs."""
    found = time <= now or closes_window(state, time)
    for end in ends:
        found = found or end == time
    return found


@by_kind
def closes_window(state: Structure, time: float) -> bool:
    """Whether a window ends then; a machine that is steady has none."""
    return False


@written_for(CHANGING, closes_window)
def closes_known_window(state: Structure, time: float) -> bool:
    """One of those that are known."""
    found = False
    for window in state.known[: state.situation[of.KNOWN]]:
        found = found or state.closes[window] == time
    return found


@kernel
def _first_of_partition(state: Structure, reserved: Ints, row: int) -> int:
    """The place of the first job with a reservation in the same partition, or the next place."""
    for i in range(reserved.size):
        if same_partition(state, reserved[i], row):
            return i
    return int(reserved.size)


@by_kind
def awaits_window(state: Structure) -> bool:
    """Whether a change of the machine is known that is still to come; of one that is steady, none is."""
    return False


@written_for(CHANGING, awaits_window)
def awaits_known_window(state: Structure) -> bool:
    """The next of them."""
    return bool(state.when[of.NEXT_KNOWN] < INFINITY)


@by_kind
def delay_windows(state: Structure, seconds: float) -> None:
    """Let windows to come begin later, so that a job may end when one begins; a machine that is steady has none."""


@written_for(CHANGING, delay_windows)
def delay_known_windows(state: Structure, seconds: float) -> None:
    """Those that are not open."""
    for window in state.known[: state.situation[of.KNOWN]]:
        if state.opens[window] > state.when[of.NOW]:
            state.opens[window] += seconds
