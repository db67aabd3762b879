"""The power of a machine: what its processors or nodes draw when idle, what jobs add, and a cap on all of it.

    power = Power(idle=100, job=60, cap="20 kW")
    spec = MachineSpec(nodes=Nodes.uniform(128, 32), power=power)

A job draws so many watts for each of its processors while it runs (`Job.power`, the column ``power`` of a log, or
``job``), beside what the machine draws when nothing runs. The cap binds in every rule as a second resource does: a job
has room only if its watts are below the cap for as long as it is planned to run. Estimates of power are what the
request says. Units are watts; energy is in joules, or kWh where it says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from thinktime.workloads import checks
from thinktime.workloads.names import explain_arguments
from thinktime.workloads.power import LEAST, NO_CAP, STEP, Watts, plausible, watts
from thinktime.workloads.reading.table import AS_GIVEN, Table


@explain_arguments
@dataclass(frozen=True, slots=True)
class Power(Table):
    """What a machine draws, and may draw at most.

    ``idle`` is what each processor of a pool, or each node of a machine of nodes, draws when nothing runs there (W),
    ``off`` what it draws in windows of kind ``off`` (default: as idle), and ``pue`` by how much the facility draws more
    than the machine. ``job`` is what each processor of a job adds whose power is unknown (W). ``cap`` is the most
    that the machine and its facility may draw (W, or a text such as "90 kW"); windows of kind ``cap`` are times with a
    lower one (`thinktime.workloads.changes.windows`).

    ``ValueError`` for power below 0, or so large that another unit must be meant, and a ``pue`` below 1.

    >>> Power(idle=10, cap="1.5 kW").cap
    1500.0
    """

    idle: Annotated[float, AS_GIVEN] = 0.0
    off: Annotated[float | None, AS_GIVEN] = None
    pue: Annotated[float, AS_GIVEN] = 1.0
    job: Annotated[float, AS_GIVEN] = 0.0
    cap: Annotated[float | None, AS_GIVEN] = None

    if TYPE_CHECKING:

        def __init__(
            self,
            idle: Watts = 0.0,
            off: Watts | None = None,
            pue: float = 1.0,
            job: Watts = 0.0,
            cap: Watts | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("idle", "off", "job"):
            if getattr(self, name) is not None:
                checks.put(self, name, plausible(name, getattr(self, name)))
        checks.put(self, "pue", checks.number("pue", self.pue, "a number from 1 to 10", least=1.0, most=10.0))
        if self.cap is not None:
            checks.put(self, "cap", watts("cap", self.cap))

    def above_idle(self, cap: float, units: int) -> int:
        """What a cap leaves to jobs beside so many idle processors or nodes, 2⁻¹⁰ W; below 0 if it cannot be."""
        return math.floor((cap / self.pue - self.idle * units) / STEP)

    def room_for_jobs(self, units: int) -> int:
        """What jobs may draw together when no step of the cap is on, in steps of 2⁻¹⁰ W."""
        return NO_CAP if self.cap is None else self.above_idle(self.cap, units)

    def doubts(self) -> list[str]:
        """Sentences on watts that are so few that kW may be meant."""
        return [
            f"power: {name} is {each:.2g} W for a processor or node, which is little; is it in kW? Give watts"
            for name, each in (("idle", self.idle), ("job", self.job))
            if 0 < each < LEAST
        ]

    def check(self, units: int, what: str, caps: Iterable[float] = ()) -> None:
        """``ValueError`` if a cap, or one of the ``caps`` of some times, is below what the idle machine draws.

        It has so many processors or nodes.
        """
        idle = self.idle * units * self.pue
        for cap in [*([] if self.cap is None else [self.cap]), *caps]:
            if self.above_idle(cap, units) < 0:
                raise ValueError(
                    f"the cap of {cap:,.15g} W is below the {idle:,.15g} W that {units:,} idle {what} draw; "
                    "give a higher cap, or check the units"
                )
