"""EASY that sends running jobs away for waiting ones of a higher rank.

``options`` are the number of reservations, how victims leave, and whom to take first; ``seconds`` the grace, and how
long a run is exempt. ``trial_times`` and ``trial_free`` are a copy of the profile, in which victims are tried.
"""

from __future__ import annotations

import math

from thinktime.models.engine import clearing, gapped, keeping, profile, trials
from thinktime.models.engine import situation as situation_kernel
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import preempting as preempting_codes
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import rules as rules_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf


def tries_head(state: State, reservations: int) -> bool:
    """Whether the head has no reservation, but is tried at its shadow time whenever another job would start."""
    if state.on_nodes and state.changing:
        return tries_only_head(state, reservations)
    return False


def tries_only_head(state: State, reservations: int) -> bool:
    """As `tries_head`: on nodes, the only reservation is not tied to places, unless processors are counted."""
    return bool(reservations == 1 and state.alike == 0)


def _book_head(state: State, sign: int, head: int, shadow: float, times: Floats, free: Ints, n: int) -> int:
    """Take the head's places at its shadow time, or give them back; the new length."""
    if head == of.NOBODY or shadow == INFINITY:
        return n
    duration = state.estimate[head]
    if sign == profile_codes.TAKE:
        state.profiles.fits_at(state, head, shadow, duration, times, free, n)
    return int(state.profiles.book(state, head, sign, shadow, shadow + duration, times, free, n))


def _may_start(
    state: State, now: float, row: int, time: float, head: int, shadow: float, times: Floats, free: Ints, n: int
) -> tuple[bool, int]:
    """Whether a job fits at a time, and the profile's length.

    If there is a head that is tried, a job that starts now must end by its shadow time, or leave it room then. Else it
    must find other room, beside the head.
    """
    duration = state.estimate[row]
    fitting = state.profiles.fits_at(state, row, time, duration, times, free, n)
    if not fitting or head == of.NOBODY or shadow == INFINITY or (time == now and now + duration <= shadow):
        return fitting, n
    if time == now:
        n = state.profiles.book(state, row, profile_codes.TAKE, now, now + duration, times, free, n)
        fitting = state.profiles.fits_at(state, head, shadow, state.estimate[head], times, free, n)
        n = state.profiles.book(state, row, profile_codes.GIVE, now, now + duration, times, free, n)
        if fitting:
            return True, n
    if not state.profiles.fits_at(state, head, shadow, state.estimate[head], times, free, n):
        return False, n
    n = _book_head(state, profile_codes.TAKE, head, shadow, times, free, n)
    fitting = state.profiles.fits_at(state, row, time, duration, times, free, n)
    return fitting, _book_head(state, profile_codes.GIVE, head, shadow, times, free, n)


def _send_away(
    state: State, rule: Preempting, now: float, row: int, head: int, shadow: float, n: int
) -> tuple[bool, int]:
    """Whether a job fits at the end of the grace if others leave, which then join the ``VICTIMS``; the new length.

    Their ``notice`` is that time; those who were chosen before are no victims again.
    """
    candidates = _candidates(state, rule, now, row)
    if len(candidates) > 0 and candidates[0] < 0:  # nobody that runs is lower
        return False, n
    times, free, time = rule.trial_times, rule.trial_free, now + rule.seconds[preempting_codes.GRACE]
    before, length = state.victim_count, n
    trials.copy_steps(state, rule.times, rule.free, n, times, free)
    taken = 0
    enough, n = _may_start(state, now, row, time, head, shadow, times, free, n)
    while not enough and taken < len(candidates):
        n = _send_off(state, rule, now, candidates[taken], row, n)
        taken += 1
        enough, n = _may_start(state, now, row, time, head, shadow, times, free, n)
    for i in range(taken - 1, -1, -1):
        if enough:
            n = _spare(state, rule, now, candidates[i], n)
            needless, n = _may_start(state, now, row, time, head, shadow, times, free, n)
            if not needless:
                n = _send_off(state, rule, now, candidates[i], row, n)
    state.victim_count = before
    for i_victim in range(taken):
        victim = candidates[i_victim]
        if not enough:
            state.notice[victim] = INFINITY
        elif state.notice[victim] < INFINITY:
            state.victims[state.victim_count] = victim
            state.victim_count += 1
    if not enough:
        return False, length
    trials.copy_steps(state, times, free, n, rule.times, rule.free)
    return True, n


def _candidates(state: State, rule: Preempting, now: float, row: int) -> Ints:
    """Running jobs of a lower rank that may be sent away, in the order in which they are tried; -1 if none is lower."""
    found, k, lower = state.spare.whole(state.at_work), 0, False
    for i_other in range(gapped.line_up(state)):
        other = state.running[i_other]
        if state.rank[other] >= state.rank[row]:
            continue
        lower = True
        ran = now - state.start[other]
        if may_leave(state, other, now) and ran >= rule.seconds[preempting_codes.EXEMPT]:
            found[k] = other
            k += 1
    if not lower:
        found = state.spare.whole(1)
        found[0] = of.NOBODY
        return found
    candidates = clearing.youngest_first(state, found[:k])
    if rule.options[preempting_codes.VICTIMS] == preempting_codes.YOUNGEST:
        return candidates
    keys = state.spare.real(k)
    for i in range(k):
        keys[i] = state.rank[candidates[i]]
    return state.spare.sorted_by(keys, candidates)


def may_leave(state: State, row: int, now: float) -> bool:
    """Whether a running job can be sent away: not one that starts now, a hold, or one under notice or admitted now."""
    if state.start[row] >= now or state.lasting[row] == of.OF_PROCESS or state.notice[row] < INFINITY:
        return False
    return not situation_kernel.admitted_now(state, row)


def _send_off(state: State, rule: Preempting, now: float, victim: int, row: int, n: int) -> int:
    """A victim leaves at the end of the grace, for another job, in the trial; its new length."""
    times, free, time = rule.trial_times, rule.trial_free, now + rule.seconds[preempting_codes.GRACE]
    n = keeping.lift(state, times, free, n)
    n = _leave(state, rule, now, victim, profile_codes.GIVE, n)
    state.victims[state.victim_count] = victim
    state.victim_count += 1
    state.notice[victim], state.leaves[victim], state.keeper[victim] = time, rule.options[preempting_codes.HOW], row
    keeping.book_nothing(state, row)
    return int(keeping.lay(state, times, free, n))


def _spare(state: State, rule: Preempting, now: float, victim: int, n: int) -> int:
    """A victim stays; the new length of the trial."""
    times, free = rule.trial_times, rule.trial_free
    n = keeping.lift(state, times, free, n)
    n = _leave(state, rule, now, victim, profile_codes.TAKE, n)
    state.victim_count = situation_kernel.drop(state.victims, state.victim_count, victim)
    state.notice[victim] = INFINITY
    return int(keeping.lay(state, times, free, n))


def _leave(state: State, rule: Preempting, now: float, victim: int, sign: int, n: int) -> int:
    """What a victim gives back, or takes again, in the trial; its new length."""
    begin, end = (now + rule.seconds[preempting_codes.GRACE], max(state.expected_end[victim], now + state.grace))
    suspends = rule.options[preempting_codes.HOW] == of.SUSPENDED
    return int(state.profiles.send_off(state, victim, sign, suspends, begin, end, rule.trial_times, rule.trial_free, n))


class Preempting(Rule):
    """The rule: its options, and room for two profiles."""

    FIELDS = ("options", "seconds", "times", "free", "trial_times", "trial_free")
    options: Ints
    seconds: Floats
    times: Floats
    free: Ints
    trial_times: Floats
    trial_free: Ints

    def order_matters(self, state: State, now: float, rows: Ints) -> bool:
        """Jobs that do not fit may send others away."""
        return True

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Along the queue, start what fits, or what fits once others leave.

        The first jobs that do neither get reservations. A job for which others are under notice gets its earliest fit
        beside these.
        """
        estimate, out, times, free = state.estimate, state.out, self.times, self.free
        if len(times) < profile.steps(state):
            return rules_codes.NEEDS_ROOM
        reservations, k, head, shadow = self.options[preempting_codes.RESERVATIONS], 0, of.NOBODY, INFINITY
        tries = tries_head(state, reservations)
        n = state.profiles.running_profile(state, now, at.ZERO, times, free) if len(rows) > 0 else 0
        for i_row in range(len(rows)):
            row = rows[i_row]
            starts, n = _may_start(state, now, row, now, head, shadow, times, free, n)
            preempts = False
            if not starts:
                preempts, n = _send_away(state, self, now, row, head, shadow, n)
            if preempts:
                starts, n = _may_start(state, now, row, now, head, shadow, times, free, n)
            if starts:
                out[k] = row
                k += 1
                n = state.profiles.book(state, row, profile_codes.TAKE, now, now + estimate[row], times, free, n)
            elif preempts or (reservations > 0 and not tries):
                reservations -= not preempts
                n = _book_head(state, profile_codes.TAKE, head, shadow, times, free, n)
                start = state.profiles.earliest(state, row, estimate[row], times, free, n)
                n = _book_head(state, profile_codes.GIVE, head, shadow, times, free, n)
                n = state.profiles.book(state, row, profile_codes.TAKE, start, start + estimate[row], times, free, n)
            elif head == of.NOBODY and tries:
                head, shadow = row, state.profiles.earliest(state, row, estimate[row], times, free, n)
        return k
