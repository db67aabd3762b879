"""Slack-based backfilling: what moving a job costs, what a schedule costs, and in which order jobs are moved.

Source: the slack paper, sections 4.2, 4.4 and 4.6. Moving job i by t_i seconds in favour of a job of priority p costs
n_i^a_u t_i^a_t (p_i / p)^a_p (s0_i / s_i)^(a_p a_f); a move forward (t_i < 0) is a gain. The price of jobs over quota
(p_i = -inf) is kept apart and decides only between schedules that are otherwise equal.

Symbols: ``due`` reserved start [s], ``latest`` latest start [s] = due + slack, ``slack0`` initial slack [s],
``priority`` p, ``weights`` the exponents (a_u, a_t, a_p, a_f). ``queue`` holds the rows with reservations by arrival;
within a kernel jobs are named by their places there. On nodes, n_i are the processors of all chunks.
"""

import math

import numpy as np

from thinktime.models.kernels.machine_state import INFINITY
from thinktime.workloads.compiler import Floats, Ints, kernel
from thinktime.workloads.structures import Structure, StructureKind, fields, maker

# places in ``memory``: the options, what the pass has so far, and what is counted
(
    REMOVALS, HEURISTIC, PERMUTED, AFRESH, READING, SIZE, LENGTH, STARTED, EVENTS, CANDIDATES, INSERTIONS, BROKEN,
) = range(12)  # fmt: skip
SLACK_FACTOR, NEXT_DUE = 0, 1  # places in ``numbers``
PER_JOB = ("due", "latest", "slack0", "priority", "user_priority", "political_priority", "awt")
SLACK = StructureKind(
    "Slack",
    **fields(
        (Floats, "times"),
        (Ints, "free queue"),
        (Floats, "chosen"),
        (Ints, "memory"),
        (Floats, "numbers weights limits waits"),
    ),
    **dict.fromkeys(PER_JOB, Floats),
)
"""What the policy remembers. A job's average wait ``awt`` is NaN until its first pass, which gives it that of its
class: ``waits[i]`` is for estimates up to ``limits[i]``. ``times`` and ``free`` have room for three profiles."""
make_slack = maker(SLACK)
AST, AAT, DU, DC, DP = 0, 1, 2, 3, 4  # heuristics
A_U, A_T, A_P, A_F = 0, 1, 2, 3  # places in ``weights``
DUMMY = 1.0 / 6.0  # the priority of the dummy job that stands for a removal: (0 + 0 + 1/2) / 3
TIE = 1e-9  # prices that differ by less, relative to their size, are equal: sums in another order differ by rounding


@kernel
def move_factor(n: int, p: float, p_new: float, due: float, latest: float, slack0: float, weights: Floats) -> float:
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
def ranked(state: Structure, rule: Structure, p: float, queue: Ints, factor: Floats) -> Ints:
    """The places of the queue in the order of the heuristic, ties by arrival.

    AST by reserved start, AAT by arrival, DU by descending n t, DC by descending cost of one second in favour of a job
    of priority ``p`` (infinite for a job that must not be delayed, jobs over quota last), DP by descending priority.
    """
    key, heuristic, priority = np.zeros(queue.size), rule.memory[HEURISTIC], rule.priority
    for i in range(queue.size):
        row = queue[i]
        if heuristic == AST:
            key[i] = rule.due[row]
        elif heuristic == DU:
            key[i] = -state.processors[row] * state.estimate[row]
        elif heuristic == DC:
            if priority[row] == -INFINITY:
                key[i] = 1.0 / blunt(factor[i])
            else:
                movable = p > -INFINITY and rule.due[row] + 1.0 <= rule.latest[row]
                key[i] = -blunt(factor[i]) if movable else -INFINITY
        elif heuristic == DP:
            key[i] = -blunt(priority[row])
    return np.argsort(key, kind="mergesort")


@kernel
def priced(rule: Structure, sequence: Ints, queue: Ints, factor: Floats, trial: Floats) -> tuple[float, float, int]:
    """The price of moving jobs to their trial starts, the price of jobs over quota, and how many jobs move."""
    price, apart, moved, exponent, due = 0.0, 0.0, 0, rule.weights[A_T], rule.due
    for i in sequence:
        row = queue[i]
        if trial[i] == due[row]:
            continue
        moved += 1
        if trial[i] > due[row]:
            cost = factor[i] * (trial[i] - due[row]) ** exponent
        else:
            cost = -factor[i] * (due[row] - trial[i]) ** exponent
        if rule.priority[row] == -INFINITY:
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
