"""Scheduling passes of the rules that reserve: EASY with several reservations, conservative, conservative-dynamic.

The conservative rule keeps its profile and its reservations between passes. ``reserved[row]`` is the reserved start
of a waiting job (NaN before the first), and ``hold[row]`` the time until which the profile counts a running job.
``memory`` holds the profile's length, whether a sweep could move a job, and the number of broken reservations.
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
from thinktime.models.kernels.pool import INFINITY
from thinktime.workloads.compiler import Floats, Ints, kernel

LENGTH, LOOSE, BROKEN = 0, 1, 2  # places in ``memory``
NO_SWEEP, SWEEP, REBUILD = 0, 1, 2


@kernel
def easy_profile_pass(
    now: float,
    grace: float,
    reservations: int,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    free_now: int,
    running: Ints,
    skip: int,
    expected_end: Floats,
    times: Floats,
    free: Ints,
    out: Ints,
) -> int:
    """EASY with n reservations: the first n jobs that cannot start get one; any other starts if it fits from now on."""
    k = 0
    while k < queue.size and processors[queue[k]] <= free_now:
        out[k] = queue[k]
        free_now -= processors[queue[k]]
        k += 1
    if k == queue.size or free_now <= 0:
        return k
    n = build(now, grace, free_now, processors, running, skip, expected_end, times, free)
    for i in range(k):
        row = out[i]
        n = change(max(now + estimate[row], now + grace), INFINITY, processors[row], times, free, n)
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
    now: float,
    grace: float,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    free_now: int,
    running: Ints,
    skip: int,
    expected_end: Floats,
    times: Floats,
    free: Ints,
    out: Ints,
) -> int:
    """Conservative-dynamic: every job in queue order gets its earliest fit anew, and those that fit now start.

    The pass ends when too few processors are left for any job, since later reservations would be dropped anyway.
    """
    if free_now <= 0:
        return 0
    narrowest = processors[queue[0]]
    for row in queue:
        narrowest = min(narrowest, processors[row])
    if narrowest > free_now:
        return 0
    n = build(now, grace, free_now, processors, running, skip, expected_end, times, free)
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


@kernel
def give_back(
    now: float, rows: Ints, processors: Ints, hold: Floats, memory: Ints, times: Floats, free: Ints
) -> None:
    """Jobs have ended: what the profile still held for them is free."""
    n = advance(now, times, free, memory[LENGTH])
    for row in rows:
        if hold[row] > now:
            n = change(now, hold[row], processors[row], times, free, n)
            memory[LOOSE] = True
    memory[LENGTH] = n


@kernel
def withdraw(
    now: float,
    rows: Ints,
    processors: Ints,
    estimate: Floats,
    reserved: Floats,
    memory: Ints,
    times: Floats,
    free: Ints,
) -> None:
    """Jobs have left the queue: their reservations are free."""
    n = advance(now, times, free, memory[LENGTH])
    for row in rows:
        if reserved[row] < INFINITY:
            n = change(
                max(reserved[row], now), reserved[row] + estimate[row], processors[row], times, free, n
            )
        memory[LOOSE] = True
    memory[LENGTH] = n


@kernel
def conservative_pass(
    now: float,
    sweep: int,
    queue: Ints,
    order: Ints,
    processors: Ints,
    estimate: Floats,
    idle: int,
    reserved: Floats,
    promised: Floats,
    hold: Floats,
    memory: Ints,
    times: Floats,
    free: Ints,
    out: Ints,
    grace: float,
) -> tuple[int, float]:
    """(a) sweep along ``order``, (b) reserve for newcomers, (c) start what is due.

    Return how many jobs start, and the next due time. A sweep that moved no job cannot move one before processors are
    given back: reservations made since, at their earliest fits, and the passing of time only take room away.
    ``memory[LOOSE]`` says whether a sweep is worth its time; skipping the others changes no start and saves two sweeps
    in three on a loaded log.
    """
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
        memory[LOOSE] = moved or grace > 0.0
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
                hold[row] = now + estimate[row]
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
    return k, following
