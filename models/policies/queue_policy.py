"""Policies with an order: the base of the classic rules, and a convenient one for your own."""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from thinktime.models.engine.limits.ranking import lowest_last
from thinktime.models.engine.rules import Rule, decide
from thinktime.models.jobs.view import View
from thinktime.models.orders.named_orders import FCFS, as_order
from thinktime.models.orders.order import Order
from thinktime.models.policies.entry import ReadyPolicy
from thinktime.models.policies.rebuilt_rule import Rebuilt
from thinktime.workloads.arrays import Rows, writable
from thinktime.workloads.units import as_text

DYNAMIC = "dynamic"  # no order: the queue is never kept sorted by it
ONE_RESERVATION = "resort=start is for easy with one reservation, on a machine of processors"


class QueuePolicy(ReadyPolicy):
    """A policy whose ``order`` (a name, an `Order`, or a key) says who is next."""

    order: Order

    sorts_after_starts = False
    """Whether the rule can sort anew after every start of a pass (`Order.each_start`)."""

    def __init__(self, order: str | Order | Callable[..., Any] = FCFS) -> None:
        self.order = as_order(order)
        if self.order.each_start and not self.sorts_after_starts:
            raise ValueError(ONE_RESERVATION)
        self._sorts = self.order.dynamic
        self._kept: Any = DYNAMIC if self._sorts else self.order.static
        """What the queue is sorted by where nothing is to be sorted (`View.kept`)."""
        self._out = np.empty(64, np.int64)

    def options(self) -> dict[str, Any]:
        """Its order, the options of the order, and a runtime limit."""
        limit = {"runtime_limit": as_text(self.runtime_limit)} if self.runtime_limit < inf else {}
        return {"order": self.order.name} | self.order.options() | limit

    def in_order(self, view: View, rule: Rule, now: float) -> Rows:
        """The waiting rows in queue order, or as the machine keeps them where a dynamic order makes no difference."""
        if self._sorts and not rule.order_matters(view.state, now, writable(view.waiting)):
            return view.waiting
        return self.order.sort(view)

    def decided(self, view: View, rule: Rule, now: float, queue: Rows) -> Rows:
        """Which rows of the queue start now under the rule."""
        return view.started[: decide(view.state, rule, now, np.asarray(lowest_last(view.state, writable(queue))))]

    def room(self, count: int) -> Rows:
        """A scratch array for at least ``count`` rows."""
        if count > len(self._out):
            self._out = np.empty(2 * count, np.int64)
        return self._out


class ReplanningPolicy(QueuePolicy):
    """A policy that plans anew in every pass, so that nothing it remembers depends on estimates."""

    def replan(self, view: View) -> None:
        """Do nothing: no plan was made by the former estimates."""


class Rebuilding(ReplanningPolicy):
    """A policy that makes reservations anew in every pass, in a profile."""

    compiles = True

    plans = 0
    """How many jobs that cannot start get a reservation; 0: all."""

    def as_rule(self, rows: int, jobs: int) -> Rule:
        """The number of reservations, and a profile."""
        self._structure: Rule
        if "_structure" not in vars(self):
            self._structure = Rebuilt(reservations=self.plans)
        return self._structure
