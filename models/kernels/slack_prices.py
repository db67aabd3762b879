"""Slack-based backfilling: what moving a job costs, what a schedule costs, and in which order jobs are moved.

Source: the slack paper, sections 4.2, 4.4 and 4.6. Moving job i by t_i seconds in favour of a job of priority p costs
n_i^a_u t_i^a_t (p_i / p)^a_p (s0_i / s_i)^(a_p a_f); a move forward (t_i < 0) is a gain. The price of jobs over quota
(p_i = -inf) is kept apart and decides only between schedules that are otherwise equal.

The symbols are those of `thinktime.models.kernels.slack`.
"""

import math

import numpy as np

from thinktime.models.kernels.machine_state import INFINITY
from thinktime.workloads.compiler import Floats, Ints, kernel

AST, AAT, DU, DC, DP = 0, 1, 2, 3, 4  # heuristics
A_U, A_T, A_P, A_F = 0, 1, 2, 3  # places in ``weights``
DUMMY = 1.0 / 6.0  # the priority of the dummy job that stands for a removal: (0 + 0 + 1/2) / 3
TIE = 1e-9  # prices that differ by less, relative to their size, are equal: sums in another order differ by rounding


@kernel
def move_factor(
    n: int, p: float, p_new: float, due: float, latest: float, slack0: float, weights: Floats
) -> float:
    """The price of moving a job, but for the time: n^a_u (p / p_new)^a_p (s0 / s)^(a_p a_f).

    Against a job over its quota (p = -inf), p_new counts as the dummy's; among jobs over quota both ratios are 1. The
    last ratio is 1 where s0 is 0 or infinite, and s counts as at least 1 s.
    """
    if p == -INFINITY:
        return float(n ** weights[A_U])
    ratio = p / (DUMMY if p_new == -INFINITY else p_new)
    used = 1.0
    if 0.0 < slack0 < INFINITY:
        used = slack0 / max(latest - due, 1.0)
    return float(n ** weights[A_U] * ratio ** weights[A_P] * used ** (weights[A_P] * weights[A_F]))


@kernel
def blunt(value: float) -> float:
    """A number rounded to 40 bits, so that what is equal in exact arithmetic is a tie here, too."""
    if not -INFINITY < value < INFINITY:
        return value
    mantissa, exponent = math.frexp(value)
    return math.ldexp(np.rint(mantissa * 2.0**40), exponent - 40)


@kernel
def ranked(
    heuristic: int,
    p: float,
    queue: Ints,
    processors: Ints,
    estimate: Floats,
    due: Floats,
    latest: Floats,
    priority: Floats,
    factor: Floats,
) -> Ints:
    """The places of the queue in the order of a heuristic, ties by arrival.

    AST by reserved start, AAT by arrival, DU by descending n t, DC by descending cost of one second in favour of a job
    of priority ``p`` (infinite for a job that must not be delayed, jobs over quota last), DP by descending priority.
    """
    key = np.zeros(queue.size)
    for i in range(queue.size):
        row = queue[i]
        if heuristic == AST:
            key[i] = due[row]
        elif heuristic == DU:
            key[i] = -processors[row] * estimate[row]
        elif heuristic == DC:
            if priority[row] == -INFINITY:
                key[i] = 1.0 / blunt(factor[i])
            else:
                movable = p > -INFINITY and due[row] + 1.0 <= latest[row]
                key[i] = -blunt(factor[i]) if movable else -INFINITY
        elif heuristic == DP:
            key[i] = -blunt(priority[row])
    return np.argsort(key, kind="mergesort")


@kernel
def priced(
    sequence: Ints,
    queue: Ints,
    due: Floats,
    priority: Floats,
    factor: Floats,
    exponent: float,
    trial: Floats,
) -> tuple[float, float, int]:
    """The price of moving jobs to their trial starts, the price of jobs over quota, and how many jobs move."""
    price, apart = 0.0, 0.0
    moved = 0
    for i in sequence:
        row = queue[i]
        if trial[i] == due[row]:
            continue
        moved += 1
        if trial[i] > due[row]:
            cost = factor[i] * (trial[i] - due[row]) ** exponent
        else:
            cost = -factor[i] * (due[row] - trial[i]) ** exponent
        if priority[row] == -INFINITY:
            apart += cost
        else:
            price += cost
    return price, apart, moved


@kernel
def better(price: float, apart: float, moved: int, best: float, best_apart: float, fewest: int) -> bool:
    """Whether a schedule is cheaper, or as cheap and cheaper for jobs over quota, or all that with fewer moved jobs."""
    if best == INFINITY:
        return price < INFINITY
    near = TIE * max(1.0, abs(best), abs(price))
    if abs(price - best) > near:
        return price < best
    near = TIE * max(1.0, abs(best_apart), abs(apart))
    if abs(apart - best_apart) > near:
        return apart < best_apart
    return moved < fewest
