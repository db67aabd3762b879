"""Slurm's preemption in the course of a pass: candidates are taken away on trial, until a job fits.

Source: Slurm 22.05.8, measured, and its documentation. All that would be suspended are taken away first, and together;
then the others one by one. Those whose nodes the job then has are its victims.
"""

import numpy as np

from thinktime.models.kernels import keeping, nodes, profile
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.entry_rows import job_of
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import CHANGING, CHANGING_NODES, INFINITY
from thinktime.models.kernels.preempting import may_leave
from thinktime.models.kernels.profile import GIVE, TAKE
from thinktime.models.kernels.queue_orders import sorted_by
from thinktime.models.kernels.slurm_preemption import (
    CHEAPNESS,
    MODE,
    NOTICE,
    PHASE,
    REORDERS,
    REQUEUES,
    RETRY,
    SHORTEST,
    STRICT,
    SWEEP,
    YOUNGEST,
    may_preempt,
    number_of,
    preempts,
)
from thinktime.workloads.compiler import Floats, Ints, kernel, whole
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure

NOBODY, STARTS, LEFT, UNDER_NOTICE = (whole(i) for i in range(4))
"""What comes of an attempt to preempt."""


@by_kind
def mark_candidates(state: Structure, now: float, row: int) -> bool:
    """Let all whom a job may preempt now leave now, on trial; False if there are none, or if it waits for others."""
    return False


@written_for(CHANGING, mark_candidates)
def mark_all_candidates(state: Structure, now: float, row: int) -> bool:
    """Their notice is now."""
    found = False
    if preempts(state) and not waits_for_others(state, row):
        for other in candidates_of(state, now, row):
            _mark(state, now, other, row)
            found = True
    return found


@by_kind
def unmark_candidates(state: Structure, now: float) -> None:
    """They stay after all."""


@written_for(CHANGING, unmark_candidates)
def unmark_all_candidates(state: Structure, now: float) -> None:
    """Nobody else is under notice for this very moment."""
    for other in state.running[: line_up(state)]:
        if state.notice[other] == now:
            state.notice[other] = INFINITY


@kernel
def _mark(state: Structure, now: float, other: int, row: int) -> None:
    """A running job leaves now for another one, on trial."""
    mode = int(number_of(state, other, MODE))
    if mode == of.REQUEUED and state.classes[REQUEUES] == 0.0 and state.lasting[other] != 0:
        mode = of.CANCELLED
    state.notice[other], state.leaves[other], state.keeper[other] = now, mode, job_of(state, row)
    keeping.book_nothing(state, job_of(state, row))


@kernel
def waits_for_others(state: Structure, row: int) -> bool:
    """Whether a job has given others notice: it does not preempt any more before these have left."""
    found, job = False, job_of(state, row)
    for other in state.leaving[: state.situation[of.LEAVING]]:
        found = found or state.keeper[other] == job
    for other in state.victims[: state.situation[of.VICTIMS]]:
        found = found or state.keeper[other] == job
    return found


@kernel
def candidates_of(state: Structure, now: float, row: int) -> Ints:
    """Running jobs that a job may preempt now, in the order in which they are taken away."""
    found, k = np.empty(state.counts[at.AT_WORK], np.int64), 0
    for other in state.running[: line_up(state)]:
        marked, ran = state.notice[other] == now, now - state.start[other]
        may_go = ran >= number_of(state, other, SHORTEST) and (marked or may_leave(state, other, now))
        if may_go and may_preempt(state, row, other):
            found[k] = other
            k += 1
    keys, rows = np.empty(k), sorted_by(state.id[found[:k]] * 1.0, found[:k])
    if state.classes[YOUNGEST] > 0.0:
        return sorted_by(-state.start[rows], rows)
    for i in range(k):
        keys[i] = extent(state, rows[i])
    rows = sorted_by(keys, rows)
    for i in range(k):
        keys[i] = number_of(state, rows[i], CHEAPNESS)
    return sorted_by(keys, rows)


@by_kind
def extent(state: Structure, row: int) -> int:
    """How large a running job is: its nodes, or its processors where these are all there is."""
    return int(state.processors[row])


@written_for(CHANGING_NODES, extent)
def extent_on_nodes(state: Structure, row: int) -> int:
    """Its nodes."""
    n = 0
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        n += state.places[i, nodes.STOP] - state.places[i, nodes.NODE]
    return int(n)


@by_kind
def in_common(state: Structure, row: int, other: int) -> int:
    """How many nodes a running job shares with one that is placed; a pool is a single one."""
    return 1


@written_for(CHANGING_NODES, in_common)
def nodes_in_common(state: Structure, row: int, other: int) -> int:
    """Range by range."""
    n = 0
    for i in range(state.offset[row], state.offset[row] + state.size[row]):
        for j in range(state.offset[other], state.offset[other] + state.size[other]):
            begin = max(state.places[i, nodes.NODE], state.places[j, nodes.NODE])
            n += max(0, min(state.places[i, nodes.STOP], state.places[j, nodes.STOP]) - begin)
    return int(n)


@kernel
def _change(state: Structure, sign: int, now: float, row: int, other: int, times: Floats, free: Ints, n: int) -> int:
    """A running job leaves now, on trial, or stays until its own end; the new length of the trial's profile."""
    n = keeping.lift(state, times, free, n)
    if sign == GIVE:
        _mark(state, now, other, row)
    suspends = state.leaves[other] == of.SUSPENDED
    if sign == TAKE:
        state.notice[other] = INFINITY
    end = max(state.expected_end[other], now + state.clock[at.GRACE])
    n = profile.send_off(state, other, sign, suspends, now, end, times, free, n)
    return int(keeping.lay(state, times, free, n))


@by_kind
def make_room(state: Structure, now: float, row: int, length: float, times: Floats, free: Ints, n: int) -> int:
    """What comes of an attempt to send others away for a job; the profile stays as it is.

    Candidates are in it to their own ends, or are gone if they are marked. Who is chosen joins the ``VICTIMS``, and the
    job has its places.
    """
    return NOBODY


@written_for(CHANGING, make_room)
def send_others_away(state: Structure, now: float, row: int, length: float, times: Floats, free: Ints, n: int) -> int:
    """First those that would be suspended, all together, then the others one by one, and in another order again."""
    if not preempts(state) or waits_for_others(state, row):
        return NOBODY
    candidates = candidates_of(state, now, row)
    if candidates.size == 0:
        return NOBODY
    more = 4 * candidates.size + 6 * (state.situation[of.SET_ASIDE] + state.situation[of.LEAVING]) + 8
    base_times, base_free = keeping.copied_profile(state, times, free, n, more)
    base = n
    for other in candidates:
        if state.notice[other] == now:
            base = _change(state, TAKE, now, row, other, base_times, base_free, base)
    paused, others = _select(state, candidates, True), _select(state, candidates, False)
    taken, fits, done, again = others[:0], False, 0, True
    while again:
        trial_times, trial_free = keeping.copied_profile(state, base_times, base_free, base, more)
        m = _give(state, now, row, paused, trial_times, trial_free, base)
        fits = paused.size > 0 and profile.fits_from_now(state, row, length, trial_times, trial_free, m)
        i = 0
        while not fits and i < others.size:
            m = _change(state, GIVE, now, row, others[i], trial_times, trial_free, m)
            fits = profile.fits_from_now(state, row, length, trial_times, trial_free, m)
            i += 1
        taken = others[:i]
        done += 1
        again = fits and i > 0 and done - 1 <= state.classes[REORDERS] and candidates.size > done
        unmark_candidates(state, now)
        if again:
            others = _reordered(state, row, others, i)
    return _give_notice(state, now, row, paused, taken) if fits else NOBODY


@kernel
def _give(state: Structure, now: float, row: int, others: Ints, times: Floats, free: Ints, n: int) -> int:
    """Some leave now, on trial; the new length of the profile."""
    for other in others:
        n = _change(state, GIVE, now, row, other, times, free, n)
    return n


@kernel
def _select(state: Structure, candidates: Ints, suspended: bool) -> Ints:
    """Those that would be suspended, or the others."""
    found, k = np.empty(candidates.size, np.int64), 0
    for other in candidates:
        if (number_of(state, other, MODE) == of.SUSPENDED) == suspended:
            found[k] = other
            k += 1
    return found[:k]


@kernel
def _reordered(state: Structure, row: int, others: Ints, taken: int) -> Ints:
    """The decisive one first, then the others that were taken, as they were or by how much the job has of them."""
    order, before, keys = others.copy(), others[: taken - 1].copy(), np.empty(taken - 1)
    if state.classes[STRICT] == 0.0:
        for i in range(taken - 1):
            keys[i] = -in_common(state, row, before[i])
        before = sorted_by(keys, before)
    order[0], order[1:taken] = others[taken - 1], before
    return order


@kernel
def _give_notice(state: Structure, now: float, row: int, paused: Ints, taken: Ints) -> int:
    """Those whose nodes the job has are its victims. Some may have a grace; then the job waits for them."""
    slow = left = False
    for other in taken:
        slow = slow or (in_common(state, row, other) > 0 and number_of(state, other, NOTICE) > 0.0)
    for other in taken:
        if in_common(state, row, other) > 0:
            grace = number_of(state, other, NOTICE)
            left = left or grace == 0.0
            _choose(state, _leaves_at(state, now, grace), other, row)
    for other in paused:
        if in_common(state, row, other) > 0 and not slow:
            _choose(state, now, other, row)
    if slow:
        return LEFT if left else UNDER_NOTICE
    return STARTS


@kernel
def _choose(state: Structure, time: float, other: int, row: int) -> None:
    """A job will leave at a time."""
    _mark(state, time, other, row)
    state.victims[state.situation[of.VICTIMS]] = other
    state.situation[of.VICTIMS] += 1


@kernel
def _leaves_at(state: Structure, now: float, grace: float) -> float:
    """When it is noticed that a grace is over: at the next sweep, or when the job tries again that wants the room."""
    if grace == 0.0:
        return now
    sweep, phase, retry, time = state.classes[SWEEP], state.classes[PHASE], state.classes[RETRY], INFINITY
    if sweep > 0.0:
        time = np.ceil((now + grace - phase) / sweep) * sweep + phase
    if retry > 0.0:
        time = min(time, now + np.ceil(grace / retry) * retry)
    return float(time) if time < INFINITY else now + grace


@by_kind
def hide_notices(state: Structure, running: Ints, notice: Floats) -> None:
    """Note who leaves before the profile of running jobs knows it, and hide that for the time being."""
    notice[:] = INFINITY


@written_for(CHANGING, hide_notices)
def hide_fresh_notices(state: Structure, running: Ints, notice: Floats) -> None:
    """Those that this pass has given."""
    for i in range(running.size):
        row = running[i]
        notice[i] = state.notice[row] if state.notice[row] < state.expected_end[row] else INFINITY
        if notice[i] < INFINITY:
            state.notice[row] = INFINITY


@by_kind
def apply_notices(
    state: Structure, now: float, running: Ints, notice: Floats, placed: Floats, leave: Floats, times: Floats,
    free: Ints, n: int,
) -> int:  # fmt: skip
    """Let those leave at ``leave`` who are in the profile up to ``placed``, and bring back the notices; its length."""
    return n


@written_for(CHANGING, apply_notices)
def apply_fresh_notices(
    state: Structure, now: float, running: Ints, notice: Floats, placed: Floats, leave: Floats, times: Floats,
    free: Ints, n: int,
) -> int:  # fmt: skip
    """Now, or at the end of their grace."""
    if not np.any(notice < INFINITY):
        return n
    n = keeping.lift(state, times, free, n)
    for i in range(running.size):
        if notice[i] < INFINITY:
            row = running[i]
            state.notice[row] = notice[i]
            suspends = state.leaves[row] == of.SUSPENDED
            n = profile.send_off(state, row, GIVE, suspends, now, placed[i], times, free, n)
            if leave[i] > now:
                n = profile.send_off(state, row, TAKE, False, now, leave[i], times, free, n)
    return int(keeping.lay(state, times, free, n))


@by_kind
def plan_suspended(state: Structure, started: Ints, times: Floats, free: Ints, n: int) -> int:
    """Suspended jobs go on as soon as they can; the profile's new length."""
    return n


@written_for(CHANGING, plan_suspended)
def plan_all_suspended(state: Structure, started: Ints, times: Floats, free: Ints, n: int) -> int:
    """Before all who wait, unless they go on now."""
    if preempts(state):
        for row in state.kept[: state.situation[of.SET_ASIDE]]:
            if not np.any(started == row):
                length = state.estimate[row]
                start = profile.earliest(state, row, length, times, free, n)
                n = profile.book(state, row, TAKE, start, start + length, times, free, n)
    return int(n)
