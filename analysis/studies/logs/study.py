"""Logs of many years and machines, each measured alike, and whether users have changed.

Every log has a row, and so has every calendar year of a log that has several with enough jobs
(`thinktime.analysis.studies.logs.runs`). Changes over the years are looked for between logs, of which each counts as
one, and within machines (`thinktime.analysis.studies.logs.findings`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import thinktime as tt
from thinktime.analysis.studies.logs.runs import Fit, Row, Run, parts
from thinktime.analysis.study import StudiedLog, Study, Task, option

KEPT = Path(__file__).with_name("kept.json")
WHOLE = 0
"""Stands for all years of a log."""

SIGNS, USERS = "signs", "users"
"""What is asked: what the log shows of its users, and users who are fitted to it."""

Key = tuple[str, int]
"""The log, and the year."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The rows of logs and of their years."""

    rows: Mapping[Key, Row]

    def whole(self) -> dict[str, Row]:
        """The row of each log."""
        return {name: row for (name, year), row in self.rows.items() if year == WHOLE}

    def years(self, name: str) -> dict[int, Row]:
        """The rows of a log's years, in order."""
        return {year: row for (log, year), row in self.rows.items() if log == name and year != WHOLE}


@dataclass(frozen=True, kw_only=True)
class LogsStudy(Study[Any, Evidence]):
    """What logs of many years say of their users, and whether these have changed."""

    name = "logs"
    line = "Whether users have changed, by logs of many years."
    unit = "measures of logs and years"
    files = "Write the picture and the numbers."
    formats = ("png",)

    logs: Sequence[StudiedLog] = option((), "Logs in any format that is read, also as PRESET:PATH.", "PATH", "paths")
    quick: bool = option(False, "Fewer worlds, gaps, and jobs to fit users to; no rows of years.", kind="flag")
    kept: bool = option(False, "Show what the package keeps of public logs; measure nothing.", kind="flag")
    seed: int = option(2026, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        if not self.logs and not self.kept:
            raise ValueError("study logs needs logs (PATH); --kept shows what is known of public ones")
        if self.logs and self.kept:
            raise ValueError("--kept shows what the package keeps; leave it out to measure logs")

    def tasks(self) -> dict[tuple[str, int, str], Task[Any]]:
        """By log, year, and what is asked; fits, which take longest, come last."""
        found: dict[Key, tt.Trace] = {}
        for name, log in self._named():
            found[name, WHOLE] = log.trace
            if not self.quick:
                found |= {(name, year): part for year, part in parts(log.trace).items()}
        return {
            (*key, asked): kind(log, self.seed, self.quick)
            for asked, kind in ((SIGNS, Run), (USERS, Fit))
            for key, log in found.items()
        }

    def gather(self, answers: Mapping[tuple[str, int, str], Any]) -> Evidence:
        """By log and year."""
        if self.kept:
            return read()
        rows = {}
        for (name, year, asked), row in answers.items():
            if asked == SIGNS:
                fitted = answers[name, year, USERS]
                notes = dict.fromkeys((*row.notes, *fitted.notes))
                rows[name, year] = replace(row, reactions=fitted.reactions, notes=tuple(notes))
        return Evidence(rows)

    def _named(self) -> Iterator[tuple[str, StudiedLog]]:
        """Each log under a name of its own."""
        taken: set[str] = set()
        for log in self.logs:
            name = base = name_of(log.path)
            number = 1
            while name in taken:
                number += 1
                name = f"{base} ({number})"
            taken.add(name)
            yield name, log


def name_of(path: str) -> str:
    """What a log is called: its file without suffixes, and its preset.

    >>> name_of("logs/KTH-SP2-1996-2.1-cln.swf.gz"), name_of("eagle:data/eagle_200.parquet")
    ('KTH-SP2-1996-2.1-cln', 'eagle_200 (eagle)')
    """
    preset, colon, rest = path.partition(":")
    name = Path(rest if colon else path).name.removesuffix(".gz")
    for suffix in (".swf", ".parquet", ".csv", ".json", ".txt"):
        name = name.removesuffix(suffix)
    return f"{name} ({Path(preset).name.removesuffix('.toml')})" if colon else name


def read(file: Path = KEPT) -> Evidence:
    """What was kept as study.json."""
    logs = json.loads(file.read_text(encoding="utf-8"))["logs"]
    rows = {}
    for name, values in logs.items():
        of_years = values.pop("by_year")
        rows[name, WHOLE] = Row.of(values)
        rows |= {(name, int(year)): Row.of(each) for year, each in of_years.items()}
    return Evidence(rows)
