"""Evolving jobs: at given shares of their work they ask for other sizes (`thinktime.workloads.shapes`).

Who asks for less gives the rest back at once. Who asks for more is in ``asking[:n]``, and the rule may grant it in its
pass (`thinktime.models.policies.shapes.rule`). If it does not, a job goes on as it is; one that ``insists`` stands
still until it is granted, and holds what it has. What limits or nodes never allow is never granted. The asks of form f
are those from ``form_asks[f]`` to ``form_asks[f + 1]``, by their shares; ``next_ask_of[row]`` is the next one of a job,
at the time ``asks_at[row]``.
"""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, true_ends
from thinktime.models.engine.changes import resizing
from thinktime.models.engine.codes import shapes as codes
from thinktime.models.engine.limits import prices
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.queue_orders import Order
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.truth import Truth

INFINITY = math.inf


def ask(state: State, truth: Truth, rule: Rule, order: Order, now: float) -> None:
    """Jobs ask for other sizes whose shares are reached; the oldest runs come first."""
    running = resizing.oldest_first(state, state.running[: gapped.line_up(state)])
    for j in range(len(running)):
        row = running[j]
        if truth.asks_at[row] > now:
            continue
        number = truth.next_ask_of[row]
        truth.next_ask_of[row] = number + 1
        truth.asks_at[row] = INFINITY
        place = truth.ask_place[number]
        if place != codes.NOWHERE and state.form_sizes[place] < state.processors[row]:
            state.resized[row] = now
            resizing.change_size(state, truth, rule, order, now, row, place, state.out[:0])
            state.passed_over = 0
        elif place == codes.NOWHERE or state.form_sizes[place] > state.processors[row]:
            state.asking[state.asking_count], state.asks_for[row] = row, place
            state.asking_count += 1
            state.insists[row] = truth.ask_insists[number]
            if state.insists[row] > 0:
                _stand_still(state, truth, rule, now, row)
        else:
            resizing.expect_ask(state, truth, row)
    resizing.find_next_ask(state, truth)


def _stand_still(state: State, truth: Truth, rule: Rule, now: float, row: int) -> None:
    """A job waits for what it needs, and nobody knows for how long."""
    rows = state.spare.whole(1)
    rows[0] = row
    rule.resizing(state, now, rows)
    state.still_from[row] = now
    true_ends.take_end(state, truth, true_ends.end_of(state, truth, row))
    truth.end[row] = INFINITY
    true_ends.put_end(state, truth, row)
    gapped.expect_later(state, row, INFINITY)
    prices.renew(state, row)
    rule.resized(state, now, rows)


def go_on_without(state: State, truth: Truth) -> None:
    """After a pass: those that were granted nothing, and do not insist, go on as they are."""
    n = 0
    for i in range(state.asking_count):
        row = state.asking[i]
        if state.insists[row] > 0:
            state.asking[n] = row
            n += 1
        else:
            resizing.expect_ask(state, truth, row)
    state.asking_count = n
    resizing.find_next_ask(state, truth)
