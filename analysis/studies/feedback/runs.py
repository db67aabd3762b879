"""One draw of users in the feedback study: all policies in all modes, and who gains."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from thinktime.analysis.modes.mode_comparison import ModeComparison
from thinktime.analysis.modes.mode_runs import compare_modes
from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats
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


class Gains(NamedTuple):
    """Shares of users, in one run, against EASY in the same mode."""

    gain: float
    lose: float
    heavy_gain: float
    heavy_lose: float


class Answer(NamedTuple):
    """What one draw gives: the comparison of its one draw, and who gained, by mode and policy."""

    comparison: ModeComparison
    gains: dict[str, dict[str, Gains]]


@dataclass(frozen=True, slots=True)
class Run:
    """One draw of users of a log, under all policies in all modes."""

    trace: Trace
    processors: int | None
    level: Level
    number: int
    seed: int

    def perform(self) -> Answer:
        """Draw the users, and run all policies in all modes."""
        log = self.trace
        if self.level is not None:
            log = resample(log, (self.seed, self.number), self.level, replace=False)
        responses: dict[tuple[str, str], dict[object, float]] = {}

        def keep(mode: str, policy: str, replication: int, result: Result) -> None:
            responses[mode, policy] = user_responses(result)

        seed = self.seed * 1000 + self.number
        comparison = compare_modes(log, POLICIES, MODES, self.processors, seed=seed, keep=keep)
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


def _shares(ratios: Floats) -> tuple[float, float]:
    if not len(ratios):
        return np.nan, np.nan
    return float((ratios <= GAIN).mean()), float((ratios >= LOSS).mean())
