"""EASY that sends running jobs away for waiting ones of a higher rank.

``trial`` is a copy of the profile, in which victims are tried.
"""

from __future__ import annotations

import math
from typing import Any

from thinktime.models.engine import gapped, keeping, situation
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import preempting as preempting_codes
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.interruptions import clearing
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def tries_head(state: State, reservations: int) -> bool:
    """Whether the head has no reservation, but is tried at its shadow time whenever another job would start."""
    if state.on_nodes and state.changing:
        return tries_only_head(state, reservations)
    return False


def tries_only_head(state: State, reservations: int) -> bool:
    """As `tries_head`: on nodes, the only reservation is not tied to places, unless processors are counted."""
    return bool(reservations == 1 and state.alike == 0)


def _book_head(state: State, sign: int, head: int, shadow: float, profile: Profile) -> None:
    """Take the head's places at its shadow time, or give them back."""
    if head == of.NOBODY or shadow == INFINITY:
        return
    duration = state.estimate[head]
    if sign == profile_codes.TAKE:
        state.profiles.fits_at(state, head, shadow, duration, profile)
    state.profiles.book(state, head, sign, shadow, shadow + duration, profile)


def _may_start(state: State, now: float, row: int, time: float, head: int, shadow: float, profile: Profile) -> bool:
    """Whether a job fits at a time.

    If there is a head that is tried, a job that starts now must end by its shadow time, or leave it room then. Else it
    must find other room, beside the head.
    """
    duration = state.estimate[row]
    fitting = state.profiles.fits_at(state, row, time, duration, profile)
    if not fitting or head == of.NOBODY or shadow == INFINITY or (time == now and now + duration <= shadow):
        return fitting
    if time == now:
        state.profiles.book(state, row, profile_codes.TAKE, now, now + duration, profile)
        fitting = state.profiles.fits_at(state, head, shadow, state.estimate[head], profile)
        state.profiles.book(state, row, profile_codes.GIVE, now, now + duration, profile)
        if fitting:
            return True
    if not state.profiles.fits_at(state, head, shadow, state.estimate[head], profile):
        return False
    _book_head(state, profile_codes.TAKE, head, shadow, profile)
    fitting = state.profiles.fits_at(state, row, time, duration, profile)
    _book_head(state, profile_codes.GIVE, head, shadow, profile)
    return fitting


def _send_away(state: State, rule: Preempting, now: float, row: int, head: int, shadow: float) -> bool:
    """Whether a job fits at the end of the grace if others leave, which then join the ``VICTIMS``.

    Their ``notice`` is that time; those who were chosen before are no victims again.
    """
    candidates = _candidates(state, rule, now, row)
    if len(candidates) > 0 and candidates[0] < 0:  # no job that runs is lower
        return False
    trial, time = rule.trial, now + rule.grace
    before = state.victim_count
    state.profiles.copy_profile(state, rule.profile, trial)
    taken = 0
    enough = _may_start(state, now, row, time, head, shadow, trial)
    while not enough and taken < len(candidates):
        _send_off(state, rule, now, candidates[taken], row)
        taken += 1
        enough = _may_start(state, now, row, time, head, shadow, trial)
    for i in range(taken - 1, -1, -1):
        if enough:
            _spare(state, rule, now, candidates[i])
            needless = _may_start(state, now, row, time, head, shadow, trial)
            if not needless:
                _send_off(state, rule, now, candidates[i], row)
    state.victim_count = before
    for j in range(taken):
        victim = candidates[j]
        if not enough:
            state.notice[victim] = INFINITY
        elif state.notice[victim] < INFINITY:
            state.victims[state.victim_count] = victim
            state.victim_count += 1
    if enough:
        state.profiles.copy_profile(state, trial, rule.profile)
    return enough


def _candidates(state: State, rule: Preempting, now: float, row: int) -> Ints:
    """Running jobs of a lower rank that may be sent away, in the order in which they are tried; -1 if none is lower."""
    found, k, lower = state.spare.whole(state.at_work), 0, False
    for j in range(gapped.line_up(state)):
        other = state.running[j]
        if state.rank[other] >= state.rank[row]:
            continue
        lower = True
        ran = now - state.start[other]
        if may_leave(state, other, now) and ran >= rule.exempt:
            found[k] = other
            k += 1
    if not lower:
        found = state.spare.whole(1)
        found[0] = of.NOBODY
        return found
    candidates = clearing.youngest_first(state, found[:k])
    if rule.victims == preempting_codes.YOUNGEST:
        return candidates
    keys = state.spare.real(k)
    for i in range(k):
        keys[i] = state.rank[candidates[i]]
    return state.spare.sorted_by(keys, candidates)


def may_leave(state: State, row: int, now: float) -> bool:
    """Whether a running job can be sent away: not one that starts now, a hold, or one under notice or admitted now."""
    if state.start[row] >= now or state.lasting[row] == of.OF_PROCESS or state.notice[row] < INFINITY:
        return False
    return not situation.admitted_now(state, row)


def _send_off(state: State, rule: Preempting, now: float, victim: int, row: int) -> None:
    """A victim leaves at the end of the grace, for another job, in the trial."""
    time = now + rule.grace
    keeping.lift(state, rule.trial)
    _leave(state, rule, now, victim, profile_codes.GIVE)
    state.victims[state.victim_count] = victim
    state.victim_count += 1
    state.notice[victim], state.leaves[victim], state.keeper[victim] = time, rule.how, row
    keeping.book_nothing(state, row)
    keeping.lay(state, rule.trial)


def _spare(state: State, rule: Preempting, now: float, victim: int) -> None:
    """A victim stays."""
    keeping.lift(state, rule.trial)
    _leave(state, rule, now, victim, profile_codes.TAKE)
    state.victim_count = situation.drop(state.victims, state.victim_count, victim)
    state.notice[victim] = INFINITY
    keeping.lay(state, rule.trial)


def _leave(state: State, rule: Preempting, now: float, victim: int, sign: int) -> None:
    """What a victim gives back, or takes again, in the trial."""
    begin, end = (now + rule.grace, max(state.expected_end[victim], now + state.grace))
    suspends = rule.how == of.SUSPENDED
    state.profiles.send_off(state, victim, sign, suspends, begin, end, rule.trial)


class Preempting(Rule):
    """The rule: its options, and two profiles for each pass."""

    PARTS = ("profile", "trial")
    NUMBERS = {"reservations": 1, "how": 0, "victims": 0, "grace": 0.0, "exempt": 0.0}
    reservations: int
    """How many jobs that cannot start get a reservation."""
    how: int
    """How victims leave (`thinktime.models.engine.codes.situation`)."""
    victims: int
    """Whom to take first (`thinktime.models.engine.codes.preempting`)."""
    grace: float
    """How long after they were chosen victims leave, s."""
    exempt: float
    """How long they have run at least, s."""
    profile: Profile
    trial: Profile

    def __init__(self, **given: Any) -> None:
        self.profile, self.trial = Profile(), Profile()
        super().__init__(**given)

    def order_matters(self, state: State, now: float, rows: Ints) -> bool:
        """Jobs that do not fit may send others away."""
        return True

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Along the queue, start what fits, or what fits once others leave.

        The first jobs that do neither get reservations. A job for which others are under notice gets its earliest fit
        beside these.
        """
        estimate, out, profile = state.estimate, state.out, self.profile
        reservations, k, head, shadow = self.reservations, 0, of.NOBODY, INFINITY
        tries = tries_head(state, reservations)
        if len(rows) > 0:
            state.profiles.running_profile(state, now, at.ZERO, profile)
        for i in range(len(rows)):
            row = rows[i]
            starts = _may_start(state, now, row, now, head, shadow, profile)
            preempts = False
            if not starts:
                preempts = _send_away(state, self, now, row, head, shadow)
            if preempts:
                starts = _may_start(state, now, row, now, head, shadow, profile)
            if starts:
                out[k] = row
                k += 1
                state.profiles.book(state, row, profile_codes.TAKE, now, now + estimate[row], profile)
            elif preempts or (reservations > 0 and not tries):
                reservations -= not preempts
                _book_head(state, profile_codes.TAKE, head, shadow, profile)
                start = state.profiles.earliest(state, row, estimate[row], profile)
                _book_head(state, profile_codes.GIVE, head, shadow, profile)
                state.profiles.book(state, row, profile_codes.TAKE, start, start + estimate[row], profile)
            elif head == of.NOBODY and tries:
                head, shadow = row, state.profiles.earliest(state, row, estimate[row], profile)
        return k
