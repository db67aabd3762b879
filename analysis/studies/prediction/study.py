"""The prediction study: which way of replaying a log predicts what would really happen.

A log shows what users did under one policy, and several ways of replaying it claim to say what they would have done
under another. In reality the answer is unknown. In a simulated world it is not: users of a known kind work under one
policy, only what a site records is kept, each way predicts another case from that, and the same users work in that
case (common random numbers). Worlds are those of `world`, cases those of `cases`, ways those of `predictors`.

The unit of every interval is the world. Results rank the ways *given* a family of users; they say nothing about which
family is real.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import thinktime as tt
from thinktime.analysis.diagnosis import Signs
from thinktime.analysis.studies.prediction import logs, right_advice, ross
from thinktime.analysis.studies.prediction.calibrated import LOADS, USERS
from thinktime.analysis.studies.prediction.cases import CASES, QUICK
from thinktime.analysis.studies.prediction.predictors import MODES
from thinktime.analysis.studies.prediction.runs import Answer, Run
from thinktime.analysis.studies.prediction.summary import Summary, read, summary
from thinktime.analysis.studies.prediction.world import ALL, FAMILIES, MISLEADING, PROCESSORS, SENSITIVITY, World
from thinktime.analysis.study import StudiedLog, Study, Task, key_of, option, quoted

MIDDLE = 1
"""The place in `LOADS` of the only load of a quick study, and of the families of the sensitivity analysis."""
APART = 1000
"""Worlds of another load have other numbers, so that all worlds of a family are independent."""


class Effort(NamedTuple):
    """How much is simulated."""

    families: tuple[str, ...]
    loads: tuple[int, ...]
    """The loads at which worlds are simulated, as places in `LOADS`."""
    worlds: int
    cases: tuple[str, ...]


FULL_EFFORT = Effort((*FAMILIES, *SENSITIVITY, *MISLEADING), (0, 1, 2), 20, tuple(CASES))
QUICK_EFFORT = Effort(("campaign", "linear", "session", "deadline"), (MIDDLE,), 4, QUICK)


def families_of(given: str, known: Sequence[str]) -> tuple[str, ...]:
    """The families that ``--families`` names, separated by commas; ``ValueError`` for one that is not known.

    >>> families_of("mix, cron", ("cron", "mix"))
    ('mix', 'cron')
    """
    return _named("--families", "family", given, known, "the families")


def _named(option: str, kind: str, given: str, known: Sequence[str], all_of_them: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in given.split(","))
    for name in names:
        if name not in known:
            raise ValueError(f"{option}: there is no {kind} {quoted(name)}; {key_of(name, known, all_of_them)}")
    return names


ONE_WORD = tuple(mode for mode in MODES if "," not in mode and " " not in mode)
"""The modes that may be asked for alone; ``feedback, hours`` and ``generative, corrected`` come with all."""
Key = tuple[Any, ...]
"""(family, load, number) of a world, ("advice", ...) with the same, ("ross", mode), or ("log", name)."""
ADVICE = "advice"
LEFT_BY = tt.MachineSpec(PROCESSORS, "easy")
"""What leaves the log that is asked for advice."""


@dataclass(frozen=True)
class Evidence:
    """The answers of all worlds, those about Ross, and the diagnoses of logs."""

    seed: int
    worlds: Mapping[tuple[str, float, int], Answer]
    """By family, load and number."""
    ross: Mapping[str, ross.Answer]
    """By mode; empty without its log."""
    logs: Mapping[str, logs.Diagnosed]
    """What each log says of itself, by its name."""
    asked: Mapping[tuple[str, float, int], Signs] = field(default_factory=dict)
    """What the log of each world says, by which the rules of trust go."""
    kept: Summary | None = None
    """What an earlier study says, whose answers are not here."""

    @cached_property
    def summary(self) -> Summary:
        """What it says in numbers."""
        if self.kept is not None:
            return self.kept
        return summary(self.seed, self.worlds, self.ross, self.logs, self.asked)

    @property
    def families(self) -> tuple[str, ...]:
        """The families, in order."""
        return tuple(dict.fromkeys(family for family, _, _ in self.worlds))

    def of(self, family: str) -> list[Answer]:
        """The answers of the worlds of a family."""
        return [each for key, each in self.worlds.items() if key[0] == family]


@dataclass(frozen=True, kw_only=True)
class PredictionStudy(Study[Any, Evidence]):
    """Which way of replaying a log predicts what would really happen."""

    name = "prediction"
    line = "How well replays of a log predict what would happen."
    unit = "worlds"
    files = "Write pictures and numbers."
    formats = ("png",)

    quick: bool = option(False, "Fewer families, loads, worlds and cases.", kind="flag")
    families: str | None = option(None, "Families of users, separated by commas.", "NAMES", shown="all")
    worlds: int | None = option(None, "Worlds for each family and load.", "N", "count", shown="20, with --quick 4")
    modes: str | None = option(None, "Ways to predict, of these: " + ", ".join(ONE_WORD) + ".", "NAMES", shown="all")
    log: Sequence[StudiedLog] = option((), "A log with users and waits; repeat it for several.", "FILE", "logs")
    kept: bool = option(
        False, "Show what the full study has found, which the package keeps; simulate nothing.", kind="flag"
    )
    seed: int = option(2026, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        self.effort()
        _ = self.asked

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The modes that are asked for; the true waits are known in any case."""
        if self.modes is None:
            return MODES
        names = _named("--modes", "mode", self.modes, ONE_WORD, "the modes")
        return tuple(mode for mode in MODES if mode in names)

    def effort(self) -> Effort:
        """How much is simulated."""
        usual = QUICK_EFFORT if self.quick else FULL_EFFORT
        if self.families is not None:
            usual = usual._replace(families=families_of(self.families, ALL))
        return usual if self.worlds is None else usual._replace(worlds=self.worlds)

    def tasks(self) -> dict[Key, Task[Any]]:
        """The worlds, the predictions for Ross where there is its log, and the diagnosis of each log."""
        found: dict[Key, Task[Any]] = {}
        if self.kept:
            return found
        effort = self.effort()
        for family in effort.families:
            for place in (MIDDLE,) if family in SENSITIVITY else effort.loads:
                for number in range(effort.worlds):
                    users = USERS[family][place]
                    world = World(family, APART * place + number, users, self.seed)
                    found[family, LOADS[place], number] = Run(world, effort.cases, modes=self.asked)
                    if set(right_advice.ALWAYS) <= set(self.asked):
                        found[ADVICE, family, LOADS[place], number] = right_advice.Run(world, LEFT_BY)
        for log in self._ross():
            for mode in (ross.REALLY, *(each for each in ross.MODES if each in self.asked)):
                found["ross", mode] = ross.Run(log.trace, mode, self.seed)
        for log in self.log:
            found["log", logs.name_of(log.path)] = logs.Run(log.trace, self.seed, self.quick)
        return found

    def gather(self, answers: Mapping[Key, Any]) -> Evidence:
        """The answers of the worlds, those about Ross, and the diagnoses of logs."""
        if self.kept:
            return Evidence(self.seed, {}, {}, {}, kept=read())
        others = {kind: {key[1]: each for key, each in answers.items() if key[0] == kind} for kind in ("ross", "log")}
        asked = {key[1:]: each for key, each in answers.items() if key[0] == ADVICE}
        worlds = {key: each for key, each in answers.items() if key[0] not in (*others, ADVICE)}
        return Evidence(self.seed, worlds, others["ross"], others["log"], asked)

    def _ross(self) -> Iterator[StudiedLog]:
        """The log of Ross, if it is given or has been downloaded and not quick."""
        for log in self.log:
            if ross.is_ross(log.path):
                yield log
                return
        if not self.quick and not self.log:
            import pooch

            for folder in (os.environ.get("THINKTIME_TRACES"), pooch.os_cache("thinktime")):
                for path in sorted(Path(folder).glob(f"{ross.LOG}*")) if folder else ():
                    yield StudiedLog(str(path), tt.read_swf(path))
                    return
