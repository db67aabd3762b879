"""What a pass has left on a machine that changes: a job fits only if it fits for as long as it is planned to run.

``left`` is what is idle beside what open windows hold for nobody. Most jobs end before the next window begins, and need
no more than that. For the others, and where windows are open for some jobs only, a profile is made once in a pass.
"""

import numpy as np

from thinktime.models.kernels import changing_profile, clearing, keeping, passes, profile
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.machine_state import CHANGING
from thinktime.models.kernels.pool import queue_of
from thinktime.models.kernels.queue_orders import sorted_by
from thinktime.models.kernels.reasons import forget_what_is_left, has_room, what_is_left
from thinktime.models.kernels.room import (
    admitted_first,
    begin_pass,
    fits_as_planned,
    fits_now,
    gone_back,
    has_news,
    possible,
    proposed_fits,
    rewind,
    take_now,
)
from thinktime.models.kernels.slurm_preemption import preemptors_first, preempts
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import usual, written_for
from thinktime.workloads.structures import Structure

usual_backfill = usual(passes.backfill)
FIRST = 2.0**40
"""More than any rank, or time."""


@written_for(CHANGING, begin_pass)
def begin_beside_windows(state: Structure, skip: int) -> int:
    """What is idle and not held for nobody."""
    situation = state.situation
    situation[of.SEEN] = situation[of.TAKEN] = 0
    keeping.forget_bookings(state)
    if situation[of.OPEN_FOR_SOME] > 0:
        clearing.remain(state)
    return int(state.counts[at.IDLE] - situation[of.HELD])


@kernel
def left_for_anybody(state: Structure) -> int:
    """What is idle now beside all that open windows hold, and that suspended jobs keep."""
    left = int(state.counts[at.IDLE])
    clearing.remain(state)
    for window in state.known[: state.situation[of.KNOWN]]:
        if of.is_open(state, window):
            nobody = state.slot[window] == of.NOBODY
            left -= state.amount[window] if nobody else max(0, state.remaining[window])
    keeping.forget_bookings(state)
    return int(left - keeping.kept_at(state, of.NOBODY, state.when[of.NOW])[0, 0]) if keeping.active(state) else left


@written_for(CHANGING, rewind)
def rewind_beside_windows(state: Structure, rows: Ints) -> None:
    """Forget what the pass has taken."""
    state.situation[of.SEEN] = state.situation[of.TAKEN] = 0
    keeping.forget_bookings(state)


@written_for(CHANGING, fits_now)
def fits_beside_windows(state: Structure, row: int, left: int) -> bool:
    """For as long as it is planned to run."""
    if state.processors[row] > left:
        return False
    situation, when = state.situation, state.when
    undisturbed = situation[of.OPEN_FOR_SOME] == 0 and not keeping.active(state)
    if undisturbed and when[of.NOW] + state.estimate[row] <= when[of.NEXT_HOLD]:
        return True
    return _fits_in_profile(state, row)


@written_for(CHANGING, proposed_fits)
def proposed_fits_beside_windows(state: Structure, row: int, left: int) -> bool:
    """The same."""
    return fits_now(state, row, left)


@kernel
def _fits_in_profile(state: Structure, row: int) -> bool:
    """Whether a job fits from now on in the profile of the pass."""
    duration = state.estimate[row]
    n = _look(state, state.when[of.NOW] + duration)
    return bool(profile.fits_from_now(state, row, duration, state.seen_times, state.seen_free, n))


@kernel
def _look(state: Structure, until: float) -> int:
    """Make the profile of the pass, with what it has taken so far, unless it is there; its length.

    It has the windows that begin before ``until``, and maybe others. With hundreds of windows known, all would take
    more time than the rest of the pass.
    """
    situation, times, free, now = state.situation, state.seen_times, state.seen_free, state.when[of.NOW]
    if situation[of.SEEN] == 0:
        situation[of.SEEN] = changing_profile.without_windows(state, now, times, free)
        situation[of.INCLUDED] = situation[of.KNOWN] if changing_profile.width(state) > 1 else 0
        for row in state.taken[: situation[of.TAKEN]]:
            _book(state, row)
    first = stop = situation[of.INCLUDED]
    while stop < situation[of.KNOWN] and state.opens[state.known[stop]] <= until:
        stop += 1
    if stop > first:
        situation[of.SEEN] = changing_profile.include(state, first, stop, now, times, free, situation[of.SEEN])
        situation[of.INCLUDED] = stop
    return int(situation[of.SEEN])


@kernel
def _reserve(state: Structure, row: int) -> float:
    """Put a job that does not fit now into the profile, at its earliest fit, and return this."""
    duration, until, start, n = state.estimate[row], -at.INFINITY, state.when[of.NOW], 0
    while until < start + duration < at.INFINITY:  # so that windows that begin later are of no concern
        until = start + duration
        n = _look(state, until)
        start = profile.earliest(state, row, duration, state.seen_times, state.seen_free, n)
    state.situation[of.SEEN] = profile.book(
        state, row, profile.TAKE, start, start + duration, state.seen_times, state.seen_free, n
    )
    return float(start)


@written_for(CHANGING, passes.head_start)
def head_start_beside_windows(state: Structure, now: float, head: int, started: int, skip: int, left: int) -> float:
    """Its earliest fit, or a time beyond all others: a head without one holds nobody back."""
    return min(_reserve(state, head), FIRST)


@kernel
def _book(state: Structure, row: int) -> None:
    """A job that the pass has taken is in the profile."""
    now, times, free, n = state.when[of.NOW], state.seen_times, state.seen_free, state.situation[of.SEEN]
    end = now + max(state.estimate[row], state.clock[at.GRACE])
    state.situation[of.SEEN] = profile.book(state, row, profile.TAKE, now, end, times, free, n)


@written_for(CHANGING, take_now)
def take_beside_windows(state: Structure, row: int, left: int) -> int:
    """What open windows have left, and the profile, change as well."""
    situation = state.situation
    state.taken[situation[of.TAKEN]] = row
    situation[of.TAKEN] += 1
    if situation[of.SEEN] > 0:
        _book(state, row)
    elif keeping.concerns(state, row):
        keeping.note_booking(state, row, profile.TAKE, state.when[of.NOW], state.when[of.NOW] + state.estimate[row])
    if situation[of.OPEN_FOR_SOME] > 0:
        for window in state.known[: situation[of.KNOWN]]:
            if state.slot[window] != of.NOBODY and of.is_open(state, window) and of.admits(state, window, row):
                state.remaining[window] -= state.processors[row]
    return left - int(state.processors[row])


@written_for(CHANGING, fits_as_planned)
def fits_as_planned_beside_windows(state: Structure, row: int, left: int) -> bool:
    """At the present; the rest was planned."""
    if state.situation[of.OPEN_FOR_SOME] > 0:
        for window in state.known[: state.situation[of.KNOWN]]:
            if state.slot[window] != of.NOBODY and of.is_open(state, window) and not of.admits(state, window, row):
                left -= max(0, state.remaining[window])
    return bool(state.processors[row] <= left)


@written_for(CHANGING, possible)
def possible_at_any_time(state: Structure, row: int) -> bool:
    """Processors that are down or held may come back; `leave_hopeless` sees to those that will not."""
    return bool(1 <= state.processors[row] <= state.counts[at.PROCESSORS])


@written_for(CHANGING, admitted_first)
def admitted_before_others(state: Structure, rows: Ints) -> Ints:
    """Then by rank, or preemptors before those they may preempt, and in their order otherwise."""
    if preempts(state):
        rows = preemptors_first(state, rows)
    if state.situation[of.OPEN_FOR_SOME] == 0 and not state.situation[of.RANKED]:
        return rows
    keys, ranked = np.empty(rows.size), state.situation[of.RANKED]
    for i in range(rows.size):
        keys[i] = -ranked * state.rank[rows[i]] - (FIRST if of.admitted_now(state, rows[i]) else 0.0)
    state.counts[at.PASSED_OVER] = 0
    return sorted_by(keys, rows)


@written_for(CHANGING, has_news)
def has_news_of_changes(state: Structure) -> bool:
    """Outages, windows, processors that are back."""
    return bool(state.situation[of.NEWS] > 0)


@written_for(CHANGING, gone_back)
def has_run_before(state: Structure, row: int) -> bool:
    """What its runs say."""
    return bool(state.runs[row] > 0)


@written_for(CHANGING, passes.backfill)
def backfill_beside_windows(state: Structure, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
    """As without windows, if none begins or ends before the head would be over; else with the head in the profile."""
    situation, when, clock, begin = state.situation, state.when, state.clock, max(k + 1, state.counts[at.PASSED_OVER])
    if begin == k + 1:
        clock[at.SHADOW] = -at.INFINITY  # not known yet
    if k == queue.size or not _any_fits(state, queue[begin:], left):
        return k
    if situation[of.OPEN_FOR_SOME] == 0 and not keeping.active(state):
        if when[of.NEXT_KNOWN] == at.INFINITY:
            return usual_backfill(state, now, queue, k, skip, out, left)
        if clock[at.SHADOW] == -at.INFINITY:
            shadow, later = passes.shadow_time(state, now, queue[k], out, k, skip, left)
            clock[at.SHADOW], clock[at.LATER] = shadow, later
        if clock[at.SHADOW] + state.estimate[queue[k]] <= when[of.NEXT_KNOWN]:
            return usual_backfill(state, now, queue, k, skip, out, left)
    _reserve(state, queue[k])
    for row in queue[begin:]:
        if left <= 0:
            break
        if state.processors[row] <= left and _fits_in_profile(state, row):
            left = take_now(state, row, left)
            out[k] = row
            k += 1
    clock[at.SHADOW] = -at.INFINITY
    return k


@kernel
def _any_fits(state: Structure, rows: Ints, left: int) -> bool:
    """Whether any of some jobs needs no more than is left."""
    found = False
    for row in rows:
        found = found or state.processors[row] <= left
    return found


@written_for(CHANGING, what_is_left)
def what_windows_leave(state: Structure, first: int, now: float) -> int:
    """A window can be in the way, too."""
    return begin_pass(state, at.ZERO)


@written_for(CHANGING, has_room)
def has_room_now(state: Structure, row: int, left: int) -> bool:
    """Until the next window, too."""
    return fits_now(state, row, left)


@written_for(CHANGING, forget_what_is_left)
def rewind_all(state: Structure) -> None:
    """Asking has moved the profile."""
    rewind(state, queue_of(state)[:0])
