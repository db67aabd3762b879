"""EASY that sends running jobs away for waiting ones of a higher rank.

``options`` are the number of reservations, how victims leave, and whom to take first; ``seconds`` the grace, and how
long a run is exempt. ``trial_times`` and ``trial_free`` are a copy of the profile, in which victims are tried.
"""

import numpy as np

from thinktime.models.kernels import clearing, keeping, profile
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import CHANGING_NODES, INFINITY
from thinktime.models.kernels.nodes import ALIKE
from thinktime.models.kernels.queue_orders import sorted_by
from thinktime.models.kernels.rules import NEEDS_ROOM, order_matters, select
from thinktime.models.kernels.trials import copy_steps
from thinktime.workloads.compiler import Floats, Ints, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure, StructureKind, fields, maker

RESERVATIONS, HOW, VICTIMS = range(3)  # places in ``options``
GRACE, EXEMPT = range(2)  # places in ``seconds``
YOUNGEST, LOWEST = range(2)
PREEMPTING = StructureKind(
    "Preempting",
    **fields(
        (Ints, "options"), (Floats, "seconds times"), (Ints, "free"), (Floats, "trial_times"), (Ints, "trial_free")
    ),
)
make_preempting = maker(PREEMPTING)


@written_for(PREEMPTING, order_matters)
def preempting_order_matters(state: Structure, rule: Structure, now: float, rows: Ints) -> bool:
    """Jobs that do not fit may send others away."""
    return True


@written_for(PREEMPTING, select)
def preempting_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Along the queue, start what fits, or what fits once others leave; the first jobs that do not get reservations.

    A job for which others are under notice gets its earliest fit beside these reservations.
    """
    estimate, out, times, free = state.estimate, state.out, rule.times, rule.free
    if times.size < profile.steps(state):
        return NEEDS_ROOM
    reservations, k, head, shadow = rule.options[RESERVATIONS], 0, of.NOBODY, INFINITY
    tries = tries_head(state, reservations)
    n = profile.running_profile(state, now, at.ZERO, times, free) if rows.size > 0 else 0
    for row in rows:
        starts, n = _may_start(state, now, row, now, head, shadow, times, free, n)
        preempts = False
        if not starts:
            preempts, n = _send_away(state, rule, now, row, head, shadow, n)
        if preempts:
            starts, n = _may_start(state, now, row, now, head, shadow, times, free, n)
        if starts:
            out[k] = row
            k += 1
            n = profile.book(state, row, profile.TAKE, now, now + estimate[row], times, free, n)
        elif preempts or (reservations > 0 and not tries):
            reservations -= not preempts
            n = _book_head(state, profile.TAKE, head, shadow, times, free, n)
            start = profile.earliest(state, row, estimate[row], times, free, n)
            n = _book_head(state, profile.GIVE, head, shadow, times, free, n)
            n = profile.book(state, row, profile.TAKE, start, start + estimate[row], times, free, n)
        elif head == of.NOBODY and tries:
            head, shadow = row, profile.earliest(state, row, estimate[row], times, free, n)
    return k


@by_kind
def tries_head(state: Structure, reservations: int) -> bool:
    """Whether the head has no reservation, but is tried at its shadow time whenever another job would start."""
    return False


@written_for(CHANGING_NODES, tries_head)
def tries_only_head(state: Structure, reservations: int) -> bool:
    """On nodes, the only reservation is not tied to places, unless processors are counted."""
    return bool(reservations == 1 and state.site[ALIKE] == 0)


@kernel
def _book_head(state: Structure, sign: int, head: int, shadow: float, times: Floats, free: Ints, n: int) -> int:
    """Take the head's places at its shadow time, or give them back; the new length."""
    if head == of.NOBODY or shadow == INFINITY:
        return n
    duration = state.estimate[head]
    if sign == profile.TAKE:
        profile.fits_at(state, head, shadow, duration, times, free, n)
    return int(profile.book(state, head, sign, shadow, shadow + duration, times, free, n))


@kernel
def _may_start(
    state: Structure, now: float, row: int, time: float, head: int, shadow: float, times: Floats, free: Ints, n: int
) -> tuple[bool, int]:
    """Whether a job fits at a time, and the profile's length.

    If there is a head that is tried, a job that starts now must end by its shadow time, or leave it room then. Else it
    must find other room, beside the head.
    """
    duration = state.estimate[row]
    fitting = profile.fits_at(state, row, time, duration, times, free, n)
    if not fitting or head == of.NOBODY or shadow == INFINITY or (time == now and now + duration <= shadow):
        return fitting, n
    if time == now:
        n = profile.book(state, row, profile.TAKE, now, now + duration, times, free, n)
        fitting = profile.fits_at(state, head, shadow, state.estimate[head], times, free, n)
        n = profile.book(state, row, profile.GIVE, now, now + duration, times, free, n)
        if fitting:
            return True, n
    if not profile.fits_at(state, head, shadow, state.estimate[head], times, free, n):
        return False, n
    n = _book_head(state, profile.TAKE, head, shadow, times, free, n)
    fitting = profile.fits_at(state, row, time, duration, times, free, n)
    return fitting, _book_head(state, profile.GIVE, head, shadow, times, free, n)


@kernel
def _send_away(
    state: Structure, rule: Structure, now: float, row: int, head: int, shadow: float, n: int
) -> tuple[bool, int]:
    """Whether a job fits at the end of the grace if others leave, which then join the ``VICTIMS``; the new length.

    Their ``notice`` is that time; those who were chosen before are no victims again.
    """
    candidates = _candidates(state, rule, now, row)
    if candidates.size > 0 and candidates[0] < 0:  # nobody that runs is lower
        return False, n
    situation, times, free, time = state.situation, rule.trial_times, rule.trial_free, now + rule.seconds[GRACE]
    before, length = situation[of.VICTIMS], n
    copy_steps(state, rule.times, rule.free, n, times, free)
    taken = 0
    enough, n = _may_start(state, now, row, time, head, shadow, times, free, n)
    while not enough and taken < candidates.size:
        n = _send_off(state, rule, now, candidates[taken], row, n)
        taken += 1
        enough, n = _may_start(state, now, row, time, head, shadow, times, free, n)
    for i in range(taken - 1, -1, -1):
        if enough:
            n = _spare(state, rule, now, candidates[i], n)
            needless, n = _may_start(state, now, row, time, head, shadow, times, free, n)
            if not needless:
                n = _send_off(state, rule, now, candidates[i], row, n)
    situation[of.VICTIMS] = before
    for victim in candidates[:taken]:
        if not enough:
            state.notice[victim] = INFINITY
        elif state.notice[victim] < INFINITY:
            state.victims[situation[of.VICTIMS]] = victim
            situation[of.VICTIMS] += 1
    if not enough:
        return False, length
    copy_steps(state, times, free, n, rule.times, rule.free)
    return True, n


@kernel
def _candidates(state: Structure, rule: Structure, now: float, row: int) -> Ints:
    """Running jobs of a lower rank that may be sent away, in the order in which they are tried; -1 if none is lower."""
    found, k, lower = np.empty(state.counts[at.AT_WORK], np.int64), 0, False
    for other in state.running[: line_up(state)]:
        if state.rank[other] >= state.rank[row]:
            continue
        lower = True
        ran = now - state.start[other]
        if may_leave(state, other, now) and ran >= rule.seconds[EXEMPT]:
            found[k] = other
            k += 1
    if not lower:
        return np.full(1, of.NOBODY)
    candidates = clearing.youngest_first(state, found[:k])
    if rule.options[VICTIMS] == YOUNGEST:
        return candidates
    return sorted_by(state.rank[candidates] * 1.0, candidates)


@kernel
def may_leave(state: Structure, row: int, now: float) -> bool:
    """Whether a running job can be sent away: not one that starts now, a hold, or one under notice or admitted now."""
    if state.start[row] >= now or state.lasting[row] == of.OF_PROCESS or state.notice[row] < INFINITY:
        return False
    return not of.admitted_now(state, row)


@kernel
def _send_off(state: Structure, rule: Structure, now: float, victim: int, row: int, n: int) -> int:
    """A victim leaves at the end of the grace, for another job, in the trial; its new length."""
    situation, times, free, time = state.situation, rule.trial_times, rule.trial_free, now + rule.seconds[GRACE]
    n = keeping.lift(state, times, free, n)
    n = _leave(state, rule, now, victim, profile.GIVE, n)
    state.victims[situation[of.VICTIMS]] = victim
    situation[of.VICTIMS] += 1
    state.notice[victim], state.leaves[victim], state.keeper[victim] = time, rule.options[HOW], row
    keeping.book_nothing(state, row)
    return int(keeping.lay(state, times, free, n))


@kernel
def _spare(state: Structure, rule: Structure, now: float, victim: int, n: int) -> int:
    """A victim stays; the new length of the trial."""
    situation, times, free = state.situation, rule.trial_times, rule.trial_free
    n = keeping.lift(state, times, free, n)
    n = _leave(state, rule, now, victim, profile.TAKE, n)
    situation[of.VICTIMS] = of.drop(state.victims, situation[of.VICTIMS], victim)
    state.notice[victim] = INFINITY
    return int(keeping.lay(state, times, free, n))


@kernel
def _leave(state: Structure, rule: Structure, now: float, victim: int, sign: int, n: int) -> int:
    """What a victim gives back, or takes again, in the trial; its new length."""
    begin, end = now + rule.seconds[GRACE], max(state.expected_end[victim], now + state.clock[at.GRACE])
    suspends = rule.options[HOW] == of.SUSPENDED
    return int(profile.send_off(state, victim, sign, suspends, begin, end, rule.trial_times, rule.trial_free, n))
