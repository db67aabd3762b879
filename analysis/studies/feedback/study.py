"""The feedback study: how far apart the answers of open loop and feedback are, and for whom.

One log, or one made up, under several policies in three modes (`thinktime.analysis.modes.replays`) at several
levels of load. The load is the number of users per user of the log: users are drawn without replacement, and
moved by whole weeks (`thinktime.workloads.user_models.resample`), several times per level. All policies and modes of
one draw meet the same users. Level None is the log itself, once.

Users gain under a policy where their mean response time is at most 0.9 times that under EASY in the same
mode, and lose from 1.1 times on (our criterion). Heavy users are the fewest who own half of the work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thinktime.analysis.modes.comparison import ModeComparison
from thinktime.analysis.modes.replays import compare_modes
from thinktime.analysis.modes.user_measures import Measures
from thinktime.analysis.parallel import Progress, in_parallel
from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models import resample

POLICIES = {
    "FCFS": "fcfs",
    "EASY": "easy",
    "SJF-EASY": "easy:order=sjf",
    "conservative": "conservative",
    "fairshare-EASY": "easy:order=fairshare",
    "OStrich": "ostrich",
    "CREASY": "creasy",
}
"""The policies of the study, by the names that its tables have."""

BASE = "EASY"
MODES = ("open", "feedback", "generative")
GAIN, LOSS = 0.9, 1.1

Level = float | None
"""Users per user of the log; None for the log itself."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is simulated."""

    loads: tuple[float, ...]
    replications: int


FULL = Effort(loads=(0.8, 1.0, 1.2), replications=5)
QUICK = Effort(loads=(1.0, 1.3), replications=2)


class Gains(NamedTuple):
    """Shares of users, in one run, against EASY in the same mode."""

    gain: float
    lose: float
    heavy_gain: float
    heavy_lose: float


@dataclass(frozen=True, slots=True)
class Task:
    """One draw of users, under all policies in all modes."""

    level: Level
    number: int
    seed: int


class Answer(NamedTuple):
    """What one task gives: the comparison of its one draw, and who gained, by mode and policy."""

    comparison: ModeComparison
    gains: dict[str, dict[str, Gains]]


@dataclass(frozen=True, slots=True)
class Study:
    """All levels."""

    source: str
    """What the users were drawn from, in words."""
    seed: int
    levels: Mapping[Level, ModeComparison]
    gains: Mapping[Level, Mapping[str, Mapping[str, tuple[Gains, ...]]]]
    """By level, mode and policy, for each draw."""

    def ratio(self, level: Level, policy: str, name: str = "mean_bounded_slowdown_10") -> float:
        """What open-loop replay says over what replay with feedback says."""
        of = self.levels[level]
        return of.mean("open", policy, name) / of.mean("feedback", policy, name)

    def gain(self, level: Level, mode: str, policy: str) -> Gains:
        """Shares of users who gain and lose, means over draws."""
        drawn = np.array(self.gains[level][mode][policy])
        return Gains(*drawn.mean(axis=0).tolist())


def run_study(
    trace: Trace,
    source: str,
    effort: Effort,
    seed: int = 1,
    workers: int = 1,
    progress: Progress | None = None,
    processors: int | None = None,
) -> Study:
    """Run everything; results do not depend on the number of workers."""
    levels: list[Level] = [None, *effort.loads]
    tasks = [
        Task(level, number, seed)
        for level in levels
        for number in range(effort.replications if level is not None else 1)
    ]
    answers = in_parallel(partial(run_task, trace, processors), tasks, workers, progress)
    found = {level: [a for t, a in zip(tasks, answers, strict=True) if t.level == level] for level in levels}
    return Study(
        source,
        seed,
        {level: _together([each.comparison for each in of]) for level, of in found.items()},
        {
            level: {
                mode: {policy: tuple(each.gains[mode][policy] for each in of) for policy in POLICIES}
                for mode in MODES
            }
            for level, of in found.items()
        },
    )


def run_task(trace: Trace, processors: int | None, task: Task) -> Answer:
    """Draw users, and run all policies in all modes."""
    if task.level is None:
        log = trace
    else:
        log = resample(trace, (task.seed, task.number), task.level, replace=False)
    responses: dict[tuple[str, str], dict[object, float]] = {}

    def keep(mode: str, policy: str, replication: int, result: Result) -> None:
        responses[mode, policy] = user_responses(result)

    seed = task.seed * 1000 + task.number
    comparison = compare_modes(log, POLICIES, MODES, processors, seed=seed, keep=keep)
    heavy = heavy_users(log)
    gains = {
        mode: {policy: _gains(responses[mode, policy], responses[mode, BASE], heavy) for policy in POLICIES}
        for mode in MODES
    }
    return Answer(comparison, gains)


def user_responses(result: Result) -> dict[object, float]:
    """The mean response time (s) of each user's jobs that ended, by name."""
    over = measures.ended(result) & (result["user"] >= 0)
    users, of = np.unique(result["user"][over], return_inverse=True)
    means = np.bincount(of, weights=measures.response_time(result)[over]) / np.bincount(of)
    names = result.names["user"]
    return {names[user]: mean for user, mean in zip(users.tolist(), means.tolist(), strict=True)}


def heavy_users(log: Trace) -> set[object]:
    """The fewest users who own half of the log's work."""
    known = log.user >= 0
    users, of = np.unique(log.user[known], return_inverse=True)
    work = np.bincount(of, weights=(log.processors * np.maximum(log.runtime, 0.0))[known])
    order = np.argsort(-work, kind="stable")
    needed = int(np.searchsorted(np.cumsum(work[order]), work.sum() / 2)) + 1
    return set(users[order[:needed]].tolist())


def _gains(here: Mapping[object, float], base: Mapping[object, float], heavy: set[object]) -> Gains:
    both = [user for user in here if user in base and base[user] > 0]
    ratios = np.array([here[user] / base[user] for user in both])
    of_heavy = np.array([user in heavy for user in both], bool)
    return Gains(*_shares(ratios), *_shares(ratios[of_heavy]))


def _shares(ratios: npt.NDArray[np.float64]) -> tuple[float, float]:
    if not len(ratios):
        return np.nan, np.nan
    return float((ratios <= GAIN).mean()), float((ratios >= LOSS).mean())


def _together(parts: Sequence[ModeComparison]) -> ModeComparison:
    """One comparison whose replications are the single draws."""
    found: dict[str, dict[str, tuple[Measures, ...]]] = {
        mode: {policy: tuple(part.measures[mode][policy][0] for part in parts) for policy in POLICIES}
        for mode in MODES
    }
    return ModeComparison(parts[0].processors, parts[0].jobs, len(parts), found)
