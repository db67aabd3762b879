"""Budgets: how much users or accounts may be charged (`thinktime.models.site.charge`), for good or in each period.

A run counts for the period in which it begins. It begins only if the charge of its whole estimate is left then, which
is reserved; when it is over, what it was charged takes its place (as for GrpTRESMins with ``safe`` of Slurm). Where the
charge varies with the time, what counts is that of a start now. So a budget is never overdrawn, but by runs that are
charged more than was reserved, since they outlive their estimates, or stand still while they shrink. A run whose size
changes (`thinktime.workloads.shapes`) is charged stage by stage, and grows only if enough is left for what it costs
more: of the period in which it began, where that is over.

What happens to a waiting job for which too little is left is said by ``spent``:

* ``hold``: others go before it, until enough is left: jobs end that have reserved more, or the next period begins
* ``refuse``: it is refused; one that has run before waits
* ``lowest``: it comes behind all others in the queue, and the budget is overdrawn
* ``credit``: nothing, and the budget is overdrawn

``hold`` refuses jobs that cost more than all that there is in a period, whenever they start. Without a period, others
may wait for ever.
"""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.checks import number, positive, positive_time, put
from thinktime.workloads.grid import to_grid
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.reading.table import AS_GIVEN, Table

OWNERS = {"user": "user", "account": "group"}
"""Whose a budget may be, and the column of their names."""
SPENT = ("hold", "refuse", "lowest", "credit")


@dataclass(frozen=True, slots=True)
class Budget(Table):
    """An ``amount`` in the unit of the charge for each user, or each account, renewed after each ``period`` (s).

    ``amounts`` are those of some by name; without a period it is for the whole run. Periods begin at 0.
    ``ValueError`` for an amount or a period that cannot be.

    >>> Budget(100, period="30d", amounts={"ann": 500.0}).of_name("ann")
    500.0
    """

    amount: float
    of: str = "user"
    period: Annotated[float | None, AS_GIVEN] = None
    spent: str = "hold"
    amounts: Annotated[dict[str, float], AS_GIVEN] = field(default_factory=dict)

    def __post_init__(self) -> None:
        put(self, "amount", number("amount", self.amount, "a number of at least 0", least=0))
        put(self, "amounts", {str(name): number(f"the amount of {name}", each, "a number of at least 0", least=0)
                              for name, each in dict(self.amounts).items()})  # fmt: skip
        if self.period is not None:
            put(self, "period", positive("period", to_grid(positive_time("period", self.period))))
        for name, choices in (("of", OWNERS), ("spent", SPENT)):
            if getattr(self, name) not in choices:
                word = getattr(self, name)
                raise ValueError(f"{name} cannot be {quoted(word)}; {key_of(str(word), choices, 'the choices')}")

    def of_name(self, name: object) -> float:
        """How much a user or an account has in each period."""
        return self.amounts.get(str(name), self.amount)

    def period_of(self, time: Floats) -> Whole:
        """The number of the period at some times (s), from 0."""
        return np.zeros(np.shape(time), np.int64) if self.period is None else (time // self.period).astype(np.int64)
