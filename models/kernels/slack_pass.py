"""Slack-based backfilling as a compiled rule: what happens at an instant.

The pricing is in `thinktime.models.kernels.slack`. The queue is sorted by arrival. A newcomer's ``due`` is NaN, and
infinite while no start is in sight behind a hold without an end.
"""

import numpy as np

from thinktime.models.kernels import slack_prices as prices
from thinktime.models.kernels.machine_state import GRACE, INFINITY
from thinktime.models.kernels.profile import TAKE, book, steps
from thinktime.models.kernels.room import begin_pass, fits_as_planned, overrunning, rewind, take_now
from thinktime.models.kernels.rules import NEEDS_ROOM, due, ended, select, started, withdrawn
from thinktime.models.kernels.slack import BASE, begin, cheapest, first_fit, move, profile_at, remove_one
from thinktime.models.kernels.slack_moves import INSERT
from thinktime.workloads.compiler import Ints, Structure, kernel, written_for

PRINTED, SP_KEPT, SP_FIRST, ABSOLUTE, OWN_PRICE = 0, 1, 2, 3, 4  # readings of what the paper leaves open
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
    left = begin_pass(state, skip)
    for _ in range(removals):
        remove_one(state, rule, now)
        left = start_due(state, rule, now, left)
    left = start_due(state, rule, now, left)
    for row in rows:
        if not rule.due[row] < INFINITY:
            insert(state, rule, now, row)
            left = start_due(state, rule, now, left)
    rewind(state, state.out[: memory[prices.STARTED]])
    for row in rule.queue[: memory[prices.SIZE]]:
        rule.numbers[prices.NEXT_DUE] = min(rule.numbers[prices.NEXT_DUE], rule.due[row])
    return int(memory[prices.STARTED])


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
    if np.isnan(state.promised[row]):
        state.promised[row], state.latest_start[row] = slot, slot + slack
    if slot < INFINITY:
        rule.queue[rule.memory[prices.SIZE]] = row
        rule.memory[prices.SIZE] += 1


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
        for row in queue[:kept]:
            if due[row] == INFINITY:
                due[row] = first_fit(state, rule, row)
                rule.latest[row] = max(rule.latest[row], due[row])
                memory[prices.BROKEN] += 1
    return left


@written_for(prices.SLACK, ended)
def slack_ended(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """A job that ends before the profile expected it is removed from it."""
    for row in rows:
        rule.memory[prices.REMOVALS] += state.clock[GRACE] > 0.0 or state.expected_end[row] > now


@written_for(prices.SLACK, withdrawn)
def slack_withdrawn(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """A job that has left the queue is removed from the profile."""
    rule.memory[prices.REMOVALS] += rows.size


@written_for(prices.SLACK, started)
def slack_started(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs that were evicted for these starts ended after the pass, and the profile did not count them."""
    rule.memory[prices.REMOVALS] = 0


@written_for(prices.SLACK, due)
def slack_due(state: Structure, rule: Structure, now: float, rows: Ints) -> float:
    """The next reservation that falls due."""
    return float(rule.numbers[prices.NEXT_DUE])
