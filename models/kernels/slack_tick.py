"""Slack-based backfilling: the decision at a job's estimate (the slack paper, section 4.7).

The pricing is in `thinktime.models.kernels.slack`.
"""

import numpy as np

from thinktime.models.kernels.machine_state import INFINITY, ZERO
from thinktime.models.kernels.pool import queue_of
from thinktime.models.kernels.profile import TAKE, book
from thinktime.models.kernels.slack import BASE, begin, cheapest, move, profile_at, remove_one
from thinktime.models.kernels.slack_moves import EXTEND
from thinktime.models.kernels.slack_prices import A_P, A_T, A_U, LENGTH, REMOVALS, SIZE, TIE, better
from thinktime.models.kernels.trials import kept_places, plan_again
from thinktime.workloads.compiler import Floats, Ints, Structure, kernel

TENTHS = 10.0  # an unfinished job gets a tenth of its declared time


@kernel
def extend_pass(state: Structure, rule: Structure, now: float, rows: Ints, until: Floats, half: bool) -> None:
    """The tick strategy: write to ``until`` how long each unfinished job may go on (until now: it is killed).

    The removals of the instant come first; jobs that they make due start after the decisions. Killing costs n^a_u
    t^a_t with the declared time t. Going on costs as much as inserting a job of the same size and priority and a tenth
    of t now and nowhere else; it is chosen if it is cheaper, and the necessary moves are made. With ``half`` the job
    has the priority of a newcomer, SP = 1/2, instead of its own. A priority of 0 makes the smallest delay infinitely
    dear, so such a job goes on only if the moves together cost nothing.
    """
    memory, weights = rule.memory, rule.weights
    begin(state, rule, now, ZERO, queue_of(state))
    times, free = profile_at(rule, BASE)
    for _ in range(memory[REMOVALS]):
        remove_one(state, rule, now)
    memory[REMOVALS] = 0
    for j in range(rows.size):
        row, until[j] = rows[j], now
        longer = np.ceil(state.estimate[row] * 1024.0 / TENTHS) / 1024.0
        p = rule.priority[row]
        if half:
            p = (rule.user_priority[row] + rule.political_priority[row] + 0.5) / 3.0
        kill = state.processors[row] ** weights[A_U] * state.estimate[row] ** weights[A_T]
        if p == 0.0 and weights[A_P] > 0.0:
            p, kill = 1.0, 4.0 * TIE
        queue, over = rule.queue[: memory[SIZE]], p == -INFINITY
        places = kept_places(state, queue)
        slot, price, apart = cheapest(state, rule, now, EXTEND, row, longer, p, 1.0)
        goes_on = better(price, apart, ZERO, 0.0 if over else kill, kill if over else 0.0, ZERO)
        if np.isnan(slot) or not goes_on:
            plan_again(state, queue, places)
        else:
            until[j] = now + longer
            memory[LENGTH] = book(state, row, TAKE, now, until[j], times, free, memory[LENGTH])
            move(rule)
