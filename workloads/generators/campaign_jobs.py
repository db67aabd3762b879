"""Campaign workloads: users who submit campaigns of independent jobs, wait for all of them, and think.

Each job starts a new campaign with probability q, else it belongs to the campaign of the job before it. The owner of a
new campaign is uniform over the users. All run times of a user come from the user's profile, short or long. Source: the
ostrich paper, section 6, with q = 0.02, short run times uniform on [1, 3600] s and long ones on [3600, 36000] s,
sequential jobs. Ours: the first users are the short ones, two thirds by default (rounded), and think times are
18,000 s (see docs/studies/ostrich.md).

In a log, submission times are nominal (`nominal`, ours). The first campaign is submitted at `first`. Run times and
think times are whole seconds. In SWF, field 17 of every job of a campaign is the job of the user's preceding campaign
that ends last (nominally), and field 18 the think time. The profile is the group: 1 short, 2 long. A study with users
in the loop gets the same campaigns from `campaigns_of`.

Users may have a clock of their own (`cycles`): with a cycle, time passes faster by day while they think, and with
working hours they submit within them. A given load is reached by scaling the think times on that clock.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.generators.cycles import Cycle, UserClock
from thinktime.workloads.generators.job_streams import Draft, Luck, luck
from thinktime.workloads.generators.nominal import Plan, at_load, nominal
from thinktime.workloads.generators.quantities import LONG, SHORT, Quantity, checked, checked_time, sample, slot
from thinktime.workloads.generators.shapes import Sizes, draw_sizes
from thinktime.workloads.hours import WorkingHours
from thinktime.workloads.streams import Seed

PROFILES = ("short", "long")


@dataclass(frozen=True, slots=True)
class UserPlan:
    """The campaigns of one user in order, each as the run times (s) and processors of its jobs.

    `first` is when the first campaign is submitted (s). `think_times[i]` is the time (s) from the end of
    campaign i to the submission of campaign i + 1, on the user's clock. `begins`, where campaigns have times of
    their own (`classes`), is when the user intends to submit each. `estimates` are the requested times (s).
    """

    user: int
    profile: str
    first: float
    runtimes: list[list[float]]
    processors: list[list[int]]
    think_times: list[float]
    begins: list[float] | None = None
    estimates: list[list[float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaigns:
    """Campaign users of two profiles; `share` is the share of short users."""

    probability: float = 0.02
    share: float = 2 / 3
    think_time: Quantity = field(default=18_000.0, metadata=slot("time"))
    short: Quantity = field(default=SHORT, metadata=slot("time"))
    long: Quantity = field(default=LONG, metadata=slot("time"))
    processors: Sizes | Quantity = field(default=1.0, metadata=slot("sizes"))
    first: Quantity = field(default=0.0, metadata=slot("time"))
    hours: WorkingHours | None = field(default=None, metadata=slot("hours"))

    def __post_init__(self) -> None:
        checks.fields(self, checks.share, "probability", "share")
        checks.fields(self, checked_time, "think_time", "short", "long", "first")
        if not isinstance(self.processors, Sizes):
            checks.fields(self, checked, "processors", least=1.0)

    def campaigns_of(
        self, jobs: int, users: int, processors: int, seed: Seed, load: float | None = None, cycle: Cycle | None = None
    ) -> list[UserPlan]:
        """The users' campaigns in one instance of `jobs` jobs, the same as in the log with this seed.

        Users without a campaign are left out. `load` scales the think times as it does in the log.
        """
        plan, _ = at_load(self.plan(jobs, users, processors, luck(seed), cycle), processors, load)
        plans = []
        for user in np.unique(plan.owner).tolist():
            rows = np.flatnonzero(plan.owner == user)
            first, *thoughts = plan.thought[rows].tolist()
            profile = PROFILES[user > self.short_users(users)]
            jobs_of = cut(rows, plan.starts, plan.runtime, plan.processors)
            plans.append(UserPlan(user, profile, first, *jobs_of, thoughts))
        return plans

    def short_users(self, users: int) -> int:
        """How many of the users are short."""
        return int(self.share * users + 0.5)

    def draft(self, plan: Plan, users: int, processors: int) -> Draft:
        """The jobs of a plan in order of their nominal submission times."""
        group = np.where(plan.owner <= self.short_users(users), 1, 2)
        return nominal(plan, processors, {"user": plan.owner, "group": group})

    def plan(self, jobs: int, users: int, processors: int, luck: Luck, cycle: Cycle | None = None) -> Plan:
        """Draw who submits what, in whole seconds."""
        starts, owner = self._owners(jobs, users, luck("campaigns"))
        campaign = np.repeat(np.arange(len(starts)), np.diff(starts, append=jobs))
        short = owner[campaign] <= self.short_users(users)
        runtime = np.empty(jobs)
        for name, rows in (("short", short), ("long", ~short)):
            runtime[rows] = sample(getattr(self, name), int(rows.sum()), luck(f"{name} run times"), name)
        size = draw_sizes(self.processors, jobs, processors, luck("processors"), "processors")
        runtime, clock = np.maximum(np.rint(runtime), 1.0), UserClock(cycle, self.hours)
        return Plan(starts, owner, *self._thoughts(owner, luck), runtime, size, clock)

    def _owners(self, jobs: int, users: int, rng: np.random.Generator) -> tuple[Whole, Whole]:
        """The first job of each campaign, and the campaign's owner."""
        new = rng.random(jobs) < self.probability
        new[:1] = True
        starts = np.flatnonzero(new)
        return starts, rng.integers(1, users + 1, len(starts))

    def _thoughts(self, owner: Whole, luck: Luck) -> tuple[Whole, Floats]:
        """The user's previous campaign (−1: none), and the think time before each or the first's submission."""
        before = _before(owner)
        thoughts = sample(self.think_time, len(owner), luck("think times"), "think_time")
        firsts = sample(self.first, len(owner), luck("first submissions"), "first")
        # Negative draws become 0, as for users in the loop.
        return before, np.rint(np.maximum(np.where(before < 0, firsts, thoughts), 0.0))


def _before(owner: Whole) -> Whole:
    """For each row, the previous row of the same owner, or −1."""
    order = np.argsort(owner, kind="stable")
    before = np.full(len(owner), -1, dtype=np.int64)
    same = owner[order][1:] == owner[order][:-1]
    before[order[1:][same]] = order[:-1][same]
    return before


def cut(rows: Whole, starts: Whole, runtime: Floats, processors: Whole) -> tuple[list[Any], list[Any]]:
    """The run times and the processors of the jobs of these campaigns; `starts` is the first job of each."""
    bounds = np.append(starts, len(runtime))
    of_each = [slice(bounds[row], bounds[row + 1]) for row in rows.tolist()]
    return [runtime[each].tolist() for each in of_each], [processors[each].tolist() for each in of_each]
