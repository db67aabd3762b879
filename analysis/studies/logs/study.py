"""Logs of many years and machines, each measured alike, and whether users have changed.

Every log has a row, and so has every calendar year of a log that has several with enough jobs
(`thinktime.analysis.studies.logs.runs`). Changes over the years are looked for between logs, of which each counts as
one, and within machines (`thinktime.analysis.studies.logs.findings`). Effects of policies as calibrated users would
have them are no part of it yet.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from thinktime.analysis.studies.logs.runs import Row, Run, parts
from thinktime.analysis.study.base import StudiedLog, Study, option

KEPT = Path(__file__).with_name("kept.json")
WHOLE = 0
"""Stands for all years of a log."""

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
class LogsStudy(Study[Row, Evidence]):
    """What logs of many years say of their users, and whether these have changed."""

    name = "logs"
    line = "Whether users have changed, by logs of many years."
    unit = "logs and years"
    files = "Write the picture and the numbers."
    formats = ("png",)

    logs: Sequence[StudiedLog] = option((), "Logs in any format that is read, also as PRESET:PATH.", "PATH", "paths")
    quick: bool = option(False, "Fewer worlds and gaps, and no rows of years.", kind="flag")
    kept: bool = option(False, "Show what the package keeps of public logs; measure nothing.", kind="flag")
    seed: int = option(2026, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        if not self.logs and not self.kept:
            raise ValueError("study logs needs logs (PATH); --kept shows what is known of public ones")
        if self.logs and self.kept:
            raise ValueError("--kept shows what the package keeps; leave it out to measure logs")

    def tasks(self) -> dict[Key, Run]:
        """By log and year."""
        found: dict[Key, Run] = {}
        for name, log in self._named():
            found[name, WHOLE] = Run(log.trace, self.seed, self.quick)
            if not self.quick:
                found |= {(name, year): Run(part, self.seed) for year, part in parts(log.trace).items()}
        return found

    def gather(self, answers: Mapping[Key, Row]) -> Evidence:
        """By log and year."""
        return read() if self.kept else Evidence(dict(answers))

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
