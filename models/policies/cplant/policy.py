"""CPlant: no-guarantee backfilling in fairshare order, and a starvation queue for those who have waited too long.

In every pass (at submissions and ends; there is no timer) a job that has waited for ``starve`` or longer
moves from the main queue into the starvation queue, which is first come, first served, and stays there.
Its jobs start strictly in order while they fit; its first job that does not fit gets the one reservation
(aggressive backfilling). Then the other starving jobs, in their order, and the main queue, in the policy's
order, start as they fit without delaying that reservation; where no job starves there is none.

``barred="heavy"`` keeps the jobs of heavy users out of the starvation queue as long as these are heavy. A user
is heavy whose decayed usage is above the mean over all users with usage above 0, or, with ``quantile=q``, above the
q-quantile of their usages. Source: the cplant paper, sections II.A and V.B. It does not define "heavy", and does not
say in what order starving jobs behind the head are considered: both are our decisions.

On a machine that changes, a job leaves the starvation queue when it starts. If it is interrupted, it comes back into
the main queue, and joins the starvation queue again once it has waited long enough, counted from the time by which it
queues. Its owner is charged for what it used. In both queues, jobs that a window admits now come first.

`SCHEDULERS` has the nine schedulers of the paper's section V.E, as texts of policies. ``72max`` is a runtime limit
(`thinktime.workloads.segments`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.models.engine.codes import starvation as codes
from thinktime.models.jobs.view import View
from thinktime.models.orders.accounts import BY, accounts_of
from thinktime.models.orders.options import as_time, one_of
from thinktime.models.orders.order import Order
from thinktime.models.policies.base import Proposal
from thinktime.models.policies.cplant import starvation
from thinktime.models.policies.cplant.starvation import Starving
from thinktime.models.policies.entry import listed
from thinktime.models.policies.queue_policy import ReplanningPolicy
from thinktime.models.state import Reason
from thinktime.workloads.arrays import Rows, writable
from thinktime.workloads.names import quoted
from thinktime.workloads.units import DAY, as_text, plain

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
    reason = Reason.RESERVATION
    compiles = True

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
            raise ValueError(f"quantile is {quoted(quantile)}, but must be between 0 and 1")
        if barred == "none" and quantile is not None:
            raise ValueError("quantile defines heavy users, so it needs barred=heavy")
        accounts = accounts_of(self)
        if barred == "heavy" and (accounts is None or not accounts.one_each):
            raise ValueError(
                f"barred=heavy needs an order that keeps an account for each user, such as fairshare, not {self.order}"
            )
        self.starve = as_time("starve", starve)
        self.quantile = quantile
        heavy = codes.ABOVE_MEAN if quantile is None else codes.ABOVE_QUANTILE
        self._structure = Starving(
            starving=np.zeros(64, np.int8), standing=np.zeros(1), starve=self.starve, quantile=quantile or 0.0,
            barred_if=codes.NOBODY if barred == "none" else heavy, by=0 if accounts is None else BY.index(accounts.by),
            keyed=self.order.static is not None,
        )  # fmt: skip

    def as_rule(self, rows: int, jobs: int) -> Starving:
        """Who starves, and what the accounts say."""
        self._structure.lengthen(rows, "starving")
        if (accounts := accounts_of(self)) is not None:
            self._structure.standing = accounts.current
        return self._structure

    def select(self, view: View, now: float) -> Proposal:
        """Move jobs that have waited too long; then start starving jobs, then the others, as they fit."""
        accounts = accounts_of(self)
        if accounts is not None and self.barred == "heavy":
            accounts.open(view.labels(accounts.by))
            accounts.current[:] = accounts.standing(now)
        rule = self.as_rule(view.requests.capacity, 0)
        return self.decided(view, rule, now, self.in_order(view, rule, now))

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Jobs that have started have left the starvation queue."""
        self.as_rule(view.requests.capacity, 0).started(view.state, now, writable(rows))

    def starving(self, view: View) -> Rows:
        """The rows of the starvation queue, first come first."""
        rule = self.as_rule(view.requests.capacity, 0)
        apart = view.waiting[np.asarray(rule.starving)[view.waiting] > 0]
        return np.array(starvation.by_arrival(view.state, rule, apart))

    def options(self) -> dict[str, Any]:
        """When jobs starve, who is barred, and in what order the others are considered."""
        quantile = {} if self.quantile is None else {"quantile": plain(self.quantile)}
        return {"starve": as_text(self.starve), "barred": self.barred} | quantile | super().options()


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
