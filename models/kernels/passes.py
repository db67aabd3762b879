"""One scheduling pass of the rules that keep nothing between passes: none, no-guarantee, and EASY with one reservation.

Every pass reads the queue in priority order and writes the rows that start now to ``out``. ``left`` is what starts may
use (`thinktime.models.kernels.room`): what is idle and, under ``until_needed``, what overrunning jobs have, which are
the first ``skip`` in ``running``. No expected end lies before the present plus the grace, which is 1 s where jobs may
outlive their estimates, else 0.
"""

from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import profile, room
from thinktime.models.kernels.gapped import is_gap, sort_by_estimate, sort_in
from thinktime.models.kernels.rules import passes_over, reserve_first, select
from thinktime.workloads.compiler import Floats, Ints, inlined, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure, StructureKind, maker

STRICT, NO_GUARANTEE, EASY = 0, 1, 2
GREEDY = StructureKind("Greedy", options=Ints)
make_greedy = maker(GREEDY)


@written_for(GREEDY, select)
@inlined
def greedy_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """The pass that the rule's option says."""
    return greedy_pass(state, rule.options[0], now, rows)


@kernel
def greedy_pass(state: Structure, which: int, now: float, rows: Ints) -> int:
    """One of the passes."""
    skip = room.overrunning(state, now)
    left = room.begin_pass(state, skip)
    if room.used_up(state, left) or rows.size == 0:
        return 0
    if which == NO_GUARANTEE:
        k = no_guarantee_pass(state, rows, state.out, left)
    else:
        k, left = strict_pass(state, rows, state.out, left)
        if which == EASY:
            k = backfill(state, now, rows, k, skip, state.out, left)
    room.rewind(state, state.out[:k])
    return k


@written_for(GREEDY, passes_over)
def greedy_passes_over(state: Structure, rule: Structure) -> bool:
    """The shadow time stands, and what is free then beyond the head's need has not grown."""
    return True


@kernel
@inlined
def strict_pass(state: Structure, queue: Ints, out: Ints, left: int) -> tuple[int, int]:
    """Start from the head of the queue while the head fits; how many, and what is left."""
    k = 0
    while k < queue.size and room.fits_now(state, queue[k], left):
        left = room.take_now(state, queue[k], left)
        out[k] = queue[k]
        k += 1
    return k, left


@kernel
def no_guarantee_pass(state: Structure, queue: Ints, out: Ints, left: int) -> int:
    """Start everything that fits, in queue order, without any reservation."""
    k = 0
    for row in queue[state.counts[at.PASSED_OVER] :]:
        if room.used_up(state, left):
            break
        if room.fits_now(state, row, left):
            left = room.take_now(state, row, left)
            out[k] = row
            k += 1
    return k


@kernel
def start_beside(
    state: Structure, now: float, queue: Ints, k: int, reservations: int, least: int, times: Floats, free: Ints, n: int
) -> tuple[int, int]:
    """Along the queue, start what fits into a profile from now on; the first jobs that do not get so many reservations.

    ``k`` jobs start already, and no job needs less than ``least``. How many start, and the profile's length.
    """
    estimate, out = state.estimate, state.out
    for row in queue:
        if profile.left_now(state, free) < least:
            break
        if profile.fits_from_now(state, row, estimate[row], times, free, n):
            out[k] = row
            k += 1
            n = profile.book(state, row, profile.TAKE, now, now + estimate[row], times, free, n)
        elif reservations > 0:
            start = profile.earliest(state, row, estimate[row], times, free, n)
            n = profile.book(state, row, profile.TAKE, start, start + estimate[row], times, free, n)
            reservations -= 1
    return k, n


@by_kind
@inlined
def backfill(state: Structure, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
    """EASY, when ``k`` jobs start: the next is the head, which gets the one reservation, and no later job may delay it.

    The shadow time is the earliest time at which expected ends, all ends of one time together, give the head room, and
    ``later`` is what is left then. A later job that fits starts if it ends by the shadow time, or else if the head
    still finds room without what the job takes. The shadow time is computed only when a job could use it, and stands
    until a job ends.
    """
    if k == queue.size or room.used_up(state, left):
        return k
    head, started = queue[k], k
    shadow, later = last_shadow(state) if state.counts[at.PASSED_OVER] > 0 else (-at.INFINITY, left)  # not known yet
    for i in range(max(k + 1, state.counts[at.PASSED_OVER]), queue.size):
        row = queue[i]
        if room.hopeless(state, row, left):
            continue
        late = now + state.estimate[row] > shadow
        if (late and room.held_back(state, row, k)) or not room.fits_now(state, row, left):
            continue
        if shadow == -at.INFINITY:
            shadow, later = shadow_time(state, now, head, out, started, skip, room.copied(state, head, left))
            late = now + state.estimate[row] > shadow
        if late:
            later = room.take(state, row, later)
            if not room.fits(state, head, later):
                later = room.give(state, row, later)
                if not room.fits_beside(state, row, head, left, later):
                    room.hold_back(state, row, k)
                    continue
                later = room.take(state, row, later)
        left = room.take_now(state, row, left)
        out[k] = row
        k += 1
        if room.used_up(state, left):
            break
    state.clock[at.SHADOW], state.clock[at.LATER] = shadow, later
    return k


@by_kind
def last_shadow(state: Structure) -> tuple[float, int]:
    """The shadow time that the last pass has found for the same head, and what is left then."""
    return float(state.clock[at.SHADOW]), int(state.clock[at.LATER])


@written_for(GREEDY, reserve_first)
def reserve_head(state: Structure, rule: Structure, now: float, rows: Ints) -> tuple[int, float]:
    """How many jobs EASY starts before the first that does not fit (the head), and the head's shadow time.

    The time is infinite if no job behind the head could start: there is no head, or no job behind it, or nothing is
    left.
    """
    if rule.options[0] != EASY:
        return 0, at.INFINITY
    skip = room.overrunning(state, now)
    k, left = strict_pass(state, rows, state.out, room.begin_pass(state, skip))
    shadow = at.INFINITY
    if k + 1 < rows.size and not room.used_up(state, left):
        shadow = head_start(state, now, rows[k], k, skip, left)
    room.rewind(state, state.out[:k])
    return k, shadow


@by_kind
def head_start(state: Structure, now: float, head: int, started: int, skip: int, left: int) -> float:
    """When the head has room, if the first ``started`` rows of ``out`` start now."""
    shadow, _ = shadow_time(state, now, head, state.out, started, skip, room.copied(state, head, left))
    return shadow


@by_kind
@inlined
def shadow_time(
    state: Structure, now: float, head: int, out: Ints, started: int, skip: int, later: int
) -> tuple[float, int]:
    """The time by which expected ends give the head room, and what is left then, its part included.

    Merges the running jobs, which are sorted by their ends, with those started in this pass.
    """
    estimate, expected = state.estimate, state.expected
    running, scratch = state.running, state.scratch
    sort_by_estimate(state, out, started)
    sort_in(state)
    earliest = now + state.clock[at.GRACE]
    i, j, stop = state.counts[at.FIRST_RUNNING], 0, state.counts[at.STOP_RUNNING]
    while skip > 0:
        skip -= not is_gap(state, i)
        i += 1
    while i < stop or j < started:
        if i < stop and is_gap(state, i):
            i += 1
            continue
        ends_run = max(expected[i], earliest) if i < stop else at.INFINITY
        ends_new = max(now + estimate[scratch[j]], earliest) if j < started else at.INFINITY
        time = min(ends_run, ends_new)
        while i < stop and max(expected[i], earliest) == time:
            if not is_gap(state, i):
                later = room.give(state, running[i], later)
            i += 1
        while j < started and max(now + estimate[scratch[j]], earliest) == time:
            later = room.give(state, scratch[j], later)
            j += 1
        if room.fits(state, head, later):
            return time, later
    return at.INFINITY, later
