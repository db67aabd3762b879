"""Slurm's preemption in the course of a pass: candidates are taken away on trial, until a job fits.

Source: Slurm 22.05.8, measured, and its documentation. All that would be suspended are taken away first, and together;
then the others one by one. Those whose nodes the job then has are its victims.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped, keeping, slurm_preemption
from thinktime.models.engine.changes import preempting
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.codes import slurm_preemption as slurm_preemption_codes
from thinktime.models.engine.codes import slurm_victims as slurm_victims_codes
from thinktime.models.engine.limits import entry_rows
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf


def mark_candidates(state: State, now: float, row: int) -> bool:
    """Let all whom a job may preempt now leave now, on trial; False if there are none, or if it waits for others."""
    if state.changing:
        return mark_all_candidates(state, now, row)
    return False


def mark_all_candidates(state: State, now: float, row: int) -> bool:
    """As `mark_candidates`: their notice is given now."""
    found = False
    if slurm_preemption.preempts(state) and not waits_for_others(state, row):
        others_here = candidates_of(state, now, row)
        for i in range(len(others_here)):
            other = others_here[i]
            _mark(state, now, other, row)
            found = True
    return found


def unmark_candidates(state: State, now: float) -> None:
    """They stay after all."""
    if state.changing:
        unmark_all_candidates(state, now)
        return


def unmark_all_candidates(state: State, now: float) -> None:
    """As `unmark_candidates`: no other job is under notice for this very moment."""
    for i in range(gapped.line_up(state)):
        other = state.running[i]
        if state.notice[other] == now:
            state.notice[other] = INFINITY


def _mark(state: State, now: float, other: int, row: int) -> None:
    """A running job leaves now for another one, on trial."""
    mode = int(slurm_preemption.number_of(state, other, slurm_preemption_codes.MODE))
    if mode == of.REQUEUED and not state.requeues and state.lasting[other] != 0:
        mode = of.CANCELLED
    state.notice[other], state.leaves[other], state.keeper[other] = now, mode, entry_rows.job_of(state, row)
    keeping.book_nothing(state, entry_rows.job_of(state, row))


def waits_for_others(state: State, row: int) -> bool:
    """Whether a job has given others notice: it does not preempt any more before these have left."""
    found, job = False, entry_rows.job_of(state, row)
    for i in range(state.leaving_count):
        other = state.leaving[i]
        found = found or state.keeper[other] == job
    for i in range(state.victim_count):
        other = state.victims[i]
        found = found or state.keeper[other] == job
    return found


def candidates_of(state: State, now: float, row: int) -> Ints:
    """Running jobs that a job may preempt now, in the order in which they are taken away."""
    found, k = state.spare.whole(state.at_work), 0
    for j in range(gapped.line_up(state)):
        other = state.running[j]
        marked, ran = state.notice[other] == now, now - state.start[other]
        may_go = ran >= slurm_preemption.number_of(state, other, slurm_preemption_codes.SHORTEST) and (
            marked or preempting.may_leave(state, other, now)
        )
        if may_go and slurm_preemption.may_preempt(state, row, other):
            found[k] = other
            k += 1
    keys = state.spare.real(k)
    for i in range(k):
        keys[i] = state.id[found[i]]
    rows = state.spare.sorted_by(keys, found[:k])
    if state.youngest_first:
        for i in range(k):
            keys[i] = -state.start[rows[i]]
        return state.spare.sorted_by(keys, rows)
    for i in range(k):
        keys[i] = extent(state, rows[i])
    rows = state.spare.sorted_by(keys, rows)
    for i in range(k):
        keys[i] = slurm_preemption.number_of(state, rows[i], slurm_preemption_codes.CHEAPNESS)
    return state.spare.sorted_by(keys, rows)


def extent(state: State, row: int) -> int:
    """How large a running job is: its nodes, or its processors where these are all there is."""
    if state.on_nodes and state.changing:
        return extent_on_nodes(state, row)
    return int(state.processors[row])


def extent_on_nodes(state: State, row: int) -> int:
    """As `extent`: the job's nodes."""
    n = 0
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        n += state.places[i, nodes_codes.STOP] - state.places[i, nodes_codes.NODE]
    return int(n)


def in_common(state: State, row: int, other: int) -> int:
    """How many nodes a running job shares with one that is placed; a pool is a single one."""
    if state.on_nodes and state.changing:
        return nodes_in_common(state, row, other)
    return 1


def nodes_in_common(state: State, row: int, other: int) -> int:
    """As `in_common`: range by range."""
    n = 0
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for j in range(state.offset[other], state.offset[other] + state.size[other]):
            begin = max(state.places[i, nodes_codes.NODE], state.places[j, nodes_codes.NODE])
            n += max(0, min(state.places[i, nodes_codes.STOP], state.places[j, nodes_codes.STOP]) - begin)
    return int(n)


def _change(state: State, sign: int, now: float, row: int, other: int, profile: Profile) -> None:
    """A running job leaves now, on trial, or stays until its own end."""
    keeping.lift(state, profile)
    if sign == profile_codes.GIVE:
        _mark(state, now, other, row)
    suspends = state.leaves[other] == of.SUSPENDED
    if sign == profile_codes.TAKE:
        state.notice[other] = INFINITY
    end = max(state.expected_end[other], now + state.grace)
    state.profiles.send_off(state, other, sign, suspends, now, end, profile)
    keeping.lay(state, profile)


def make_room(state: State, now: float, row: int, length: float, profile: Profile) -> int:
    """What comes of an attempt to send others away for a job; the profile stays as it is.

    Candidates are in it to their own ends, or are gone if they are marked. Who is chosen joins the ``VICTIMS``, and the
    job has its places.
    """
    if state.changing:
        return send_others_away(state, now, row, length, profile)
    return slurm_victims_codes.NOBODY


def send_others_away(state: State, now: float, row: int, length: float, profile: Profile) -> int:
    """As `make_room`: first all who would be suspended, then the others one by one, and in another order again."""
    if not slurm_preemption.preempts(state) or waits_for_others(state, row):
        return slurm_victims_codes.NOBODY
    candidates = candidates_of(state, now, row)
    if len(candidates) == 0:
        return slurm_victims_codes.NOBODY
    base, trial = state.base, state.trial
    state.profiles.copy_profile(state, profile, base)
    for j in range(len(candidates)):
        other = candidates[j]
        if state.notice[other] == now:
            _change(state, profile_codes.TAKE, now, row, other, base)
    paused, others = _select(state, candidates, True), _select(state, candidates, False)
    taken, fits, done, again = others[:0], False, 0, True
    while again:
        state.profiles.copy_profile(state, base, trial)
        for j in range(len(paused)):
            _change(state, profile_codes.GIVE, now, row, paused[j], trial)
        fits = len(paused) > 0 and state.profiles.fits_from_now(state, row, length, trial)
        i = 0
        while not fits and i < len(others):
            _change(state, profile_codes.GIVE, now, row, others[i], trial)
            fits = state.profiles.fits_from_now(state, row, length, trial)
            i += 1
        taken = others[:i]
        done += 1
        again = fits and i > 0 and done - 1 <= state.reorders and len(candidates) > done
        unmark_candidates(state, now)
        if again:
            others = _reordered(state, row, others, i)
    return _give_notice(state, now, row, paused, taken) if fits else slurm_victims_codes.NOBODY


def _select(state: State, candidates: Ints, suspended: bool) -> Ints:
    """Those that would be suspended, or the others."""
    found, k = state.spare.whole(len(candidates)), 0
    for i in range(len(candidates)):
        other = candidates[i]
        if (slurm_preemption.number_of(state, other, slurm_preemption_codes.MODE) == of.SUSPENDED) == suspended:
            found[k] = other
            k += 1
    return found[:k]


def _reordered(state: State, row: int, others: Ints, taken: int) -> Ints:
    """The decisive one first, then the others that were taken, as they were or by how much the job has of them."""
    order, before, keys = (
        state.spare.copied(others),
        state.spare.copied(others[: taken - 1]),
        state.spare.real(taken - 1),
    )
    if not state.strict_order:
        for i in range(taken - 1):
            keys[i] = -in_common(state, row, before[i])
        before = state.spare.sorted_by(keys, before)
    order[0], order[1:taken] = others[taken - 1], before
    return order


def _give_notice(state: State, now: float, row: int, paused: Ints, taken: Ints) -> int:
    """Those whose nodes the job has are its victims. Some may have a grace; then the job waits for them."""
    slow = left = False
    for i in range(len(taken)):
        other = taken[i]
        slow = slow or (
            in_common(state, row, other) > 0
            and slurm_preemption.number_of(state, other, slurm_preemption_codes.NOTICE) > 0.0
        )
    for i in range(len(taken)):
        other = taken[i]
        if in_common(state, row, other) > 0:
            grace = slurm_preemption.number_of(state, other, slurm_preemption_codes.NOTICE)
            left = left or grace == 0.0
            _choose(state, _leaves_at(state, now, grace), other, row)
    for i in range(len(paused)):
        other = paused[i]
        if in_common(state, row, other) > 0 and not slow:
            _choose(state, now, other, row)
    if slow:
        return slurm_victims_codes.LEFT if left else slurm_victims_codes.UNDER_NOTICE
    return slurm_victims_codes.STARTS


def _choose(state: State, time: float, other: int, row: int) -> None:
    """A job will leave at a time."""
    _mark(state, time, other, row)
    state.victims[state.victim_count] = other
    state.victim_count += 1


def _leaves_at(state: State, now: float, grace: float) -> float:
    """When it is noticed that a grace is over: at the next sweep, or when the job tries again that wants the room."""
    if grace == 0.0:
        return now
    sweep, phase, retry, time = state.notice_sweep, state.notice_phase, state.notice_retry, INFINITY
    if sweep > 0.0:
        time = arithmetic.ceil((now + grace - phase) / sweep) * sweep + phase
    if retry > 0.0:
        time = min(time, now + arithmetic.ceil(grace / retry) * retry)
    return float(time) if time < INFINITY else now + grace


def hide_notices(state: State, running: Ints, notice: Floats) -> None:
    """Note who leaves before the profile of running jobs knows it, and hide that for the time being."""
    if state.changing:
        hide_fresh_notices(state, running, notice)
        return
    notice[:] = INFINITY


def hide_fresh_notices(state: State, running: Ints, notice: Floats) -> None:
    """As `hide_notices`: those that this pass has given."""
    for i in range(len(running)):
        row = running[i]
        notice[i] = state.notice[row] if state.notice[row] < state.expected_end[row] else INFINITY
        if notice[i] < INFINITY:
            state.notice[row] = INFINITY


def apply_notices(
    state: State, now: float, running: Ints, notice: Floats, placed: Floats, leave: Floats, profile: Profile
) -> None:
    """Let those leave at ``leave`` who are in the profile up to ``placed``, and bring back the notices."""
    if state.changing:
        apply_fresh_notices(state, now, running, notice, placed, leave, profile)


def apply_fresh_notices(
    state: State, now: float, running: Ints, notice: Floats, placed: Floats, leave: Floats, profile: Profile
) -> None:
    """As `apply_notices`: jobs leave now, or at the end of their grace."""
    given = False
    for i in range(len(notice)):
        given = given or notice[i] < INFINITY
    if not given:
        return
    keeping.lift(state, profile)
    for i in range(len(running)):
        if notice[i] < INFINITY:
            row = running[i]
            state.notice[row] = notice[i]
            suspends = state.leaves[row] == of.SUSPENDED
            state.profiles.send_off(state, row, profile_codes.GIVE, suspends, now, placed[i], profile)
            if leave[i] > now:
                state.profiles.send_off(state, row, profile_codes.TAKE, False, now, leave[i], profile)
    keeping.lay(state, profile)


def plan_suspended(state: State, started: Ints, profile: Profile) -> None:
    """Suspended jobs go on as soon as they can."""
    if state.changing:
        plan_all_suspended(state, started, profile)


def plan_all_suspended(state: State, started: Ints, profile: Profile) -> None:
    """As `plan_suspended`: before all who wait, unless they go on now."""
    if slurm_preemption.preempts(state):
        for i in range(state.set_aside):
            row = state.kept[i]
            if not arithmetic.has(started, len(started), row):
                length = state.estimate[row]
                start = state.profiles.earliest(state, row, length, profile)
                state.profiles.book(state, row, profile_codes.TAKE, start, start + length, profile)
