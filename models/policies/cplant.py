"""CPlant: no-guarantee backfilling in fairshare order, and a starvation queue for those who have waited too long.

In every pass (at submissions and ends; there is no timer) a job that has waited for ``starve`` or longer
moves from the main queue into the starvation queue, which is first come, first served, and stays there.
Its jobs start strictly in order while they fit; its first job that does not fit gets the one reservation
(aggressive backfilling). Then the other starving jobs, in their order, and the main queue, in the policy's
order, start as they fit without delaying that reservation; where nobody starves there is none.

``barred="heavy"`` keeps the jobs of heavy users out of the starvation queue as long as these are heavy. A user
is heavy whose decayed usage is above the mean over all users with usage above 0, or, with ``quantile=q``, above the
q-quantile of their usages. Source: the cplant paper, sections II.A and V.B. It does not define "heavy", and does not
say in what order starving jobs behind the head are considered: both are our decisions.

`SCHEDULERS` has the nine schedulers of the paper's section V.E, as texts of policies. ``72max`` is a runtime limit
(`thinktime.workloads.segments`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.kernels import starvation as kernels
from thinktime.models.policies.accounts import accounts_of
from thinktime.models.policies.base import NOBODY, Proposal, Rows
from thinktime.models.policies.entry import listed
from thinktime.models.policies.options import as_time, one_of
from thinktime.models.policies.order import Floats, Order
from thinktime.models.policies.queue_policy import ReplanningPolicy
from thinktime.models.view import View
from thinktime.workloads.units import DAY, as_text

BARRED = ("none", "heavy")


@listed(
    "start whatever fits, by fairshare; who has waited long joins a starvation queue",
    "Leung, Sabin, Sadayappan: CPlant",
    "order=fairshare, starve=24h, barred=none|heavy, quantile",
    takes_part=True,
)
class CPlant(ReplanningPolicy):
    """``cplant``: fairshare order, no guarantee, and a starvation queue."""

    rule = "cplant"

    def __init__(
        self,
        order: str | Order | Callable[..., Any] = "fairshare",
        starve: float | str = float(DAY),
        barred: str = "none",
        quantile: float | None = None,
    ) -> None:
        super().__init__(order)
        self.barred = one_of("barred", barred, BARRED)
        if quantile is not None and not (isinstance(quantile, int | float) and 0 <= quantile <= 1):
            raise ValueError(f"quantile is {quantile!r}, but must be between 0 and 1")
        if barred == "none" and quantile is not None:
            raise ValueError("quantile defines heavy users, so it needs barred=heavy")
        if barred == "heavy" and accounts_of(self) is None:
            raise ValueError(
                f"barred=heavy needs an order that keeps accounts, such as fairshare, not {self.order}"
            )
        self.starve = as_time("starve", starve)
        self.quantile = quantile
        self._starving = np.zeros(64, np.bool_)

    def select(self, view: View, now: float) -> Proposal:
        """Move jobs that have waited too long; then start starving jobs, then the others, as they fit."""
        waiting = view.waiting
        if not waiting.size:
            return NOBODY
        if len(self._starving) < view.requests.capacity:
            self._starving = np.concatenate(
                [self._starving, np.zeros(view.requests.capacity - len(self._starving), np.bool_)]
            )
        self._promote(view, waiting, now)
        if not view.free:
            return NOBODY
        queue, starving = self._queue(view)
        return view.started[: kernels.starvation_pass(view.state, now, starving, queue)]

    def starving(self, view: View) -> Rows:
        """The rows of the starvation queue, first come first."""
        rows = view.waiting[self._starving[view.waiting]]
        if self.order.key is not None and not self.order.dynamic:  # the machine keeps the queue by this key
            rows = rows[np.lexsort((view.requests.id[rows], view.requests.submit[rows]))]
        in_order: Rows = rows
        return in_order

    def options(self) -> dict[str, Any]:
        """When jobs starve, who is barred, and in what order the others are considered."""
        quantile = {} if self.quantile is None else {"quantile": f"{self.quantile:.15g}"}
        return {"starve": as_text(self.starve), "barred": self.barred} | quantile | super().options()

    def _promote(self, view: View, waiting: Rows, now: float) -> None:
        """Jobs that have waited too long move into the starvation queue, unless they are barred."""
        columns = view.requests
        due = waiting[now - columns.submit[waiting] >= self.starve]
        due = due[~self._starving[due]]
        if due.size and self.barred == "heavy":
            accounts = accounts_of(self)
            assert accounts is not None
            accounts.open(view.labels(accounts.by))
            heavy = heavy_accounts(accounts.standing(now), self.quantile)
            due = due[~heavy[accounts.of(view.columns(due))]]
        self._starving[due] = True

    def _queue(self, view: View) -> tuple[Rows, int]:
        """Starving jobs first, then the others in order; and how many starve."""
        in_order = self.order.sort(view)
        starving = self.starving(view)
        if starving.size:
            in_order = np.concatenate([starving, in_order[~self._starving[in_order]]])
        return in_order, starving.size


def heavy_accounts(usage: Floats, quantile: float | None = None) -> NDArray[np.bool_]:
    """Which accounts are heavy: above the mean of the usages above 0, or above their ``quantile``."""
    used = usage[usage > 0]
    if not used.size:
        return np.zeros(len(usage), np.bool_)
    line = used.mean() if quantile is None else np.quantile(used, quantile)
    heavy: NDArray[np.bool_] = usage > line
    return heavy


SCHEDULERS: dict[str, str] = {
    "cplant24.nomax.all": "cplant:starve=24h,barred=none,order=fairshare",
    "cplant72.nomax.all": "cplant:starve=72h,barred=none,order=fairshare",
    "cplant24.nomax.fair": "cplant:starve=24h,barred=heavy,order=fairshare",
    "cplant24.72max.all": "cplant:starve=24h,barred=none,order=fairshare,runtime_limit=72h",
    "cplant72.72max.fair": "cplant:starve=72h,barred=heavy,order=fairshare,runtime_limit=72h",
    "cons.nomax": "conservative:order=fairshare,compress=event",
    "cons.72max": "conservative:order=fairshare,compress=event,runtime_limit=72h",
    "consdyn.nomax": "conservative-dynamic:order=fairshare",
    "consdyn.72max": "conservative-dynamic:order=fairshare,runtime_limit=72h",
}
"""The text of each of the paper's schedulers, by its name there."""
