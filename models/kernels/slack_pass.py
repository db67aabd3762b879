"""Slack-based backfilling: one scheduling pass.

The pricing and the symbols are in `thinktime.models.kernels.slack`. ``waiting`` is sorted by arrival. A newcomer's
``due`` is NaN, and infinite while no start is in sight behind a hold without an end.
"""

import numpy as np

from thinktime.models.kernels.availability import build, change, earliest_fit
from thinktime.models.kernels.machine_state import INFINITY, ZERO
from thinktime.models.kernels.slack import (
    ABSOLUTE,
    BROKEN,
    OWN_PRICE,
    SP_FIRST,
    SP_KEPT,
    cheapest,
    remove_one,
)
from thinktime.models.kernels.slack_moves import INSERT
from thinktime.models.kernels.slack_prices import DUMMY
from thinktime.workloads.compiler import Floats, Ints, kernel

HALF_UP = (
    0.5 + 1e-6
)  # rounding to the grid with halves up, also where a half has come out of thirds a little too small


@kernel
def profile_of(
    queue: Ints,
    size: int,
    processors: Ints,
    estimate: Floats,
    due: Floats,
    base_times: Floats,
    base_free: Ints,
    base: int,
    times: Floats,
    free: Ints,
) -> int:
    """The profile with all reservations."""
    times[:base] = base_times[:base]
    free[:base] = base_free[:base]
    n = base
    for row in queue[:size]:
        n = change(due[row], due[row] + estimate[row], -processors[row], times, free, n)
    return n


@kernel
def first_fit(
    row: int,
    queue: Ints,
    size: int,
    processors: Ints,
    estimate: Floats,
    due: Floats,
    base_times: Floats,
    base_free: Ints,
    base: int,
) -> float:
    """The earliest fit of a job if no other job moves."""
    room = base + 2 * size + 6
    times, free = np.empty(room), np.empty(room, np.int64)
    n = profile_of(queue, size, processors, estimate, due, base_times, base_free, base, times, free)
    return earliest_fit(processors[row], estimate[row], times, free, n)


@kernel
def scheduler_priority(wait: float, awt: float) -> float:
    """SP: 0 for a job that starts at once, 1/2 after the average wait, 1 from twice that on."""
    if wait <= 0.0:
        return 0.0
    return min(wait / (2.0 * awt), 1.0) if awt > 0.0 else 1.0


@kernel
def settle(
    row: int,
    at: float,
    keep: bool,
    submit: Floats,
    awt: Floats,
    slack_factor: float,
    user_priority: Floats,
    political_priority: Floats,
    due: Floats,
    latest: Floats,
    slack0: Floats,
    priority: Floats,
) -> None:
    """Give a job its first reserved start, its priority with the SP that follows (``keep``: 1/2), its initial slack."""
    given = 0.5 if keep else scheduler_priority(at - submit[row], awt[row])
    p = (user_priority[row] + political_priority[row] + given) / 3.0
    slack = INFINITY
    if p > -INFINITY:
        slack = np.floor((1.0 - p) * slack_factor * awt[row] * 1024.0 + HALF_UP) / 1024.0
    due[row], priority[row], slack0[row], latest[row] = at, p, slack, at + slack


@kernel
def start_due(
    now: float,
    queue: Ints,
    size: int,
    processors: Ints,
    estimate: Floats,
    due: Floats,
    latest: Floats,
    base_times: Floats,
    base_free: Ints,
    base: int,
    counters: Ints,
    out: Ints,
    k: int,
) -> tuple[int, int, int]:
    """Move due jobs from the queue to ``out``; return the lengths of the queue, the base profile and ``out``.

    A due job without processors, which can occur where jobs outlive their estimates, is placed again and counted.
    """
    kept = ZERO
    blocked = 0
    for i in range(size):
        row = queue[i]
        if due[row] > now:
            queue[kept] = row
            kept += 1
        elif processors[row] <= base_free[0]:
            base = change(now, now + estimate[row], -processors[row], base_times, base_free, base)
            out[k] = row
            k += 1
        else:
            due[row] = INFINITY
            queue[kept] = row
            kept += 1
            blocked += 1
    if blocked:
        room = base + 2 * kept + 6
        times, free = np.empty(room), np.empty(room, np.int64)
        for i in range(kept):
            row = queue[i]
            if due[row] == INFINITY:
                n = profile_of(
                    queue, kept, processors, estimate, due, base_times, base_free, base, times, free
                )
                due[row] = earliest_fit(processors[row], estimate[row], times, free, n)
                latest[row] = max(latest[row], due[row])
                counters[BROKEN] += 1
        size = kept
        kept = ZERO
        for i in range(size):
            if due[queue[i]] < INFINITY:
                queue[kept] = queue[i]
                kept += 1
    return kept, base, k


@kernel
def slack_pass(
    now: float,
    grace: float,
    removals: int,
    waiting: Ints,
    processors: Ints,
    estimate: Floats,
    submit: Floats,
    free_now: int,
    running: Ints,
    skip: int,
    expected_end: Floats,
    promised: Floats,
    latest_start: Floats,
    due: Floats,
    latest: Floats,
    slack0: Floats,
    priority: Floats,
    user_priority: Floats,
    political_priority: Floats,
    awt: Floats,
    slack_factor: float,
    weights: Floats,
    heuristic: int,
    exact: int,
    afresh: bool,
    reading: int,
    counters: Ints,
    out: Ints,
) -> tuple[int, float]:
    """Price schedules after each removal, start due jobs, insert newcomers; the number of starts and the next due time.

    A job that is due after a removal or an insertion starts before the next one is considered (section 4.2).
    """
    room = running.size + 2 * waiting.size + 8
    base_times, base_free = np.empty(room), np.empty(room, np.int64)
    base = build(now, grace, free_now, processors, running, skip, expected_end, base_times, base_free)
    queue, chosen = np.empty(waiting.size, np.int64), np.empty(waiting.size)
    size = ZERO
    for row in waiting:
        if due[row] < INFINITY:  # not a newcomer (NaN), and a start was in sight
            queue[size] = row
            size += 1
    k = ZERO
    for _ in range(removals):
        remove_one(
            now, queue[:size], processors, estimate, due, latest, slack0, priority, weights, heuristic, exact,
            afresh, base_times, base_free, base, counters, chosen,
        )  # fmt: skip
        size, base, k = start_due(
            now, queue, size, processors, estimate, due, latest, base_times, base_free, base, counters, out, k
        )
    size, base, k = start_due(
        now, queue, size, processors, estimate, due, latest, base_times, base_free, base, counters, out, k
    )
    for row in waiting:
        if due[row] < INFINITY:
            continue
        given = 0.5
        if reading == SP_FIRST:
            first = first_fit(row, queue, size, processors, estimate, due, base_times, base_free, base)
            given = scheduler_priority(first - submit[row], awt[row])
        p = (user_priority[row] + political_priority[row] + given) / 3.0
        against = p
        if p > -INFINITY:  # p can be 0 under SP_FIRST only
            against = DUMMY if reading == ABSOLUTE else max(p, 1e-9)
        slot, _, _ = cheapest(
            now, INSERT, processors[row], estimate[row], against, queue[:size], processors, estimate, due,
            latest, slack0, priority, weights, heuristic, exact, afresh, base_times, base_free, base, counters, chosen,
            max(p, 0.0) / DUMMY if reading == OWN_PRICE else 1.0,
        )  # fmt: skip
        if np.isnan(slot):
            slot = first_fit(row, queue, size, processors, estimate, due, base_times, base_free, base)
        else:
            for i in range(size):
                due[queue[i]] = chosen[i]
        settle(
            row,
            slot,
            reading == SP_KEPT,
            submit,
            awt,
            slack_factor,
            user_priority,
            political_priority,
            due,
            latest,
            slack0,
            priority,
        )
        if np.isnan(promised[row]):
            promised[row], latest_start[row] = slot, latest[row]
        if slot < INFINITY:
            queue[size] = row
            size += 1
        size, base, k = start_due(
            now, queue, size, processors, estimate, due, latest, base_times, base_free, base, counters, out, k
        )
    following = INFINITY
    for row in queue[:size]:
        following = min(following, due[row])
    return k, following
