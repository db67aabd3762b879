"""The feedback study: what several ways of replaying a log say of policies, and for whom they say it.

One log, or one made up, under several policies in all modes (`thinktime.analysis.modes.mode_runs`) at several levels of
load. The log is replaced by the one that EASY would have left of its submissions, so that the policy which its users
met is known. Level None is this log with its times shaken, several times. At the other levels, which are numbers of
users per user of the log, users are drawn without replacement and moved (`thinktime.workloads.user_models.resample`).
All policies and modes of one draw meet the same users. Everything is measured in the first three quarters of the log.

Users drift in replays with feedback, so that these forget a part of the waits where nothing has changed (the study of
the self-test, `thinktime.analysis.studies.self_test`). So no mode is held against another directly: a policy is held
against EASY in the same mode, on the same shaken logs, and these factors are compared between modes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.left_log import left_by
from thinktime.analysis.modes import ModeComparison
from thinktime.analysis.statistics import mean
from thinktime.analysis.studies.feedback.flows import Gains, again, gains, paths, swapped
from thinktime.analysis.studies.feedback.runs import BASE, MODES, POLICIES, Answer, Level, Responses, Run, recorded_wait
from thinktime.analysis.study import StudiedLog, Study, grouped, option, size_of
from thinktime.users import made_up_log

SLOWDOWN = "mean_bounded_slowdown_10"


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


class Factor(NamedTuple):
    """A ratio, as a geometric mean over draws with a 95 % interval; NaN where there is none."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, ratios: NDArray[np.float64]) -> "Factor":
        """The mean of these ratios, by t over their logarithms."""
        found = mean(np.log(ratios))
        return cls(*np.exp([found.mean, found.mean - found.half, found.mean + found.half]).tolist())

    @property
    def certain(self) -> bool:
        """Whether the interval leaves out 1."""
        return self.low > 1 or self.high < 1


@dataclass(frozen=True, slots=True)
class Evidence:
    """The results at all levels of load."""

    source: str
    """What the users were drawn from, in words."""
    seed: int
    recorded_wait: float
    """The mean wait of the log, s."""
    levels: Mapping[Level, ModeComparison]
    responses: Mapping[Level, Mapping[str, tuple[dict[str, Responses], ...]]]
    """By level and mode, for each draw: by policy and user."""
    heavy: Mapping[Level, tuple[frozenset[object], ...]]
    """The users who own half of the work, of each draw."""

    @property
    def top(self) -> Level:
        """The highest level of load."""
        return list(self.levels)[-1]

    def factor(self, level: Level, mode: str, policy: str, name: str = SLOWDOWN) -> Factor:
        """A measure over the same under EASY in the same mode."""
        return Factor.of(self._ratios(level, mode, policy, name))

    def apart(self, level: Level, mode: str, policy: str, name: str = SLOWDOWN) -> Factor:
        """What the open loop says of a policy (`factor`), over what another mode says."""
        return Factor.of(self._ratios(level, "open", policy, name) / self._ratios(level, mode, policy, name))

    def _ratios(self, level: Level, mode: str, policy: str, name: str) -> NDArray[np.float64]:
        of = self.levels[level]
        return np.asarray(of.values(mode, policy, name) / of.values(mode, BASE, name))

    def kept(self, mode: str) -> NDArray[np.float64]:
        """The mean wait under EASY in each shaken copy of the log, over that of the log itself."""
        return self.levels[None].values(mode, BASE, "mean_wait") / self.recorded_wait

    def gain(self, level: Level, mode: str, policy: str) -> Gains:
        """Shares of users who gain and lose, means over draws."""
        return gains(self.responses[level][mode], policy, self.heavy[level])

    def flow(self, mode: str, other: str, policy: str) -> NDArray[np.float64]:
        """Shares of users by their verdicts in two modes, on the log itself (`thinktime...feedback.flows.paths`)."""
        of = self.responses[None]
        return paths([of[mode], of[other]], policy)

    def luck(self, mode: str, policy: str) -> float:
        """The share of users who gain in one shaken copy of the log and lose in the next, in the same mode."""
        of = self.responses[None][mode]
        return swapped(paths([of, again(of)], policy)) if len(of) > 1 else np.nan

    def cells(self) -> Iterator[tuple[Level, str]]:
        """Every level with every policy but EASY."""
        yield from ((level, policy) for level in self.levels for policy in POLICIES if policy != BASE)


@dataclass(frozen=True, kw_only=True)
class FeedbackStudy(Study[Answer, Evidence]):
    """Policies judged open-loop, by several kinds of feedback and with drawn users, at several loads."""

    name = "feedback"
    line = "Open loop, feedback and drawn users at several loads."
    unit = "draws of users in a mode"
    files = "Write pictures and numbers."
    formats = ("png",)
    compared = tuple(POLICIES.values())

    quick: bool = option(False, "Make fewer draws, from a short synthetic log.", kind="flag")
    log: StudiedLog | None = option(
        None,
        "A log with users and waits.",
        "FILE",
        "log",
        shown="KTH-SP2 or SDSC-SP2 where downloaded, else (and with --quick) a made-up one",
    )
    log_only: bool = option(False, "Leave out other numbers of users than the log's.", kind="flag")
    processors: int | None = option(None, "Size of the machine.", "N", "processors", shown="what the log's header says")
    replications: int | None = option(None, "Draws of users per load.", "N", "replications", shown="5, with --quick 2")
    seed: int = option(1, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        if self.log is not None:
            size_of(self.log, self.processors)

    def effort(self) -> Effort:
        """How much is simulated."""
        usual = QUICK if self.quick else FULL
        usual = usual._replace(loads=()) if self.log_only else usual
        return usual if self.replications is None else usual._replace(replications=self.replications)

    @cached_property
    def source(self) -> StudiedLog:
        """The log to draw users from, and what it is called."""
        if self.log is not None:
            return StudiedLog(Path(self.log.path).name, self.log.trace)
        path = None if self.quick else _downloaded()
        if path is not None:
            return StudiedLog(path.name, tt.read_swf(path, processors=self.processors))
        weeks = self.effort().weeks
        return StudiedLog(f"a made-up log of {weeks} weeks", made_up_log(weeks))

    @cached_property
    def left(self) -> tt.Trace:
        """The log that EASY would have left."""
        return left_by(self.source.trace, tt.MachineSpec(self._size, POLICIES[BASE]))

    @property
    def _size(self) -> int:
        return size_of(self.source, self.processors)

    def tasks(self) -> dict[tuple[Level, tuple[str, int]], Run]:
        """By level of load, and mode and number of the draw."""
        each = self.effort()
        return {
            (level, (mode, number)): Run(self.left, self._size, level, number, mode, self.seed)
            for level in (None, *each.loads)
            for number in range(each.replications)
            for mode in MODES
        }

    def gather(self, answers: Mapping[tuple[Level, tuple[str, int]], Answer]) -> Evidence:
        """One comparison for each level, and the response times of every draw."""
        comparisons: dict[Level, ModeComparison] = {}
        responses: dict[Level, dict[str, tuple[dict[str, Responses], ...]]] = {}
        heavy: dict[Level, tuple[frozenset[object], ...]] = {}
        for level, of in grouped(answers).items():
            by_mode = {mode: list(draws.values()) for mode, draws in grouped(of).items()}
            comparisons[level] = _together(by_mode)
            responses[level] = {mode: tuple(each.responses for each in draws) for mode, draws in by_mode.items()}
            heavy[level] = tuple(frozenset(each.heavy) for each in by_mode[MODES[0]])
        name = f"{self.source.path}, {len(self.source.trace):,} jobs"
        return Evidence(name, self.seed, recorded_wait(self.left), comparisons, responses, heavy)


def _downloaded() -> Path | None:
    import pooch

    files = [Path(pooch.os_cache("thinktime")) / f"{name}.swf.gz" for name in DOWNLOADED]
    return next((file for file in files if file.exists()), None)


def _together(by_mode: Mapping[str, Sequence[Answer]]) -> ModeComparison:
    """One comparison whose replications are the draws."""
    found = {
        mode: {policy: tuple(each.measures[policy] for each in draws) for policy in POLICIES}
        for mode, draws in by_mode.items()
    }
    first = next(iter(by_mode.values()))
    return ModeComparison(first[0].processors, first[0].jobs, len(first), found)
