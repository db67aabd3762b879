"""The study of calibrated users: whether users fitted to a log do under another policy what the real ones do.

Worlds are simulated as in the prediction study (`thinktime.analysis.studies.prediction`), with other seeds: those of
its families, and as many of families that no model was made for (`thinktime.analysis.studies.calibrated.families`).
Users are fitted to the log of each world, and predicted in twelve cases that differ from it. The unit of every interval
is the world.

With logs, users are fitted to the first half of each, and foretell the other half beside all other modes
(`thinktime.analysis.studies.calibrated.halves`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import thinktime as tt
from thinktime.analysis.studies.calibrated import families, foretold, halves
from thinktime.analysis.studies.calibrated.rows import Row, read, row_of
from thinktime.analysis.studies.calibrated.runs import CASES, DRAWS, QUICK, Answer, Run
from thinktime.analysis.studies.prediction import logs as of_logs
from thinktime.analysis.studies.prediction.calibrated import LOADS, USERS
from thinktime.analysis.studies.prediction.study import APART, families_of
from thinktime.analysis.studies.prediction.world import ALL, World
from thinktime.analysis.study import StudiedLog, Study, Task, option, quoted, size_of

KNOWN, UNKNOWN = ALL, families.FAMILIES
"""Families of the prediction study, and families that nobody fitted to."""

Key = tuple[Any, ...]
"""The family, the load, and the number of the world; or "log", its name, and the mode."""
LOG = "log"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The rows of all worlds, and of all logs of which half is foretold."""

    rows: Sequence[Row]
    logs: Sequence[foretold.Row] = ()
    worlds: Mapping[tuple[str, float, int], Answer] = field(default_factory=dict)
    """The answers of the worlds of this run."""

    @property
    def families(self) -> tuple[str, ...]:
        """The families that are there, in order."""
        there = {each.family for each in self.rows}
        return tuple(family for family in (*KNOWN, *UNKNOWN) if family in there)

    def of(self, family: str) -> list[Row]:
        """The rows of the worlds of a family."""
        return [each for each in self.rows if each.family == family]


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
class CalibratedStudy(Study[Any, Evidence]):
    """Whether users who are fitted to a log predict what the real ones do."""

    name = "calibrated"
    line = "Whether users fitted to a log predict what would happen."
    unit = "worlds, or modes of logs"
    files = "Write pictures and numbers."
    formats = ("png",)

    quick: bool = option(False, "Two families, one world each, and few cases.", kind="flag")
    families: str | None = option(None, "Families of users, separated by commas.", "NAMES", shown="all")
    worlds: int | None = option(None, "Worlds for each family and load.", "N", "count", shown="20, with --quick 1")
    loads: str | None = option(None, "Loads of the machine, separated by commas.", "LOADS", shown="0.6,0.75,0.9")
    log: Sequence[StudiedLog] = option(
        (), "Instead of worlds, a log whose other half is foretold; repeat it for several.", "FILE", "logs"
    )
    processors: int | None = option(
        None, "Size of the machine of a log.", "N", "processors", shown="what the log's header says"
    )
    kept: bool = option(False, "Show what the package keeps of earlier runs; simulate nothing.", kind="flag")
    seed: int = option(3107, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        self.effort()
        if self.log and (self.families, self.worlds, self.loads) != (None, None, None):
            raise ValueError("--log foretells a log instead of worlds; leave out --families, --worlds and --loads")
        for log in self.log:
            if np.isnan(log.trace.wait).all():
                raise ValueError(f"{log.path} has no waits (field 3) to foretell; give a log with waits")
            if not (log.trace.user >= 0).any():
                raise ValueError(f"{log.path} does not say who submitted its jobs (field 12); give a log with users")
        for name, (trace, _) in self.parts.items():
            if not halves.halves(trace)[1].weeks:
                raise ValueError(
                    f"the other half of {name} has no week of {halves.FEWEST} jobs to foretell; give a longer log"
                )

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

    def tasks(self) -> dict[Key, Task[Any]]:
        """By family, load and number; those of few worlds are among those of many, and come in turn by family.

        Or of logs, by name and mode.
        """
        if self.kept:
            return {}
        if self.log:
            draws = halves.QUICK_DRAWS if self.quick else halves.DRAWS
            return {
                (LOG, name, way): halves.Run(trace, processors, way, self.seed, draws)
                for name, (trace, processors) in self.parts.items()
                for way in halves.WAYS
            }
        effort = self.effort()
        return {
            (family, LOADS[place], number): Run(self._world(family, place, number), effort.cases, effort.draws)
            for number in range(effort.worlds)
            for place in effort.loads
            for family in effort.families
        }

    @cached_property
    def parts(self) -> dict[str, tuple[tt.Trace, int]]:
        """By name of a log, its first jobs that fit into the machine, and the size of that."""
        most = halves.QUICK_MOST if self.quick else halves.MOST
        found = {}
        for log in self.log:
            processors = size_of(log, self.processors)
            fits = log.trace.select(log.trace.processors <= processors)
            found[of_logs.name_of(log.path)] = fits.select(np.arange(len(fits)) < most), processors
        return found

    def _world(self, family: str, place: int, number: int) -> World:
        if family in UNKNOWN:
            return families.Unfitted(family, APART * place + number, families.USERS[family][place], self.seed)
        return World(family, APART * place + number, USERS[family][place], self.seed)

    def gather(self, answers: Mapping[Key, Any]) -> Evidence:
        """The rows of this run, or those that the package keeps."""
        if self.kept:
            return Evidence(read(), foretold.read())
        if self.log:
            return Evidence([], [foretold.row_of(name, way, each) for (_, name, way), each in answers.items()])
        return Evidence([row_of(key, self.seed, each) for key, each in answers.items()], worlds=answers)
