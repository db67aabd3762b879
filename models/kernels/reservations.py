"""Scheduling passes of the rules that reserve: EASY with several reservations, conservative, conservative-dynamic.

The conservative rule keeps its profile and its reservations between passes. ``reserved[row]`` is the reserved start
of a waiting job (NaN before the first), ``hold[row]`` the time until which the profile counts a running job, and
``due[0]`` the next reservation that falls due. ``memory`` holds the profile's length, whether a sweep could move a job,
the number of broken reservations, whether a job has ended or was withdrawn since the last pass, how reservations
are compressed, and whether the rule has ever been told of an end.
"""

import numpy as np

from thinktime.models.kernels.availability import (
    advance,
    build,
    change,
    earlier_fit,
    earliest_fit,
    fits_now,
)
from thinktime.models.kernels.machine_state import AT_WORK, GRACE, IN_QUEUE, INFINITY, PROCESSORS, ZERO
from thinktime.models.kernels.pool import available, line_up, overrunning
from thinktime.models.kernels.rules import (
    NEEDS_ROOM,
    due,
    ended,
    order_matters,
    revised,
    select,
    started,
    withdrawn,
)
from thinktime.workloads.compiler import Floats, Ints, Structure, StructureKind, kernel, maker, written_for

LENGTH, LOOSE, BROKEN, ENDED, COMPRESS, INFORMED = range(6)  # places in ``memory``
COMPLETION, EVENT, SCHEDULED, NONE = 0, 1, 2, 3  # what is compressed when
NO_SWEEP, SWEEP, REBUILD = 0, 1, 2
REBUILT = StructureKind("Rebuilt", options=Ints, times=Floats, free=Ints)
"""Rules that plan anew in every pass. Their option is the number of reservations; 0 stands for all."""
KEPT = StructureKind("Kept", memory=Ints, due=Floats, reserved=Floats, hold=Floats, times=Floats, free=Ints)
"""Conservative backfilling."""
make_rebuilt = maker(REBUILT)
make_kept = maker(KEPT)


@kernel
def steps(state: Structure) -> int:
    """How many steps a profile may have."""
    return int(2 * (state.counts[IN_QUEUE] + state.counts[AT_WORK]) + 8)


@written_for(REBUILT, select)
def rebuilt_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """EASY with several reservations, or conservative-dynamic."""
    skip = overrunning(state, now)
    free_now = available(state, skip)
    if free_now <= 0 or rows.size == 0:
        return 0
    if rule.times.size < steps(state):
        return NEEDS_ROOM
    if rule.options[0] > 0:
        return easy_profile_pass(state, now, rule.options[0], rows, free_now, skip, rule.times, rule.free)
    return rebuild_pass(state, now, rows, free_now, skip, rule.times, rule.free)


@kernel
def easy_profile_pass(
    state: Structure,
    now: float,
    reservations: int,
    queue: Ints,
    free_now: int,
    skip: int,
    times: Floats,
    free: Ints,
) -> int:
    """EASY with n reservations: the first n jobs that cannot start get one; any other starts if it fits from now on."""
    processors, estimate, out = state.processors, state.estimate, state.out
    k = 0
    while k < queue.size and processors[queue[k]] <= free_now:
        out[k] = queue[k]
        free_now -= processors[queue[k]]
        k += 1
    if k == queue.size or free_now <= 0:
        return k
    n = _of_running(state, now, free_now, skip, times, free)
    for i in range(k):
        row = out[i]
        ends = now + max(estimate[row], state.clock[GRACE])
        n = change(ends, INFINITY, processors[row], times, free, n)
    reserved = 0
    for i in range(k, queue.size):
        row = queue[i]
        if processors[row] <= free[0] and fits_now(processors[row], estimate[row], times, free, n):
            out[k] = row
            k += 1
            n = change(now, now + estimate[row], -processors[row], times, free, n)
        elif reserved < reservations:
            start = earliest_fit(processors[row], estimate[row], times, free, n)
            n = change(start, start + estimate[row], -processors[row], times, free, n)
            reserved += 1
        if free[0] <= 0:
            break
    return k


@kernel
def rebuild_pass(
    state: Structure, now: float, queue: Ints, free_now: int, skip: int, times: Floats, free: Ints
) -> int:
    """Conservative-dynamic: every job in queue order gets its earliest fit anew, and those that fit now start.

    The pass ends when too few processors are left for any job, since later reservations would be dropped anyway.
    """
    processors, estimate, out = state.processors, state.estimate, state.out
    narrowest = processors[queue[0]]
    for row in queue:
        narrowest = min(narrowest, processors[row])
    if narrowest > free_now:
        return 0
    n = _of_running(state, now, free_now, skip, times, free)
    k = 0
    for row in queue:
        start = earliest_fit(processors[row], estimate[row], times, free, n)
        n = change(start, start + estimate[row], -processors[row], times, free, n)
        if start == now:
            out[k] = row
            k += 1
            if free[0] < narrowest:
                break
    return k


@kernel
def _of_running(state: Structure, now: float, free_now: int, skip: int, times: Floats, free: Ints) -> int:
    """The profile of the running jobs alone."""
    return build(
        now,
        state.clock[GRACE],
        free_now,
        state.processors,
        state.running[: line_up(state)],
        skip,
        state.expected_end,
        times,
        free,
    )


@kernel
def refresh_holds(
    now: float,
    grace: float,
    skip: int,
    running: Ints,
    processors: Ints,
    hold: Floats,
    memory: Ints,
    times: Floats,
    free: Ints,
) -> None:
    """Update the profile for jobs at or beyond their estimates.

    The first ``skip`` running jobs count as ended, since they may be evicted; the others hold their processors for
    ``grace`` more.
    """
    n = memory[LENGTH]
    for i in range(running.size):
        row = running[i]
        if i < skip:
            if hold[row] > now:
                n = change(now, hold[row], processors[row], times, free, n)
                memory[LOOSE] = True
            hold[row] = now
        elif hold[row] < now + grace:
            n = change(max(hold[row], now), now + grace, -processors[row], times, free, n)
            hold[row] = now + grace
        else:
            break
    memory[LENGTH] = n


@written_for(KEPT, ended)
def kept_ended(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs have ended: what the profile still held for them is free."""
    memory, hold, processors = rule.memory, rule.hold, state.processors
    n = advance(now, rule.times, rule.free, memory[LENGTH])
    for row in rows:
        if hold[row] > now:
            n = change(now, hold[row], processors[row], rule.times, rule.free, n)
            memory[LOOSE] = True
    memory[LENGTH] = n
    memory[ENDED] = memory[INFORMED] = True


@written_for(KEPT, withdrawn)
def kept_withdrawn(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs have left the queue: their reservations are free."""
    memory, reserved = rule.memory, rule.reserved
    n = advance(now, rule.times, rule.free, memory[LENGTH])
    for row in rows:
        if reserved[row] < INFINITY:
            begin, end = max(reserved[row], now), reserved[row] + state.estimate[row]
            n = change(begin, end, state.processors[row], rule.times, rule.free, n)
        memory[LOOSE] = True
    memory[LENGTH] = n
    memory[ENDED] = True


@written_for(KEPT, started)
def kept_started(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs that were evicted for these starts ended after the pass, and need no sweep at a later instant."""
    rule.memory[ENDED] = False


@written_for(KEPT, revised)
def kept_revised(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Running jobs are expected to end later than was thought: the profile counts them until then."""
    for i in range(rows.size):
        later = state.expected_end[rows[i]] - now
        refresh_holds(
            now, later, ZERO, rows[i : i + 1], state.processors, rule.hold, rule.memory, rule.times, rule.free
        )


@written_for(KEPT, due)
def kept_due(state: Structure, rule: Structure, now: float, rows: Ints) -> float:
    """The next reservation that falls due."""
    return float(rule.due[0])


@written_for(KEPT, order_matters)
def kept_order_matters(state: Structure, rule: Structure, now: float, rows: Ints) -> bool:
    """Whether a sweep can move anybody, more than one newcomer is to be placed, or a reservation can break.

    Sorting and keys took 70 % of the time under orders that change while jobs wait.
    """
    memory = rule.memory
    sweeps = memory[COMPRESS] != NONE and (memory[ENDED] or memory[COMPRESS] == EVENT)
    if state.clock[GRACE] > 0.0 or (sweeps and memory[LOOSE]):
        return True
    newcomers = 0
    for row in rows:
        newcomers += np.isnan(rule.reserved[row])
    return newcomers > 1


@written_for(KEPT, select)
def kept_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Sweep, reserve for newcomers, start what is due."""
    memory, reserved, times, free = rule.memory, rule.reserved, rule.times, rule.free
    if times.size < steps(state):
        return NEEDS_ROOM
    if memory[LENGTH] == 0:
        times[0], free[0] = now, state.counts[PROCESSORS]
        memory[LENGTH] = 1
    skip = overrunning(state, now)
    grace = state.clock[GRACE]
    if grace > 0.0:
        running = state.running[: line_up(state)]
        refresh_holds(now, grace, skip, running, state.processors, rule.hold, memory, times, free)
    if rows.size == 0:
        memory[ENDED] = False
        rule.due[0] = INFINITY
        return 0
    sweep, order = which_sweep(memory, reserved, rows, grace > 0.0)
    memory[ENDED] = False
    return conservative_pass(state, rule, now, sweep, rows, order, available(state, skip))


@kernel
def which_sweep(memory: Ints, reserved: Floats, queue: Ints, crowded: bool) -> tuple[int, Ints]:
    """Which sweep a pass makes, and in what order.

    Where nothing can be over-committed (not ``crowded``), removing all jobs and re-inserting them by reserved start
    finds what one sweep in that order finds: whatever starts later than a job's reservation cannot stand in the way of
    an earlier start of that job.
    """
    if memory[COMPRESS] == NONE or not (memory[ENDED] or memory[COMPRESS] == EVENT):
        return NO_SWEEP, queue
    if memory[COMPRESS] != SCHEDULED:
        return SWEEP, queue
    known = queue[~np.isnan(reserved[queue])]
    return REBUILD if crowded else SWEEP, known[np.argsort(reserved[known], kind="mergesort")]


@kernel
def conservative_pass(
    state: Structure, rule: Structure, now: float, sweep: int, queue: Ints, order: Ints, idle: int
) -> int:
    """(a) sweep along ``order``, (b) reserve for newcomers, (c) start what is due.

    A sweep that moved no job cannot move one before processors are given back: reservations made since, at their
    earliest fits, and the passing of time only take room away. ``memory[LOOSE]`` says whether a sweep is worth its
    time; skipping the others changes no start and saves two sweeps in three on a loaded log.
    """
    processors, estimate, promised, out = state.processors, state.estimate, state.promised, state.out
    memory, reserved, times, free = rule.memory, rule.reserved, rule.times, rule.free
    n = advance(now, times, free, memory[LENGTH])
    if sweep == SWEEP and memory[LOOSE]:
        moved = False
        for row in order:
            if reserved[row] > now:  # NaN for newcomers
                start = earlier_fit(reserved[row], processors[row], estimate[row], times, free, n)
                if start < reserved[row]:
                    n = change(reserved[row], reserved[row] + estimate[row], processors[row], times, free, n)
                    n = change(start, start + estimate[row], -processors[row], times, free, n)
                    reserved[row] = start
                    moved = True
        memory[LOOSE] = moved or state.clock[GRACE] > 0.0
    elif sweep == REBUILD:
        for row in order:
            n = change(
                max(reserved[row], now), reserved[row] + estimate[row], processors[row], times, free, n
            )
        for row in order:
            reserved[row] = earliest_fit(processors[row], estimate[row], times, free, n)
            n = change(reserved[row], reserved[row] + estimate[row], -processors[row], times, free, n)
    k = 0
    following = INFINITY
    for row in queue:
        if np.isnan(reserved[row]) or reserved[row] == INFINITY:  # a newcomer, or nothing was in sight so far
            first = np.isnan(promised[row])
            reserved[row] = earliest_fit(processors[row], estimate[row], times, free, n)
            if first:
                promised[row] = reserved[row]
            n = change(reserved[row], reserved[row] + estimate[row], -processors[row], times, free, n)
    for row in queue:
        if reserved[row] <= now:
            if processors[row] <= idle:
                idle -= processors[row]
                rule.hold[row] = now + estimate[row]
                out[k] = row
                k += 1
                continue
            n = change(now, reserved[row] + estimate[row], processors[row], times, free, n)
            reserved[row] = earliest_fit(processors[row], estimate[row], times, free, n)
            n = change(reserved[row], reserved[row] + estimate[row], -processors[row], times, free, n)
            memory[LOOSE] = True
            memory[BROKEN] += 1
        following = min(following, reserved[row])
    memory[LENGTH] = n
    rule.due[0] = following
    return k
