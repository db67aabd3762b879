"""Slack-based backfilling: every candidate slot for a job is priced, and the cheapest schedule is chosen.

Source: the slack paper, sections 4.2 to 4.6. For each slot start ts from now on, jobs that run or are due before ts
stay where they are, the new job is put exactly at ts, and the others are inserted again, each at its earliest fit,
in the order of a heuristic. A schedule's price is the new job's wait, (ts - now)^a_t n^a_u, and the sum of what the
moves cost, n_i^a_u t_i^a_t (p_i / p)^a_p (s0_i / s_i)^(a_p a_f); a move forward (t_i < 0) is a gain. No job may be
placed after its latest start.

The fixed part of the profile grows from candidate to candidate by the jobs that it has passed; a candidate is given up
as soon as one job would start too late. Jobs are named by their place in ``queue``, which holds the jobs with
reservations by arrival.

Symbols: ``due`` reserved start [s], ``latest`` latest start [s] = due + slack, ``slack0`` initial slack [s],
``priority`` p, ``weights`` the exponents (a_u, a_t, a_p, a_f).
"""

import math

import numpy as np

from thinktime.models.kernels.compiler import kernel
from thinktime.models.kernels.pool import Floats, Ints
from thinktime.models.kernels.profile import change, earliest_fit, locate

INFINITY = float("inf")
AST, AAT, DU, DC, DP = 0, 1, 2, 3, 4
INSERT, REMOVE, EXTEND = 0, 1, 2
WHOLE: Ints = np.arange(3)  # 0, 1 and 2 as kernels pass them on: bare numbers are types of their own to Numba
EVENTS, CANDIDATES, INSERTIONS, BROKEN = 0, 1, 2, 3  # places in ``counters``
DUMMY = 1.0 / 6.0  # the priority of the dummy job that stands for a removal: (0 + 0 + 1/2) / 3
PRINTED, SP_KEPT, SP_FIRST, ABSOLUTE, OWN_PRICE = 0, 1, 2, 3, 4  # readings of what the paper leaves open
TIE = 1e-9  # prices that differ by less, relative to their size, are equal: sums in another order differ by rounding


@kernel
def move_factor(
    n: int, p: float, p_new: float, due: float, latest: float, slack0: float, weights: Floats
) -> float:
    """The price of moving a job, but for the time: n^a_u (p / p_new)^a_p (s0 / s)^(a_p a_f).

    A job over its quota (p = -inf) counts nothing; against one, p_new counts as the dummy's. The last ratio is 1
    where s0 is 0 or infinite, and s counts as at least 1 s.
    """
    ratio = 0.0 if p == -INFINITY else p / (DUMMY if p_new == -INFINITY else p_new)
    used = 1.0
    if 0.0 < slack0 < INFINITY:
        used = slack0 / max(latest - due, 1.0)
    return float(n ** weights[0] * ratio ** weights[2] * used ** (weights[2] * weights[3]))


@kernel
def blunt(value: float) -> float:
    """A number to 40 bits: what is equal in exact arithmetic must be a tie here, too."""
    if not -INFINITY < value < INFINITY:
        return value
    mantissa, exponent = math.frexp(value)
    return math.ldexp(np.rint(mantissa * 2.0**40), exponent - 40)


@kernel
def ranked(
    heuristic: int,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    due: Floats,
    latest: Floats,
    priority: Floats,
    factor: Floats,
) -> Ints:
    """The places of the queue in the order of a heuristic, ties by arrival.

    AST by reserved start, AAT by arrival, DU by descending n t, DC by descending cost of one second (infinite for a job
    with less slack), DP by descending priority.
    """
    key = np.zeros(queue.size)
    for i in range(queue.size):
        row = queue[i]
        if heuristic == 0:
            key[i] = due[row]
        elif heuristic == 2:
            key[i] = -processors[row] * estimate[row]
        elif heuristic == 3:
            key[i] = -blunt(factor[i]) if due[row] + 1.0 <= latest[row] else -INFINITY
        elif heuristic == 4:
            key[i] = -blunt(priority[row])
    return np.argsort(key, kind="mergesort")


@kernel
def reinsert(
    sequence: Ints,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    due: Floats,
    latest: Floats,
    factor: Floats,
    exponent: float,
    no_delay: bool,
    times: Floats,
    free: Ints,
    n: int,
    trial: Floats,
) -> tuple[int, float, int]:
    """Insert jobs again at their earliest fits; how many could be in time, the price, how many moved."""
    price = 0.0
    moved = 0
    for k in range(sequence.size):
        i = sequence[k]
        row = queue[i]
        begin = earliest_fit(processors[row], estimate[row], times, free, n)
        if begin == INFINITY or begin > latest[row] or (no_delay and begin > due[row]):
            return k, INFINITY, moved
        n = change(begin, begin + estimate[row], -processors[row], times, free, n)
        trial[i] = begin
        if begin > due[row]:
            price += factor[i] * (begin - due[row]) ** exponent
            moved += 1
        elif begin < due[row]:
            price -= factor[i] * (due[row] - begin) ** exponent
            moved += 1
    return sequence.size, price, moved


@kernel
def fits_at(begin: float, need: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether ``need`` processors are free from ``begin`` on for the whole ``duration``."""
    i = locate(begin, times, n)
    end = begin + duration
    while i < n and times[i] < end:
        if free[i] < need:
            return False
        i += 1
    return True


@kernel
def better(price: float, moved: int, best: float, fewest: int) -> bool:
    """Whether a schedule is cheaper, or as cheap with fewer moved jobs."""
    if best == INFINITY:
        return price < INFINITY
    near = TIE * max(1.0, abs(best), abs(price))
    return bool(price < best - near or (price <= best + near and moved < fewest))


@kernel
def next_permutation(order: Ints, keep: int) -> bool:
    """The next permutation in lexical order whose first ``keep`` + 1 places are not the same; False after the last."""
    n = order.size
    for i in range(keep + 1, n):  # the rest in descending order is the last one that begins like this
        j = i
        while j > keep + 1 and order[j] > order[j - 1]:
            order[j], order[j - 1] = order[j - 1], order[j]
            j -= 1
    i = n - 2
    while i >= 0 and order[i] > order[i + 1]:
        i -= 1
    if i < 0:
        return False
    j = n - 1
    while order[j] < order[i]:
        j -= 1
    order[i], order[j] = order[j], order[i]
    low, high = i + 1, n - 1
    while low < high:
        order[low], order[high] = order[high], order[low]
        low += 1
        high -= 1
    return True


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
    base_times: Floats,
    base_free: Ints,
    base: int,
    counters: Ints,
    chosen: Floats,
    own_factor: float,
) -> tuple[float, float, int]:
    """The slot of the cheapest schedule (NaN: none is possible), its price, the jobs that it moves.

    ``kind``: INSERT a job of ``need`` processors and ``duration`` seconds, REMOVE (a dummy job that needs nothing), or
    EXTEND (insert at now and nowhere else). ``chosen`` receives the reserved starts of the queue. Where at most
    ``exact`` jobs are delayed, every permutation of them is tried, that of the heuristic first. ``own_factor``
    multiplies the price of the new job's own wait (1 as printed).
    """
    size = queue.size
    factor = np.empty(size)
    starts = np.empty(size)
    for i in range(size):
        row = queue[i]
        factor[i] = move_factor(
            processors[row], priority[row], p, due[row], latest[row], slack0[row], weights
        )
        starts[i] = due[row]
    by_start = np.argsort(starts, kind="mergesort")
    order = ranked(heuristic, queue, processors, estimate, due, latest, priority, factor)
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
    slot, best, fewest = np.nan, INFINITY, WHOLE[0]
    counters[0] += 1
    for at in slots:
        while passed < size and starts[by_start[passed]] < at:
            row = queue[by_start[passed]]
            fixed = change(
                due[row], due[row] + estimate[row], -processors[row], fixed_times, fixed_free, fixed
            )
            passed += 1
        if kind != 1 and not fits_at(at, need, duration, fixed_times, fixed_free, fixed):
            continue
        counters[1] += 1
        delayed = 0
        for i in order:
            if starts[i] >= at:
                sequence[delayed] = i
                permutation[delayed] = delayed
                delayed += 1
        own = 0.0 if kind == 1 else own_factor * (at - now) ** weights[1] * need ** weights[0]
        while True:
            for j in range(delayed):
                shuffled[j] = sequence[permutation[j]]
            times[:fixed] = fixed_times[:fixed]
            free[:fixed] = fixed_free[:fixed]
            n = fixed
            if kind != 1:
                n = change(at, at + duration, -need, times, free, n)
            done, moves, moved = reinsert(
                shuffled[:delayed], queue, processors, estimate, due, latest, factor, weights[1],
                p == -INFINITY, times, free, n, trial,
            )  # fmt: skip
            counters[2] += done
            if done == delayed and better(own + moves, moved, best, fewest):
                slot, best, fewest = at, own + moves, moved
                chosen[:size] = starts
                for j in range(delayed):
                    chosen[sequence[j]] = trial[sequence[j]]
            if delayed > exact or not next_permutation(permutation[:delayed], min(done, delayed - 1)):
                break
    return slot, best, fewest


@kernel
def slot_starts(
    now: float,
    kind: int,
    queue: Ints,
    estimate: Floats,
    due: Floats,
    base_times: Floats,
    base: int,
) -> Floats:
    """Where a slot starts, from now on: each start and each end of a job in the profile, once, ascending."""
    if kind == 2:
        return np.full(1, now)
    slots = np.empty(base + 2 * queue.size)
    slots[:base] = base_times[:base]
    n = base
    for row in queue:
        slots[n] = due[row]
        slots[n + 1] = due[row] + estimate[row]
        n += 2
    slots.sort()
    kept = 0
    for time in slots:
        if now <= time < INFINITY and (kept == 0 or time > slots[kept - 1]):
            slots[kept] = time
            kept += 1
    return slots[:kept]
