"""One draw of users in the feedback study: all policies in one mode, and the response times of every user."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import thinktime as tt
from thinktime.analysis.modes import Measures, compare_modes
from thinktime.workloads.shaking import SHARE
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
"""The policy that is taken to have made the log."""
MODES = ("open", "feedback", "clock", "reacting", "partly-open", "calibrated", "generative")
MEASURED = 0.75
"""The part of the log that is measured: towards its end, users who are early have nothing left to submit."""

Level = float | None
"""Users per user of the log; None for the log itself, shaken."""
Responses = dict[object, float]
"""The mean response time of each user (s), by name."""


class Answer(NamedTuple):
    """What one draw gives in one mode, by policy."""

    processors: int
    jobs: int
    """Of the log that was run."""
    measures: dict[str, Measures]
    responses: dict[str, Responses]
    heavy: tuple[object, ...]
    """The fewest users who own half of the work of the log that was run."""


@dataclass(frozen=True, slots=True)
class Run:
    """One draw of users of a log, or one shaken copy of it, under all policies in one mode."""

    log: tt.Trace
    """As EASY left it."""
    processors: int
    level: Level
    number: int
    mode: str
    seed: int

    def perform(self) -> Answer:
        """Draw the users, or shake the log, and run all policies."""
        log, share = self.log, None if self.level is not None else SHARE
        if self.level is not None:
            log = resample(log, (self.seed, self.number), self.level, replace=False)
        last = end_of_window(log)
        responses: dict[str, Responses] = {}

        def keep(mode: str, policy: str, replication: int, result: tt.Result) -> None:
            responses[policy] = user_responses(result.during(None, last).jobs)

        found = compare_modes(
            log, POLICIES, (self.mode,), self.processors, seed=self.seed * 1000 + self.number, measure_to=last,
            shake=share, keep=keep,
        )  # fmt: skip
        judged = {name: of[0] for name, of in found.measures[self.mode].items()}
        return Answer(found.processors, found.jobs, judged, responses, heavy_users(log))


def end_of_window(log: tt.Trace) -> float:
    """When the measured part of a log ends, s."""
    first, last = float(log.submit[0]), float(log.submit[-1])
    return first + MEASURED * (last - first) if last > first else last + 1


def recorded_wait(log: tt.Trace) -> float:
    """The mean wait of the jobs of the measured part, as recorded, s."""
    return float(np.maximum(log.wait[log.submit < end_of_window(log)], 0.0).mean())


def user_responses(result: tt.Result) -> Responses:
    """The mean response time (s) of each user's jobs that ended, by name."""
    over = tt.measures.ended(result) & (result["user"] >= 0)
    users, of = np.unique(result["user"][over], return_inverse=True)
    means = np.bincount(of, weights=tt.measures.response_time(result)[over]) / np.bincount(of)
    names = result.names["user"]
    return {names[user]: mean for user, mean in zip(users.tolist(), means.tolist(), strict=True)}


def heavy_users(log: tt.Trace) -> tuple[object, ...]:
    """The fewest users who own half of the log's work."""
    known = log.user >= 0
    users, of = np.unique(log.user[known], return_inverse=True)
    work = np.bincount(of, weights=(log.processors * np.maximum(log.runtime, 0.0))[known])
    order = np.argsort(-work, kind="stable")
    needed = int(np.searchsorted(np.cumsum(work[order]), work.sum() / 2)) + 1
    return tuple(users[order[:needed]].tolist())
