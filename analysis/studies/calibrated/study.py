"""The study of calibrated users: whether users fitted to a log do under another policy what the real ones do.

Worlds are simulated as in the prediction study (`thinktime.analysis.studies.prediction`), with other seeds: those of
its families, and as many of families that no model was made for (`thinktime.analysis.studies.calibrated.families`).
Users are fitted to the log of each world, and predicted in twelve cases that differ from it. The unit of every interval
is the world.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from thinktime.analysis.studies.calibrated import families
from thinktime.analysis.studies.calibrated.runs import CASES, DRAWS, QUICK, Answer, Run
from thinktime.analysis.studies.prediction.calibrated import LOADS, USERS
from thinktime.analysis.studies.prediction.study import APART, families_of
from thinktime.analysis.studies.prediction.world import ALL, World
from thinktime.analysis.study import Study, Task, option, quoted

KNOWN, UNKNOWN = ALL, families.FAMILIES
"""Families of the prediction study, and families that nobody fitted to."""

Key = tuple[str, float, int]
"""The family, the load, and the number of the world."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The answers of all worlds."""

    seed: int
    worlds: Mapping[Key, Answer]

    @property
    def families(self) -> tuple[str, ...]:
        """The families, in order."""
        return tuple(dict.fromkeys(family for family, _, _ in self.worlds))

    def of(self, family: str) -> list[Answer]:
        """The answers of the worlds of a family."""
        return [each for key, each in self.worlds.items() if key[0] == family]


class Effort(NamedTuple):
    """How much is simulated."""

    families: tuple[str, ...]
    loads: tuple[int, ...]
    worlds: int
    cases: tuple[str, ...]
    draws: int


FULL = Effort((*KNOWN, *UNKNOWN), (0, 1, 2), 20, tuple(CASES), DRAWS)
SMALL = Effort(("campaign", "share"), (1,), 1, QUICK, 2)


@dataclass(frozen=True, kw_only=True)
class CalibratedStudy(Study[Answer, Evidence]):
    """Whether users who are fitted to a log predict what the real ones do."""

    name = "calibrated"
    line = "Whether users fitted to a log predict what would happen."
    unit = "worlds"
    files = "Write pictures and numbers."
    formats = ("png",)

    quick: bool = option(False, "Two families, one world each, and few cases.", kind="flag")
    families: str | None = option(None, "Families of users, separated by commas.", "NAMES", shown="all")
    worlds: int | None = option(None, "Worlds for each family and load.", "N", "count", shown="20, with --quick 1")
    loads: str | None = option(None, "Loads of the machine, separated by commas.", "LOADS", shown="0.6,0.75,0.9")
    seed: int = option(3107, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        self.effort()

    def effort(self) -> Effort:
        """How much is simulated."""
        usual = SMALL if self.quick else FULL
        if self.families is not None:
            usual = usual._replace(families=families_of(self.families, FULL.families))
        if self.loads is not None:
            known = {f"{load:g}": place for place, load in enumerate(LOADS)}
            wanted = [text.strip() for text in self.loads.split(",")]
            if unknown := [text for text in wanted if text not in known]:
                raise ValueError(f"--loads: {quoted(unknown[0])} is none of {', '.join(known)}")
            usual = usual._replace(loads=tuple(known[text] for text in wanted))
        return usual if self.worlds is None else usual._replace(worlds=self.worlds)

    def tasks(self) -> dict[Key, Task[Answer]]:
        """By family, load and number; those of few worlds are among those of many, and come in turn by family."""
        effort = self.effort()
        return {
            (family, LOADS[place], number): Run(self._world(family, place, number), effort.cases, effort.draws)
            for number in range(effort.worlds)
            for place in effort.loads
            for family in effort.families
        }

    def _world(self, family: str, place: int, number: int) -> World:
        if family in UNKNOWN:
            return families.Unfitted(family, APART * place + number, families.USERS[family][place], self.seed)
        return World(family, APART * place + number, USERS[family][place], self.seed)

    def gather(self, answers: Mapping[Key, Answer]) -> Evidence:
        """By family, load and number."""
        return Evidence(self.seed, answers)
