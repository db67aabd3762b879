"""Budgets: how much users or accounts may be charged (`thinktime.models.site.charge`), for good or in each period.

A job counts for the period in which it may start. When it is submitted, the charge of its whole estimate is reserved;
when it is over, what it was charged takes its place. So a budget is never overdrawn, but by jobs that are charged more
than was reserved: they outlive their estimates, run again, or start when a tariff is higher.

What happens to a job for which too little is left is said by ``spent``:

* ``hold``: it may start in the first period that has enough left; if none ever has, it is refused
* ``refuse``: it is refused
* ``credit``: it may start, and the budget is overdrawn
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.checks import number, positive_time, put
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.reading.table import AS_GIVEN, Table

OWNERS = {"user": "user", "account": "group"}
"""Whose a budget may be, and the column of their names."""
SPENT = ("hold", "refuse", "credit")


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
            put(self, "period", positive_time("period", self.period))
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
