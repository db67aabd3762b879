"""The study of urgent jobs: what they gain from priority, reservations and preemption, and what others lose.

One log, or one made up, in which a share of the jobs is urgent (`thinktime.analysis.studies.urgent.runs`), under six
ways to treat them, with and without checkpoints, in the open loop and with users who wait for their jobs and give up
what is interrupted too often. A second question is how often to write checkpoints where machines fail, and where jobs
are preempted as well: the waste at several intervals beside those of Young and Daly.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import thinktime as tt
from thinktime.analysis.checkpoints import daly, young
from thinktime.analysis.studies.urgent.runs import ARMS, COST, MODES, Answer, Run, arm, at_interval, with_urgent
from thinktime.analysis.study import StudiedLog, Study, option, size_of
from thinktime.users import made_up_log

SHARES = (0.05, 0.1)
INTERVALS = (*(n * tt.MINUTE for n in (5, 10, 20, 40, 80, 160)), 8 * tt.HOUR, math.inf)
QUICK_SHARES, QUICK_INTERVALS = (0.1,), (20 * tt.MINUTE, 80 * tt.MINUTE, math.inf)
WEEKS, QUICK_WEEKS = 26, 4
QUICK_JOBS = 3000

Key = tuple[Any, ...]
"""(share, arm, checkpoints, mode) or (preempted, interval)."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All answers: by (share, arm, checkpoints, mode), and by (preempted, interval)."""

    source: str
    arms: Mapping[Key, Answer]
    intervals: Mapping[Key, Answer]

    def waste(self, preempted: bool, interval: float) -> float:
        """The share of used processor time that is lost, or goes into checkpoints and restarts."""
        of = self.intervals[preempted, interval]
        return of.lost + of.overhead

    def between(self, preempted: bool) -> float:
        """The mean time between interruptions without checkpoints, s."""
        return self.intervals[preempted, math.inf].between

    def formulas(self, preempted: bool) -> tuple[float, float]:
        """The intervals of Young and Daly, s."""
        return young(COST, self.between(preempted)), daly(COST, self.between(preempted))

    def best(self, preempted: bool) -> float:
        """The interval with the least waste of those that were run, s."""
        tried: list[float] = [interval for kind, interval in self.intervals if kind == preempted]
        return min(tried, key=lambda interval: self.waste(preempted, interval))


@dataclass(frozen=True, kw_only=True)
class UrgentStudy(Study[Answer, Evidence]):
    """Urgent jobs under priority, reservations and preemption, and how often to write checkpoints."""

    name = "urgent"
    line = "Urgent jobs: priority, reservation, preemption; checkpoints."
    unit = "runs"
    files = "Write the picture and the numbers."
    formats = ("png",)
    compared = tuple(dict.fromkeys(ARMS.values()))

    quick: bool = option(False, "Do fewer runs, of the first 3,000 jobs.", kind="flag")
    log: StudiedLog | None = option(None, "A log with users and waits.", "FILE", "log", shown="a made-up log")
    processors: int | None = option(None, "Size of the machine.", "N", "processors", shown="what the log's header says")
    seed: int = option(1, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        if self.log is not None:
            size_of(self.log, self.processors)

    @cached_property
    def source(self) -> StudiedLog:
        """The log, and what it is called."""
        weeks = QUICK_WEEKS if self.quick else WEEKS
        found = self.log or StudiedLog(f"a made-up log of {weeks} weeks", made_up_log(weeks))
        return (
            StudiedLog(found.path, found.trace.select(np.arange(len(found.trace)) < QUICK_JOBS))
            if self.quick
            else found
        )

    def tasks(self) -> dict[Key, Run]:
        """Every arm for every share, and every interval."""
        log, size = self.source.trace, size_of(self.source, self.processors)
        shares = QUICK_SHARES if self.quick else SHARES
        urgent: dict[float, tt.Trace] = {share: with_urgent(log, share, self.seed) for share in shares}
        arms = {
            (share, name, checkpoints, mode): arm(urgent[share], size, name, checkpoints, mode)
            for share in shares
            for name in ARMS
            for checkpoints in (False, True)
            for mode in MODES
        }
        intervals = {
            (preempted, interval): at_interval(urgent[shares[-1]], size, preempted, interval)
            for preempted in (False, True)
            for interval in (QUICK_INTERVALS if self.quick else INTERVALS)
        }
        return arms | intervals

    def gather(self, answers: Mapping[Key, Answer]) -> Evidence:
        """The answers of the two tables: by arm, and by the interval of checkpoints."""
        source = f"{Path(self.source.path).name}, {len(self.source.trace):,} jobs"
        arms = {key: answer for key, answer in answers.items() if len(key) == 4}
        return Evidence(source, arms, {key: answer for key, answer in answers.items() if len(key) == 2})
