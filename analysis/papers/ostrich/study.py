"""The ostrich paper's study (section 6): OStrich against FCFS, and what depends on what the paper leaves open.

FCFS takes campaigns in the order of their submission and the jobs of each as submitted, and starts a job as
soon as a processor is free. That is the policy `fcfs`, since the jobs are sequential. Every campaign of every
instance is measured, as in the paper: there is no warm-up, and the drain at the end belongs to it.

Both policies get the same instances, and so does every set-up of the sensitivity table as far as it can
(one stream per instance).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thinktime.analysis.papers.ostrich.runs import Outcome, Run, SetUp, Variation, variations
from thinktime.analysis.statistics import Interval, mean_of, ratio
from thinktime.analysis.study import Study, option

POLICIES = ("fcfs", "ostrich")


class Effort(NamedTuple):
    """How many instances: of the comparison itself, and of each row of the sensitivity table."""

    instances: int
    sensitivity: int


FULL, QUICK = Effort(instances=40, sensitivity=6), Effort(instances=8, sensitivity=2)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The results of a policy over all instances: means with their intervals over instances."""

    campaigns: int
    above_20: Interval
    """The share of the campaigns with a stretch above 20."""
    below_2: Interval
    short: Interval
    """The mean over short users of the maximum stretch of their campaigns."""
    long: Interval
    short_median: float
    """The median over short users of the same: a few heavy instances do not move it."""
    long_median: float
    behind: int
    """Instances beyond Lemma 1's bound."""
    idle_shares: tuple[float, ...]
    """Of each instance, the largest excess of idle area over V's, as a part of Lemma 1's bound m p_max."""
    late: int
    """Campaigns beyond Lemma 2's bound."""
    stretched: int
    """Campaigns beyond Theorem 1's bound."""
    utilization: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the sensitivity table: what was changed, and the numbers by policy."""

    variation: Variation
    numbers: dict[str, Numbers]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The results of all runs."""

    setup: SetUp
    instances: int
    numbers: dict[str, Numbers]
    outcomes: dict[str, list[Outcome]]
    """By policy, one for each instance."""
    sensitivity: list[Row]
    sensitivity_instances: int

    def stretches(self, policy: str) -> NDArray[np.float64]:
        """The stretches of all campaigns."""
        return np.concatenate([each.stretch for each in self.outcomes[policy]])


@dataclass(frozen=True, kw_only=True)
class OstrichStudy(Study[list[Outcome], Evidence]):
    """OStrich against FCFS on the ostrich paper's synthetic campaigns, and how much the set-up matters."""

    name = "ostrich"
    line = "OStrich against FCFS on synthetic campaigns."
    unit = "instances"
    files = "Write Figures 3a, 3b, 4 and tables."
    compared = POLICIES

    quick: bool = option(False, "Run fewer instances; takes less than a minute.", kind="flag")
    jobs: int = option(SetUp.jobs, "Number of jobs in an instance.", "N", "count")
    instances: int | None = option(None, "Number of instances.", "N", "count", shown="40, with --quick 8")
    users: int = option(SetUp.users, "Number of users; the paper does not say.", "U", "count")
    share_short: float = option(
        SetUp.share_short, "Fraction of users with short jobs.", "X", "number", shown="2/3", most=1
    )
    think_time: float = option(int(SetUp.think_time), "Think time between campaigns (s).", "S", "number")
    seed: int = option(1, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        self.setup()

    def setup(self) -> SetUp:
        """What every instance is made of."""
        return SetUp(jobs=self.jobs, users=self.users, share_short=self.share_short, think_time=self.think_time)

    def effort(self) -> Effort:
        """How many instances there are; the object of ``--json`` has no sensitivity table."""
        usual = QUICK if self.quick else FULL
        instances = usual.instances if self.instances is None else self.instances
        return Effort(instances, 0 if self.object_only else min(usual.sensitivity, instances))

    def rows(self) -> list[Variation]:
        """The comparison itself, and the rows of the sensitivity table."""
        setup = self.setup()
        return [Variation("nothing", setup), *(variations(setup) if self.effort().sensitivity else [])]

    def tasks(self) -> dict[tuple[int, int], Run]:
        """By row (the comparison itself first) and number of the instance."""
        each = self.effort()
        return {
            (at, number): Run(row.setup, row.policies, self.seed, number)
            for at, row in enumerate(self.rows())
            for number in range(each.sensitivity if at else each.instances)
        }

    def gather(self, answers: Mapping[tuple[int, int], list[Outcome]]) -> Evidence:
        """Numbers of the comparison over all instances, and of every row over its own."""
        each = self.effort()
        main = [answers[0, number] for number in range(each.instances)]
        table = [
            Row(row, _numbers(row.policies, [answers[at, number] for number in range(each.sensitivity)]))
            for at, row in enumerate(self.rows())
            if each.sensitivity
        ]
        return Evidence(
            setup=self.setup(),
            instances=each.instances,
            numbers=_numbers(POLICIES, main),
            outcomes=_by_policy(POLICIES, main),
            sensitivity=table,
            sensitivity_instances=each.sensitivity,
        )


def numbers_of(found: Sequence[Outcome]) -> Numbers:
    """The numbers of one policy, from its outcomes."""
    campaigns = [len(each.stretch) for each in found]
    short, long = ([each.maxima(profile) for each in found] for profile in (True, False))
    return Numbers(
        campaigns=sum(campaigns),
        above_20=ratio([(each.stretch > 20).sum() for each in found], campaigns),
        below_2=ratio([(each.stretch < 2).sum() for each in found], campaigns),
        short=mean_of(short),
        long=mean_of(long),
        short_median=_median(short),
        long_median=_median(long),
        behind=sum(each.idle.broken for each in found),
        idle_shares=tuple(each.idle.share for each in found),
        late=sum(each.late for each in found),
        stretched=sum(each.stretched for each in found),
        utilization=float(np.mean([each.utilization for each in found])),
    )


def _numbers(policies: Sequence[str], answers: Sequence[list[Outcome]]) -> dict[str, Numbers]:
    return {policy: numbers_of(found) for policy, found in _by_policy(policies, answers).items()}


def _by_policy(policies: Sequence[str], answers: Sequence[list[Outcome]]) -> dict[str, list[Outcome]]:
    return {policy: [answer[at] for answer in answers] for at, policy in enumerate(policies)}


def _median(groups: Sequence[NDArray[np.float64]]) -> float:
    values = np.concatenate(groups)
    return float(np.median(values)) if len(values) else np.nan
