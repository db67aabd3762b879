"""The loop that goes through instants: for machines and forecasts, compiled rules and policies in Python.

The contract of one instant *t*: (1) completions and kills; (2) policy clocks; (3) withdrawals and submissions, by
(time, id); (4) one scheduling pass; (5) starts. Between two events of SimPy nobody outside the machine can act, so one
call *leaps* through every instant before a horizon. It pauses where somebody has to be told, since they may react.

Who asks for something in Python is called from here: a policy (`thinktime.models.engine.asked`), an order, users who
follow plans, observers. What they raise comes out of the loop, with their own lines.

On LANL-CM5 under EASY, the calls from Python and SimPy's own work for every instant took nine tenths of the time.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, overspent, pool, reasons, shapes
from thinktime.models.engine.changes import evolving, resizing
from thinktime.models.engine.codes import budgets as budget_codes
from thinktime.models.engine.codes import leap as leap_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import usage as usage_codes
from thinktime.models.engine.estimates import Estimator
from thinktime.models.engine.interruptions import runs
from thinktime.models.engine.interrupts import look_for_signals
from thinktime.models.engine.limits import budgets, entries, entry_rows, limits, ranking
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.queue_orders import Order
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.sources import patience, releases
from thinktime.models.engine.sources.sources import Sources
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def leap(
    state: State,
    truth: Truth,
    rule: Rule,
    order: Order,
    estimator: Estimator,
    sources: Sources,
    now: float,
    phase: int,
    horizon: float,
    mark: int,
    attended: bool,
) -> tuple[float, int]:
    """Go through the instant ``now`` from ``phase`` on, and through all others before ``horizon``.

    Return a time, and how to go on then:

    * `ENDS`: begin a new instant; nothing happens before.
    * `PASS`: jobs have ended; tell whoever waits for them, let them react, and go on with the pass.
    * `TELL`: the instant is over; tell whoever waits for what has happened, and go on at the time of `following`.
    * `AGAIN`: the rule's arrays are too short for the pass, or it asks something; go on with it.
    * `HELP`: Python has to help a user who is due (`thinktime.models.engine.sources.plans`); go on with the pass.

    ``mark`` is a number of jobs that are over at which to return, too. So does an idle machine that only its rule would
    wake, since the run may be over. Where nobody waits for jobs (``attended`` is false, and nothing follows them), ends
    are no instants while the queue is empty.
    """
    work, looked, steady = 0, 0, state.overrun == at.KILL and state.grace == 0.0
    changing, limited, predicts = state.changing, state.limited, estimator.predicts()
    steady = steady and order.is_kept() and rule.passes_over(state) and not limited
    asks, shaped = rule.asks, state.shaped
    if phase == leap_codes.ENDS and truth.arrived_count == 0 and not truth.wishes:
        then = following(state, truth, rule, estimator, now, attended)
        if then > now:  # an older ring, and nothing to do
            return then, leap_codes.ENDS
    while True:
        if now > truth.reached:
            truth.before, truth.reached = state.in_queue, now
        if phase == leap_codes.ENDS or (truth.wishes and phase == leap_codes.PASS):
            if phase == leap_codes.ENDS:
                truth.stirred = False
            if complete(state, truth, rule, order, estimator, sources, now):
                return now, leap_codes.PASS
        urgent, truth.urgent = truth.urgent, False
        if phase < leap_codes.AGAIN:
            if predicts and estimator.next_revision(state) <= now:
                truth.stirred = True
                rule.revised(state, now, state.scratch[: estimator.revise(state, now)])
            if asks and rule.strikes(state, now):
                truth.stirred = True
            if truth.wishes:
                if releases.ask(truth, now, at.WITHDRAWN):
                    return now, leap_codes.PASS
                if truth.wishes:
                    phase = leap_codes.PASS
                    continue
            if truth.impatient > 0 and patience.leave_impatiently(state, truth, rule, sources, now):
                return now, leap_codes.PASS
            if releases.next_submission(truth) <= now and not sources.arrive(state, truth, now):
                return now, leap_codes.HELP
            if truth.arrived_count > 0:
                truth.stirred = True
                if predicts:
                    estimator.admit(state, truth, truth.arrived[: truth.arrived_count])
                if truth.observed or order.asks_for_keys():
                    releases.ask(truth, now, at.NEWCOMERS)
        if phase != leap_codes.AGAIN and truth.arrived_count > 0:
            k = pool.enqueue(state, truth, now)
            if truth.turned_away > 0:
                urgent = sources.note_over(state, truth, now, state.scratch[: truth.turned_away]) or urgent
            if asks and k > 0:
                rule.submitted(state, now, truth.arrived[:k])
        if changing and state.changes.leave_hopeless(state, truth, rule, sources, now):
            urgent = True
        passes = phase == leap_codes.AGAIN or not only_balked(state, truth, rule, now)
        phase, again, k = leap_codes.ENDS, passes, 0
        while again:
            state.spare.used = 0
            if shaped:
                state.resize_count = 0
            if limited:
                if shaped and state.budget_kind != budget_codes.NONE:
                    rule.count_as(state, now, entry_rows.every_row(state))
                if budgets.is_due(state, now):
                    releases.ask(truth, now, budget_codes.QUESTION)
                if overspent.refuse(state, truth, rule, sources, now):
                    urgent = True
            queue = in_order(state, rule, order, now)
            k, again = rule.select(state, now, queue), False
            if k < 0:
                truth.urgent = urgent
                return now, leap_codes.AGAIN
            if limited and k > 0 and (not asks or rule.may_be_cut(state, now, k)):
                k, again = within_limits(state, rule, now, queue, k)
            if changing and state.changes.preempt(state, truth, rule, order, estimator, sources, now):
                urgent = True
            if k > 0:
                if state.on_nodes and not asks:
                    state.room.plan_starts(state, queue if changing else state.out[:0], state.out[:k])
                if start(state, truth, rule, order, estimator, sources, now, k):
                    urgent = True
            if asks:
                rule.passed(state, now, state.out[:k])
            if shaped and not again:
                if rule.reshape(state, now, in_order(state, rule, order, now)):
                    truth.urgent = urgent
                    return now, leap_codes.AGAIN
                again = resizing.resize(state, truth, rule, order, now)
                if state.asking_count > 0 and not again:
                    evolving.go_on_without(state, truth)
        if asks and passes:
            rule.plan(state, now)
        if passes:
            state.passed_over = 0
            if steady and (k == 0 or not state.withheld):
                state.passed_over = state.in_queue
        truth.seen = truth.in_sight = state.in_queue
        if limited:
            limits.age(state, now)
        if truth.explained > 0:
            reasons.explain(state, truth, now)
        if urgent:
            return now, leap_codes.TELL
        then = following(state, truth, rule, estimator, now, attended)
        work += 10 + state.in_queue
        if work - looked > leap_codes.UNSEEN:
            looked = work
            look_for_signals()  # objects: Python is called
        idle = state.in_queue + state.at_work == 0 and then < releases.next_submission(truth)
        if then >= horizon or work > leap_codes.WORK or truth.over >= mark or idle:
            return then, leap_codes.ENDS
        if truth.foresees and state.in_queue == 0:
            return then, leap_codes.ENDS
        if (asks or truth.observed) and then >= next_event(truth):
            return then, leap_codes.ENDS
        now = max(now, then)


def in_order(state: State, rule: Rule, order: Order, now: float) -> Ints:
    """The waiting rows that may start, in queue order."""
    if state.limited:
        queue = eligible(state, rule, now)
    else:
        queue = state.waiting[state.head : state.head + state.in_queue]
    if not order.is_kept():
        queue = order.arranged(state, rule, now, queue)
    if state.limited:
        queue = ranking.lowest_last(state, ranking.by_tier(state, queue))
    if state.changing:
        queue = state.room.admitted_first(state, queue)
    return queue


def next_event(truth: Truth) -> float:
    """When somebody else's next event is, who may have been called in a leap; infinite for never."""
    return float(truth.events[0][0]) if truth.events else INFINITY


def complete(
    state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
) -> bool:
    """Phase 1: end what is given back, due, or cancelled, and change the machine; true if somebody may react.

    What is given back comes first: a hold that ends at its estimate has not outlived it.
    """
    told, wishes = False, truth.wishes
    if wishes:
        truth.stirred = True
        told = releases.ask(truth, now, at.GIVEN_BACK)
    if truth.next_end <= now:
        truth.stirred = True
        if truth.prolongs and releases.ask(truth, now, at.AT_ESTIMATES):
            told = True
        if truth.next_end <= now:
            k = pool.finish_due(state, truth, now)
            if note_ends(state, truth, rule, order, estimator, sources, now, k):
                told = True
    if wishes and releases.ask(truth, now, at.CANCELLED):
        told = True
    if state.changing:
        if min(state.changes.next_change(state, truth), state.changes.next_return(state)) <= now:
            truth.stirred = True
        if state.changes.change(state, truth, rule, order, estimator, sources, now):
            told = True
    return told


def note_ends(
    state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float, count: int
) -> bool:
    """The first rows of ``done`` run no longer: tell everybody; true if somebody may react to it."""
    rows = truth.done[:count]
    if estimator.predicts():
        estimator.learn(state, truth, rows)
    order.charge_jobs(state, now, usage_codes.END, rows)
    rule.ended(state, now, rows)
    return sources.note_over(state, truth, now, rows)


def start(
    state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float, count: int
) -> bool:
    """Start the first rows of ``out``, and tell everybody; true if somebody may react to it."""
    rows, urgent = state.out[:count], False
    entries.start_entries(state, order, rows)
    if rule.asks:
        fault = pool.verdict(state, now, rows)
        if fault < 0:
            rule.refuse(state, now, rows, fault)
    evicted = pool.start_rows(state, truth, now, rows)
    if evicted > 0:
        urgent = note_ends(state, truth, rule, order, estimator, sources, now, evicted)
    if state.shaped:
        resizing.expect_asks(state, truth, rows)
    order.charge_jobs(state, now, usage_codes.START, rows)
    rule.started(state, now, rows)
    if estimator.predicts():
        estimator.expect(state, rows)
    return sources.note_started(state, truth, now, rows) or urgent


def only_balked(state: State, truth: Truth, rule: Rule, now: float) -> bool:
    """Whether nothing has happened at an instant but that users did not submit: then there is no pass."""
    if truth.stirred > 0 or truth.balked_at != now:
        return False
    return min(rule.next_due(state, now), limits.next_opening(state, now)) > now


def eligible(state: State, rule: Rule, now: float) -> Ints:
    """The waiting rows that no limit keeps from starting, with the sizes by which the rule counts them."""
    if state.shaped:
        beyond = beyond_with_sizes(state, rule, now)
    else:
        beyond = limits.sort_out(state, now)
    if beyond > 0:
        rule.barred(state, now, arithmetic.rows_copied(state.scratch[:beyond]))
    return state.limit_rows[: state.limit_eligible]


def beyond_with_sizes(state: State, rule: Rule, now: float) -> int:
    """As `limits.sort_out`; then jobs have again the sizes that were chosen for them last."""
    rows = arithmetic.rows_copied(entry_rows.every_row(state))
    sizes = arithmetic.taken_whole(state.processors, rows)
    rule.count_as(state, now, rows)
    beyond = limits.sort_out(state, now)
    shapes.have_again(state, rows, sizes)
    runs.plan_entries(state)
    return beyond


def within_limits(state: State, rule: Rule, now: float, queue: Ints, k: int) -> tuple[int, bool]:
    """How many of those that the rule would start may start, and whether a pass has to follow at once."""
    kept = limits.cut(state, now, queue, k)
    again = kept < 0
    if again:
        kept = -1 - kept
    if kept < k:
        rule.put_off(state, now, arithmetic.rows_copied(state.out[kept:k]))
    return kept, again


def following(state: State, truth: Truth, rule: Rule, estimator: Estimator, now: float, attended: bool) -> float:
    """The next instant after a pass. While nobody waits, the last of all ends is the only one that matters."""
    waiting, running = state.in_queue, state.at_work
    time = min(releases.next_submission(truth), rule.next_due(state, now))
    if state.changing:
        time = min(time, state.changes.next_return(state))
    if state.limited:
        time = min(time, limits.next_opening(state, now))
    if truth.impatient > 0:
        time = min(time, patience.next_leaving(state, truth))
    if waiting + running > 0:
        if attended or state.shaped or waiting > 0 or truth.to_come > 0:
            time = min(time, float(truth.next_end))
            if estimator.predicts():
                time = min(time, estimator.next_revision(state))
        else:
            time = min(time, float(truth.last_end))
    if state.changing and (waiting + running > 0 or time < INFINITY):
        time = min(time, state.changes.next_change(state, truth))
    return time


def next_wish(state: State, rule: Rule, estimator: Estimator, now: float) -> float:
    """When time alone calls for a pass: for the rule, a limit, or an estimate that is reached; infinite for never."""
    time = min(rule.next_due(state, now), limits.next_opening(state, now))
    return min(time, estimator.next_revision(state))
