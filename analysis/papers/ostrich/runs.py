"""One instance of the ostrich paper's simulation (section 6), run under several policies.

The jobs are those of `thinktime.workloads.generators.campaign_jobs`: 10,000 sequential jobs on 64 processors. All first
campaigns are submitted at 0, a user's next one a think time after the real end of the one before. Estimates are exact.
The number of users (26, two thirds of them short) and their think times (18,000 s) are fitted to the paper's printed
numbers (docs/studies/ostrich.md).

The sensitivity table changes one thing at a time: users (and with them the load), think times, the mix, the order of
jobs within a campaign, and, in one row, holding a campaign back until its virtual start.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import simpy
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.papers.ostrich.idle_areas import IdleAreas, idle_areas
from thinktime.analysis.stretch import bounds, campaign_columns
from thinktime.analysis.study import quoted
from thinktime.workloads.generators import Campaigns, UserPlan

BOTH = ("fcfs", "ostrich")


@dataclass(frozen=True, kw_only=True)
class SetUp:
    """What an instance is made of; the defaults are the study's."""

    jobs: int = 10_000
    processors: int = 64
    users: int = 26
    share_short: float = 2 / 3
    think_time: float = 18_000.0

    def __post_init__(self) -> None:
        for name in ("jobs", "processors", "users"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {quoted(getattr(self, name))}")
        if not 0 <= self.share_short <= 1:
            raise ValueError(f"share_short must be a number from 0 to 1, not {quoted(self.share_short)}")
        if not 0 <= self.think_time < np.inf:
            raise ValueError(f"think_time must be a number of at least 0 s, not {quoted(self.think_time)}")


@dataclass(frozen=True, slots=True)
class Variation:
    """One set-up to try: what differs, in words, and the policies to run."""

    differs: str
    setup: SetUp
    policies: tuple[str, ...] = BOTH


def variations(setup: SetUp) -> list[Variation]:
    """The rows for a study around this set-up."""
    around = {max(1, round(setup.users * factor)) for factor in (0.5, 0.75, 1.25, 1.5)} - {setup.users}
    return [
        *(Variation(f"{users} users", replace(setup, users=users)) for users in sorted(around)),
        *(
            Variation(f"think time {hours:g} h", replace(setup, think_time=hours * tt.HOUR))
            for hours in (0, 1, 10, 20)
            if hours * tt.HOUR != setup.think_time
        ),
        *(
            Variation(f"{share:.0%} of the users short", replace(setup, share_short=share))
            for share in (1 / 3, 1 / 2, 5 / 6)
            if share != setup.share_short
        ),
        Variation("SPT within a campaign", setup, ("ostrich:within=spt",)),
        Variation("FCFS within a campaign", setup, ("ostrich:within=fcfs",)),
        Variation("campaigns not held back", setup, ("ostrich:held_back=no",)),
    ]


@dataclass(frozen=True, slots=True)
class Run:
    """One instance under each of some policies: the same jobs and think times for all."""

    setup: SetUp
    policies: tuple[str, ...]
    seed: int
    instance: int

    def perform(self) -> "list[Outcome]":
        """Draw the instance, and simulate it under each policy."""
        plans = instance(self.setup, self.seed, self.instance)
        return [outcome(simulate(self.setup, plans, policy)) for policy in self.policies]


class Outcome(NamedTuple):
    """The results of one policy on one instance; arrays have one value per campaign."""

    stretch: NDArray[np.float64]
    user: NDArray[np.int64]
    short: NDArray[np.bool_]
    late: int
    """Campaigns beyond Lemma 2's bound."""
    stretched: int
    """Campaigns beyond Theorem 1's bound."""
    utilization: float
    idle: IdleAreas
    """Lemma 1's areas and its bound."""

    def maxima(self, short: bool) -> NDArray[np.float64]:
        """The maximum stretch of each user of one profile; users without a campaign have none."""
        chosen = self.short == short
        users, of_row = np.unique(self.user[chosen], return_inverse=True)
        largest = np.zeros(len(users))
        np.maximum.at(largest, of_row, self.stretch[chosen])
        return largest


def instance(setup: SetUp, seed: int, number: int) -> list[UserPlan]:
    """The users' campaigns in one instance: they depend on the seed and its number alone."""
    workload = Campaigns(share=setup.share_short, think_time=setup.think_time)
    own = tt.stream(seed, number).bit_generator.seed_seq
    assert isinstance(own, np.random.SeedSequence)
    return workload.campaigns_of(setup.jobs, setup.users, setup.processors, own)


def simulate(setup: SetUp, plans: list[UserPlan], policy: str) -> tt.Result:
    """Run the users in the loop until the last campaign is over."""
    env = simpy.Environment()
    machine = tt.Machine(env, setup.processors, policy)
    for plan in plans:
        name = f"{plan.profile} {plan.user}"
        env.process(tt.scripted_user(env, machine, name, plan.runtimes, plan.think_times, plan.first))
    env.run()
    return machine.result()


def outcome(result: tt.Result) -> Outcome:
    """What the study keeps of a run."""
    columns, guaranteed = campaign_columns(result), bounds(result)
    is_short = np.array([str(name).startswith("short") for name in result.names["user"]])
    return Outcome(
        stretch=columns.stretch,
        user=columns.user,
        short=is_short[columns.user],
        late=int(guaranteed.late.sum()),
        stretched=int(guaranteed.stretched.sum()),
        utilization=tt.measures.utilization(result),
        idle=idle_areas(result),
    )
