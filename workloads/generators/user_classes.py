"""Classes of users whose campaigns begin at the times of an arrival process.

A campaign belongs to a class with the class's share of `campaigns`, and to one of its n users: uniformly, or to
the i-th in proportion to i^−e exp(σ zᵢ), with Zipf's `exponent` e and the `spread` σ of a log-normal. zᵢ is the
normal quantile of (n − i + ½) / n, so the busiest user comes first. A class sets how many `jobs` a campaign has,
how far apart they are submitted (`gaps`, s), how wide they are and how long they run. Users are divided among
the classes in proportion to `users`, by largest remainders, at least one for each.

In a log, campaigns begin at the times of `arrivals` (bursts and cycle included), whatever the machine does. With
users in the loop these are the times at which users intend to begin. A user who is still waiting for the previous
campaign, or thinking (`think_time`), begins as soon as that is over. So in a burst many users want to begin at
once, and how bursty the submissions are depends on the machine's response.

`recipe.closed` turns a stream of jobs into such a model: one class, with campaigns of `CAMPAIGN` jobs on average
(geometric), arriving less often by that factor. All of this is ours.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.generators.arrivals import Arrivals, Poisson
from thinktime.workloads.generators.job_streams import Draft, Luck
from thinktime.workloads.generators.owners import apportioned, by_weight
from thinktime.workloads.generators.quantities import Quantity, checked, checked_time, sample, slot
from thinktime.workloads.generators.shapes import Sizes, draw_runtimes, draw_sizes
from thinktime.workloads.hours import WorkingHours
from thinktime.workloads.names import quoted, shortened

CAMPAIGN = 5.0
"""Mean number of jobs per campaign when users in the loop submit a stream of jobs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """The run times (s) of a class's jobs of at most `upto` processors, above those of the previous band."""

    upto: int
    runtimes: Quantity = field(default=3_600.0, metadata=slot("runtimes"))

    def __post_init__(self) -> None:
        checks.fields(self, checks.whole, "upto")
        checks.fields(self, checked_time, "runtimes")


@dataclass(frozen=True, slots=True, kw_only=True)
class UserClass:
    """One class of users. `users` and `campaigns` are shares, in any unit.

    `bands`, ascending in width, override the run times of narrower jobs; wider ones have `runtimes`.
    """

    name: str
    users: float = 1.0
    campaigns: float = 1.0
    exponent: float = 0.0
    spread: float = 0.0
    jobs: Quantity = field(default=1.0, metadata=slot("quantity"))
    gaps: Quantity = field(default=0.0, metadata=slot("time"))
    runtimes: Quantity = field(default=3_600.0, metadata=slot("runtimes"))
    processors: Sizes | Quantity = field(default=1.0, metadata=slot("sizes"))
    think_time: Quantity = field(default=0.0, metadata=slot("time"))
    bands: tuple[Band, ...] = field(default=(), metadata=slot("bands"))

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"name must be a non-empty string, not {quoted(self.name)}")
        checks.fields(self, checks.positive, "users", "campaigns")
        wanted = "a number of at least 0"
        checks.fields(self, checks.number, "exponent", "spread", wanted=wanted, least=0.0)
        checks.fields(self, checked, "jobs", least=1.0)
        checks.fields(self, checked_time, "gaps", "runtimes", "think_time")
        if not isinstance(self.processors, Sizes):
            checks.fields(self, checked, "processors", least=1.0)
        checks.put(self, "bands", tuple(self.bands))
        if any(before.upto >= after.upto for before, after in pairwise(self.bands)):
            widths = ", ".join(str(each.upto) for each in self.bands)
            raise ValueError(f"bands must be ascending, not {shortened(widths, 40)}")

    def run_times(self, sizes: Whole, luck: Luck) -> Floats:
        """Draw the run times (s) of jobs of these sizes."""
        band = np.searchsorted([each.upto for each in self.bands], sizes)
        found = np.empty(len(sizes))
        for number, quantity in enumerate([*(each.runtimes for each in self.bands), self.runtimes]):
            rows = np.flatnonzero(band == number)
            last = number == len(self.bands)
            purpose = f"{self.name}: run times{'' if last else f' up to {self.bands[number].upto}'}"
            found[rows] = draw_runtimes(quantity, sizes[rows], luck(purpose))
        return found

    def owners(self, count: int, users: int, rng: np.random.Generator) -> Whole:
        """Draw the owners of `count` campaigns, numbered from 1 to `users`."""
        return by_weight(activity(users, self.exponent, self.spread), count, rng)


def activity(users: int, exponent: float, spread: float) -> Floats:
    """The relative rates at which users submit campaigns, the busiest first."""
    from scipy.special import ndtri

    ranks = np.arange(1, users + 1, dtype=np.float64)
    spreads = np.exp(spread * ndtri((users - ranks + 0.5) / users))
    return np.asarray(ranks**-exponent * spreads, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Crowd:
    """The campaigns of a draft, in order of their beginnings before any cycle."""

    owner: Whole
    kind: Whole
    """The class of each, counted from 0."""
    starts: Whole
    """The first job of each."""
    thought: Floats
    """The think time before each, s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """Classes of users, and when their campaigns begin. `rate` multiplies the rate of `arrivals`."""

    arrivals: Arrivals = field(default=Poisson(), metadata=slot("arrivals"))
    rate: float = 1.0
    hours: WorkingHours | None = field(default=None, metadata=slot("hours"))
    classes: tuple[UserClass, ...] = field(default=(UserClass(name="user"),), metadata=slot("classes"))

    def __post_init__(self) -> None:
        if not isinstance(self.arrivals, Arrivals):
            raise ValueError(f"arrivals must be a process such as Poisson(), not {quoted(self.arrivals)}")
        checks.fields(self, checks.positive, "rate")
        checks.put(self, "classes", tuple(self.classes))
        if not self.classes:
            raise ValueError("classes must not be empty: give at least one [[model.classes]]")

    @property
    def bursty(self) -> bool:
        """Whether campaigns begin in bursts."""
        return self.arrivals.bursty

    def users_of(self, users: int) -> list[int]:
        """How many of the users each class has."""
        if users < len(self.classes):
            raise ValueError(
                f"users must be at least {len(self.classes)}, one for each class of the recipe, not {users}"
            )
        # The shares of the users that are left once each class has one.
        total = sum(each.users for each in self.classes)
        left = [max(users * each.users / total - 1, 0.0) for each in self.classes]
        rest = apportioned(users - len(self.classes), left if sum(left) else [1.0] * len(left))
        return [1 + count for count in rest]

    def draft(self, jobs: int, users: int, processors: int, luck: Luck, rate: float = 1.0) -> Draft:
        """Draw `jobs` jobs at `rate` times the rate of the recipe; not yet in order of submission."""
        crowd = self.crowd(jobs, users, luck)
        campaign = np.repeat(np.arange(len(crowd.starts)), np.diff(crowd.starts, append=jobs))
        kind = crowd.kind[campaign]
        begins = self.arrivals.operational(len(crowd.starts), luck("campaigns: arrivals"), rate * self.rate)
        size, runtime, gap = np.empty(jobs, np.int64), np.empty(jobs), np.empty(jobs)
        for number, each in enumerate(self.classes):
            rows, of = np.flatnonzero(kind == number), f"{each.name}: "
            size[rows] = draw_sizes(each.processors, len(rows), processors, luck(f"{of}processors"))
            runtime[rows] = each.run_times(size[rows], luck)
            gap[rows] = np.maximum(sample(each.gaps, len(rows), luck(f"{of}gaps"), "gaps"), 0.0)
        gap[crowd.starts] = 0.0
        since = np.cumsum(gap)
        own = self.arrivals.own_cycle
        return Draft(
            begins[campaign],
            runtime,
            size,
            {"user": crowd.owner[campaign], "group": kind + 1},
            clocks=((own,) if own else (),),
            later=since - since[crowd.starts][campaign],
        )

    def crowd(self, jobs: int, users: int, luck: Luck) -> Crowd:
        """Draw the order of the campaigns, their owners, and how many jobs they have."""
        shares = np.array([each.campaigns for each in self.classes])
        reached = np.cumsum(shares) / shares.sum()
        kind: Whole = np.minimum(np.searchsorted(reached, luck("classes").random(jobs), side="right"), len(shares) - 1)
        owner, count, thought = np.empty(jobs, np.int64), np.empty(jobs, np.int64), np.empty(jobs)
        before = 0
        for number, (each, own) in enumerate(zip(self.classes, self.users_of(users), strict=True)):
            rows, of = np.flatnonzero(kind == number), f"{each.name}: "
            owner[rows] = before + each.owners(len(rows), own, luck(f"{of}users"))
            drawn = sample(each.jobs, len(rows), luck(f"{of}jobs"), "jobs")
            count[rows] = np.clip(np.rint(drawn), 1, jobs)
            thoughts = sample(each.think_time, len(rows), luck(f"{of}think times"), "think_time")
            thought[rows] = np.maximum(thoughts, 0.0)
            before += own
        ends = np.cumsum(count)
        used = int(np.searchsorted(ends, jobs)) + 1
        return Crowd(owner[:used], kind[:used], (ends - count)[:used], thought[:used])
