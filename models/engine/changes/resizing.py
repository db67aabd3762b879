"""Running jobs are given other sizes: a resize ends one stage of a run and begins another.

A job that grows has its new size at once, and stands still for its cost. One that shrinks works on for its notice,
stands still for its cost, and gives back what it has too much then. What was done is kept: a resize counts as a
checkpoint. `thinktime.models.engine.shapes` says what the state knows of it.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, gapped, pool, shapes, situation, true_ends
from thinktime.models.engine.codes import interruptions as interruptions_codes
from thinktime.models.engine.codes import runs as runs_codes
from thinktime.models.engine.codes import usage as usage_codes
from thinktime.models.engine.interruptions import interruptions, runs
from thinktime.models.engine.limits import growth, limits, prices
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.queue_orders import Order
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def resize(state: State, truth: Truth, rule: Rule, order: Order, now: float) -> bool:
    """Give running jobs the sizes that were proposed for them; whether some have given processors back at once."""
    again, before = False, state.spare.used
    for i in range(state.resize_count):
        row, place = state.resizes[i], state.resizes_to[i]
        form = state.form[row]
        more = state.form_sizes[place] - state.processors[row]
        smaller = more < 0
        until = shapes.end_with(state, row, now, place)
        if not smaller and not growth.may_have(state, row, more, until, now):  # others have grown before
            continue
        state.resized[row] = now
        if smaller and state.form_notice[form] + state.form_cost[form] > 0.0:
            _announce(state, truth, rule, now, row, place)
        else:
            change_size(state, truth, rule, order, now, row, place, state.out[:0])
            again = again or smaller
    if state.resize_count > 0:
        state.passed_over = 0
    state.resize_count, state.spare.used = 0, before
    return again


def take_effect(state: State, truth: Truth, rule: Rule, order: Order, now: float) -> None:
    """Jobs give back what they will not need any more, as was announced."""
    i = 0
    while i < state.shrinking_count:
        row = state.shrinking[i]
        if state.shrinks_at[row] <= now:
            change_size(state, truth, rule, order, now, row, state.shrinks_to[row], state.out[:0])
            state.passed_over = 0
        else:
            i += 1


def _announce(state: State, truth: Truth, rule: Rule, now: float, row: int, place: int) -> None:
    """A job will be smaller."""
    rows, form = _only(state, row), state.form[row]
    noticed = state.form_notice[form]
    rule.resizing(state, now, rows)
    end, still = shapes.end_with(state, row, now, place), now + noticed
    worked = runs.account(state, truth, row, now, runs_codes.KEPT)[0] + noticed
    work = truth.runtime[row] - truth.worked[row] - worked * truth.true_rate[row]
    limit = state.requested[row] - state.done[row] - worked * state.rate[row]
    state.still_from[row], state.shrinks_at[row], state.shrinks_to[row] = still, still + state.form_cost[form], place
    state.shrinking[state.shrinking_count] = row
    state.shrinking_count += 1
    if truth.end[row] > still:
        _end_anew(state, truth, row, state.shrinks_at[row], work, limit, place)
    gapped.expect_later(state, row, end)
    prices.renew(state, row)
    rule.resized(state, now, rows)


def _end_anew(state: State, truth: Truth, row: int, begin: float, work: float, limit: float, place: int) -> None:
    """A job has so much work and so much of its limit left when it works from a time on with the size of a place."""
    own, true = state.rate[row], truth.true_rate[row]
    state.rate[row], truth.true_rate[row] = state.form_rates[place], truth.form_true_rates[place]
    true_ends.take_end(state, truth, true_ends.end_of(state, truth, row))
    whole = begin + runs.stage(state, row, work, truth.true_rate[row])
    pool.set_end(state, truth, row, whole, begin + runs.stage(state, row, limit, state.rate[row]))
    true_ends.put_end(state, truth, row)
    state.rate[row], truth.true_rate[row] = own, true


def lose(state: State, truth: Truth, rule: Rule, order: Order, now: float, row: int, place: int, gone: Ints) -> None:
    """A running job loses some processors, or nodes, and goes on with the size of a place."""
    state.resized[row] = now
    change_size(state, truth, rule, order, now, row, place, gone)
    state.passed_over = 0


def change_size(
    state: State, truth: Truth, rule: Rule, order: Order, now: float, row: int, place: int, gone: Ints
) -> None:
    """A stage is over, and another one with another size begins; a job that loses processors stands still first."""
    rows, form = _only(state, row), state.form[row]
    rule.resizing(state, now, rows)
    order.charge_jobs(state, now, usage_codes.END, rows)
    limits.end_stage(state, row, now)
    progress, overhead, lost = runs.account(state, truth, row, now, runs_codes.KEPT)
    if now > state.start[row]:
        interruptions.log_run(state, truth, now, row, interruptions_codes.RESIZED, progress, overhead, lost)
    runs.credit(state, truth, row, progress)
    paid = state.shrinks_at[row] < INFINITY
    end_shrinking(state, row)
    end_asking(state, row)
    if len(gone) > 0:
        state.room.give_up(state, row, place, gone)
    else:
        state.room.resize(state, row, place)
    truth.true_rate[row] = truth.form_true_rates[place]
    state.pause[row] = 0.0 if paid else state.form_cost[form]
    state.start[row] = now
    limits.begin_stage(state, row, now)
    true_ends.take_end(state, truth, true_ends.end_of(state, truth, row))
    whole, limit = runs.end_of_stage(state, truth, row, now + state.pause[row])
    pool.set_end(state, truth, row, whole, limit)
    true_ends.put_end(state, truth, row)
    gapped.expect_later(state, row, limit)
    prices.renew(state, row)
    state.estimate[row] = limit - now
    expect_ask(state, truth, row)
    find_next_ask(state, truth)
    order.charge_jobs(state, now, usage_codes.START, rows)
    rule.resized(state, now, rows)


def end_shrinking(state: State, row: int) -> None:
    """A job is not shrinking any more."""
    if state.shrinks_at[row] < INFINITY:
        state.shrinking_count = situation.drop(state.shrinking, state.shrinking_count, row)
        shapes.stands_no_more(state, row)


def end_asking(state: State, row: int) -> None:
    """A job does not ask for another size any more."""
    if state.asking_count > 0:
        state.asking_count = situation.drop(state.asking, state.asking_count, row)
    state.still_from[row], state.insists[row] = INFINITY, 0


def expect_ask(state: State, truth: Truth, row: int) -> None:
    """Find out when a running job asks next for another size, unless this is after the end of its stage."""
    truth.asks_at[row] = INFINITY
    form = state.form[row]
    if form < 0 or truth.next_ask_of[row] >= truth.form_asks[form + 1]:
        return
    left = truth.ask_share[truth.next_ask_of[row]] * truth.runtime[row] - truth.worked[row]
    time = state.start[row] + state.pause[row] + runs.stage(state, row, left, truth.true_rate[row])
    if time < min(state.still_from[row], truth.end[row]):
        truth.asks_at[row] = time


def find_next_ask(state: State, truth: Truth) -> None:
    """Note when the next of all running jobs asks for another size."""
    truth.next_ask = INFINITY
    if len(truth.ask_share) == 0:
        return
    for i in range(gapped.line_up(state)):
        truth.next_ask = min(truth.next_ask, truth.asks_at[state.running[i]])


def expect_asks(state: State, truth: Truth, rows: Ints) -> None:
    """Jobs have started, some of which will ask for other sizes; what they have asked for before they ask no more."""
    if len(truth.ask_share) == 0:
        return
    for i in range(len(rows)):
        row, form = rows[i], state.form[rows[i]]
        if form >= 0:
            number: int = truth.form_asks[form]
            while number < truth.form_asks[form + 1] and _has_asked(state, truth, row, number):
                number += 1
            truth.next_ask_of[row] = number
            expect_ask(state, truth, row)
    find_next_ask(state, truth)


def _has_asked(state: State, truth: Truth, row: int, number: int) -> bool:
    """Whether a job that starts has done so much, but for what is no step of the grid, in an earlier run."""
    done = truth.worked[row]
    left = max(0.0, truth.ask_share[number] * truth.runtime[row] - done)
    return bool(done > 0.0 and arithmetic.on_grid(left / truth.true_rate[row]) == 0.0)


def oldest_first(state: State, rows: Ints) -> Ints:
    """Running rows by the start of their runs, then by id."""
    keys = state.spare.real(len(rows))
    for i in range(len(rows)):
        keys[i] = state.id[rows[i]]
    by_id = state.spare.sorted_by(keys, rows)
    for i in range(len(rows)):
        keys[i] = state.run_began[by_id[i]]
    return state.spare.sorted_by(keys, by_id)


def _only(state: State, row: int) -> Ints:
    """The row of one job."""
    rows = state.spare.whole(1)
    rows[0] = row
    return rows
