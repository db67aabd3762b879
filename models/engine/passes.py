"""One scheduling pass of the rules that keep nothing between passes: none, no-guarantee, and EASY with one reservation.

Every pass reads the queue in priority order and writes the rows that start now to ``out``. ``left`` is what starts may
use (`thinktime.models.engine.room`): what is idle and, under ``until_needed``, what overrunning jobs have, which are
the first ``skip`` in ``running``. No expected end lies before the present plus the grace, which is 1 s where jobs may
outlive their estimates, else 0.
"""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, room
from thinktime.models.engine.codes import passes as passes_codes
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def greedy_pass(state: State, which: int, now: float, rows: Ints) -> int:
    """One of the passes."""
    skip = room.overrunning(state, now)
    left = state.room.begin_pass(state, skip)
    if len(rows) == 0 or room.used_up(state, left):
        return 0
    if which == passes_codes.NO_GUARANTEE:
        k = no_guarantee_pass(state, rows, state.out, left)
    else:
        k, left = strict_pass(state, rows, left)
        if which == passes_codes.EASY and k < len(rows):
            k = state.room.backfill(state, now, rows, k, skip, state.out, left)
    if state.on_nodes or state.changing:  # else there is nothing to take back
        state.room.rewind(state, state.out[:k])
    return k


def strict_pass(state: State, queue: Ints, left: int) -> tuple[int, int]:
    """Start from the head of the queue while the head fits; how many, and what is left."""
    k = 0
    while k < len(queue) and state.room.fits_now(state, queue[k], left):
        left = state.room.take_now(state, queue[k], left)
        state.out[k] = queue[k]
        k += 1
    return k, left


def no_guarantee_pass(state: State, queue: Ints, out: Ints, left: int) -> int:
    """Start everything that fits, in queue order, without any reservation."""
    k = 0
    for i in range(state.passed_over, len(queue)):
        row = queue[i]
        if room.used_up(state, left):
            break
        if state.room.fits_now(state, row, left):
            left = state.room.take_now(state, row, left)
            out[k] = row
            k += 1
    return k


def start_beside(state: State, now: float, queue: Ints, k: int, reservations: int, least: int, profile: Profile) -> int:
    """Along the queue, start what fits into a profile from now on; the first jobs that do not get so many reservations.

    ``k`` jobs start already, and no job needs less than ``least``. How many start.
    """
    estimate, out = state.estimate, state.out
    for i in range(len(queue)):
        row = queue[i]
        if state.profiles.left_now(state, profile) < least:
            break
        if state.profiles.fits_from_now(state, row, estimate[row], profile):
            out[k] = row
            k += 1
            state.profiles.book(state, row, profile_codes.TAKE, now, now + estimate[row], profile)
        elif reservations > 0:
            start = state.profiles.earliest(state, row, estimate[row], profile)
            state.profiles.book(state, row, profile_codes.TAKE, start, start + estimate[row], profile)
            reservations -= 1
    return k


def backfill(state: State, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
    """EASY, when ``k`` jobs start: the next is the head, which gets the one reservation, and no later job may delay it.

    The shadow time is the earliest time at which expected ends, all ends of one time together, give the head room, and
    ``later`` is what is left then. A later job that fits starts if it ends by the shadow time, or else if the head
    still finds room without what the job takes. The shadow time is computed only when a job could use it, and stands
    until a job ends.
    """
    if k == len(queue) or room.used_up(state, left):
        return k
    head, started = queue[k], k
    shadow, later = -INFINITY, left  # not known yet
    if state.passed_over > 0:
        shadow, later = state.room.last_shadow(state)
    for i in range(max(k + 1, state.passed_over), len(queue)):
        row = queue[i]
        if state.room.hopeless(state, row, left):
            continue
        late = now + state.estimate[row] > shadow
        if (late and state.room.held_back(state, row, k)) or not state.room.fits_now(state, row, left):
            continue
        if shadow == -INFINITY:
            shadow, later = state.room.shadow_time(
                state, now, head, out, started, skip, state.room.copied(state, head, left)
            )
            late = now + state.estimate[row] > shadow
        if late:
            later = state.room.take(state, row, later)
            if not state.room.fits(state, head, later):
                later = state.room.give(state, row, later)
                if not state.room.fits_beside(state, row, head, left, later):
                    state.room.hold_back(state, row, k)
                    continue
                later = state.room.take(state, row, later)
        left = state.room.take_now(state, row, left)
        out[k] = row
        k += 1
        if room.used_up(state, left):
            break
    state.shadow, state.extra = shadow, later
    return k


def last_shadow(state: State) -> tuple[float, int]:
    """The shadow time that the last pass has found for the same head, and what is left then."""
    return float(state.shadow), int(state.extra)


def head_start(state: State, now: float, head: int, started: int, skip: int, left: int) -> float:
    """When the head has room, if the first ``started`` rows of ``out`` start now."""
    shadow, _ = state.room.shadow_time(state, now, head, state.out, started, skip, state.room.copied(state, head, left))
    return shadow


def shadow_time(
    state: State, now: float, head: int, out: Ints, started: int, skip: int, later: int
) -> tuple[float, int]:
    """The time by which expected ends give the head room, and what is left then, its part included.

    Merges the running jobs, which are sorted by their ends, with those started in this pass.
    """
    estimate, expected = state.estimate, state.expected
    running, scratch = state.running, state.scratch
    gapped.sort_by_estimate(state, out, started)
    gapped.sort_in(state)
    earliest = now + state.grace
    i, j, stop = state.first_running, 0, state.stop_running
    while skip > 0:
        skip -= not gapped.is_gap(state, i)
        i += 1
    while i < stop or j < started:
        if i < stop and gapped.is_gap(state, i):
            i += 1
            continue
        ends_run = max(expected[i], earliest) if i < stop else INFINITY
        ends_new = max(now + estimate[scratch[j]], earliest) if j < started else INFINITY
        time = min(ends_run, ends_new)
        while i < stop and max(expected[i], earliest) == time:
            if not gapped.is_gap(state, i):
                later = state.room.give(state, running[i], later)
            i += 1
        while j < started and max(now + estimate[scratch[j]], earliest) == time:
            later = state.room.give(state, scratch[j], later)
            j += 1
        state.then = time
        if state.room.fits(state, head, later):
            return time, later
    return INFINITY, later


class Greedy(Rule):
    """The rules that keep nothing."""

    NUMBERS = {"code": passes_codes.STRICT}
    code: int
    """Which of the rules it is."""

    def select(self, state: State, now: float, rows: Ints) -> int:
        """The pass that the rule's option says."""
        return greedy_pass(state, self.code, now, rows)

    def passes_over(self, state: State) -> bool:
        """The shadow time stands, and what is free then beyond the head's need has not grown."""
        return True

    def reserve_first(self, state: State, now: float, rows: Ints) -> tuple[int, float]:
        """How many jobs EASY starts before the first that does not fit (the head), and the head's shadow time.

        The time is infinite if no job behind the head could start: there is no head, or no job behind it, or nothing is
        left.
        """
        if self.code != passes_codes.EASY:
            return 0, INFINITY
        skip = room.overrunning(state, now)
        k, left = strict_pass(state, rows, state.room.begin_pass(state, skip))
        shadow = INFINITY
        if k + 1 < len(rows) and not room.used_up(state, left):
            shadow = state.room.head_start(state, now, rows[k], k, skip, left)
        state.room.rewind(state, state.out[:k])
        return k, shadow
