"""The chaos floor: how far the numbers of a replay move if the log is shaken (`thinktime.workloads.shaking`).

Every policy replays the same shaken logs, so that differences are paired. Of each number there is the value of the log
as it is, and the mean and the standard deviation over the shaken logs. The standard deviation is the *floor*: a single
replay can differ by this much for no reason. A difference between two policies has the same, and a 95 % t-interval of
its mean over the shaken logs. If that excludes 0, the difference is no accident of the log's exact times. (It may still
be one of the log: that is what batch means, resampled logs and other logs are for.)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thinktime.analysis.statistics import Difference, paired
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.results.result import Result
from thinktime.users.replay import replay
from thinktime.workloads.arrays import Floats
from thinktime.workloads.conditions import LogConditions
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.shaking import SHARE, shaken
from thinktime.workloads.trace import Time, Trace

METRICS = (
    "mean_wait", "median_wait", "p95_wait", "mean_response_time", "mean_bounded_slowdown_10", "utilization",
    "loss_of_capacity",
)  # fmt: skip
"""The numbers of a summary that are told."""


@dataclass(frozen=True)
class Floor:
    """A number over shaken logs."""

    logged: float
    """Of the log as it is."""
    mean: float
    floor: float
    """The standard deviation over the shaken logs."""
    low: float
    high: float

    @classmethod
    def of(cls, logged: float, values: Floats) -> "Floor":
        """The number of the log as it is, and those of the shaken ones."""
        deviation = float(values.std(ddof=1)) if len(values) > 1 else np.nan
        return cls(logged, float(values.mean()), deviation, float(values.min()), float(values.max()))


@dataclass(frozen=True)
class Chaos:
    """What shaking does to the numbers of several policies."""

    share: float
    logs: int
    """The number of shaken logs."""
    logged: Mapping[str, Mapping[str, float]]
    """By policy and metric, of the log as it is."""
    values: Mapping[str, Mapping[str, Floats]]
    """The same, of each shaken log."""

    def floor(self, policy: str, metric: str) -> Floor:
        """One number of one policy."""
        return Floor.of(self.logged[policy][metric], self.values[policy][metric])

    def difference(self, first: str, second: str, metric: str) -> tuple[Floor, Difference]:
        """A number of the first policy minus that of the second, and the interval of its mean over the shaken logs."""
        one, two = (self.values[policy][metric] for policy in (first, second))
        return Floor.of(self.logged[first][metric] - self.logged[second][metric], one - two), paired(one, two)


@dataclass(frozen=True)
class Shakes:
    """How a log is shaken; ``ValueError`` unless there are at least two logs."""

    logs: int
    """So many copies are shaken."""
    share: float = SHARE
    """By how much of it each run time is changed at most."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.logs < 2:
            raise ValueError(f"a spread needs at least 2 shaken logs, not {self.logs}")


Numbers = Callable[[Result], Mapping[str, float]]
"""The numbers of a result, by name."""


def summarized(start: Time | None = None, end: Time | None = None) -> Numbers:
    """`METRICS` in this window (`Result.during`)."""

    def numbers(result: Result) -> dict[str, float]:
        summary = result.summary(start, end)
        return {metric: float(summary[metric]) for metric in METRICS}

    return numbers


def chaos(
    jobs: Trace | NodeLog,
    machines: Mapping[str, MachineSpec],
    shakes: Shakes,
    *,
    dependencies: bool | LogConditions = False,
    logged: Mapping[str, Result] | None = None,
    numbers: Numbers | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Chaos:
    """Replay shaken copies of a log on machines, by name of the policy.

    ``logged`` are results of the unshaken log that are known already. ``numbers`` are by default `summarized`.
    ``progress`` is called with the numbers of runs done and of all runs.
    """
    measured = summarized() if numbers is None else numbers

    def run(given: Trace | NodeLog, name: str) -> Mapping[str, float]:
        return measured(replay(given, machines[name], dependencies=dependencies))

    known = {name: measured(logged[name]) if logged else run(jobs, name) for name in machines}
    found: dict[str, list[Mapping[str, float]]] = {name: [] for name in machines}
    for number in range(shakes.logs):
        moved = shaken_jobs(jobs, shakes.share, (shakes.seed, number))
        for place, name in enumerate(machines):
            if progress:
                progress(number * len(machines) + place, shakes.logs * len(machines))
            found[name].append(run(moved, name))
    values = {
        name: {metric: np.array([each[metric] for each in runs]) for metric in known[name]}
        for name, runs in found.items()
    }
    return Chaos(shakes.share, shakes.logs, known, values)


def shaken_jobs(jobs: Trace | NodeLog, share: float, seed: Any) -> Trace | NodeLog:
    """A log, or what its jobs request of nodes, with its times moved."""
    if isinstance(jobs, Trace):
        return shaken(jobs, share, seed)
    return replace(jobs, trace=shaken(jobs.trace, share, seed), whole=None)
