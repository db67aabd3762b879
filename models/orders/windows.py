"""Use of processors in windows of time, actual and expected: the accounts and the order of `relshare`.

``borders`` has those of some windows, one after the other.
Account a (0 is nobody's) has used ``usage[a]`` when everything that runs has ended as expected, or the window has.
``line[:n]`` are the rows of jobs that have started, each once. Those with an ``account[row]`` that is not negative
run (`OVER`: not any more): they use ``rate[row]`` per second, began at ``begun[row]`` and are expected to end at
``until[row]``. ``marks`` is scratch.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic, passes, queue_orders, room
from thinktime.models.engine.codes import queue_orders as queue_orders_codes
from thinktime.models.engine.codes import usage as usage_codes
from thinktime.models.engine.codes import windows as windows_codes
from thinktime.models.engine.codes.fields import fields
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.queue_orders import Order
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Codes, Floats, Ints

INFINITY = math.inf


def window_at(order: Windowed, now: float) -> tuple[float, float]:
    """The window that holds ``now``."""
    borders = order.borders
    if order.window_since <= now < order.window_until:
        return float(order.window_since), float(order.window_until)
    after = arithmetic.first_above(borders, len(borders), now)
    return float(borders[after - 1]), float(borders[after])


def standing_at(order: Windowed, now: float, out: Floats) -> None:
    """Write what every account has used and is expected to use in the window of ``now`` to ``out``."""
    grace = order.grace_then
    if not order.window_since <= now < order.window_until:
        _of_running(order, now, grace, out)
        return
    out[:] = order.usage
    if grace > 0.0:  # jobs that have outlived their estimates are expected to end in a second
        earliest = min(now + grace, order.window_until)
        for i in range(order.in_line):
            row = order.line[i]
            if order.account[row] >= 0 and order.until[row] < earliest:
                since = max(order.until[row], order.begun[row], order.window_since)
                out[order.account[row]] += order.rate[row] * (earliest - since)


def _of_running(order: Windowed, now: float, grace: float, out: Floats) -> None:
    """Every account's use in the window of ``now``, from the running jobs alone."""
    since, until = window_at(order, now)
    out[:] = 0.0
    for i in range(order.in_line):
        row = order.line[i]
        if order.account[row] >= 0:
            expected = max(order.until[row], now + grace) if grace > 0.0 else order.until[row]
            inside = max(0.0, min(expected, until) - max(order.begun[row], since))
            out[order.account[row]] += order.rate[row] * inside


def _roll(order: Windowed, now: float) -> None:
    """At the first start or end in a new window, forget the old one."""
    if not order.window_since <= now < order.window_until:
        _of_running(order, now, 0.0, order.usage)
        order.window_since, order.window_until = window_at(order, now)


def begin_use(
    order: Windowed, now: float, grace: float, rows: Ints, accounts: Ints, rates: Floats, ends: Floats
) -> None:
    """Jobs have started: count what they are expected to use."""
    _roll(order, now)
    order.grace_then = grace
    if order.in_line > 2 * order.running + 64:
        k = 0
        for j in range(order.in_line):
            row = order.line[j]
            order.line[k] = row
            k += order.account[row] >= 0
            order.account[row] = max(order.account[row], windows_codes.ABSENT)
        order.in_line = k
    for i in range(len(rows)):
        row = rows[i]
        if order.account[row] != windows_codes.OVER:
            order.line[order.in_line] = row
            order.in_line += 1
        order.account[row], order.rate[row], order.begun[row], order.until[row] = (
            accounts[i], rates[i], now, ends[i],
        )  # fmt: skip
        order.running += 1
        order.usage[accounts[i]] += rates[i] * max(0.0, min(ends[i], order.window_until) - now)


def end_use(order: Windowed, now: float, rows: Ints) -> None:
    """Jobs have ended: count what they used instead."""
    _roll(order, now)
    for i in range(len(rows)):
        row = rows[i]
        if order.account[row] < 0:  # it had started before anybody kept the accounts
            continue
        begun = max(order.begun[row], order.window_since)
        expected = max(0.0, min(order.until[row], order.window_until) - begun)
        order.usage[order.account[row]] += order.rate[row] * (now - begun - expected)
        order.account[row] = windows_codes.OVER
        order.running -= 1


def _rate(state: State, order: Windowed, row: int) -> float:
    """What a job uses per second."""
    measure = order.measure
    if measure == windows_codes.GIVEN:
        return float(order.rate[row])
    if measure == queue_orders_codes.EQUIVALENTS and not math.isnan(state.equivalents[row]):
        return float(state.equivalents[row])
    return float(state.processors[row])


def _one_by_one(state: State, rule: Rule, order: Windowed, now: float, rows: Ints, queue: Ints) -> Ints:
    """The jobs that have not started are sorted anew after every start of this pass.

    Each job before the head, the head, and each job that backfills is the first that may start in the order as it
    is then.
    """
    skip = room.overrunning(state, now)
    k, n, left = 0, len(queue), state.room.begin_pass(state, skip)
    while k < n and state.room.fits_now(state, queue[k], left):
        left = state.room.take_now(state, queue[k], left)
        k += 1
        _sort_others(state, order, now, rows, queue, k, n, INFINITY)
    head = k
    state.room.rewind(state, queue[:k])
    if k == n:
        return queue
    _, shadow = rule.reserve_first(state, now, queue)
    k += 1
    while shadow < INFINITY:
        _sort_others(state, order, now, rows, queue, k, head, shadow)
        left = state.room.begin_pass(state, skip)
        found, left = passes.strict_pass(state, queue, left)
        found = state.room.backfill(state, now, queue, found, skip, state.out, left)
        state.room.rewind(state, state.out[:found])
        if found < k:
            break
        following, place = state.out[k - 1], k
        while queue[place] != following:
            place += 1
        for i in range(place, k, -1):
            queue[i] = queue[i - 1]
        queue[k] = following
        k += 1
    queue[k:] = _others(state, order, rows, queue[:k])
    return queue


def _sort_others(
    state: State, order: Windowed, now: float, rows: Ints, queue: Ints, k: int, head: int, shadow: float
) -> None:
    """Sort the queue anew from place ``k`` on: the jobs before it start now, but for the head."""
    standing_at(order, now, order.standing)
    for i in range(k):
        if i != head:
            _expect(state, order, now, queue[i], now)
    if head < k:
        _expect(state, order, now, queue[head], shadow)
    queue[k:] = _by_standing(state, order, _others(state, order, rows, queue[:k]))


def _expect(state: State, order: Windowed, now: float, row: int, start: float) -> None:
    """Count what a waiting job is expected to use in the window of ``now`` if it starts at ``start``."""
    since, until = window_at(order, now)
    inside = max(0.0, min(start + state.estimate[row], until) - max(start, since))
    order.standing[queue_orders.owners(state, order.by)[row] + 1] += _rate(state, order, row) * inside


def _by_standing(state: State, order: Windowed, rows: Ints) -> Ints:
    """Rows, which come by arrival, by least use; those first that a window admits now."""
    keys, owner = state.spare.real(len(rows)), queue_orders.owners(state, order.by)
    for i in range(len(rows)):
        account = owner[rows[i]] + 1
        keys[i] = order.standing[account] / order.divisors[account]
    return state.room.admitted_first(state, state.spare.sorted_by(keys, rows))


def _others(state: State, order: Windowed, rows: Ints, taken: Ints) -> Ints:
    """The rows that are not among the taken ones."""
    rest, k = state.spare.whole(len(rows) - len(taken)), 0
    for i in range(len(taken)):
        row = taken[i]
        order.marks[row] = 1
    for i in range(len(rows)):
        row = rows[i]
        if not order.marks[row]:
            rest[k] = row
            k += 1
    for i in range(len(taken)):
        row = taken[i]
        order.marks[row] = 0
    return rest


class Windowed(Order):
    """The order: least use in the window first; the arrays are of accounts, and of the jobs that run."""

    FIELDS = fields(
        (Floats, "borders usage standing divisors rate begun until"), (Ints, "line account"), (Codes, "marks")
    )
    NUMBERS = {
        "by": 0, "measure": 0, "each_start": False, "in_line": 0, "running": 0, "window_since": INFINITY,
        "window_until": -INFINITY, "grace_then": 0.0,
    }  # fmt: skip
    by: int
    """Whose accounts are kept, users' or groups' (`thinktime.models.engine.codes.queue_orders`)."""
    measure: int
    """What counts as use."""
    each_start: bool
    """Whether every start sorts anew."""
    in_line: int
    """Rows in ``line``."""
    running: int
    """Those of them that run."""
    window_since: float
    window_until: float
    """The window that the accounts are for, s."""
    grace_then: float
    """The grace at the last start, s."""
    borders: Floats
    usage: Floats
    standing: Floats
    divisors: Floats
    line: Ints
    account: Ints
    rate: Floats
    begun: Floats
    until: Floats
    marks: Codes

    def charge_jobs(self, state: State, now: float, sign: int, rows: Ints) -> None:
        """Jobs start or end: charge their owners' accounts."""
        if sign != usage_codes.START:
            if len(rows):
                end_use(self, now, rows)
            return
        before, n, owner = state.spare.used, len(rows), queue_orders.owners(state, self.by)
        rates, ends, accounts = state.spare.real(n), state.spare.real(n), state.spare.whole(n)
        for i in range(n):
            row = rows[i]
            rates[i], ends[i], accounts[i] = _rate(state, self, row), state.expected_end[row], owner[row] + 1
        begin_use(self, now, state.grace, rows, accounts, rates, ends)
        state.spare.used = before

    def arranged(self, state: State, rule: Rule, now: float, rows: Ints) -> Ints:
        """By least use, where this pass needs it. Under EASY, the reserved job counts for its owner.

        Once the head is known and has its reservation, the jobs behind it are sorted anew: the head is expected to
        start at its shadow time, and those before it start now.
        """
        if len(rows) == 0 or not rule.order_matters(state, now, rows):
            return rows
        standing_at(self, now, self.standing)
        queue = _by_standing(state, self, rows)
        if self.each_start:
            return _one_by_one(state, rule, self, now, rows, queue)
        k, shadow = rule.reserve_first(state, now, queue)
        if shadow == INFINITY:
            return queue
        for i in range(k):
            row = queue[i]
            _expect(state, self, now, row, now)
        _expect(state, self, now, queue[k], shadow)
        queue[k + 1 :] = _by_standing(state, self, _others(state, self, rows, queue[: k + 1]))
        return queue
