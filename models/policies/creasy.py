"""CREASY: EASY for users who stay or leave, with the jobs first whose users are about to leave.

A user whose jobs were over after a response time r (minutes) goes on with the session with probability

    P(r) = level / (decay r + 1)

and leaves otherwise (`thinktime.users.behaviours` has such users). What can be won by answering a little
earlier is the slope of this curve, the *criticality*

    c(r) = |dP/dr| = level decay / (decay r + 1)²    per minute,

at r = wait so far + estimate, the response time that the job would have if it started now. It pays to hurry for a user
whose answer is due at once; a user who has waited for a day has left already. So that
no job starves, the wait w (s) counts as well: the job with the largest

    alpha c(r) + w

is next. ``alpha`` says how many seconds of waiting a criticality of 1 per minute is worth; 0 is first come,
first served. With the default 900,000 and P(r) = 0.8 / (0.05 r + 1), whose largest criticality is 0.04, a job of
length 0 goes before all jobs that have waited up to ten hours. The default is ours, since we do not know the paper's.

A job that was interrupted has waited since the time by which it queues (``requeue_at``), and its estimate is the length
of its next run.

Source: E. Shmueli, D. Feitelson, On simulation and design of parallel-systems schedulers: are we doing the
right thing? (IEEE TPDS 20(7), 2009).
"""

from typing import Any

from thinktime.models.engine.codes.queue_orders import CRITICALITY, LONGEST
from thinktime.models.orders.options import within
from thinktime.models.orders.order import Aged, Order
from thinktime.models.policies.backfilling import Easy
from thinktime.models.policies.entry import listed
from thinktime.workloads.units import MINUTE


def criticality(response: Any, level: float = 0.8, decay: float = 0.05) -> Any:
    """|dP/dr| (per minute) of P(r) = level / (decay r + 1) at response times in s; numbers or arrays.

    >>> criticality(0.0), criticality(20 * 60.0)
    (0.04000000000000001, 0.010000000000000002)
    """
    reach = decay * response / MINUTE + 1.0
    return level * decay / (reach * reach)


@listed(
    "EASY, jobs first whose users are about to leave: alpha criticality + wait",
    "Shmueli, Feitelson (TPDS 2009)",
    "alpha=900000, level=0.8, decay=0.05, reservations=1",
    takes_part=True,
)
class Creasy(Easy):
    """``creasy``: EASY whose order is by alpha times criticality plus wait, largest first."""

    rule = "creasy"

    def __init__(
        self, alpha: float = 900_000.0, level: float = 0.8, decay: float = 0.05, reservations: int = 1
    ) -> None:
        self.alpha = within("alpha", alpha, 0.0, LONGEST)
        self.level = within("level", level, 0.0, 1.0)
        self.decay = within("decay", decay, 0.0, LONGEST)
        key = Aged(CRITICALITY, self.alpha, self.level, self.decay)
        super().__init__(Order("criticality", key, dynamic=True), reservations)

    def options(self) -> dict[str, Any]:
        """The numbers of the priority, and the number of reservations."""
        return {"alpha": self.alpha, "level": self.level, "decay": self.decay, "reservations": self.reservations}
