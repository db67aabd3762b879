"""Slack-based backfilling: what moving a job costs, what a schedule costs, and in which order jobs are moved.

Source: the slack paper, sections 4.2, 4.4 and 4.6. Moving job i by t_i seconds in favour of a job of priority p costs
n_i^a_u t_i^a_t (p_i / p)^a_p (s0_i / s_i)^(a_p a_f); a move forward (t_i < 0) is a gain. The price of jobs over quota
(p_i = -inf) is kept apart and decides only between schedules that are otherwise equal.

Symbols: ``due`` reserved start [s], ``latest`` latest start [s] = due + slack, ``slack0`` initial slack [s],
``priority`` p, and the exponents ``a_u``, ``a_t``, ``a_p``, ``a_f``. ``queue`` holds the rows with reservations by
arrival; here jobs are named by their places there. On nodes, n_i are the processors of all chunks.
"""

from __future__ import annotations

import math
from typing import Any

from thinktime.models.engine import arithmetic
from thinktime.models.engine.codes import slack_prices as slack_prices_codes
from thinktime.models.engine.codes.fields import fields
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf

DUMMY = 1.0 / 6.0  # the priority of the dummy job that stands for a removal: (0 + 0 + 1/2) / 3
TIE = 1e-9  # prices that differ by less, relative to their size, are equal: sums in another order differ by rounding


def move_factor(rule: Slack, n: int, p: float, p_new: float, due: float, latest: float, slack0: float) -> float:
    """The price of moving a job, but for the time: n^a_u (p / p_new)^a_p (s0 / s)^(a_p a_f).

    Against a job over its quota (p = -inf), p_new counts as the dummy's; among jobs over quota both ratios are 1. The
    last ratio is 1 where s0 is 0 or infinite, and s counts as at least 1 s.
    """
    if p == -INFINITY:
        return float(n**rule.a_u)
    ratio = p / (DUMMY if p_new == -INFINITY else p_new)
    used = 1.0
    if 0.0 < slack0 < INFINITY:
        used = slack0 / max(latest - due, 1.0)
    return float(n**rule.a_u * ratio**rule.a_p * used ** (rule.a_p * rule.a_f))


def blunt(value: float) -> float:
    """A number rounded to 40 bits, so that what is equal in exact arithmetic is a tie here, too."""
    if value == 0.0 or not -INFINITY < value < INFINITY:
        return value
    exponent = int(arithmetic.floor(math.log2(abs(value))))
    mantissa = math.ldexp(value, -exponent)
    if abs(mantissa) >= 2.0:  # the logarithm was rounded
        mantissa, exponent = mantissa / 2.0, exponent + 1
    elif abs(mantissa) < 1.0:
        mantissa, exponent = mantissa * 2.0, exponent - 1
    return math.ldexp(arithmetic.rint(mantissa * 2.0**39), exponent - 39)


def ranked(state: State, rule: Slack, p: float, queue: Ints, factor: Floats) -> Ints:
    """The places of the queue in the order of the heuristic, ties by arrival.

    AST by reserved start, AAT by arrival, DU by descending n t, DC by descending cost of one second in favour of a job
    of priority ``p`` (infinite for a job that must not be delayed, jobs over quota last), DP by descending priority.
    """
    key, priority = state.spare.real_zeros(len(queue)), rule.priority
    heuristic = rule.heuristic
    for i in range(len(queue)):
        row = queue[i]
        if heuristic == slack_prices_codes.AST:
            key[i] = rule.due[row]
        elif heuristic == slack_prices_codes.DU:
            key[i] = -state.processors[row] * state.estimate[row]
        elif heuristic == slack_prices_codes.DC:
            if priority[row] == -INFINITY:
                key[i] = 1.0 / blunt(factor[i])
            else:
                movable = p > -INFINITY and rule.due[row] + 1.0 <= rule.latest[row]
                key[i] = -blunt(factor[i]) if movable else -INFINITY
        elif heuristic == slack_prices_codes.DP:
            key[i] = -blunt(priority[row])
    return state.spare.sorted_places(key, len(key))


def priced(rule: Slack, sequence: Ints, queue: Ints, factor: Floats, trial: Floats) -> tuple[float, float, int]:
    """The price of moving jobs to their trial starts, the price of jobs over quota, and how many jobs move."""
    price, apart, moved, exponent, due = 0.0, 0.0, 0, rule.a_t, rule.due
    for j in range(len(sequence)):
        i = sequence[j]
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


class Slack(Rule):
    """The reservations in order of arrival, and what each job may be delayed by and at what price.

    ``base`` is the profile of the running jobs, ``fixed`` also has the jobs that stay, and ``trial`` all others.
    """

    FIELDS = fields(
        (Ints, "queue"),
        (Floats, "chosen limits waits"),
        (Floats, "due latest slack0 priority user_priority political_priority awt"),
    )
    PARTS = ("base", "fixed", "trial")
    NUMBERS = fields(
        (0, "removals heuristic permuted afresh reading size started_count events candidates insertions broken"),
        (0.0, "slack_factor a_u a_t a_p a_f"),
        (INFINITY, "first_due"),
    )
    removals: int
    """Jobs that have ended or left since the last pass, each of which is a removal."""
    heuristic: int
    """In which order jobs are moved (`thinktime.models.engine.codes.slack_prices`)."""
    permuted: int
    """So many delayed jobs are tried in every order."""
    afresh: int
    """Whether jobs are taken out before, and all of them, when others are placed."""
    reading: int
    """How what the paper leaves open is read (`thinktime.models.engine.codes.slack_pass`)."""
    size: int
    """Rows in ``queue``."""
    started_count: int
    """Jobs that start in this pass."""
    events: int
    """Events so far."""
    candidates: int
    """Candidates that were priced so far."""
    insertions: int
    """Jobs that were inserted into them."""
    broken: int
    """Reservations that could not be kept."""
    slack_factor: float
    """What the mean wait is multiplied by."""
    a_u: float
    """The exponent of processors in a price."""
    a_t: float
    """That of time."""
    a_p: float
    """That of priorities."""
    a_f: float
    """That of the slack that is used up, beside that of priorities."""
    first_due: float
    """The next reserved start, s."""
    base: Profile
    fixed: Profile
    trial: Profile
    queue: Ints
    chosen: Floats
    limits: Floats
    waits: Floats
    due: Floats
    latest: Floats
    slack0: Floats
    priority: Floats
    user_priority: Floats
    political_priority: Floats
    awt: Floats

    def __init__(self, **given: Any) -> None:
        self.base, self.fixed, self.trial = Profile(), Profile(), Profile()
        super().__init__(**given)
