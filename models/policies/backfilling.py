"""The rules that keep nothing between passes: none (strict), no-guarantee, and EASY."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.models.kernels import instant, passes, reservations
from thinktime.models.policies.base import NOBODY, Proposal, Rows
from thinktime.models.policies.entry import listed
from thinktime.models.policies.named_orders import FCFS
from thinktime.models.policies.order import Order
from thinktime.models.policies.queue_policy import ONE_RESERVATION, ReplanningPolicy
from thinktime.models.view import View


@listed(
    "strict order: only the head of the queue may start",
    "standard in the field",
    "order",
    compiled=lambda policy: instant.STRICT,
    on_nodes="StrictOnNodes",
    takes_part=True,
)
class Strict(ReplanningPolicy):
    """``none``: no backfilling. Only the head of the queue may start."""

    rule = "none"

    def select(self, view: View, now: float) -> Proposal:
        """Start heads while they fit."""
        if not view.free or not len(view.waiting):
            return NOBODY
        out = self.room(len(view.waiting))
        return out[: passes.strict_pass(self.order.sort(view), view.requests.processors, view.free, out)]


@listed(
    "start whatever fits, in queue order",
    "Leung, Sabin, Sadayappan: CPlant",
    "order",
    compiled=lambda policy: instant.NO_GUARANTEE,
    on_nodes="NoGuaranteeOnNodes",
    takes_part=True,
)
class NoGuarantee(ReplanningPolicy):
    """``no-guarantee``: start whatever fits, in queue order. A wide job may wait forever."""

    rule = "no-guarantee"

    def select(self, view: View, now: float) -> Proposal:
        """Start everything that fits."""
        if not view.free or not len(view.waiting):
            return NOBODY
        out = self.room(len(view.waiting))
        return out[
            : passes.no_guarantee_pass(self.order.sort(view), view.requests.processors, view.free, out)
        ]


@listed(
    "aggressive backfilling: the first jobs that cannot start hold reservations",
    "Lifka (JSSPP 1995)",
    "order, reservations=1",
    compiled=lambda policy: instant.EASY if policy.reservations == 1 else None,
    on_nodes="EasyOnNodes",
    takes_part=True,
)
class Easy(ReplanningPolicy):
    """``easy``: the first ``reservations`` jobs that cannot start hold one; others must not delay them.

    Aggressive backfilling. Source: Lifka, The ANL/IBM SP scheduling system (JSSPP 1995), for one
    reservation, with the shadow time and the extra processors of Mu'alem and Feitelson (IEEE TPDS 2001).
    The exact rules are those of the contract in ``docs/design.md``.
    """

    rule = "easy"
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
        self._scratch = np.empty(64, np.int64)
        self._times = np.empty(64, np.float64)
        self._free = np.empty(64, np.int64)

    def select(self, view: View, now: float) -> Proposal:
        """Start what fits up to the first job that does not, then whatever cannot delay reserved jobs."""
        if not view.free or not view.waiting.size:
            return NOBODY
        queue = view.waiting if view.kept is self._kept else self.order.sort(view)
        waiting = queue.size
        out = self._out if waiting <= self._out.size else self.room(waiting)
        columns = view.requests
        if self.reservations == 1:
            if self._scratch.size < waiting:
                self._scratch = np.empty(2 * waiting, np.int64)
            if self.order.reconsiders:
                again = self._one_by_one if self.order.each_start else self._reconsidered
                queue = again(view, queue, out)
            k = passes.easy_pass(
                now, view.grace, queue, columns.processors, columns.estimate, view.free, view.running_rows,
                view.skip, columns.expected_end, out, self._scratch,
            )  # fmt: skip
            return out[:k]
        steps = 2 * (waiting + len(view.running_rows)) + 4
        if len(self._times) < steps:
            self._times, self._free = np.empty(2 * steps, np.float64), np.empty(2 * steps, np.int64)
        k = reservations.easy_profile_pass(
            now, view.grace, self.reservations, queue, columns.processors, columns.estimate, view.free,
            view.running_rows, view.skip, columns.expected_end, self._times, self._free, out,
        )  # fmt: skip
        return out[:k]

    def _reconsidered(self, view: View, queue: Rows, out: Rows) -> Rows:
        """The queue, in which the jobs behind the head are sorted again now that the head has its reservation."""
        k, shadow = passes.reserve_head(*self._pass(view, queue, out))
        if shadow == np.inf:
            return queue
        rest = self._others(view, queue[: k + 1])
        behind = self.order.reconsider(view, rest, queue[:k], int(queue[k]), shadow)
        return np.concatenate([queue[: k + 1], behind])

    def _one_by_one(self, view: View, queue: Rows, out: Rows) -> Rows:
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
        _, shadow = passes.reserve_head(*self._pass(view, np.append(started, behind), out))
        while shadow < np.inf:
            behind = self.order.reconsider(view, self._others(view, taken), started, head, shadow)
            if passes.easy_pass(*self._pass(view, np.append(taken, behind), out)) < len(taken):
                break
            following = out[len(taken) - 1]
            started, taken = np.append(started, following), np.append(taken, following)
        return np.append(taken, self._others(view, taken))

    def _others(self, view: View, rows: Rows) -> Rows:
        """The other waiting jobs, in order of arrival."""
        return view.waiting[np.isin(view.waiting, rows, invert=True)]

    def _pass(self, view: View, queue: Rows, out: Rows) -> tuple[Any, ...]:
        """The arguments of a pass over a queue."""
        columns = view.requests
        return (
            view.now, view.grace, queue, columns.processors, columns.estimate, view.free,
            view.running_rows, view.skip, columns.expected_end, out, self._scratch,
        )  # fmt: skip

    def options(self) -> dict[str, Any]:
        """Order and number of reservations."""
        return super().options() | {"reservations": self.reservations}
