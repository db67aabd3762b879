"""Slack-based backfilling as a compiled rule: what happens at an instant, and the decision at a job's estimate.

The pricing is in `thinktime.models.kernels.slack`. The queue is sorted by arrival. A newcomer's ``due`` is NaN, and
infinite while no start is in sight behind a hold without an end.
"""

import numpy as np

from thinktime.models.kernels import situation as of
from thinktime.models.kernels import slack_prices as prices
from thinktime.models.kernels.machine_state import CHANGING, GRACE, INFINITY, ZERO
from thinktime.models.kernels.pool import queue_of
from thinktime.models.kernels.profile import TAKE, book, fits_as_reserved, steps
from thinktime.models.kernels.room import begin_pass, fits_as_planned, overrunning, rewind, take_now
from thinktime.models.kernels.rules import NEEDS_ROOM, barred, due, ended, put_off, select, started, withdrawn
from thinktime.models.kernels.slack import BASE, TRIAL, begin, cheapest, first_fit, move, profile_at, remove_one
from thinktime.models.kernels.slack_moves import EXTEND, INSERT
from thinktime.models.kernels.state_codes import FUTURE
from thinktime.models.kernels.trials import copy_steps, kept_places, plan_again
from thinktime.workloads.compiler import Floats, Ints, kernel
from thinktime.workloads.kinds import by_kind, written_for
from thinktime.workloads.structures import Structure

PRINTED, SP_KEPT, SP_FIRST, ABSOLUTE, OWN_PRICE = 0, 1, 2, 3, 4  # readings of what the paper leaves open
TENTHS = 10.0  # an unfinished job gets a tenth of its declared time
HALF_UP = 0.5 + 1e-6  # rounding to the grid with halves up, also where a half has come out of thirds a little too small


@written_for(prices.SLACK, select)
def slack_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Price schedules after each removal, start due jobs, insert newcomers.

    A job that is due after a removal or an insertion starts before the next one is considered (section 4.2).
    """
    memory = rule.memory
    if rule.times.size < 3 * steps(state):
        return NEEDS_ROOM
    removals, memory[prices.REMOVALS], rule.numbers[prices.NEXT_DUE] = memory[prices.REMOVALS], 0, INFINITY
    if rows.size == 0:
        return 0
    skip = overrunning(state, now)
    begin(state, rule, now, skip, rows)
    removals += _restore(state, rule)
    left = begin_pass(state, skip)
    for _ in range(removals):
        remove_one(state, rule, now)
        left = start_due(state, rule, now, left)
    left = start_due(state, rule, now, left)
    for k in range(rows.size):
        if not rule.due[rows[k]] < INFINITY:
            insert(state, rule, now, rows[k])
            _line_up(rule, rows, k)
            left = start_due(state, rule, now, left)
    rewind(state, state.out[: memory[prices.STARTED]])
    for row in rule.queue[: memory[prices.SIZE]]:
        rule.numbers[prices.NEXT_DUE] = min(rule.numbers[prices.NEXT_DUE], rule.due[row])
    return int(memory[prices.STARTED])


@by_kind
def _restore(state: Structure, rule: Structure) -> int:
    """On a machine that changes: mend the reservations; how many removals the changes are."""
    return 0


@written_for(CHANGING, _restore)
def restore_after_changes(state: Structure, rule: Structure) -> int:
    """After an outage has begun or a window was announced, reservations are kept, in queue order, where they still fit.

    The others are placed again at their earliest fits, and counted. Processors that come back unexpectedly are a
    removal, as if a job had ended before the profile expected it.
    """
    news, memory, due = state.situation[of.NEWS], rule.memory, rule.due
    state.situation[of.NEWS] = state.situation[of.BACK] = 0
    if news & of.BEGAN:
        queue, n = rule.queue[: memory[prices.SIZE]], memory[prices.LENGTH]
        base_times, base_free = profile_at(rule, BASE)
        times, free = profile_at(rule, TRIAL)
        copy_steps(state, base_times, base_free, n, times, free)
        for row in queue:
            if fits_as_reserved(state, row, due[row], times, free, n):
                n = book(state, row, TAKE, due[row], due[row] + state.estimate[row], times, free, n)
            else:
                due[row] = INFINITY
        _place_again(state, rule, queue)
        memory[prices.SIZE] = 0
        for row in queue:
            if due[row] < INFINITY:
                rule.queue[memory[prices.SIZE]] = row
                memory[prices.SIZE] += 1
    return 1 if news & of.CAME_BACK else 0


@kernel
def _place_again(state: Structure, rule: Structure, queue: Ints) -> None:
    """Give jobs of the queue their earliest fits that are due no more; they may start as late as that, at least."""
    due = rule.due
    for row in queue:
        if due[row] == INFINITY:
            due[row] = first_fit(state, rule, row)
            rule.latest[row] = max(rule.latest[row], due[row])
            rule.memory[prices.BROKEN] += 1


@kernel
def scheduler_priority(wait: float, awt: float) -> float:
    """SP: 0 for a job that starts at once, 1/2 after the average wait, 1 from twice that on."""
    if wait <= 0.0:
        return 0.0
    return min(wait / (2.0 * awt), 1.0) if awt > 0.0 else 1.0


@kernel
def insert(state: Structure, rule: Structure, now: float, row: int) -> None:
    """Insert a newcomer: its reserved start, its priority, its slack, and the moves of others."""
    reading, submit, awt = rule.memory[prices.READING], state.submit[row], rule.awt[row]
    if np.isnan(awt):
        awt = rule.awt[row] = rule.waits[np.searchsorted(rule.limits, state.estimate[row])]
    given, own = 0.5, rule.user_priority[row] + rule.political_priority[row]
    if reading == SP_FIRST:
        given = scheduler_priority(first_fit(state, rule, row) - submit, awt)
    p = against = (own + given) / 3.0
    if p > -INFINITY:  # p can be 0 under SP_FIRST only
        against = prices.DUMMY if reading == ABSOLUTE else max(p, 1e-9)
    factor = max(p, 0.0) / prices.DUMMY if reading == OWN_PRICE else 1.0
    slot, _, _ = cheapest(state, rule, now, INSERT, row, state.estimate[row], against, factor)
    if np.isnan(slot):
        slot = first_fit(state, rule, row)
    else:
        move(rule)
    p = (own + (0.5 if reading == SP_KEPT else scheduler_priority(slot - submit, awt))) / 3.0
    slack = INFINITY
    if p > -INFINITY:
        slack = np.floor((1.0 - p) * rule.numbers[prices.SLACK_FACTOR] * awt * 1024.0 + HALF_UP) / 1024.0
    rule.due[row], rule.priority[row], rule.slack0[row], rule.latest[row] = slot, p, slack, slot + slack
    if np.isnan(state.promised[row]) and _is_promise(state, slot):
        state.promised[row], state.latest_start[row] = slot, slot + slack
    if slot < INFINITY:
        rule.queue[rule.memory[prices.SIZE]] = row
        rule.memory[prices.SIZE] += 1


@kernel
def _line_up(rule: Structure, rows: Ints, k: int) -> None:
    """The newcomer k of the rows, the last one of the queue, comes before those that are behind it in the rows.

    A job that comes to the queue long after its submission may have others behind it.
    """
    queue, i = rule.queue, rule.memory[prices.SIZE] - 1
    if i >= 0 and queue[i] == rows[k]:  # else no start is in sight
        while i > 0 and np.any(rows[k + 1 :] == queue[i - 1]):
            queue[i] = queue[i - 1]
            i -= 1
        queue[i] = rows[k]


@by_kind
def _is_promise(state: Structure, slot: float) -> bool:
    """Whether a first reservation is a promise, even that no start is in sight."""
    return True


@written_for(CHANGING, _is_promise)
def _is_finite_promise(state: Structure, slot: float) -> bool:
    """Processors that are down may come back."""
    return slot < INFINITY


@kernel
def start_due(state: Structure, rule: Structure, now: float, left: int) -> int:
    """Move due jobs from the queue to ``out``; what is left then.

    A due job without its room, which can occur where jobs outlive their estimates, is placed again and counted. On
    nodes it may start at once at another place.
    """
    due, memory, queue, estimate = rule.due, rule.memory, rule.queue, state.estimate
    times, free = profile_at(rule, BASE)
    for _ in range(2):
        kept, blocked = 0, 0
        for row in queue[: memory[prices.SIZE]].copy():
            if due[row] <= now and fits_as_planned(state, row, left):
                left = take_now(state, row, left)
                memory[prices.LENGTH] = book(
                    state, row, TAKE, now, now + estimate[row], times, free, memory[prices.LENGTH]
                )
                state.out[memory[prices.STARTED]] = row
                memory[prices.STARTED] += 1
            elif due[row] < INFINITY:
                if due[row] <= now:
                    due[row] = INFINITY
                    blocked += 1
                queue[kept] = row
                kept += 1
        memory[prices.SIZE] = kept
        if blocked == 0:
            break
        _place_again(state, rule, queue[:kept])
    return left


@written_for(prices.SLACK, ended)
def slack_ended(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """A job that ends before the profile expected it is removed from it; one that will run again is a newcomer then."""
    for row in rows:
        rule.memory[prices.REMOVALS] += state.clock[GRACE] > 0.0 or state.expected_end[row] > now
        if state.state[row] == FUTURE:
            rule.due[row] = np.nan


@written_for(prices.SLACK, withdrawn)
def slack_withdrawn(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """A job that has left the queue is removed from the profile, if it was there; it would come back as a newcomer."""
    for row in rows:
        rule.memory[prices.REMOVALS] += not np.isnan(rule.due[row])
        rule.due[row] = np.nan


@written_for(prices.SLACK, barred)
def slack_barred(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """They are newcomers when they come back."""
    withdrawn(state, rule, now, rows)
    rule.due[rows] = np.nan


@written_for(prices.SLACK, put_off)
def slack_put_off(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """They are newcomers in the next pass."""
    rule.due[rows] = np.nan


@written_for(prices.SLACK, started)
def slack_started(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs that were evicted for these starts ended after the pass, and the profile did not count them."""
    rule.memory[prices.REMOVALS] = 0


@written_for(prices.SLACK, due)
def slack_due(state: Structure, rule: Structure, now: float, rows: Ints) -> float:
    """The next reservation that falls due."""
    return float(rule.numbers[prices.NEXT_DUE])


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
    for _ in range(memory[prices.REMOVALS]):
        remove_one(state, rule, now)
    memory[prices.REMOVALS] = 0
    for j in range(rows.size):
        row, until[j] = rows[j], now
        longer = np.ceil(state.estimate[row] * 1024.0 / TENTHS) / 1024.0
        p = rule.priority[row]
        if half:
            p = (rule.user_priority[row] + rule.political_priority[row] + 0.5) / 3.0
        kill = state.processors[row] ** weights[prices.A_U] * state.estimate[row] ** weights[prices.A_T]
        if p == 0.0 and weights[prices.A_P] > 0.0:
            p, kill = 1.0, 4.0 * prices.TIE
        queue, over = rule.queue[: memory[prices.SIZE]], p == -INFINITY
        places = kept_places(state, queue)
        slot, price, apart = cheapest(state, rule, now, EXTEND, row, longer, p, 1.0)
        goes_on = prices.better(price, apart, ZERO, 0.0 if over else kill, kill if over else 0.0, ZERO)
        if np.isnan(slot) or not goes_on:
            plan_again(state, queue, places)
        else:
            until[j] = now + longer
            memory[prices.LENGTH] = book(state, row, TAKE, now, until[j], times, free, memory[prices.LENGTH])
            move(rule)
