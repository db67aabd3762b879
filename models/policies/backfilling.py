"""The rules that keep nothing between passes: none (strict), no-guarantee, and EASY."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.models.kernels import passes
from thinktime.models.kernels.rules import select
from thinktime.models.policies.base import NOBODY, Proposal, Rows
from thinktime.models.policies.entry import listed
from thinktime.models.policies.named_orders import FCFS
from thinktime.models.policies.order import Order
from thinktime.models.policies.queue_policy import ONE_RESERVATION, Rebuilding, ReplanningPolicy
from thinktime.models.view import View
from thinktime.workloads.compiler import Structure


class Greedy(ReplanningPolicy):
    """A rule whose pass goes once along the queue, and remembers nothing."""

    compiles = True
    code: int

    def as_rule(self, rows: int, jobs: int) -> Structure:
        """Which of the rules it is."""
        self._structure: Structure
        if "_structure" not in vars(self):
            self._structure = passes.make_greedy(np.array([self.code]))
        return self._structure

    def select(self, view: View, now: float) -> Proposal:
        """Start what the rule lets start."""
        if not view.free or not view.waiting.size:
            return NOBODY
        rule = self.as_rule(0, 0)
        return view.started[: select(view.state, rule, now, self.in_order(view, rule, now))]


@listed(
    "strict order: only the head of the queue may start",
    "standard in the field",
    "order",
    on_nodes="StrictOnNodes",
    takes_part=True,
)
class Strict(Greedy):
    """``none``: no backfilling. Only the head of the queue may start."""

    rule = "none"
    code = passes.STRICT


@listed(
    "start whatever fits, in queue order",
    "Leung, Sabin, Sadayappan: CPlant",
    "order",
    on_nodes="NoGuaranteeOnNodes",
    takes_part=True,
)
class NoGuarantee(Greedy):
    """``no-guarantee``: start whatever fits, in queue order. A wide job may wait forever."""

    rule = "no-guarantee"
    code = passes.NO_GUARANTEE


@listed(
    "aggressive backfilling: the first jobs that cannot start hold reservations",
    "Lifka (JSSPP 1995)",
    "order, reservations=1",
    on_nodes="EasyOnNodes",
    takes_part=True,
)
class Easy(Greedy, Rebuilding):
    """``easy``: the first ``reservations`` jobs that cannot start hold one; others must not delay them.

    Aggressive backfilling. Source: Lifka, The ANL/IBM SP scheduling system (JSSPP 1995), for one
    reservation, with the shadow time and the extra processors of Mu'alem and Feitelson (IEEE TPDS 2001).
    The exact rules are those of the contract in ``docs/design.md``.
    """

    rule = "easy"
    code = passes.EASY
    sorts_after_starts = True

    def __init__(self, order: str | Order | Callable[..., Any] = FCFS, reservations: int = 1) -> None:
        super().__init__(order)
        if (
            isinstance(reservations, bool)
            or not isinstance(reservations, int)
            or not 1 <= reservations < 2**31
        ):
            raise ValueError(
                f"reservations must be a whole number of at least 1, not {reservations!r}; no-guarantee has none"
            )
        if self.order.each_start and reservations > 1:
            raise ValueError(ONE_RESERVATION)
        self.reservations = reservations
        self.plans = 0 if reservations == 1 else reservations

    def as_rule(self, rows: int, jobs: int) -> Structure:
        """With one reservation it needs no profile."""
        return (Rebuilding if self.plans else Greedy).as_rule(self, rows, jobs)

    def select(self, view: View, now: float) -> Proposal:
        """Start what fits up to the first job that does not, then whatever cannot delay reserved jobs."""
        if not view.free or not view.waiting.size:
            return NOBODY
        queue = view.waiting if view.kept is self._kept else self.order.sort(view)
        if self.order.reconsiders and not self.plans:
            queue = (self._one_by_one if self.order.each_start else self._reconsidered)(view, queue)
        rule = self.as_rule(0, view.jobs)
        return view.started[: select(view.state, rule, now, queue)]

    def _reconsidered(self, view: View, queue: Rows) -> Rows:
        """The queue, in which the jobs behind the head are sorted again now that the head has its reservation."""
        k, shadow = self._head(view, queue)
        if shadow == np.inf:
            return queue
        rest = self._others(view, queue[: k + 1])
        behind = self.order.reconsider(view, rest, queue[:k], int(queue[k]), shadow)
        return np.concatenate([queue[: k + 1], behind])

    def _one_by_one(self, view: View, queue: Rows) -> Rows:
        """The queue, in which the jobs that have not started are sorted again after every start of this pass.

        Each job before the head, the head, and each job that backfills is the first that may start in the order as it
        is then.
        """
        columns, free = view.requests, view.free
        started, behind = queue[:0], queue
        while len(started) < len(queue) and columns.processors[behind[0]] <= free:
            started, free = np.append(started, behind[0]), free - columns.processors[behind[0]]
            behind = self.order.reconsider(view, self._others(view, started), started, -1, np.inf)
        if not len(behind):
            return started
        head, taken = int(behind[0]), np.append(started, behind[0])
        _, shadow = self._head(view, np.append(started, behind))
        while shadow < np.inf:
            behind = self.order.reconsider(view, self._others(view, taken), started, head, shadow)
            queue = np.append(taken, behind)
            if passes.easy_pass(view.state, view.now, queue, view.free, view.skip, view.started) < len(taken):
                break
            following = view.started[len(taken) - 1]
            started, taken = np.append(started, following), np.append(taken, following)
        return np.append(taken, self._others(view, taken))

    def _head(self, view: View, queue: Rows) -> tuple[int, float]:
        """How many jobs start before the head, and its shadow time."""
        return passes.reserve_head(view.state, view.now, queue, view.free, view.skip, view.started)

    def _others(self, view: View, rows: Rows) -> Rows:
        """The other waiting jobs, in order of arrival."""
        return view.waiting[np.isin(view.waiting, rows, invert=True)]

    def options(self) -> dict[str, Any]:
        """Order and number of reservations."""
        return super().options() | {"reservations": self.reservations}
