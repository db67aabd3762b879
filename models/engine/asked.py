"""Policies and orders in Python, at the same loop as compiled ones (`thinktime.models.engine.leap`).

`Asked` is a rule that calls the hooks that a policy has, and `AskedOrder` an order that calls a key or tells accounts.
The view is brought up to date before each call, and SimPy's clock with it: a leap may be ahead of it, and nothing else
happens in between.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thinktime.models.engine import pool
from thinktime.models.engine.codes import usage as usage_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.omissions import Omissions
from thinktime.models.engine.queue_orders import Order
from thinktime.models.engine.rules import Rule
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


class Eyes:
    """A view, and what brings it up to date."""

    view: Any
    pool: Any
    clock: Any
    """Lets SimPy's clock show a time, if it is later; None in a forecast."""

    def __init__(self, view: Any, pool: Any, clock: Any) -> None:
        self.view, self.pool, self.clock = view, pool, clock

    def look(self, now: float) -> None:
        """It is this time now."""
        self.set_clock(now)
        self.view.look(self.pool, now)

    def set_clock(self, now: float) -> None:
        """Let SimPy's clock show this time."""
        if self.clock is not None:
            self.clock(now)


class Asked(Rule):
    """A policy in Python. ``caller`` does what is seldom needed (`thinktime.models.machine.asking`)."""

    NUMBERS = {"clock": INFINITY, "ticks": False, "reshapes": False}
    eyes: Eyes
    caller: Any
    omissions: Omissions | None
    clock: float
    """When the policy wants an instant of its own."""
    reshapes: bool
    """Whether it is asked for other sizes after its starts."""
    ticks: bool
    """Whether it is asked for one, and for starts even if nobody waits."""
    on_select: Any
    on_submit: Any
    on_start: Any
    on_end: Any
    on_withdraw: Any

    def __init__(self, eyes: Eyes, caller: Any, hooks: Any, omissions: Omissions | None) -> None:
        super().__init__()
        self.asks, self.eyes, self.caller, self.omissions = True, eyes, caller, omissions
        self.clock, self.ticks = INFINITY, hooks.next_clock is not None
        self.reshapes = hooks.reshape is not None
        self.on_select, self.on_submit, self.on_start = hooks.select, hooks.on_submit, hooks.on_start
        self.on_end, self.on_withdraw = hooks.on_end, hooks.on_withdraw

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Ask who starts. A row that is in no column is refused at once, all else before the starts."""
        if state.in_queue == 0 and not self.ticks and not (state.shaped and state.at_work > 0):
            return 0
        self.eyes.look(now)
        chosen: Ints = self.caller.chosen(self.on_select(self.eyes.view, now), now)
        if len(chosen) > len(state.out):
            self.refuse(state, now, chosen, pool.verdict(state, now, chosen))
        for i in range(len(chosen)):
            if not 0 <= chosen[i] < len(state.state):
                self.refuse(state, now, chosen, -1 - 2 * i)  # objects: it raises an error
            state.out[i] = chosen[i]
        return len(chosen)

    def may_be_cut(self, state: State, now: float, count: int) -> bool:
        """Raise an error for a job that waits, but is beyond a limit; false for nonsense that the start refuses."""
        return bool(self.caller.may_be_cut(np.array(state.out[:count]), now))

    def refuse(self, state: State, now: float, rows: Ints, fault: int) -> None:
        """Raise what is wrong."""
        self.caller.refuse(np.array(rows), fault, now)

    def reshape(self, state: State, now: float, rows: Ints) -> bool:
        """Running jobs are given the sizes that the policy has proposed."""
        if self.reshapes:
            self.eyes.look(now)
        self.caller.reshape(now)
        return False

    def passed(self, state: State, now: float, rows: Ints) -> None:
        """Note whether somebody seems to have been forgotten."""
        if self.omissions is not None and not state.limited:
            self.omissions.passed(state, now, rows, self.eyes)

    def plan(self, state: State, now: float) -> None:
        """Ask for the next clock."""
        if self.ticks:
            self.clock = self.caller.next_clock(now)

    def next_due(self, state: State, now: float) -> float:
        """The time that the policy asked for."""
        return self.clock

    def strikes(self, state: State, now: float) -> bool:
        """The time that the policy asked for has come."""
        if self.clock > now:
            return False
        self.clock = INFINITY
        self.eyes.look(now)
        self.caller.strike(now)
        return True

    def submitted(self, state: State, now: float, rows: Ints) -> None:
        """Jobs have joined the queue."""
        if self.on_submit is not None:
            self.eyes.look(now)
            self.on_submit(self.eyes.view, np.array(rows), now)

    def started(self, state: State, now: float, rows: Ints) -> None:
        """Tell the policy which jobs have started."""
        if self.on_start is not None:
            self.eyes.look(now)
            self.on_start(self.eyes.view, np.array(rows), now)

    def ended(self, state: State, now: float, rows: Ints) -> None:
        """Tell the policy which running jobs have ended."""
        if self.on_end is not None:
            self.eyes.look(now)
            self.on_end(self.eyes.view, np.array(rows), now)

    def withdrawn(self, state: State, now: float, rows: Ints) -> None:
        """Jobs have left the queue without a start."""
        if self.on_withdraw is not None:
            self.eyes.look(now)
            self.on_withdraw(self.eyes.view, np.array(rows), now)

    def barred(self, state: State, now: float, rows: Ints) -> None:
        """Jobs are beyond a limit."""
        self.eyes.look(now)
        self.caller.barred(np.array(rows), now)

    def put_off(self, state: State, now: float, rows: Ints) -> None:
        """Chosen jobs do not start."""
        self.eyes.look(now)
        self.caller.put_off(np.array(rows), now)

    def revised(self, state: State, now: float, rows: Ints) -> None:
        """Jobs are expected to end later."""
        if len(rows) > 0:
            self.eyes.look(now)
            self.caller.revised(np.array(rows), now)

    def interrupted(self, state: State, now: float, rows: Ints) -> None:
        """Jobs were thrown off: some go on some day, others are killed."""
        self.eyes.look(now)
        self.caller.interrupted(np.array(rows), now)

    def resizing(self, state: State, now: float, rows: Ints) -> None:
        """Jobs are about to have other sizes."""
        self.eyes.look(now)
        self.caller.resizing(np.array(rows), now)

    def resized(self, state: State, now: float, rows: Ints) -> None:
        """They have them."""
        self.eyes.look(now)
        self.caller.resized(np.array(rows), now)

    def changed(self, state: State, now: float) -> None:
        """The machine has changed."""
        self.eyes.look(now)
        self.caller.changed(now)


class AskedOrder(Order):
    """An order with a key, or with accounts, in Python. ``inner`` is the order of accounts that know partitions.

    A policy in Python sorts the queue itself, unless limits need to know its order.
    """

    NUMBERS = {"sorts": False, "late": False}
    eyes: Eyes
    sort: Any
    accounts: Any
    inner: Order | None
    sorts: bool
    late: bool

    def __init__(self, eyes: Eyes, order: Any, late: bool) -> None:
        super().__init__()
        self.eyes, self.sort, self.sorts, self.late = eyes, order.sort, order.dynamic, late
        self.accounts, self.inner = getattr(order, "accounts", None), None

    def is_kept(self) -> bool:
        """Whether the key is static."""
        return not self.sorts

    def asks_for_keys(self) -> bool:
        """Whether keys are not known before jobs join the queue."""
        return self.late

    def arranged(self, state: State, rule: Rule, now: float, rows: Ints) -> Ints:
        """Sorted by the key, if it matters."""
        if len(rows) == 0 or not (state.limited if rule.asks else rule.order_matters(state, now, rows)):
            return rows
        self.eyes.look(now)
        found: Ints = np.array(self.sort(self.eyes.view), np.int64)
        return found

    def charge_jobs(self, state: State, now: float, sign: int, rows: Ints) -> None:
        """Tell the accounts, where they are kept in Python, of starts or ends."""
        if self.accounts is None:
            return
        self.eyes.look(now)
        if sign == usage_codes.START:
            self.accounts.on_start(self.eyes.view, np.array(rows), now)
        else:
            self.accounts.on_end(self.eyes.view, np.array(rows), now)

    def count_as(self, row: int, entry: int) -> None:
        """As the order of the accounts."""
        if self.inner is not None:
            self.inner.count_as(row, entry)
