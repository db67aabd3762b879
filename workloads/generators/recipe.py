"""A recipe: everything that describes a synthetic workload except its seed.

model      where jobs come from: a `Stream`, the `Lublin` model, `Campaigns`, or a `Mix` of classes of users
requested  the requested times
users      who owns a job, for a stream and the Lublin model (campaigns and classes have owners)
cycle      a daily or weekly cycle: on top of arrivals, or on the clock of users with campaigns
flurries   users who flood the machine, on top of everything
load       the offered load to reach, by the rate of submissions before the cycle
extent     the default numbers of jobs, users and processors

The steps in order: arrivals at the rate that the load needs, cycle, flurries, whole seconds, estimates. The Lublin
model has its own cycle and accepts no other. Campaigns and classes accept no flurries and no other owners. For
campaigns, a load scales the think times.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from thinktime.workloads import checks
from thinktime.workloads.generators.campaign_jobs import Campaigns
from thinktime.workloads.generators.cycles import Cycle
from thinktime.workloads.generators.estimate_models import Estimates, Exact
from thinktime.workloads.generators.job_streams import Stream
from thinktime.workloads.generators.lublin import Lublin
from thinktime.workloads.generators.owners import Everybody, Flurry, Owners, Zipf
from thinktime.workloads.generators.quantities import Geometric, slot
from thinktime.workloads.generators.user_classes import CAMPAIGN, Mix, UserClass
from thinktime.workloads.names import quoted

Model = Stream | Lublin | Campaigns | Mix


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """The numbers of jobs and users, and the size of the machine."""

    jobs: int
    users: int
    processors: int

    def __post_init__(self) -> None:
        checks.fields(self, checks.whole, "jobs", "users", "processors")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A recipe for a synthetic workload; see `thinktime.workloads.generators.generate`."""

    model: Model = field(default=Stream(), metadata=slot("model"))
    requested: Estimates = field(default=Exact(), metadata=slot("estimates"))
    users: Owners = field(default=Everybody(), metadata=slot("users"))
    cycle: Cycle | None = field(default=None, metadata=slot("cycle"))
    flurries: tuple[Flurry, ...] = field(default=(), metadata=slot("flurries"))
    load: float | None = None
    extent: Extent | None = field(default=None, metadata=slot("extent"))

    def __post_init__(self) -> None:
        _check("model", self.model, isinstance(self.model, Model), "a Stream, Lublin, Campaigns or Mix")
        _check("requested", self.requested, hasattr(self.requested, "of"), "a model such as Exact()")
        _check("users", self.users, hasattr(self.users, "draw"), "a way to draw users such as Zipf()")
        _check("cycle", self.cycle, self.cycle is None or isinstance(self.cycle, Cycle), "a Cycle or None")
        checks.put(self, "flurries", tuple(self.flurries))
        for flurry in self.flurries:
            _check("flurries", flurry, isinstance(flurry, Flurry), "Flurry pieces")
        if self.load is not None:
            checks.fields(self, checks.positive, "load", wanted="a fraction of the machine above 0")
        self._check_fit()

    def _check_fit(self) -> None:
        if isinstance(self.model, Lublin) and self.cycle is not None:
            raise ValueError("cycle must be left out: the Lublin model has its own daily cycle")
        if not isinstance(self.model, Campaigns | Mix):
            return
        for name, none in (("flurries", ()), ("users", Everybody())):
            if getattr(self, name) != none:
                what = "think times" if isinstance(self.model, Campaigns) else "those of their campaigns"
                raise ValueError(f"{name} must be left out: campaigns have owners, and their times follow from {what}")

    def closed(self) -> "Recipe":
        """The recipe for users in the loop: a stream of jobs becomes a stream of campaigns (see `classes`).

        Raises ``ValueError`` for flurries and for two streams at once.
        """
        if isinstance(self.model, Campaigns | Mix):
            return self
        if self.flurries:
            raise ValueError('flurries cannot have users in the loop; remove them, or keep mode = "open"')
        stream = self.model
        if isinstance(stream, Lublin):
            if stream.variant not in ("all", "batch", "interactive"):
                raise ValueError(
                    f"the variant {quoted(stream.variant)} cannot have users in the loop; "
                    "take all, batch or interactive"
                )
            stream = getattr(stream, stream.variant)
        if not isinstance(self.users, Everybody | Zipf):
            raise ValueError(f"users in the loop are drawn evenly or by Zipf's law, not by {quoted(self.users)}")
        everybody = UserClass(
            name="user",
            exponent=self.users.exponent if isinstance(self.users, Zipf) else 0.0,
            jobs=Geometric(CAMPAIGN),
            runtimes=stream.runtimes,
            processors=stream.sizes,
        )
        mix = Mix(arrivals=stream.arrivals, rate=1 / CAMPAIGN, classes=(everybody,))
        return replace(self, model=mix, users=Everybody())


def _check(name: str, value: Any, holds: bool, wanted: str) -> None:
    if not holds:
        raise ValueError(f"{name} must be {wanted}, not {quoted(value)}")
