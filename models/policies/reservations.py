"""Conservative backfilling as a compiled rule: its profile and its reservations are kept between passes.

``reserved[row]`` is the reserved start of a waiting job (NaN before the first), ``hold[row]`` the time until which the
profile counts a running job.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thinktime.models.engine import arithmetic, gapped, pool, queue_orders, room, shapes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import reservations as reservations_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Floats, Ints

NAN = float("nan")
INFINITY = math.inf


def hold_on(state: State, rule: Kept, now: float, grace: float, skip: int, rows: Ints) -> None:
    """Let the profile count running jobs, which are sorted by expected end, for ``grace`` s from now at least.

    The first ``skip`` of them count as ended, since they may be evicted.
    """
    hold, profile = rule.hold, rule.profile
    for i in range(len(rows)):
        row = rows[i]
        if i < skip:
            if hold[row] > now:
                state.profiles.book(state, row, profile_codes.GIVE, now, hold[row], profile)
                rule.loose = True
            hold[row] = now
        elif hold[row] < now + grace:
            state.profiles.book(state, row, profile_codes.TAKE, max(hold[row], now), now + grace, profile)
            hold[row] = now + grace
        else:
            break


def forget(state: State, rule: Kept, now: float) -> None:
    """Forget all reservations. ``hold`` says how long running jobs are expected to run."""
    profile = rule.profile
    rule.reserved[:] = NAN
    state.profiles.idle_profile(state, now, profile)
    for i in range(gapped.line_up(state)):
        row = state.running[i]
        state.profiles.book(state, row, profile_codes.TAKE, now, rule.hold[row], profile)
    rule.loose, rule.next_start = True, now


def _tie(state: State, rule: Kept, now: float, gone: Ints) -> bool:
    """Put reservations on nodes if they are untied, but for those of rows that are ``gone``; whether they were.

    They are if the profile was made for steps of another kind, since any nodes would do, and now it matters which. In
    order of their starts, all keep their times, as enough nodes are free then; else they are broken, and made anew.
    """
    reserved, hold, profile = rule.reserved, rule.hold, rule.profile
    if profile.n == 0 or profile.width == state.profiles.width(state):
        return False
    queue = pool.queue_of(state)
    begins, known, k = np.empty(len(queue)), np.empty(len(queue), np.int64), 0  # objects: when nodes cease to be alike
    state.profiles.idle_profile(state, now, profile)
    for h in range(gapped.line_up(state)):
        row = state.running[h]
        if hold[row] > now:
            state.profiles.book(state, row, profile_codes.TAKE, now, hold[row], profile)
    for h in range(len(queue)):
        row = queue[h]
        leaves = arithmetic.has(gone, len(gone), row)
        if not leaves and -INFINITY < reserved[row] < INFINITY:
            begins[k], known[k] = max(reserved[row], now), row
            k += 1
    is_here = arithmetic.sorted_places(begins, k)
    for j in range(len(is_here)):
        i = is_here[j]
        row, begin, length = known[i], begins[i], state.estimate[known[i]]
        if state.profiles.fits_at(state, row, begin, length, profile):
            state.profiles.book(state, row, profile_codes.TAKE, begin, reserved[row] + length, profile)
        else:
            reserved[row] = NAN
            rule.broken += 1
    rule.loose, rule.reach = True, INFINITY
    return True


def _stay(state: State) -> None:
    """Let jobs start on the nodes of their reservations, if these have some: others are planned beside them.

    Where nodes are alike, reservations have none.
    """
    if state.on_nodes and state.changing:
        state.single = False


def _restore(state: State, rule: Kept, now: float, queue: Ints) -> None:
    """Before a sweep, after an outage has begun or a window was announced: reservations are kept that still fit.

    They are put back in queue order; then those that do not fit, and those of interrupted jobs, are made anew.
    """
    reserved, profile, news = rule.reserved, rule.profile, state.news
    if news & of.BEGAN:
        state.profiles.idle_profile(state, now, profile)
        for i in range(gapped.line_up(state)):
            row = state.running[i]
            state.profiles.book(state, row, profile_codes.TAKE, now, rule.hold[row], profile)
        for i in range(len(queue)):
            row = queue[i]
            if reserved[row] < INFINITY:
                end = reserved[row] + state.estimate[row]
                if state.profiles.fits_as_reserved(state, row, reserved[row], profile):
                    state.profiles.book(state, row, profile_codes.TAKE, reserved[row], end, profile)
                else:
                    reserved[row] = -INFINITY
                    rule.broken += 1
        rule.loose, rule.reach = True, INFINITY
    elif news & of.CAME_BACK:
        state.profiles.more_from(state, now, profile)
        rule.loose, rule.reach = True, INFINITY
    if news & of.CAME_BACK:
        rule.has_ended = True
    state.news = state.came_back = 0
    back = state.requeue_delay == 0.0  # else they come back as newcomers
    for i in range(len(queue)):
        row = queue[i]
        if reserved[row] == -INFINITY or (back and math.isnan(reserved[row]) and state.runs[row] > 0):
            _reserve_one(state, rule, row)


def _sweeps(rule: Kept) -> bool:
    """Whether a pass sweeps."""
    always = rule.compress == reservations_codes.EVENT
    return bool(always or (rule.has_ended and rule.compress != reservations_codes.NONE))


def _by_reservation(state: State, rule: Kept, queue: Ints) -> Ints:
    """The jobs that have a reservation, by its start.

    Where nothing can be over-committed (``crowds`` says no), removing all jobs and re-inserting them by reserved start
    finds what one sweep in that order finds: whatever starts later than a job's reservation cannot stand in the way of
    an earlier start of that job.
    """
    known, n = state.out, 0
    for i in range(len(queue)):
        row = queue[i]
        if not math.isnan(rule.reserved[row]):
            known[n] = row
            n += 1
    return queue_orders.sort_places(rule.reserved, known[:n], state.scratch[:n])


def _bring_forward(state: State, rule: Kept, now: float, order: Ints) -> None:
    """Bring every reservation forward in turn, where there is an earlier fit.

    A sweep that moved no job cannot move one before something is given back: reservations made since, at their
    earliest fits, and the passing of time only take room away. ``loose`` says whether a sweep is worth its
    time; skipping the others changes no start and saves two sweeps in three on a loaded log. For the same reason, an
    earlier fit has to begin before the end of what was given back.
    """
    crowded, given, profile = state.grace > 0.0 or rule.crowded, -INFINITY, rule.profile
    reach = INFINITY if crowded else rule.reach
    alike = not state.on_nodes and not state.changing
    tried = rule.tried[: 1 if crowded else len(rule.tried)]
    tried[0] = 0.0
    for i in range(len(order)):
        row = order[i]
        reserved = rule.reserved[row]
        until = max(reach, given)
        if not reserved > now:  # NaN for newcomers
            continue
        if alike and not profile.has_before(min(reserved, until), state.processors[row]):
            continue  # on KTH, this ends nearly half of all attempts, before much is handed over
        start = state.profiles.bring_forward(state, row, reserved, until, tried, profile)
        if start < reserved:
            given = max(given, reserved + state.estimate[row])
            rule.reserved[row] = start
            _promise(state, row, start)
    rule.reach = given
    rule.loose = given > -INFINITY or crowded


def _rebuild(state: State, rule: Kept, now: float, order: Ints) -> None:
    """Remove all reservations, and make them anew."""
    for i in range(len(order)):
        row = order[i]
        begin, end = max(rule.reserved[row], now), rule.reserved[row] + state.estimate[row]
        state.profiles.book(state, row, profile_codes.GIVE, begin, end, rule.profile)
    for i in range(len(order)):
        row = order[i]
        _reserve_one(state, rule, row)


def _reserve(state: State, rule: Kept, queue: Ints) -> None:
    """Reserve for newcomers, and for whom nothing was in sight so far."""
    for i in range(len(queue)):
        row = queue[i]
        if not rule.reserved[row] < INFINITY:  # NaN for newcomers
            _reserve_one(state, rule, row)


def _reserve_one(state: State, rule: Kept, row: int) -> None:
    """Reserve a job's earliest fit."""
    duration = state.estimate[row]
    start = state.profiles.earliest(state, row, duration, rule.profile)
    state.profiles.book(state, row, profile_codes.TAKE, start, start + duration, rule.profile)
    rule.reserved[row] = start
    _promise(state, row, start)


def _promise(state: State, row: int, start: float) -> None:
    """The first reservation is what a job is promised."""
    if start < INFINITY and math.isnan(state.promised[row]):
        state.promised[row] = start


def _start_due(state: State, rule: Kept, now: float, queue: Ints, left: int) -> int:
    """Start what is due. A reservation without room is broken: it is made anew, and may be for now at another place."""
    k, following, place = 0, INFINITY, 0
    while True:
        place, following = _next_due(rule, now, queue, place, following)
        if place == len(queue):
            break
        row = queue[place]
        place += 1
        if not state.room.fits_as_planned(state, row, left):
            end = rule.reserved[row] + state.estimate[row]
            state.profiles.book(state, row, profile_codes.GIVE, now, end, rule.profile)
            _reserve_one(state, rule, row)
            rule.loose, rule.reach = True, max(rule.reach, end)
            rule.broken += 1
            if rule.reserved[row] > now or not state.room.fits_as_planned(state, row, left):
                following = min(following, rule.reserved[row])
                continue
        left = state.room.take_now(state, row, left)
        rule.hold[row] = now + state.estimate[row]
        state.out[k] = row
        k += 1
    state.room.rewind(state, state.out[:k])
    rule.next_start = following
    return k


def _next_due(rule: Kept, now: float, queue: Ints, place: int, following: float) -> tuple[int, float]:
    """The first place from one on whose job is due, and the first of ``following`` and the reservations before it."""
    while place < len(queue) and rule.reserved[queue[place]] > now:
        following = min(following, rule.reserved[queue[place]])
        place += 1
    return place, following


class Kept(Rule):
    """Conservative backfilling: its profile and its reservations are kept between passes."""

    FIELDS = {"tried": Floats, "reserved": Floats, "hold": Floats}
    PARTS = ("profile",)
    NUMBERS = {
        "loose": False, "crowded": False, "broken": 0, "has_ended": False, "compress": 0, "informed": False,
        "next_start": INFINITY, "reach": -INFINITY,
    }  # fmt: skip
    loose: bool
    """Whether a sweep could move a job."""
    crowded: bool
    """Whether jobs may run where reservations are, since they have changed their sizes as they like."""
    broken: int
    """Reservations that could not be kept."""
    has_ended: bool
    """Whether a job has ended or was withdrawn since the last pass."""
    compress: int
    """How reservations are compressed (`thinktime.models.engine.codes.reservations`)."""
    informed: bool
    """Whether the rule has ever been told of an end."""
    next_start: float
    """The next reservation that falls due, s."""
    reach: float
    """The time before which something was given back since jobs found no earlier fits, s."""
    tried: Floats
    reserved: Floats
    hold: Floats
    profile: Profile

    def __init__(self, **given: Any) -> None:
        self.profile = Profile()
        super().__init__(**given)

    def ended(self, state: State, now: float, rows: Ints) -> None:
        """Jobs have ended: what the profile still held for them is free."""
        made = _tie(state, self, now, rows)
        state.profiles.advance(state, now, self.profile)
        for i in range(len(rows)):
            row, until = rows[i], self.hold[rows[i]]
            if until > now:
                if not made:
                    shapes.book_running(state, row, profile_codes.GIVE, now, until, self.profile)
                self.loose = True
                self.reach = max(self.reach, until)
            self.reserved[row] = NAN
        self.has_ended = self.informed = True

    def withdrawn(self, state: State, now: float, rows: Ints) -> None:
        """Jobs have left the queue: their reservations are free."""
        made, reserved = _tie(state, self, now, rows), self.reserved
        state.profiles.advance(state, now, self.profile)
        for i in range(len(rows)):
            row = rows[i]
            if reserved[row] < INFINITY:
                begin, end = max(reserved[row], now), reserved[row] + state.estimate[row]
                if not made:
                    state.profiles.book(state, row, profile_codes.GIVE, begin, end, self.profile)
                self.reach = max(self.reach, end)
            self.loose, reserved[row] = True, NAN
        self.has_ended = True

    def barred(self, state: State, now: float, rows: Ints) -> None:
        """They have no reservations any more."""
        self.withdrawn(state, now, rows)
        arithmetic.fill(self.reserved, rows, NAN)

    def started(self, state: State, now: float, rows: Ints) -> None:
        """Jobs that were evicted for these starts ended after the pass, and need no sweep at a later instant."""
        self.has_ended = False

    def revised(self, state: State, now: float, rows: Ints) -> None:
        """Running jobs are expected to end later than was thought: the profile counts them until then."""
        _tie(state, self, now, rows[:0])
        for i in range(len(rows)):
            later = state.expected_end[rows[i]] - now
            hold_on(state, self, now, later, at.ZERO, rows[i : i + 1])

    def resizing(self, state: State, now: float, rows: Ints) -> None:
        """What the profile holds for them is free."""
        state.profiles.advance(state, now, self.profile)
        for i in range(len(rows)):
            shapes.book_running(state, rows[i], profile_codes.GIVE, now, self.hold[rows[i]], self.profile)

    def resized(self, state: State, now: float, rows: Ints) -> None:
        """It holds what they have now, and will have; others may start earlier: this counts as an end."""
        for i in range(len(rows)):
            row = rows[i]
            self.reach = max(self.reach, self.hold[row])
            if state.expected_end[row] > self.hold[row] and state.form_malleable[state.form[row]] == 0:
                self.crowded = True
            self.hold[row] = state.expected_end[row]
            shapes.book_running(state, row, profile_codes.TAKE, now, self.hold[row], self.profile)
        self.loose = self.has_ended = True

    def kept_profile(self) -> Profile:
        """Its own."""
        return self.profile

    def next_due(self, state: State, now: float) -> float:
        """The next reservation that falls due."""
        return float(self.next_start)

    def order_matters(self, state: State, now: float, rows: Ints) -> bool:
        """Whether a sweep can move anybody, a reservation can break, or more than one job is to be placed or to start.

        Sorting and keys took 70 % of the time under orders that change while jobs wait.
        """
        if state.grace > 0.0 or state.room.has_news(state):
            return True
        if _sweeps(self) and (state.profiles.begin_sweep(state) or self.loose):
            return True
        concerned = 0
        for i in range(len(rows)):
            row = rows[i]
            concerned += not now < self.reserved[row] < INFINITY  # NaN, or nothing is in sight, or it is due
        return concerned > 1

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Sweep, reserve for newcomers, start what is due."""
        profile = self.profile
        _tie(state, self, now, rows[:0])
        if profile.n == 0:
            state.profiles.idle_profile(state, now, profile)
        skip, grace = room.overrunning(state, now), state.grace
        state.profiles.advance(state, now, profile)
        if grace > 0.0:
            hold_on(state, self, now, grace, skip, state.running[: gapped.line_up(state)])
        _stay(state)
        if state.changing:
            _restore(state, self, now, rows)
        if len(rows) == 0:
            self.has_ended, self.crowded, self.next_start = False, False, INFINITY
            return 0
        sweeps, by_start = _sweeps(self), self.compress == reservations_codes.SCHEDULED
        self.has_ended = False
        if sweeps and by_start and state.profiles.crowds(state):
            _rebuild(state, self, now, _by_reservation(state, self, rows))
        elif sweeps and (state.profiles.begin_sweep(state) or self.loose):
            _bring_forward(state, self, now, _by_reservation(state, self, rows) if by_start else rows)
        _reserve(state, self, rows)
        return _start_due(state, self, now, rows, state.room.begin_pass(state, skip))
