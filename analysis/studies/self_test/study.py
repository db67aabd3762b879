"""The shaken self-test as a study: one log, replayed in many ways under the policy that left it.

Instead of a log it takes simulated worlds of one family of users (`thinktime.analysis.studies.prediction.persons`):
each world leaves a log, which is shaken once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.left_log import left_by
from thinktime.analysis.studies.prediction.calibrated import LOADS, USERS
from thinktime.analysis.studies.prediction.predictors import recorded
from thinktime.analysis.studies.prediction.world import ALL, World
from thinktime.analysis.studies.prediction.world import PROCESSORS as OF_WORLDS
from thinktime.analysis.studies.self_test.runs import WAYS, Answer, Run
from thinktime.analysis.study import StudiedLog, Study, grouped, key_of, option, quoted, size_of
from thinktime.users import made_up_log

SHAKES, QUICK_SHAKES = 5, 2
WEEKS, QUICK_WEEKS = 26, 5
PROCESSORS = 24
"""Of the machine for a log that is made up."""
LOAD = 1
"""Which of the calibrated loads worlds have."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The answers of each way to replay the log, one for each time that it was shaken."""

    source: str
    policy: str
    answers: Mapping[str, list[Answer]]

    def ratios(self, way: str) -> NDArray[np.float64]:
        """The mean wait over that without shaking, for each time."""
        return np.array([each.ratio for each in self.answers[way]])

    def ratio(self, way: str) -> float:
        """The geometric mean of the ratios."""
        return float(np.exp(np.log(self.ratios(way)).mean()))

    def part(self, way: str, number: int) -> float:
        """The geometric mean of the ratios in one part of the log."""
        with np.errstate(divide="ignore"):  # a part in which no job waits
            return float(np.exp(np.mean([np.log(each.parts[number]) for each in self.answers[way]])))

    def drift(self, way: str) -> float:
        """The mean over shakes of how much earlier or later the median job is submitted, h."""
        return float(np.mean([each.drift for each in self.answers[way]]))


@dataclass(frozen=True, kw_only=True)
class SelfTestStudy(Study[Answer, Evidence]):
    """What replays with feedback forget of a log when its run times move by 1 %, and why."""

    name = "self-test"
    line = "What replays forget when run times move by 1 %, and why."
    unit = "replays"
    files = "Write the picture and the numbers."
    formats = ("png",)

    quick: bool = option(False, "Shake less often, and a shorter log if it is made up.", kind="flag")
    log: StudiedLog | None = option(None, "A log with users.", "FILE", "log", shown="a made-up log")
    family: str | None = option(
        None, "Simulated worlds of users such as campaign, instead of a log.", "NAME", shown="a log"
    )
    policy: str = option("easy", "The policy that leaves the log.", "POLICY")
    processors: int | None = option(None, "Size of the machine.", "N", "processors", shown="what the log's header says")
    replications: int | None = option(
        None, "How often to shake, or how many worlds.", "N", "replications", shown="5, with --quick 2"
    )
    seed: int = option(1, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        if self.family is not None:
            if self.family not in ALL:
                raise ValueError(
                    f"--family: there is no family {quoted(self.family)}; {key_of(self.family, ALL, 'the families')}"
                )
            if self.log is not None or self.processors is not None:
                raise ValueError(f"--family is of worlds on {OF_WORLDS} processors; leave out --trace and --processors")
        if self.log is not None:
            size_of(self.log, self.processors)

    @cached_property
    def source(self) -> StudiedLog:
        """The log, and what it is called."""
        weeks = QUICK_WEEKS if self.quick else WEEKS
        return self.log or StudiedLog(f"a made-up log of {weeks} weeks", made_up_log(weeks))

    @property
    def shakes(self) -> int:
        """How often a log is shaken, or how many worlds are shaken once."""
        return self.replications or (QUICK_SHAKES if self.quick else SHAKES)

    @cached_property
    def logs(self) -> list[tt.Trace]:
        """The log that is shaken each time, as the policy left it."""
        if self.family is None:
            return [left_by(self.source.trace, self.machine)] * self.shakes
        users = USERS[self.family][LOAD]
        worlds = (World(self.family, number, users, self.seed) for number in range(self.shakes))
        return [recorded(each.truth(self.machine)) for each in worlds]

    @property
    def machine(self) -> tt.MachineSpec:
        """Of the log, or of the worlds."""
        if self.family is not None:
            return tt.MachineSpec(OF_WORLDS, self.policy)
        return tt.MachineSpec(
            self.processors or (PROCESSORS if self.log is None else size_of(self.log, None)), self.policy
        )

    def tasks(self) -> dict[tuple[str, int], Run]:
        """By way to replay, and number of the shake."""
        return {
            (way, number): Run(log, self.machine, way, number, self.seed)
            for way in WAYS
            for number, log in enumerate(self.logs)
        }

    def gather(self, answers: Mapping[tuple[str, int], Answer]) -> Evidence:
        """By way to replay."""
        ways = {way: list(of.values()) for way, of in grouped(answers).items()}
        return Evidence(self._described(), self.policy, ways)

    def _described(self) -> str:
        if self.family is None:
            return f"{Path(self.source.path).name}, {len(self.source.trace):,} jobs"
        jobs = sum(len(each) for each in self.logs) / self.shakes
        load = f"utilization about {LOADS[LOAD]:g}"
        return f"{self.shakes} worlds of {self.family} users ({load}, {jobs:,.0f} jobs in each)"
