"""What jobs are charged: a sum of terms, each so much per unit of what a run has used.

    Charge([Term(1.0), Term(0.5, "kWh", hours=(8, 20)), Term(3.0, partition="gpu")], unit="credits")

A term has a ``rate`` per unit of a quantity:

* ``processor-hour``, and ``billing-hour``: what Slurm bills for the resources of a job, by ``weights`` as in
  TRESBillingWeights (of memory per GB, 2**30 bytes; without any, its processors), times hours
* ``kWh``, ``kg`` and ``currency``: energy of the job above idle at the meter, its carbon, and its price
* ``job``: each run, once

It counts for the jobs of one ``partition`` (with ``unnamed``, also for those that name none) or ``qos`` (the job's
queue), or of all, and for the part of a run within
``hours`` of the day of the log, from the first to before the second (22 to 6 is the night). A ``tariff`` is the name of
a signal by which the rate is multiplied over time. Clocks that change are not heeded.

Runs that ended in one of the ways ``free`` (`thinktime.models.state.RUN_ENDS`) are not charged, such as ``failed``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from thinktime.models.site.site import Site
from thinktime.models.site.tres import Tres, Weights
from thinktime.models.state import RUN_ENDS
from thinktime.workloads.checks import number, put
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.reading.table import AS_GIVEN, Rows, Table
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.units import HOUR

QUANTITIES = ("processor-hour", "billing-hour", "kWh", "kg", "currency", "job")
NEEDS = {"kWh": "power", "kg": "carbon", "currency": "price"}
"""What a result must have for a quantity (`thinktime.models.results.metric.OF_SOME`)."""
DAY_HOURS = 24


@dataclass(frozen=True, slots=True)
class Term(Table):
    """A term of a charge: a ``rate`` per unit of a quantity, for some jobs, at some hours, or times a tariff."""

    rate: float = 1.0
    per: str = QUANTITIES[0]
    partition: str | None = None
    unnamed: bool = False
    qos: str | None = None
    hours: Annotated[tuple[float, float] | None, AS_GIVEN] = None
    tariff: str | None = None
    weights: Weights = field(default_factory=lambda: Tres[float]())

    def __post_init__(self) -> None:
        put(self, "rate", number("rate", self.rate))
        if self.per not in QUANTITIES:
            raise ValueError(
                f"a charge is not per {quoted(self.per)}; {key_of(str(self.per), QUANTITIES, 'the units')}"
            )
        if self.hours is not None:
            put(self, "hours", _hours(self.hours))
        if self.weights and self.per != "billing-hour":
            raise ValueError(f"weights are for a term per billing-hour, not per {self.per}")
        put(self, "weights", Tres(self.weights))

    def at_hours(self, midnight: float) -> Signal | None:
        """1 in its hours of the day and 0 in others, if it has some; ``midnight`` is one of the log (s)."""
        if self.hours is None:
            return None
        first, last = self.hours
        inside = {0.0: float(first > last), first: 1.0} | ({last: 0.0} if last < DAY_HOURS else {})
        times = sorted(inside)
        return Signal([midnight + HOUR * t for t in times], [inside[t] for t in times], end=midnight + DAY_HOURS * HOUR)


@dataclass(frozen=True, slots=True)
class Charge(Table):
    """What jobs are charged, in some ``unit``: a sum of ``terms``; runs that ended in a way of ``free`` cost nothing.

    ``ValueError`` for a quantity, hours or an end that there is not.

    >>> Charge([Term(0.5), Term(0.1, "kWh")], unit="credits").needs
    {'power'}
    """

    terms: Annotated[tuple[Term, ...], Rows(Term, tuple, "term")] = (Term(),)
    unit: str = "credits"
    free: Annotated[tuple[str, ...], AS_GIVEN] = ()

    if TYPE_CHECKING:

        def __init__(
            self, terms: Iterable[Term] = (Term(),), unit: str = "credits", free: Iterable[str] = ()
        ) -> None: ...

    def __post_init__(self) -> None:
        put(self, "terms", tuple(self.terms))
        put(self, "free", tuple(self.free))
        for how in self.free:
            if how not in RUN_ENDS:
                raise ValueError(f"no run ends {quoted(how)}; {key_of(str(how), RUN_ENDS, 'the ways')}")

    @property
    def needs(self) -> set[str]:
        """What a machine must have: power, and signals of carbon or a price."""
        return {NEEDS[each.per] for each in self.terms if each.per in NEEDS}

    @classmethod
    def of_site(cls, site: Site, rate: float = 1.0) -> Charge:
        """What Slurm bills at a site, per hour, by the TRESBillingWeights of its partitions.

        ``ValueError`` for a site that bills the largest weight alone (MAX_TRES).
        """
        if "MAX_TRES" in site.priority.flags:
            raise ValueError("the site bills the largest weight alone (MAX_TRES), which is no sum of terms")
        usual = site.partition()
        return cls(
            [
                Term(rate, "billing-hour", each.name, each == usual, weights=each.billing_weights)
                for each in site.partitions
            ],
            unit="billing",
        )


def _hours(given: Any) -> tuple[float, float]:
    """The first and the last hour of a day, which may be those of a night."""
    if isinstance(given, Mapping | str) or not isinstance(given, Iterable) or len(pair := tuple(given)) != 2:
        raise ValueError(f"hours must be two hours of the day, such as [8, 20], not {quoted(given)}")
    first, last = (number("hours", each, "hours from 0 to 24", least=0, most=DAY_HOURS) for each in pair)
    if first in (last, DAY_HOURS):
        raise ValueError(f"hours must be two different hours of the day, such as [8, 20], not {quoted(given)}")
    return first, last
