"""Scheduling passes of the rules that reserve: EASY with several reservations, conservative, conservative-dynamic.

The conservative rule keeps its profile and its reservations between passes. ``reserved[row]`` is the reserved start
of a waiting job (NaN before the first), ``hold[row]`` the time until which the profile counts a running job,
``due[0]`` the next reservation that falls due, and ``due[1]`` the time before which something was given back since
jobs found no earlier fits. ``memory`` holds the profile's length, whether a sweep could move a job,
the number of broken reservations, whether a job has ended or was withdrawn since the last pass, how reservations
are compressed, and whether the rule has ever been told of an end.
"""

import numpy as np

from thinktime.models.kernels import profile
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import CHANGING, CHANGING_NODES, GRACE, INFINITY, ZERO
from thinktime.models.kernels.nodes import SINGLE
from thinktime.models.kernels.passes import start_beside, strict_pass
from thinktime.models.kernels.pool import queue_of
from thinktime.models.kernels.queue_orders import sort_places
from thinktime.models.kernels.room import begin_pass, fits_as_planned, has_news, overrunning, rewind, take_now, used_up
from thinktime.models.kernels.rules import (
    NEEDS_ROOM,
    barred,
    due,
    ended,
    order_matters,
    revised,
    select,
    started,
    withdrawn,
)
from thinktime.workloads.compiler import Floats, Ints, inlined, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure, StructureKind, maker

LENGTH, LOOSE, BROKEN, ENDED, COMPRESS, INFORMED = range(6)  # places in ``memory``
NEXT, REACH = 0, 1  # places in ``due``
COMPLETION, EVENT, SCHEDULED, NONE = 0, 1, 2, 3  # what is compressed when
NO_SWEEP, SWEEP, REBUILD = 0, 1, 2
UNTIED = -1
"""Instead of a length: reservations have no nodes yet, since any nodes would do, and now it matters which."""
REBUILT = StructureKind("Rebuilt", options=Ints, times=Floats, free=Ints)
"""Rules that plan anew in every pass. Their option is the number of reservations; 0 stands for all."""
KEPT = StructureKind(
    "Kept", memory=Ints, due=Floats, tried=Floats, reserved=Floats, hold=Floats, times=Floats, free=Ints
)
"""Conservative backfilling."""
make_rebuilt = maker(REBUILT)
make_kept = maker(KEPT)


@written_for(REBUILT, select)
def rebuilt_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """EASY with several reservations, or conservative-dynamic: plan all jobs anew, in queue order.

    A job that fits from now on starts. The first others get reservations, as many as the option says. The pass ends
    when too little is left for any job, since reservations for later would be dropped anyway.
    """
    skip = overrunning(state, now)
    left = begin_pass(state, skip)
    if used_up(state, left) or rows.size == 0:
        return 0
    if rule.times.size < profile.steps(state):
        return NEEDS_ROOM
    estimate, out, times, free = state.estimate, state.out, rule.times, rule.free
    k, left = strict_pass(state, rows, out, left)
    rewind(state, out[:k])
    if k == rows.size or used_up(state, left):
        return k
    least = profile.narrowest(state, rows[k:])
    n = profile.running_profile(state, now, skip, times, free)
    for row in rows[:k]:
        if skip == 0:  # else it has its places, on what is idle if it fits there
            profile.fits_from_now(state, row, estimate[row], times, free, n)
        n = profile.book(state, row, profile.TAKE, now, now + max(estimate[row], state.clock[GRACE]), times, free, n)
    reservations = rule.options[0] if rule.options[0] > 0 else rows.size
    k, n = start_beside(state, now, rows[k:], k, reservations, least, times, free, n)
    return k


@kernel
def hold_on(state: Structure, rule: Structure, now: float, grace: float, skip: int, rows: Ints) -> None:
    """Let the profile count running jobs, which are sorted by expected end, for ``grace`` s from now at least.

    The first ``skip`` of them count as ended, since they may be evicted.
    """
    memory, hold, times, free = rule.memory, rule.hold, rule.times, rule.free
    n = memory[LENGTH]
    for i in range(rows.size):
        row = rows[i]
        if i < skip:
            if hold[row] > now:
                n = profile.book(state, row, profile.GIVE, now, hold[row], times, free, n)
                memory[LOOSE] = True
            hold[row] = now
        elif hold[row] < now + grace:
            n = profile.book(state, row, profile.TAKE, max(hold[row], now), now + grace, times, free, n)
            hold[row] = now + grace
        else:
            break
    memory[LENGTH] = n


@kernel
def forget(state: Structure, rule: Structure, now: float) -> None:
    """Forget all reservations. ``hold`` says how long running jobs are expected to run."""
    times, free = rule.times, rule.free
    rule.reserved[:] = np.nan
    n = profile.idle_profile(state, now, times, free)
    for row in state.running[: line_up(state)]:
        n = profile.book(state, row, profile.TAKE, now, rule.hold[row], times, free, n)
    rule.memory[LENGTH], rule.memory[LOOSE], rule.due[NEXT] = n, True, now


@kernel
def _tie(state: Structure, rule: Structure, now: float, gone: Ints) -> bool:
    """Put reservations on nodes if they are untied, but for those of rows that are ``gone``; whether they were.

    In order of their starts, all keep their times, as enough nodes are free then; else they are broken, and made anew.
    """
    memory, reserved, hold, times, free = rule.memory, rule.reserved, rule.hold, rule.times, rule.free
    if memory[LENGTH] != UNTIED:
        return False
    queue = queue_of(state)
    begins, known, k = np.empty(queue.size), np.empty(queue.size, np.int64), 0
    n = profile.idle_profile(state, now, times, free)
    for row in state.running[: line_up(state)]:
        if hold[row] > now:
            n = profile.book(state, row, profile.TAKE, now, hold[row], times, free, n)
    for row in queue:
        leaves = False
        for other in gone:
            leaves = leaves or other == row
        if not leaves and -INFINITY < reserved[row] < INFINITY:
            begins[k], known[k] = max(reserved[row], now), row
            k += 1
    for i in np.argsort(begins[:k], kind="mergesort"):
        row, begin, length = known[i], begins[i], state.estimate[known[i]]
        if profile.fits_at(state, row, begin, length, times, free, n):
            n = profile.book(state, row, profile.TAKE, begin, reserved[row] + length, times, free, n)
        else:
            reserved[row] = np.nan
            memory[BROKEN] += 1
    memory[LENGTH], memory[LOOSE], rule.due[REACH] = n, True, INFINITY
    return True


@written_for(KEPT, ended)
def kept_ended(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs have ended: what the profile still held for them is free."""
    memory, hold, made = rule.memory, rule.hold, _tie(state, rule, now, rows)
    n = profile.advance(state, now, rule.times, rule.free, memory[LENGTH])
    for row in rows:
        if hold[row] > now:
            if not made:
                n = profile.book(state, row, profile.GIVE, now, hold[row], rule.times, rule.free, n)
            memory[LOOSE], rule.due[REACH] = True, max(rule.due[REACH], hold[row])
        rule.reserved[row] = np.nan
    memory[LENGTH] = n
    memory[ENDED] = memory[INFORMED] = True


@written_for(KEPT, withdrawn)
def kept_withdrawn(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs have left the queue: their reservations are free."""
    memory, reserved, made = rule.memory, rule.reserved, _tie(state, rule, now, rows)
    n = profile.advance(state, now, rule.times, rule.free, memory[LENGTH])
    for row in rows:
        if reserved[row] < INFINITY:
            begin, end = max(reserved[row], now), reserved[row] + state.estimate[row]
            if not made:
                n = profile.book(state, row, profile.GIVE, begin, end, rule.times, rule.free, n)
            rule.due[REACH] = max(rule.due[REACH], end)
        memory[LOOSE], reserved[row] = True, np.nan
    memory[LENGTH] = n
    memory[ENDED] = True


@written_for(KEPT, barred)
def kept_barred(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """They have no reservations any more."""
    withdrawn(state, rule, now, rows)
    rule.reserved[rows] = np.nan


@written_for(KEPT, started)
def kept_started(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs that were evicted for these starts ended after the pass, and need no sweep at a later instant."""
    rule.memory[ENDED] = False


@written_for(KEPT, revised)
def kept_revised(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Running jobs are expected to end later than was thought: the profile counts them until then."""
    _tie(state, rule, now, rows[:0])
    for i in range(rows.size):
        later = state.expected_end[rows[i]] - now
        hold_on(state, rule, now, later, ZERO, rows[i : i + 1])


@written_for(KEPT, due)
def kept_due(state: Structure, rule: Structure, now: float, rows: Ints) -> float:
    """The next reservation that falls due."""
    return float(rule.due[NEXT])


@written_for(KEPT, order_matters)
def kept_order_matters(state: Structure, rule: Structure, now: float, rows: Ints) -> bool:
    """Whether a sweep can move anybody, a reservation can break, or more than one job is to be placed or to start.

    Sorting and keys took 70 % of the time under orders that change while jobs wait.
    """
    memory = rule.memory
    sweeps = memory[COMPRESS] != NONE and (memory[ENDED] or memory[COMPRESS] == EVENT)
    if state.clock[GRACE] > 0.0 or has_news(state) or (sweeps and (profile.begin_sweep(state) or memory[LOOSE])):
        return True
    concerned = 0
    for row in rows:
        concerned += not now < rule.reserved[row] < INFINITY  # NaN, or nothing is in sight, or it is due
    return concerned > 1


@written_for(KEPT, select)
def kept_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Sweep, reserve for newcomers, start what is due."""
    memory, reserved, times, free = rule.memory, rule.reserved, rule.times, rule.free
    if times.size < profile.steps(state):
        return NEEDS_ROOM
    _tie(state, rule, now, rows[:0])
    if memory[LENGTH] == 0:
        memory[LENGTH] = profile.idle_profile(state, now, times, free)
    skip = overrunning(state, now)
    grace = state.clock[GRACE]
    memory[LENGTH] = profile.advance(state, now, times, free, memory[LENGTH])
    if grace > 0.0:
        hold_on(state, rule, now, grace, skip, state.running[: line_up(state)])
    _stay(state)
    _restore(state, rule, now, rows)
    if rows.size == 0:
        memory[ENDED] = False
        rule.due[NEXT] = INFINITY
        return 0
    sweep, order = which_sweep(state, memory, reserved, rows)
    memory[ENDED] = False
    if sweep == SWEEP and (profile.begin_sweep(state) or memory[LOOSE]):
        _bring_forward(state, rule, now, order)
    elif sweep == REBUILD:
        _rebuild(state, rule, now, order)
    _reserve(state, rule, rows)
    return _start_due(state, rule, now, rows, begin_pass(state, skip))


@by_kind
def _stay(state: Structure) -> None:
    """Let jobs start on the nodes of their reservations, if these have some: others are planned beside them."""


@written_for(CHANGING_NODES, _stay)
def stay_on_nodes(state: Structure) -> None:
    """Where nodes are alike, reservations have none."""
    state.site[SINGLE] = 0


@by_kind
def _restore(state: Structure, rule: Structure, now: float, queue: Ints) -> None:
    """Before a sweep, on a machine that changes: break the reservations that its changes stand in the way of."""


@written_for(CHANGING, _restore)
def restore_after_changes(state: Structure, rule: Structure, now: float, queue: Ints) -> None:
    """After an outage has begun or a window was announced, reservations are kept where they still fit.

    They are put back in queue order; then those that do not fit, and those of interrupted jobs, are made anew.
    """
    memory, reserved, times, free, news = rule.memory, rule.reserved, rule.times, rule.free, state.situation[of.NEWS]
    n = memory[LENGTH]
    if news & of.BEGAN:
        n = profile.idle_profile(state, now, times, free)
        for row in state.running[: line_up(state)]:
            n = profile.book(state, row, profile.TAKE, now, rule.hold[row], times, free, n)
        for row in queue:
            if reserved[row] < INFINITY:
                end = reserved[row] + state.estimate[row]
                if profile.fits_as_reserved(state, row, reserved[row], times, free, n):
                    n = profile.book(state, row, profile.TAKE, reserved[row], end, times, free, n)
                else:
                    reserved[row] = -INFINITY
                    memory[BROKEN] += 1
        memory[LOOSE], rule.due[REACH] = True, INFINITY
    elif news & of.CAME_BACK:
        n = profile.more_from(state, now, times, free, n)
        memory[LOOSE], rule.due[REACH] = True, INFINITY
    if news & of.CAME_BACK:
        memory[ENDED] = True
    memory[LENGTH], state.situation[of.NEWS], state.situation[of.BACK] = n, 0, 0
    back = state.when[of.DELAY] == 0.0  # else they come back as newcomers
    for row in queue:
        if reserved[row] == -INFINITY or (back and np.isnan(reserved[row]) and state.runs[row] > 0):
            _reserve_one(state, rule, row)


@kernel
def which_sweep(state: Structure, memory: Ints, reserved: Floats, queue: Ints) -> tuple[int, Ints]:
    """Which sweep a pass makes, and in what order.

    Where nothing can be over-committed (``crowds`` says no), removing all jobs and re-inserting them by reserved start
    finds what one sweep in that order finds: whatever starts later than a job's reservation cannot stand in the way of
    an earlier start of that job.
    """
    if memory[COMPRESS] == NONE or not (memory[ENDED] or memory[COMPRESS] == EVENT):
        return NO_SWEEP, queue
    if memory[COMPRESS] != SCHEDULED:
        return SWEEP, queue
    known, n = state.out, 0
    for row in queue:
        if not np.isnan(reserved[row]):
            known[n] = row
            n += 1
    return REBUILD if profile.crowds(state) else SWEEP, sort_places(reserved, known[:n], state.scratch[:n])


@kernel
@inlined
def _bring_forward(state: Structure, rule: Structure, now: float, order: Ints) -> None:
    """Bring every reservation forward in turn, where there is an earlier fit.

    A sweep that moved no job cannot move one before something is given back: reservations made since, at their
    earliest fits, and the passing of time only take room away. ``memory[LOOSE]`` says whether a sweep is worth its
    time; skipping the others changes no start and saves two sweeps in three on a loaded log. For the same reason, an
    earlier fit has to begin before the end of what was given back.
    """
    memory, reserved, crowded = rule.memory, rule.reserved, state.clock[GRACE] > 0.0
    n, reach, given = memory[LENGTH], INFINITY if crowded else rule.due[REACH], -INFINITY
    tried = rule.tried[: 1 if crowded else rule.tried.size]
    tried[0] = 0.0
    for row in order:
        if reserved[row] > now:  # NaN for newcomers
            start, n = profile.bring_forward(
                state, row, reserved[row], max(reach, given), tried, rule.times, rule.free, n
            )
            if start < reserved[row]:
                given = max(given, reserved[row] + state.estimate[row])
                reserved[row] = start
                _promise(state, row, start)
    memory[LENGTH], memory[LOOSE], rule.due[REACH] = n, given > -INFINITY or crowded, given


@kernel
def _rebuild(state: Structure, rule: Structure, now: float, order: Ints) -> None:
    """Remove all reservations, and make them anew."""
    reserved, estimate, n = rule.reserved, state.estimate, rule.memory[LENGTH]
    for row in order:
        begin, end = max(reserved[row], now), reserved[row] + estimate[row]
        n = profile.book(state, row, profile.GIVE, begin, end, rule.times, rule.free, n)
    rule.memory[LENGTH] = n
    for row in order:
        _reserve_one(state, rule, row)


@kernel
@inlined
def _reserve(state: Structure, rule: Structure, queue: Ints) -> None:
    """Reserve for newcomers, and for whom nothing was in sight so far."""
    reserved = rule.reserved
    for row in queue:
        if np.isnan(reserved[row]) or reserved[row] == INFINITY:
            _reserve_one(state, rule, row)


@kernel
@inlined
def _reserve_one(state: Structure, rule: Structure, row: int) -> None:
    """Reserve a job's earliest fit."""
    times, free, n, duration = rule.times, rule.free, rule.memory[LENGTH], state.estimate[row]
    start = profile.earliest(state, row, duration, times, free, n)
    rule.memory[LENGTH] = profile.book(state, row, profile.TAKE, start, start + duration, times, free, n)
    rule.reserved[row] = start
    _promise(state, row, start)


@kernel
@inlined
def _promise(state: Structure, row: int, start: float) -> None:
    """The first reservation is what a job is promised."""
    if start < INFINITY and np.isnan(state.promised[row]):
        state.promised[row] = start


@kernel
def _start_due(state: Structure, rule: Structure, now: float, queue: Ints, left: int) -> int:
    """Start what is due. A reservation without room is broken: it is made anew, and may be for now at another place."""
    memory, reserved, out = rule.memory, rule.reserved, state.out
    k, following = 0, INFINITY
    for row in queue:
        starts = reserved[row] <= now and fits_as_planned(state, row, left)
        if reserved[row] <= now and not starts:
            end = reserved[row] + state.estimate[row]
            memory[LENGTH] = profile.book(state, row, profile.GIVE, now, end, rule.times, rule.free, memory[LENGTH])
            _reserve_one(state, rule, row)
            memory[LOOSE] = True
            memory[BROKEN] += 1
            starts = reserved[row] == now and fits_as_planned(state, row, left)
        if starts:
            left = take_now(state, row, left)
            rule.hold[row] = now + state.estimate[row]
            out[k] = row
            k += 1
        else:
            following = min(following, reserved[row])
    rewind(state, out[:k])
    rule.due[NEXT] = following
    return k
