"""The feedback study: how far apart the answers of open loop and feedback are, and for whom.

One log, or one made up, under several policies in three modes (`thinktime.analysis.modes.mode_runs`) at several
levels of load. The load is the number of users per user of the log: users are drawn without replacement, and
moved by whole weeks (`thinktime.workloads.user_models.resample`), several times per level. All policies and modes of
one draw meet the same users. Level None is the log itself, once.

Users gain under a policy where their mean response time is at most 0.9 times that under EASY in the same
mode, and lose from 1.1 times on (our criterion). Heavy users are the fewest who own half of the work.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thinktime.analysis.modes.mode_comparison import ModeComparison
from thinktime.analysis.modes.user_measures import Measures
from thinktime.analysis.studies.feedback.office_log import made_up_log
from thinktime.analysis.studies.feedback.runs import MODES, POLICIES, Answer, Gains, Level, Run
from thinktime.analysis.studies.study import StudiedLog, Study, grouped, option, size_of
from thinktime.workloads.swf.read import read_swf
from thinktime.workloads.trace import Trace


class Effort(NamedTuple):
    """How much is simulated."""

    loads: tuple[float, ...]
    replications: int
    weeks: int
    """Of the log that is made up."""


FULL = Effort(loads=(0.8, 1.0, 1.2), replications=5, weeks=26)
QUICK = Effort(loads=(1.0, 1.3), replications=2, weeks=5)

DOWNLOADED = ("KTH-SP2-1996-2.1-cln", "SDSC-SP2-1998-4.2-cln")
"""The logs that are used if `thinktime trace get` has downloaded one of them."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The results at all levels of load."""

    source: str
    """What the users were drawn from, in words."""
    seed: int
    levels: Mapping[Level, ModeComparison]
    gains: Mapping[Level, Mapping[str, Mapping[str, tuple[Gains, ...]]]]
    """By level, mode and policy, for each draw."""

    def ratio(self, level: Level, policy: str, name: str = "mean_bounded_slowdown_10") -> float:
        """A measure in open-loop replay, divided by the same in replay with feedback."""
        of = self.levels[level]
        return of.mean("open", policy, name) / of.mean("feedback", policy, name)

    def gain(self, level: Level, mode: str, policy: str) -> Gains:
        """Shares of users who gain and lose, means over draws."""
        drawn = np.array(self.gains[level][mode][policy])
        return Gains(*drawn.mean(axis=0).tolist())


@dataclass(frozen=True, kw_only=True)
class FeedbackStudy(Study[Answer, Evidence]):
    """Policies judged open-loop, with feedback and with drawn users, at several loads."""

    name = "feedback"
    line = "Open loop, feedback and drawn users at several loads."
    unit = "draws of users"
    files = "Write pictures and numbers."
    formats = ("png",)
    compared = tuple(POLICIES.values())

    quick: bool = option(False, "Make fewer draws, from a short synthetic log.", kind="flag")
    log: StudiedLog | None = option(
        None,
        "A log in SWF with users and waits.",
        "FILE",
        "log",
        shown="KTH-SP2 or SDSC-SP2 where downloaded, else (and with --quick) a made-up one",
    )
    processors: int | None = option(None, "Size of the machine.", "N", "processors", shown="what the log's header says")
    replications: int | None = option(None, "Draws of users per load.", "N", "replications", shown="5, with --quick 2")
    seed: int = option(1, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        if self.log is not None:
            size_of(self.log, self.processors)

    def effort(self) -> Effort:
        """How much is simulated."""
        usual = QUICK if self.quick else FULL
        return usual if self.replications is None else usual._replace(replications=self.replications)

    @cached_property
    def source(self) -> tuple[Trace, str]:
        """The log to draw users from, and what it is in words."""
        path = None if self.quick else _downloaded()
        if self.log is not None:
            name, trace = Path(self.log.path).name, self.log.trace
        elif path is not None:
            name, trace = path.name, read_swf(path, processors=self.processors)[0]
        else:
            weeks = self.effort().weeks
            name, trace = f"a made-up log of {weeks} weeks", made_up_log(weeks)
        return trace, f"{name}, {len(trace):,} jobs"

    def tasks(self) -> dict[tuple[Level, int], Run]:
        """By level of load and number of the draw."""
        each = self.effort()
        levels: list[Level] = [None, *each.loads]
        return {
            (level, number): Run(self.source[0], self.processors, level, number, self.seed)
            for level in levels
            for number in range(1 if level is None else each.replications)
        }

    def gather(self, answers: Mapping[tuple[Level, int], Answer]) -> Evidence:
        """One comparison for each level, and the gains of every draw."""
        levels = {level: list(draws.values()) for level, draws in grouped(answers).items()}
        gains = {
            level: {
                mode: {policy: tuple(each.gains[mode][policy] for each in draws) for policy in POLICIES}
                for mode in MODES
            }
            for level, draws in levels.items()
        }
        comparisons = {level: _together([each.comparison for each in of]) for level, of in levels.items()}
        return Evidence(self.source[1], self.seed, comparisons, gains)


def _downloaded() -> Path | None:
    import pooch

    files = [Path(pooch.os_cache("thinktime")) / f"{name}.swf.gz" for name in DOWNLOADED]
    return next((file for file in files if file.exists()), None)


def _together(parts: Sequence[ModeComparison]) -> ModeComparison:
    """One comparison whose replications are the single draws."""
    found: dict[str, dict[str, tuple[Measures, ...]]] = {
        mode: {policy: tuple(part.measures[mode][policy][0] for part in parts) for policy in POLICIES} for mode in MODES
    }
    return ModeComparison(parts[0].processors, parts[0].jobs, len(parts), found)
