"""The ostrich paper's study (section 6): OStrich against FCFS, and what hangs on what the paper leaves open.

FCFS takes campaigns in the order of their submission and the jobs of each as submitted, and starts a job as
soon as a processor is free: the policy `fcfs`, since the jobs are sequential. Measured is every campaign of
every instance, as in the paper: there is no warm-up, and the drain at the end belongs to it.

Both policies get the same instances, and so does every set-up of the sensitivity table as far as it can
(one stream per instance). The number of workers does not matter to the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinktime.analysis.papers.ostrich.instances import Outcome, SetUp, Task, outcomes
from thinktime.analysis.papers.ostrich.sensitivity import Variation, variations
from thinktime.analysis.parallel import Progress, in_parallel
from thinktime.analysis.statistics import Interval, mean_of, ratio
from thinktime.workloads.streams import Seed

POLICIES = ("fcfs", "ostrich")
SEED = 1


@dataclass(frozen=True, slots=True)
class Effort:
    """How many instances: of the comparison itself, and of each row of the sensitivity table."""

    instances: int
    sensitivity: int


FULL = Effort(instances=40, sensitivity=6)
QUICK = Effort(instances=8, sensitivity=2)


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a policy made of all instances: means with their intervals over instances."""

    campaigns: int
    above_20: Interval
    """The share of the campaigns with a stretch above 20."""
    below_2: Interval
    short: Interval
    """The mean over short users of the maximum stretch of their campaigns."""
    long: Interval
    short_median: float
    """The median over short users of the same: it does not hang on a few heavy instances."""
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
class Study:
    """All that came out."""

    setup: SetUp
    seed: Seed
    instances: int
    numbers: dict[str, Numbers]
    outcomes: dict[str, list[Outcome]]
    """By policy, one for each instance."""
    sensitivity: list[Row]
    sensitivity_instances: int

    def stretches(self, policy: str) -> npt.NDArray[np.float64]:
        """The stretches of all campaigns."""
        return np.concatenate([each.stretch for each in self.outcomes[policy]])


def run_study(
    setup: SetUp | None = None,
    effort: Effort = FULL,
    seed: Seed = SEED,
    workers: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Run everything; an effort without `sensitivity` leaves that table out."""
    setup = setup or SetUp()
    n = min(effort.sensitivity, effort.instances)
    rows = variations(setup) if n else []
    tasks = [Task(setup, POLICIES, seed, number) for number in range(effort.instances)]
    for row in rows:
        tasks += [Task(row.setup, row.policies, seed, number) for number in range(n)]
    answers = in_parallel(outcomes, tasks, workers, progress)
    main, rest = answers[: effort.instances], answers[effort.instances :]
    same = [_row(Variation("nothing", setup), main[:n])] if n else []
    return Study(
        setup=setup,
        seed=seed,
        instances=effort.instances,
        numbers=_numbers(POLICIES, main),
        outcomes=_by_policy(POLICIES, main),
        sensitivity=same + [_row(row, rest[i * n : (i + 1) * n]) for i, row in enumerate(rows)],
        sensitivity_instances=n,
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


def _row(variation: Variation, answers: Sequence[list[Outcome]]) -> Row:
    return Row(variation, _numbers(variation.policies, answers))


def _numbers(policies: Sequence[str], answers: Sequence[list[Outcome]]) -> dict[str, Numbers]:
    return {policy: numbers_of(found) for policy, found in _by_policy(policies, answers).items()}


def _by_policy(policies: Sequence[str], answers: Sequence[list[Outcome]]) -> dict[str, list[Outcome]]:
    return {policy: [answer[at] for answer in answers] for at, policy in enumerate(policies)}


def _median(groups: Sequence[npt.NDArray[np.float64]]) -> float:
    values = np.concatenate(groups)
    return float(np.median(values)) if len(values) else np.nan
