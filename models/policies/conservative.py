"""Conservative backfilling: every waiting job holds a reservation, kept and compressed, or rebuilt at every event.

Source: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; Feitelson and Weil, IPPS 1998. Textbooks leave open what happens
to the reservations when a job ends early. The variants here are those of the contract in ``docs/design.md``. They
differ in a third of all starts on a loaded log, so the name of a policy always says which it is.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import profile as codes
from thinktime.models.jobs.view import View
from thinktime.models.orders.named_orders import FCFS
from thinktime.models.orders.options import one_of
from thinktime.models.orders.order import Order
from thinktime.models.policies.base import Proposal
from thinktime.models.policies.entry import listed
from thinktime.models.policies.queue_policy import QueuePolicy, Rebuilding
from thinktime.models.policies.reservations import Kept, forget
from thinktime.models.state import Reason
from thinktime.workloads.arrays import NO_ROWS, Rows, writable

COMPRESS = ("completion", "event", "scheduled", "none")


@listed(
    "every waiting job holds a reservation, kept and compressed",
    "Mu'alem, Feitelson (TPDS 2001)",
    "order, compress=completion|event|scheduled|none",
    takes_part=True,
)
class Conservative(QueuePolicy):
    """``conservative``: reservations are kept, and improved as ``compress`` says.

    ``completion`` (default): when a job has ended or was withdrawn at this instant, each waiting job in queue order is
    taken out and re-inserted at its earliest fit, kept only if earlier; one sweep. ``event``: the same at every
    instant. ``scheduled``: when a job has ended, all are removed and re-inserted by reserved start. ``none``: never.

    ``broken`` counts reservations that could not be kept, which needs jobs that outlive their estimates, or a machine
    that changes.
    """

    rule = "conservative"
    reason = Reason.RESERVATION
    compiles = True
    may_hear_late = True  # while no job waits nothing is reserved, and what jobs held may be given back later

    def __init__(self, order: str | Order | Callable[..., Any] = FCFS, compress: str = "completion") -> None:
        super().__init__(order)
        self.compress = one_of("compress", compress, COMPRESS)
        self._structure = Kept(compress=COMPRESS.index(compress), tried=np.zeros(codes.NOTES))

    @property
    def broken(self) -> int:
        """Reservations that could not be kept so far."""
        return self._structure.broken

    def reservations(self, view: View) -> NDArray[np.float64]:
        """The reserved start of every waiting job, s, in queue order (infinite: no fit is in sight)."""
        return self._reserved[view.waiting]

    def predict(self, view: View, row: int) -> float:
        """The reserved start of a waiting job, s (NaN before its first pass)."""
        return float(self._reserved[row]) if row < len(self._reserved) else np.nan

    def next_clock(self, now: float) -> float:
        """The next reservation that falls due."""
        return self._structure.next_start

    def as_rule(self, rows: int, jobs: int) -> Kept:
        """The reservations and the profile."""
        self._structure.lengthen(rows, "reserved", "hold", fill=np.nan)
        return self._structure

    @property
    def _reserved(self) -> NDArray[np.float64]:
        return np.asarray(self._structure.reserved)

    @property
    def _hold(self) -> NDArray[np.float64]:
        return np.asarray(self._structure.hold)

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Give back what the profile still holds for jobs that have ended."""
        self._rule(view).ended(view.state, now, writable(rows))

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """Give back the reservations of jobs that have left the queue."""
        self._rule(view).withdrawn(view.state, now, writable(rows))

    def on_bar(self, view: View, rows: Rows, now: float) -> None:
        """Give back the reservations of jobs that are beyond a limit from now on, and have none."""
        self._rule(view).barred(view.state, now, writable(rows))

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Jobs that were evicted for these starts ended after the pass, and need no sweep at a later instant."""
        self._rule(view).started(view.state, now, writable(rows))

    def on_revise(self, view: View, rows: Rows, now: float) -> None:
        """Running jobs are expected to end later than was thought."""
        self._rule(view).revised(view.state, now, writable(rows))

    def replan(self, view: View) -> None:
        """Estimates are others now: forget all reservations; the next pass makes them anew, in queue order."""
        rule = self._rule(view)
        self._hold[:] = np.nan
        self._hold[view.running_rows] = view.expected_ends()
        forget(view.state, rule, view.now)

    def select(self, view: View, now: float) -> Proposal:
        """Sweep, reserve for newcomers, start what is due."""
        held = np.flatnonzero(~np.isnan(self._hold))
        if not self._structure.informed and not np.isin(held, view.running_rows).all():
            raise ValueError(
                "conservative keeps reservations from pass to pass, so it has to be told what happens: derive your "
                "policy from it, or pass on on_end, on_withdraw, on_start and next_clock"
            )
        rule = self._rule(view)
        if len(view.left_out):
            # Jobs that are no part of the queue this time give back their reservations, as if they were withdrawn.
            rows = view.left_out[~np.isnan(self._reserved[view.left_out])]
            if len(rows):
                self.on_withdraw(view, rows, view.now)
                self._reserved[rows] = np.nan
        return self.decided(view, rule, now, self.in_order(view, rule, now))

    def options(self) -> dict[str, Any]:
        """Order and kind of compression."""
        return super().options() | {"compress": self.compress}

    def _rule(self, view: View) -> Kept:
        return self.as_rule(view.requests.capacity, view.jobs)


@listed(
    "all reservations rebuilt in queue order at every event",
    "Leung, Sabin, Sadayappan: CPlant",
    "order",
    takes_part=True,
)
class ConservativeDynamic(Rebuilding):
    """``conservative-dynamic``: at every event all reservations are dropped and rebuilt in queue order.

    No reservation outlives its event, so none is promised, and a job may start later than was planned at
    its submission. Source: the ``consdyn`` schedulers of the cplant paper, section V.
    """

    rule = "conservative-dynamic"
    reason = Reason.RESERVATION

    def select(self, view: View, now: float) -> Proposal:
        """Rebuild, and start what fits now."""
        if not len(view.waiting):
            return NO_ROWS
        rule = self.as_rule(0, view.jobs)
        return self.decided(view, rule, now, self.in_order(view, rule, now))
