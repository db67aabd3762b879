"""A recipe: all that describes a synthetic workload but its extent (jobs, users, processors) and its seed.

model      where jobs come from: a `Stream`, the `Lublin` model, or `Campaigns`
estimates  what users declare
users      who owns a job (a stream and the Lublin model do not say; campaigns do)
cycle      a daily or weekly cycle on top of a stream's arrivals
flurries   users who flood the machine, on top of everything
load       the offered load to scale to

The order of the steps: arrivals, cycle, flurries, load, whole seconds, estimates. The Lublin model has a
cycle of its own, and the times of campaigns follow from their users' think times: neither takes a cycle, and
campaigns take no flurries and no other owners; a load changes their think times.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from thinktime.workloads.generators import checks
from thinktime.workloads.generators.campaigns import Campaigns
from thinktime.workloads.generators.cycles import Cycle
from thinktime.workloads.generators.estimates import Estimates, Exact
from thinktime.workloads.generators.flurries import Flurry
from thinktime.workloads.generators.lublin import Lublin
from thinktime.workloads.generators.owners import Everybody, Owners
from thinktime.workloads.generators.quantities import slot
from thinktime.workloads.generators.streams import Stream

Model = Stream | Lublin | Campaigns


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a workload is made of. See `thinktime.workloads.generators.generate`."""

    model: Model = field(default=Stream(), metadata=slot("model"))
    estimates: Estimates = field(default=Exact(), metadata=slot("estimates"))
    users: Owners = field(default=Everybody(), metadata=slot("users"))
    cycle: Cycle | None = field(default=None, metadata=slot("cycle"))
    flurries: tuple[Flurry, ...] = field(default=(), metadata=slot("flurries"))
    load: float | None = None

    def __post_init__(self) -> None:
        _check("model", self.model, isinstance(self.model, Model), "a Stream, Lublin or Campaigns")
        _check("estimates", self.estimates, hasattr(self.estimates, "of"), "a model such as Exact()")
        _check("users", self.users, hasattr(self.users, "draw"), "a way to draw users such as Zipf()")
        _check("cycle", self.cycle, self.cycle is None or isinstance(self.cycle, Cycle), "a Cycle or None")
        checks.put(self, "flurries", tuple(self.flurries))
        for flurry in self.flurries:
            _check("flurries", flurry, isinstance(flurry, Flurry), "Flurry pieces")
        if self.load is not None:
            checks.put(self, "load", checks.positive("load", self.load, "a fraction of the machine above 0"))
        self._check_fit()

    def _check_fit(self) -> None:
        """Refuse parts that the model has no use for."""
        if isinstance(self.model, Lublin) and self.cycle is not None:
            raise ValueError("cycle must be none: the Lublin model has a daily cycle of its own")
        if not isinstance(self.model, Campaigns):
            return
        for name, none in (("cycle", None), ("flurries", ()), ("users", Everybody())):
            if getattr(self, name) != none:
                raise ValueError(
                    f"{name} must be left out: campaigns have owners, and their times follow from think times"
                )


def _check(name: str, value: Any, holds: bool, wanted: str) -> None:
    if not holds:
        raise ValueError(f"{name} must be {wanted}, not {value!r}")
