"""The contract of a policy, and the base of those that ship with the package.

A policy **proposes**; the machine validates and applies. The only thing required is ``select``; a plain
function ``select(view, now)`` is a whole policy. The other methods are optional; the machine calls those
that exist, in the order of one instant:

``on_end(view, rows, now)``       jobs have ended: completed, killed, or released
``on_clock(view, now)``           the time that ``next_clock`` gave has come
``on_withdraw(view, rows, now)``  jobs have left the queue (no rows: one was withdrawn at the instant of its submission)
``on_submit(view, rows, now)``    jobs have entered the queue, by (submit, id)
``select(view, now)``             which jobs start now: rows, or requests
``on_start(view, rows, now)``     they have started
``next_clock(now)``               the next time at which the policy wants a pass of its own (infinity: none)

``predict(view, row)``            when a waiting job will start (s), for users who ask; NaN: let it be forecast
``on_calendar(calendar)``         before a log is replayed: its local midnights (`thinktime.workloads.calendar`)
``notes(processors)``             sentences for ``Result.notes``: what a reader of the result should know
``check(trace)``                  before a replay: raise ``ValueError`` for a log that the policy cannot replay

``may_hear_late = True`` allows the machine to report ends late, at the next instant, while nobody waits and nobody
else listens (``next_clock`` is not asked for in between): it then sleeps through them.

``rehearse(run)``                 before a replay: ``run(policy)`` gives the `Result` of the same replay under another
                                  policy; returns the policy to use
``on_estimate(view, rows, now)``  under ``kill``: these jobs reach their estimate unfinished; until when each may go on
                                  (now: it is killed). Asked after the completions of the instant, before its kills

``overrun_note`` is what results say of overruns where that is not the machine's own rule.

``as_recorded = True`` lets starts exceed the machine and every job run to its true end: for a log's own schedule.

``rows`` are arrays that the machine uses again: copy what you keep. ``None`` from ``next_clock`` means infinity.

``order`` may be an `Order`; if it is static, the machine keeps the queue sorted by it, and if it keeps accounts
(`fairshare`), the machine tells them of starts and ends before it tells the policy. ``copy()`` gives an
independent policy in the same state. All of a policy's state lives in the policy object; a machine works
with a copy of the policy that it is given, so one object can serve many machines.
"""

import copy
from collections.abc import Callable, Iterable
from math import inf
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from thinktime.models.policies.named_orders import FCFS, as_order
from thinktime.models.policies.order import Order
from thinktime.models.view import Request, View
from thinktime.workloads.units import as_text

Rows = NDArray[np.int64]
Proposal = Rows | Iterable[int | Request]
NOBODY: Rows = np.empty(0, np.int64)
DYNAMIC = "dynamic"  # no order: the queue is never sorted by it
ONE_RESERVATION = "resort=start is for easy with one reservation, on a machine of processors"


@runtime_checkable
class Policy(Protocol):
    """Whatever selects."""

    def select(self, view: View, now: float) -> Proposal:
        """The jobs to start now."""
        ...


class QueuePolicy:
    """A policy with an order: the base of the classic rules, and a convenient one for your own."""

    rule = ""
    runtime_limit = inf
    """Replays split jobs that run longer than this (s) into segments; see `thinktime.workloads.segments`."""

    sorts_after_starts = False
    """Whether the rule can sort anew after every start of a pass (`Order.each_start`)."""

    def __init__(self, order: str | Order | Callable[..., Any] = FCFS) -> None:
        self.order = as_order(order)
        if self.order.each_start and not self.sorts_after_starts:
            raise ValueError(ONE_RESERVATION)
        self._sorts = self.order.dynamic
        self._kept: Any = DYNAMIC if self._sorts else self.order.static
        """What the queue is sorted by where nothing is to be sorted (`View.kept`)."""
        self._member: Any = None
        self._out = np.empty(64, np.int64)

    def select(self, view: View, now: float) -> Proposal:
        """The jobs to start now."""
        raise NotImplementedError

    def _for_outside(self, method: Callable[..., Any], view: View, *given: Any) -> Any:
        """Do what a ``method`` of the package does, for a policy from outside that has this rule or is derived from it.

        It is done with the machine's own columns, and on nodes by the rule's member for nodes.
        """
        view = view.trusted()
        if view.nodes is None:
            return method(self, view, *given)
        if self._member is None:
            from thinktime.models.nodes.policies import member_of  # which imports all rules

            self._member = member_of(self)
        return getattr(self._member, method.__name__)(view, *given)

    def copy(self) -> "QueuePolicy":
        """An independent policy in the same state."""
        twin = copy.copy(self)
        memo: dict[int, Any] = {id(self): twin}
        for name, value in vars(self).items():
            own = value.copy() if isinstance(value, np.ndarray) else copy.deepcopy(value, memo)
            setattr(twin, name, own)
        return twin

    def by_arrival(self) -> "QueuePolicy":
        """A copy that takes jobs in order of arrival."""
        twin = self.copy()
        twin.order, twin._sorts, twin._kept = FCFS, False, None
        return twin

    def options(self) -> dict[str, Any]:
        """What sets this policy apart from others of its rule, as its text on the command line would say it."""
        limit = {"runtime_limit": as_text(self.runtime_limit)} if self.runtime_limit < inf else {}
        return {"order": self.order.name} | self.order.options() | limit

    def room(self, count: int) -> Rows:
        """A scratch array for at least ``count`` rows."""
        if count > len(self._out):
            self._out = np.empty(2 * count, np.int64)
        return self._out

    def __str__(self) -> str:
        return f"{self.rule}:" + ",".join(f"{key}={value}" for key, value in self.options().items())

    def __repr__(self) -> str:
        return f"<policy {self}>"


class AfreshPolicy(QueuePolicy):
    """A queue policy whose every pass plans afresh: nothing that it remembers depends on estimates."""

    def replan(self, view: View) -> None:
        """Estimates are others now (`thinktime.models.forecast`): nothing was planned by them."""
