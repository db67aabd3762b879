"""Slack-based backfilling: every candidate slot for a job is priced, and the cheapest schedule is chosen.

Source: the slack paper, sections 4.2 to 4.6. For each slot start ts from now on, jobs that run or are due before ts
stay where they are, the new job of t seconds is put exactly at ts, and all others are delayed by t. Then the schedule
is compressed: in the order of a heuristic each delayed job moves from where it stands to its earliest fit. A
schedule's price is the new job's wait, (ts - now)^a_t n^a_u, and the sum of what the moves cost (`slack_prices`). No
job may be placed after its latest start.

In order of reserved start (AST), a delayed job never meets one behind it, since that one is delayed as well. The later
jobs can therefore be taken out and inserted again: `reinsert` costs a third of `compress`.

The fixed part of the profile grows from candidate to candidate by the jobs that it has passed, and a candidate is given
up as soon as one job would start too late. Jobs are named by their places in ``queue``, which holds the jobs with
reservations by arrival.

Symbols: ``due`` reserved start [s], ``latest`` latest start [s] = due + slack, ``slack0`` initial slack [s],
``priority`` p, ``weights`` the exponents (a_u, a_t, a_p, a_f).
"""

import numpy as np

from thinktime.models.kernels.availability import change
from thinktime.models.kernels.machine_state import INFINITY, ZERO
from thinktime.models.kernels.slack_moves import (
    REMOVE,
    compress,
    fits_at,
    next_permutation,
    reinsert,
    slot_starts,
)
from thinktime.models.kernels.slack_prices import A_T, A_U, AST, DUMMY, better, move_factor, priced, ranked
from thinktime.workloads.compiler import Floats, Ints, kernel

EVENTS, CANDIDATES, INSERTIONS, BROKEN = 0, 1, 2, 3  # places in ``counters``
PRINTED, SP_KEPT, SP_FIRST, ABSOLUTE, OWN_PRICE = 0, 1, 2, 3, 4  # readings of what the paper leaves open


@kernel
def cheapest(
    now: float,
    kind: int,
    need: int,
    duration: float,
    p: float,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    due: Floats,
    latest: Floats,
    slack0: Floats,
    priority: Floats,
    weights: Floats,
    heuristic: int,
    exact: int,
    afresh: bool,
    base_times: Floats,
    base_free: Ints,
    base: int,
    counters: Ints,
    chosen: Floats,
    own_factor: float,
) -> tuple[float, float, float]:
    """The slot of the cheapest schedule (NaN: none is possible), its price, and what jobs over quota pay.

    ``kind``: INSERT a job of ``need`` processors and ``duration`` seconds, REMOVE (a dummy job that needs nothing), or
    EXTEND (insert at now and nowhere else). ``chosen`` receives the reserved starts of the queue. Where at most
    ``exact`` jobs are delayed, every permutation of them is tried, that of the heuristic first. With ``afresh`` the
    delayed jobs are taken out and inserted again instead of compressed. ``own_factor`` multiplies the price of the new
    job's own wait (1 as printed).
    """
    size = queue.size
    over = p == -INFINITY
    factor, bound, starts = np.empty(size), np.empty(size), np.empty(size)
    for i in range(size):
        row = queue[i]
        factor[i] = move_factor(
            processors[row], priority[row], p, due[row], latest[row], slack0[row], weights
        )
        starts[i] = due[row]
        bound[i] = due[row] if over and priority[row] > -INFINITY else latest[row]
    by_start = np.argsort(starts, kind="mergesort")
    order = ranked(heuristic, p, queue, processors, estimate, due, latest, priority, factor)
    slots = slot_starts(now, kind, queue, estimate, due, base_times, base)
    room = base + 2 * size + 6
    fixed_times, times = np.empty(room), np.empty(room)
    fixed_free, free = np.empty(room, np.int64), np.empty(room, np.int64)
    fixed_times[:base] = base_times[:base]
    fixed_free[:base] = base_free[:base]
    fixed = base
    trial = starts.copy()
    sequence, shuffled, permutation = (
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
    )
    passed = 0
    slot, best, best_apart, fewest = np.nan, INFINITY, INFINITY, ZERO
    counters[EVENTS] += 1
    for at in slots:
        while passed < size and starts[by_start[passed]] < at:
            row = queue[by_start[passed]]
            fixed = change(
                due[row], due[row] + estimate[row], -processors[row], fixed_times, fixed_free, fixed
            )
            passed += 1
        if kind != REMOVE and not fits_at(at, need, duration, fixed_times, fixed_free, fixed):
            continue
        counters[CANDIDATES] += 1
        delayed = 0
        for i in order:
            if starts[i] >= at:
                sequence[delayed] = i
                permutation[delayed] = delayed
                delayed += 1
        own = 0.0 if kind == REMOVE else own_factor * (at - now) ** weights[A_T] * need ** weights[A_U]
        taken_out = afresh or (heuristic == AST and delayed > exact)
        while True:
            for j in range(delayed):
                shuffled[j] = sequence[permutation[j]]
            times[:fixed] = fixed_times[:fixed]
            free[:fixed] = fixed_free[:fixed]
            n = fixed
            if kind != REMOVE:
                n = change(at, at + duration, -need, times, free, n)
            turn = shuffled[:delayed]
            if taken_out:
                done = reinsert(turn, queue, processors, estimate, bound, times, free, n, trial)
            else:
                done = compress(
                    turn, queue, processors, estimate, due, bound, duration, times, free, n, trial
                )
            counters[INSERTIONS] += done
            if done == delayed:
                price, apart, moved = priced(turn, queue, due, priority, factor, weights[A_T], trial)
                if over:
                    apart += own
                else:
                    price += own
                if better(price, apart, moved, best, best_apart, fewest):
                    slot, best, best_apart, fewest = at, price, apart, moved
                    chosen[:size] = starts
                    for i in turn:
                        chosen[i] = trial[i]
            if delayed > exact or not next_permutation(permutation[:delayed], min(done, delayed - 1)):
                break
    return slot, best, best_apart


@kernel
def remove_one(
    now: float,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    due: Floats,
    latest: Floats,
    slack0: Floats,
    priority: Floats,
    weights: Floats,
    heuristic: int,
    exact: int,
    afresh: bool,
    base_times: Floats,
    base_free: Ints,
    base: int,
    counters: Ints,
    chosen: Floats,
) -> None:
    """A job has left the profile: insert a dummy job of no time and no processors, and make the moves."""
    slot, _, _ = cheapest(
        now, REMOVE, ZERO, 0.0, DUMMY, queue, processors, estimate, due, latest, slack0, priority, weights,
        heuristic, exact, afresh, base_times, base_free, base, counters, chosen, 1.0,
    )  # fmt: skip
    if not np.isnan(slot):
        for i in range(queue.size):
            due[queue[i]] = chosen[i]
