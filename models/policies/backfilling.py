"""The rules that keep nothing between passes: none (strict), no-guarantee, and EASY."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.models.kernels import passes, reservations
from thinktime.models.policies.base import NOBODY, AfreshPolicy, Proposal, Rows
from thinktime.models.policies.order import Order
from thinktime.models.policies.orders import FCFS
from thinktime.models.view import View


class Strict(AfreshPolicy):
    """``none``: no backfilling. Only the head of the queue may start; nobody passes it."""

    rule = "none"

    def select(self, view: View, now: float) -> Proposal:
        """Start heads while they fit."""
        if not view.free or not len(view.waiting):
            return NOBODY
        out = self.room(len(view.waiting))
        return out[: passes.strict_pass(self.order.sort(view), view.requests.processors, view.free, out)]


class NoGuarantee(AfreshPolicy):
    """``no-guarantee``: start whatever fits, in queue order. A wide job may wait for ever."""

    rule = "no-guarantee"

    def select(self, view: View, now: float) -> Proposal:
        """Start everything that fits."""
        if not view.free or not len(view.waiting):
            return NOBODY
        out = self.room(len(view.waiting))
        return out[
            : passes.no_guarantee_pass(self.order.sort(view), view.requests.processors, view.free, out)
        ]


class Easy(AfreshPolicy):
    """``easy``: the first ``reservations`` jobs that cannot start hold one; others must not delay them.

    Aggressive backfilling. Source: Lifka, The ANL/IBM SP scheduling system (JSSPP 1995), for one
    reservation, with the shadow time and the extra processors of Mu'alem and Feitelson (IEEE TPDS 2001).
    The exact rules are those of the contract in ``docs/design.md``.
    """

    rule = "easy"

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
        self.reservations = reservations
        self._scratch = np.empty(64, np.int64)
        self._times = np.empty(64, np.float64)
        self._free = np.empty(64, np.int64)

    def select(self, view: View, now: float) -> Proposal:
        """Start what fits up to the first job that does not; then whatever cannot delay the reserved."""
        if not view.free or not view.waiting.size:
            return NOBODY
        queue = self.order.sort(view) if self._sorts else view.waiting
        waiting = queue.size
        out = self._out if waiting <= self._out.size else self.room(waiting)
        columns = view.requests
        if self.reservations == 1:
            if self._scratch.size < waiting:
                self._scratch = np.empty(2 * waiting, np.int64)
            if self.order.reconsiders:
                queue = self._reconsidered(view, queue, out)
            return out[
                : passes.easy_pass(
                    now,
                    view.grace,
                    queue,
                    columns.processors,
                    columns.estimate,
                    view.free,
                    view.running_rows,
                    view.skip,
                    columns.expected_end,
                    out,
                    self._scratch,
                )
            ]
        steps = 2 * (waiting + len(view.running_rows)) + 4
        if len(self._times) < steps:
            self._times, self._free = np.empty(2 * steps, np.float64), np.empty(2 * steps, np.int64)
        return out[
            : reservations.easy_profile_pass(
                now,
                view.grace,
                self.reservations,
                queue,
                columns.processors,
                columns.estimate,
                view.free,
                view.running_rows,
                view.skip,
                columns.expected_end,
                self._times,
                self._free,
                out,
            )
        ]

    def _reconsidered(self, view: View, queue: Rows, out: Rows) -> Rows:
        """The queue with those behind the head sorted anew, now that the head has its reservation."""
        columns = view.requests
        k, shadow = passes.reserve_head(
            view.now,
            view.grace,
            queue,
            columns.processors,
            columns.estimate,
            view.free,
            view.running_rows,
            view.skip,
            columns.expected_end,
            out,
            self._scratch,
        )
        if shadow == np.inf:
            return queue
        rest = view.waiting[np.isin(view.waiting, queue[: k + 1], invert=True)]
        behind = self.order.reconsider(view, rest, queue[:k], int(queue[k]), shadow)
        return np.concatenate([queue[: k + 1], behind])

    def options(self) -> dict[str, Any]:
        """Order and number of reservations."""
        return super().options() | {"reservations": self.reservations}
