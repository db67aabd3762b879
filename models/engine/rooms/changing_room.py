"""What a pass has left on a machine that changes: a job fits only if it fits for as long as it is planned to run.

``left`` is what is idle beside what open windows hold for no job. Most jobs end before the next window begins, and need
no more than that. For the others, and where windows are open for some jobs only, a profile is made once in a pass.
"""

from __future__ import annotations

import math

from thinktime.models.engine import gaps, keeping, passes, pool, shapes, situation, slurm_preemption
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.interruptions import clearing, runs
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms.pool_room import PoolRoom
from thinktime.workloads.arrays import Ints

INFINITY = math.inf

FIRST = 2.0**40
"""More than any rank, or time."""


class ChangingRoom(PoolRoom):
    """A pool that changes: a job has room if nothing is closed or promised to others for as long as it may run."""

    def occupy(self, state: State, row: int) -> None:
        gaps.occupy_lowest(state, row)

    def vacate(self, state: State, row: int) -> None:
        gaps.vacate_places(state, row)

    def resize(self, state: State, row: int, place: int) -> None:
        gaps.resize_places(state, row, state.form_sizes[place])
        shapes.take_size(state, row, place)

    def give_up(self, state: State, row: int, place: int, gone: Ints) -> None:
        """It gives back those that go as well, which are idle until they do."""
        gaps.let_go(state, row, gone)
        gaps.resize_places(state, row, state.form_sizes[place])
        shapes.take_size(state, row, place)

    def lost(self, state: State, row: int, gone: Ints) -> int:
        return gaps.count_of(state, row, gone)

    def run_length(self, state: State, row: int, work: float) -> float:
        return runs.length_with_checkpoints(state, row, work)

    def admitted_first(self, state: State, rows: Ints) -> Ints:
        return admitted_before_others(state, rows)

    def backfill(self, state: State, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
        """If a window begins or ends before the head would be over, the head is in the profile."""
        begin = max(k + 1, state.passed_over)
        if begin == k + 1:
            state.shadow = -INFINITY  # not known yet
        if k == len(queue) or not _any_fits(state, queue[begin:], left):
            return k
        if state.open_for_some == 0 and state.shrinking_count == 0 and not keeping.active(state):
            if state.next_known == INFINITY:
                return passes.backfill(state, now, queue, k, skip, out, left)
            if state.shadow == -INFINITY:
                shadow, later = state.room.shadow_time(state, now, queue[k], out, k, skip, left)
                state.shadow, state.extra = shadow, later
            if state.shadow + state.estimate[queue[k]] <= state.next_known:
                return passes.backfill(state, now, queue, k, skip, out, left)
        _reserve(state, queue[k])
        for i in range(begin, len(queue)):
            row = queue[i]
            if left <= 0:
                break
            if state.processors[row] <= left and _fits_in_profile(state, row):
                left = state.room.take_now(state, row, left)
                out[k] = row
                k += 1
        state.shadow = -INFINITY
        return k

    def head_start(self, state: State, now: float, head: int, started: int, skip: int, left: int) -> float:
        """Its earliest fit; a head without one gets a time beyond all others, and holds no job back."""
        return min(_reserve(state, head), FIRST)

    def what_is_left(self, state: State, first: int, now: float) -> int:
        """A window can be in the way, too."""
        return state.room.begin_pass(state, at.ZERO)

    def has_room(self, state: State, row: int, left: int) -> bool:
        """There has to be room until the next window, too."""
        return state.room.fits_now(state, row, left)

    def forget_what_is_left(self, state: State) -> None:
        """Asking has moved the profile."""
        state.room.rewind(state, pool.queue_of(state)[:0])

    def begin_pass(self, state: State, skip: int) -> int:
        """What is idle beside windows that admit no job."""
        state.pass_profile.n = state.taken_count = 0
        keeping.forget_bookings(state)
        if state.open_for_some > 0:
            clearing.remain(state)
        return int(state.idle - state.held_by_windows)

    def rewind(self, state: State, rows: Ints) -> None:
        """Forget what the pass has taken."""
        state.pass_profile.n = state.taken_count = 0
        keeping.forget_bookings(state)

    def fits_now(self, state: State, row: int, left: int) -> bool:
        """For as long as it is planned to run."""
        if state.processors[row] > left:
            return False
        undisturbed = state.open_for_some == 0 and not keeping.active(state)
        if undisturbed and state.now + state.estimate[row] <= state.next_hold:
            return True
        return _fits_in_profile(state, row)

    def fits_as_planned(self, state: State, row: int, left: int) -> bool:
        """Only at the present, since the rest was planned."""
        if state.open_for_some > 0:
            for i in range(state.known_count):
                window = state.known[i]
                if (
                    state.slot[window] != of.NOBODY
                    and situation.is_open(state, window)
                    and not situation.admits(state, window, row)
                ):
                    left -= max(0, state.remaining[window])
        return bool(state.processors[row] <= left)

    def proposed_fits(self, state: State, row: int, left: int) -> bool:
        """Proposals must avoid windows, too."""
        return state.room.fits_now(state, row, left)

    def take_now(self, state: State, row: int, left: int) -> int:
        """What open windows have left, and the profile, change as well."""
        state.taken_rows[state.taken_count] = row
        state.taken_count += 1
        if state.pass_profile.n > 0:
            _book(state, row)
        elif keeping.concerns(state, row):
            keeping.note_booking(state, row, profile_codes.TAKE, state.now, state.now + state.estimate[row])
        if state.open_for_some > 0:
            for i in range(state.known_count):
                window = state.known[i]
                if (
                    state.slot[window] != of.NOBODY
                    and situation.is_open(state, window)
                    and situation.admits(state, window, row)
                ):
                    state.remaining[window] -= state.processors[row]
        need: int = state.processors[row]
        return left - need

    def possible(self, state: State, row: int) -> bool:
        """Processors that are down or held may come back; `leave_hopeless` sees to those that will not."""
        return bool(1 <= state.processors[row] <= state.machine_size)

    def has_news(self, state: State) -> bool:
        """Of outages, of windows, or of processors that are back."""
        return bool(state.news > 0)

    def gone_back(self, state: State, row: int) -> bool:
        """Its runs are counted."""
        return bool(state.runs[row] > 0)


def left_for_anybody(state: State) -> int:
    """What is idle now beside all that open windows hold, and that suspended jobs keep."""
    left = int(state.idle)
    clearing.remain(state)
    for i in range(state.known_count):
        window = state.known[i]
        if situation.is_open(state, window):
            nobody = state.slot[window] == of.NOBODY
            left -= state.amount[window] if nobody else max(0, state.remaining[window])
    keeping.forget_bookings(state)
    return int(left - keeping.kept_at(state, of.NOBODY, state.now)[0, 0]) if keeping.active(state) else left


def _fits_in_profile(state: State, row: int) -> bool:
    """Whether a job fits from now on in the profile of the pass."""
    duration = state.estimate[row]
    _look(state, state.now + duration)
    return bool(state.profiles.fits_from_now(state, row, duration, state.pass_profile))


def _look(state: State, until: float) -> None:
    """Make the profile of the pass, with what it has taken so far, unless it is there.

    It has the windows that begin before ``until``, and maybe others. With hundreds of windows known, all would take
    more time than the rest of the pass.
    """
    profile, now = state.pass_profile, state.now
    if profile.n == 0:
        state.profiles.without_windows(state, now, profile)
        state.included = state.known_count if profile.width > 1 else 0
        for i in range(state.taken_count):
            row = state.taken_rows[i]
            _book(state, row)
    first = stop = state.included
    while stop < state.known_count and state.opens[state.known[stop]] <= until:
        stop += 1
    if stop > first:
        state.profiles.include_windows(state, first, stop, now, profile)
        state.included = stop


def _reserve(state: State, row: int) -> float:
    """Put a job that does not fit now into the profile, at its earliest fit, and return this."""
    duration, until, start, profile = state.estimate[row], -INFINITY, state.now, state.pass_profile
    while until < start + duration < INFINITY:  # so that windows that begin later are of no concern
        until = start + duration
        _look(state, until)
        start = state.profiles.earliest(state, row, duration, profile)
    state.profiles.book(state, row, profile_codes.TAKE, start, start + duration, profile)
    return float(start)


def _book(state: State, row: int) -> None:
    """A job that the pass has taken is in the profile."""
    now = state.now
    end = now + max(state.estimate[row], state.grace)
    state.profiles.book(state, row, profile_codes.TAKE, now, end, state.pass_profile)


def admitted_before_others(state: State, rows: Ints) -> Ints:
    """As `admitted_first`; then by rank, or preemptors before those they may preempt, else in their order."""
    if slurm_preemption.preempts(state):
        rows = slurm_preemption.preemptors_first(state, rows)
    if state.open_for_some == 0 and not state.ranked:
        return rows
    keys, ranked = state.spare.real(len(rows)), state.ranked
    for i in range(len(rows)):
        keys[i] = -ranked * state.rank[rows[i]] - (FIRST if situation.admitted_now(state, rows[i]) else 0.0)
    state.passed_over = 0
    return state.spare.sorted_by(keys, rows)


def _any_fits(state: State, rows: Ints, left: int) -> bool:
    """Whether any of some jobs needs no more than is left."""
    found = False
    for i in range(len(rows)):
        row = rows[i]
        found = found or state.processors[row] <= left
    return found
