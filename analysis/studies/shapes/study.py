"""The study of shapes: what malleable jobs gain, and what of it is left when users wait for their results.

A share of the jobs of a log is made malleable, under six ways to choose sizes: first in an open loop, where the same
jobs come whatever happens to them, then with users who wait for results, and so submit more where they wait less. What
is assumed of jobs, the speed-up and the cost of a resize, is varied for the first log. And for moldable jobs, users
who choose sizes by predicted ends, each for itself, are held against the scheduler's choice: the price of anarchy.

Source: P. Zojer, J. Posner, T. Özden, Evaluating malleable job scheduling in HPC clusters using real-world workloads
(arXiv 2602.17318), on other logs (Cori, Eagle, Theta), in an open loop.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import thinktime as tt
from thinktime.analysis.studies.shapes.runs import (
    CHOICES,
    FITTED,
    MODES,
    RIGID,
    STRATEGIES,
    USERS,
    Answer,
    Calibrated,
    Run,
)
from thinktime.analysis.study import StudiedLog, Study, option, size_of
from thinktime.users import made_up_log

WEEKS, QUICK_WEEKS, QUICK_JOBS = 15, 3, 2000
SHARES, QUICK_SHARES = (0.2, 0.5, 1.0), (0.2, 1.0)
QUICK_STRATEGIES = ("preferred", "common pool")
BASE = "preferred"
"""The strategy under which what is assumed is varied."""
ASSUMED: Mapping[str, Mapping[str, Any]] = {
    "linear": {"speedup": "linear"},
    "amdahl(0.01)": {"speedup": "amdahl(0.01)"},
    "amdahl(0.05)": {"speedup": "amdahl(0.05)"},
    "amdahl(0.01), 60 s for a resize": {"cost": 60},
    "amdahl(0.01), moldable": {"kind": "moldable"},
}
QUICK_ASSUMED = ("linear",)
CHOICE = "choice"

LOADS, QUICK_LOADS = (1.0, 1.2, 1.4), (1.2,)
CHOOSING, QUICK_CHOOSING = 5000, 300
"""The first jobs of the first log, for which sizes are chosen by users, who each ask for several forecasts."""

Key = tuple[str, str, float, str]
"""Log, strategy or what is assumed, share, mode; or "choice", who chooses, load, and that jobs come as in the log."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The answers of all runs, and the logs that they are about."""

    jobs: Mapping[str, int]
    """Of each log."""
    shares: tuple[float, ...]
    modes: tuple[str, ...]
    answers: Mapping[Key, Answer]

    @property
    def strategies(self) -> list[str]:
        """Those that were run."""
        return [name for name in STRATEGIES if any(key[1] == name for key in self.answers if key[0] != CHOICE)]

    @property
    def assumed(self) -> list[str]:
        """What was assumed instead."""
        return [name for name in ASSUMED if any(key[1] == name for key in self.answers)]

    @property
    def choices(self) -> list[str]:
        """The ways to choose sizes, in the order of the tables."""
        return list(dict.fromkeys(key[1] for key in self.answers if key[0] == CHOICE))

    @property
    def loads(self) -> list[float]:
        """At which loads, in that of the log."""
        return list(dict.fromkeys(key[2] for key in self.answers if key[0] == CHOICE))

    def chosen_by(self, who: str, load: float) -> Answer:
        """What comes of a choice."""
        return self.answers[CHOICE, who, load, MODES[0]]

    def price(self, load: float) -> float:
        """The mean response time if users choose, over that of the scheduler's best choice."""
        best = min(self.chosen_by(who, load).response for who in self.choices if who not in (USERS, RIGID))
        return self.chosen_by(USERS, load).response / best

    def of(self, log: str, strategy: str, share: float, mode: str) -> Answer:
        """An answer; rigid jobs are under EASY."""
        return self.answers[log, strategy, share, mode] if share else self.answers[log, RIGID, 0.0, mode]

    def change(self, what: str, log: str, strategy: str, share: float, mode: str) -> float:
        """A number against that with rigid jobs in the same mode, %."""
        ours, rigid = self.of(log, strategy, share, mode), self.of(log, strategy, 0.0, mode)
        if what in ("chosen", "others"):
            place = self.shares.index(share)
            return float(100 * (getattr(ours, what)[place] / getattr(rigid, what)[place] - 1))
        if what == "run":
            return float(100 * ((ours.response - ours.wait) / (rigid.response - rigid.wait) - 1))
        return float(100 * (getattr(ours, what) / getattr(rigid, what) - 1))


@dataclass(frozen=True, kw_only=True)
class ShapesStudy(Study[Answer | tuple[Answer, ...], Evidence]):
    """What malleable jobs gain, and what of it is left when users wait."""

    name = "shapes"
    line = "Malleable jobs in an open loop, and with users who wait."
    unit = "runs"
    files = "Write the picture and the numbers."
    formats = ("png",)
    compared = ("easy", *STRATEGIES.values())

    quick: bool = option(False, "Do fewer runs, of the first 2,000 jobs.", kind="flag")
    logs: Sequence[StudiedLog] = option((), "A log with users and waits; repeatable.", "FILE", "logs", shown="made up")
    weeks: int | None = option(None, "Only the first weeks of each log.", "N", "count", shown="all")
    fitted: bool = option(False, "Also with users who are fitted to the log.", kind="flag")
    seed: int = option(1, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        for log in self.logs:
            size_of(log, None)

    @cached_property
    def sources(self) -> dict[str, tuple[tt.Trace, int]]:
        """Each log by its name, and the size of its machine."""
        given = self.logs or [StudiedLog("made up", made_up_log(QUICK_WEEKS if self.quick else WEEKS))]
        found = {}
        for each in given:
            log = each.trace
            chosen = np.arange(len(log)) < (QUICK_JOBS if self.quick else len(log))
            if self.weeks is not None:
                chosen &= log.submit < log.submit[0] + self.weeks * tt.WEEK
            name = Path(each.path).name.partition(".swf")[0].removesuffix("-cln")
            found[name] = log.select(chosen), size_of(each, None)
        return found

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of malleable jobs."""
        return QUICK_SHARES if self.quick else SHARES

    @property
    def modes(self) -> tuple[str, ...]:
        """Open loop, and users."""
        return (*MODES, FITTED) if self.fitted else MODES

    def tasks(self) -> dict[Key, Run | Calibrated]:
        """All runs; those with users who are fitted to a log are one task."""
        found: dict[Key, Run | Calibrated] = {}
        for name in self.sources if self.fitted else ():
            found[name, "", 0.0, FITTED] = Calibrated(tuple(self._of_log(name, FITTED).values()))
        for name, mode in product(self.sources, MODES):
            found |= self._of_log(name, mode)
        return found | self._choosing()

    def _of_log(self, name: str, mode: str) -> dict[Key, Run]:
        """All runs of a log in a mode."""
        (log, size), usual = self.sources[name], dict[str, Any](mode=mode, seed=self.seed)
        found: dict[Key, Run] = {(name, RIGID, 0.0, mode): Run(log, size, self.shares, **usual)}
        for share in self.shares:
            for strategy in QUICK_STRATEGIES if self.quick else STRATEGIES:
                found[name, strategy, share, mode] = Run(log, size, self.shares, strategy, share, **usual)
        assumed = QUICK_ASSUMED if self.quick else tuple(ASSUMED)
        for words in assumed if name == next(iter(self.sources)) else ():
            run = Run(log, size, self.shares, BASE, self.shares[0], how=ASSUMED[words], **usual)
            found[name, words, self.shares[0], mode] = run
        return found

    def _choosing(self) -> dict[Key, Run]:
        log, size = next(iter(self.sources.values()))
        log = log.select(np.arange(len(log)) < (QUICK_CHOOSING if self.quick else CHOOSING))
        found: dict[Key, Run] = {}
        for load in QUICK_LOADS if self.quick else LOADS:
            jobs = log.scale_load(load)
            found[CHOICE, RIGID, load, MODES[0]] = Run(jobs, size, (1.0,), seed=self.seed)
            for who in CHOICES:
                moldable = Run(jobs, size, (1.0,), share=1.0, how={"kind": "moldable"}, seed=self.seed, choice=who)
                found[CHOICE, who, load, MODES[0]] = moldable
        return found

    def gather(self, answers: Mapping[Key, Answer | tuple[Answer, ...]]) -> Evidence:
        """The answers with what is said of the logs."""
        jobs = {name: len(log) for name, (log, _) in self.sources.items()}
        found: dict[Key, Answer] = {}
        for (name, what, share, mode), answer in answers.items():
            if isinstance(answer, Answer):
                found[name, what, share, mode] = answer
            else:
                found |= zip(self._of_log(name, mode), answer, strict=True)
        return Evidence(jobs, self.shares, self.modes, found)
