"""Slack-based backfilling: the decision at a job's estimate (the slack paper, section 4.7).

The pricing and the symbols are in `thinktime.models.kernels.slack`.
"""

import numpy as np

from thinktime.models.kernels.availability import build, change
from thinktime.models.kernels.machine_state import INFINITY, ZERO
from thinktime.models.kernels.slack import cheapest, remove_one
from thinktime.models.kernels.slack_moves import EXTEND
from thinktime.models.kernels.slack_prices import A_P, A_T, A_U, TIE, better
from thinktime.workloads.compiler import Floats, Ints, kernel

TENTHS = 10.0  # an unfinished job gets a tenth of its declared time


@kernel
def extend_pass(
    now: float,
    removals: int,
    rows: Ints,
    until: Floats,
    waiting: Ints,
    processors: Ints,
    estimate: Floats,
    free_now: int,
    running: Ints,
    expected_end: Floats,
    due: Floats,
    latest: Floats,
    slack0: Floats,
    priority: Floats,
    user_priority: Floats,
    political_priority: Floats,
    weights: Floats,
    heuristic: int,
    exact: int,
    afresh: bool,
    half: bool,
    counters: Ints,
) -> None:
    """The tick strategy: write to ``until`` how long each unfinished job may go on (until now: it is killed).

    The removals of the instant come first; jobs that they make due start after the decisions. Killing costs n^a_u
    t^a_t with the declared time t. Going on costs as much as inserting a job of the same size and priority and a tenth
    of t now and nowhere else; it is chosen if it is cheaper, and the necessary moves are made. With ``half`` the job
    has the priority of a newcomer, SP = 1/2, instead of its own. A priority of 0 makes the smallest delay infinitely
    dear, so such a job goes on only if the moves together cost nothing.
    """
    room = running.size + 2 * (waiting.size + rows.size) + 8
    base_times, base_free = np.empty(room), np.empty(room, np.int64)
    base = build(now, 0.0, free_now, processors, running, ZERO, expected_end, base_times, base_free)
    queue, chosen = np.empty(waiting.size, np.int64), np.empty(waiting.size)
    size = ZERO
    for row in waiting:
        if due[row] < INFINITY:
            queue[size] = row
            size += 1
    for _ in range(removals):
        remove_one(
            now, queue[:size], processors, estimate, due, latest, slack0, priority, weights, heuristic, exact,
            afresh, base_times, base_free, base, counters, chosen,
        )  # fmt: skip
    for j in range(rows.size):
        row = rows[j]
        until[j] = now
        longer = np.ceil(estimate[row] * 1024.0 / TENTHS) / 1024.0
        p = priority[row]
        if half:
            p = (user_priority[row] + political_priority[row] + 0.5) / 3.0
        kill = processors[row] ** weights[A_U] * estimate[row] ** weights[A_T]
        if p == 0.0 and weights[A_P] > 0.0:
            p, kill = 1.0, 4.0 * TIE
        slot, price, apart = cheapest(
            now, EXTEND, processors[row], longer, p, queue[:size], processors, estimate, due, latest, slack0,
            priority, weights, heuristic, exact, afresh, base_times, base_free, base, counters, chosen, 1.0,
        )  # fmt: skip
        over = p == -INFINITY
        if np.isnan(slot):
            continue
        if better(price, apart, ZERO, 0.0 if over else kill, kill if over else 0.0, ZERO):
            until[j] = now + longer
            base = change(now, until[j], -processors[row], base_times, base_free, base)
            for i in range(size):
                due[queue[i]] = chosen[i]
