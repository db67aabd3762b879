"""Malleable jobs that lose processors go on with what is left, instead of leaving, if their machine lets them.

It is found out before the machine changes, so that nobody is left whom a failure, or the beginning of a window, would
interrupt. A job has the largest size that is left, if it has one. What it has done is kept, and its work stands still
for the cost of a resize. A job that is shrinking already is interrupted as others are.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.models.engine import arithmetic, gapped, shapes, situation
from thinktime.models.engine.changes import resizing
from thinktime.models.engine.codes import changes as changes_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.interruptions import clearing
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.queue_orders import Order
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


def shrink_instead(state: State, truth: Truth, rule: Rule, order: Order, now: float) -> None:
    """Let jobs lose what fails now, and what windows take that begin now."""
    failing = np.empty(truth.changes_known, np.int64)  # objects: seldom, when the machine changes
    i, n = truth.changes_done, 0
    while i < truth.changes_known and truth.change_time[i] <= now:
        if truth.change_what[i] == changes_codes.FAIL and state.outages[truth.change_which[i]] == 0:
            failing[n] = truth.change_which[i]
            n += 1
        i += 1
    if n > 0:
        _lose(state, truth, rule, order, now, np.sort(failing[:n]), of.NOBODY)  # objects: seldom
    state.now = now
    i = truth.changes_done
    while i < truth.changes_known and truth.change_time[i] <= now:
        window = truth.change_which[i]
        if truth.change_what[i] == changes_codes.OPEN and state.manner[window] != of.WAIT:
            if state.on_nodes:
                mine = state.window_nodes[state.first_node[window] : state.first_node[window + 1]]
                _lose(state, truth, rule, order, now, mine, window)
            else:
                _make_room(state, truth, rule, order, now, window)
        i += 1


def _may_go_on(state: State, row: int, size: int) -> int:
    """The place of the size with which a job goes on that loses processors; -1 if it cannot."""
    form = state.form[row]
    if form < 0 or state.form_malleable[form] == 0 or state.still_from[row] < INFINITY:
        return -1
    place = shapes.place_below(state, row, size)
    return place if place >= shapes.first_place(state, row) else -1


def _lose(state: State, truth: Truth, rule: Rule, order: Order, now: float, gone: Ints, window: int) -> None:
    """Jobs lose some processors, or nodes, unless a window admits them."""
    running = state.spare.copied(state.running[: gapped.line_up(state)])
    for j in range(len(running)):
        row = running[j]
        if window != of.NOBODY and situation.admits(state, window, row):
            continue
        lost = state.room.lost(state, row, gone)
        if lost == 0:
            continue
        place = _may_go_on(state, row, state.processors[row] - lost)
        if place >= 0:
            resizing.lose(state, truth, rule, order, now, row, place, gone)


def _make_room(state: State, truth: Truth, rule: Rule, order: Order, now: float, window: int) -> None:
    """A window begins on a pool: the youngest give back first, as many processors as are missing."""
    missing, n = -clearing.remain(state), 0
    rows = state.spare.whole(gapped.line_up(state))
    if not arithmetic.has(state.known, state.known_count, window):  # it is announced at this instant
        held = state.amount[window]
        for j in range(len(rows)):
            held -= state.processors[state.running[j]] * situation.admits(state, window, state.running[j])
        missing += max(0, held)
    if missing <= 0:
        return
    for j in range(len(rows)):
        rows[n] = state.running[j]
        n += not situation.admits(state, window, rows[n])
    youngest = clearing.youngest_first(state, rows[:n])
    for j in range(n):
        row = youngest[j]
        if missing <= 0:
            break
        own = state.processors[row]
        place = _may_go_on(state, row, own - 1)
        if place < 0:
            continue
        place = max(shapes.first_place(state, row), shapes.place_below(state, row, own - missing))
        if state.form_sizes[place] < own:
            missing -= own - state.form_sizes[place]
            resizing.lose(state, truth, rule, order, now, row, place, state.out[:0])
