"""The shaken self-test as a study: one log, replayed in many ways under the policy that left it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from thinktime.analysis.studies.feedback.office_log import made_up_log
from thinktime.analysis.studies.self_test.runs import WAYS, Answer, Run, left_by
from thinktime.analysis.studies.study import StudiedLog, Study, grouped, option, size_of
from thinktime.models.machine_spec import MachineSpec
from thinktime.workloads.arrays import Floats

SHAKES, QUICK_SHAKES = 5, 2
WEEKS, QUICK_WEEKS = 26, 5
PROCESSORS = 24
"""Of the machine for a log that is made up."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The answers of each way to replay the log, one for each time that it was shaken."""

    source: str
    policy: str
    answers: Mapping[str, list[Answer]]

    def ratios(self, way: str) -> Floats:
        """The mean wait over that without shaking, for each time."""
        return np.array([each.ratio for each in self.answers[way]])

    def ratio(self, way: str) -> float:
        """The geometric mean of the ratios."""
        return float(np.exp(np.log(self.ratios(way)).mean()))

    def part(self, way: str, number: int) -> float:
        """The geometric mean of the ratios in one part of the log."""
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
    log: StudiedLog | None = option(None, "A log in SWF with users.", "FILE", "log", shown="a made-up log")
    policy: str = option("easy", "The policy that leaves the log.", "POLICY")
    processors: int | None = option(None, "Size of the machine.", "N", "processors", shown="what the log's header says")
    replications: int | None = option(None, "How often to shake.", "N", "replications", shown="5, with --quick 2")
    seed: int = option(1, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        if self.log is not None:
            size_of(self.log, self.processors)

    def policies(self) -> list[str]:
        """The one that leaves the log."""
        return [self.policy]

    @cached_property
    def source(self) -> StudiedLog:
        """The log, and what it is called."""
        weeks = QUICK_WEEKS if self.quick else WEEKS
        return self.log or StudiedLog(f"a made-up log of {weeks} weeks", made_up_log(weeks))

    def tasks(self) -> dict[tuple[str, int], Run]:
        """By way to replay, and number of the shake."""
        size = self.processors or (PROCESSORS if self.log is None else size_of(self.log, None))
        machine = MachineSpec(size, self.policy)
        log = left_by(self.source.trace, machine)
        shakes = self.replications or (QUICK_SHAKES if self.quick else SHAKES)
        return {(way, number): Run(log, machine, way, number, self.seed) for way in WAYS for number in range(shakes)}

    def gather(self, answers: Mapping[tuple[str, int], Answer]) -> Evidence:
        """By way to replay."""
        ways = {way: list(of.values()) for way, of in grouped(answers).items()}
        return Evidence(f"{Path(self.source.path).name}, {len(self.source.trace):,} jobs", self.policy, ways)
