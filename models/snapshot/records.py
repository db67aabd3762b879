"""The records of a snapshot's files, with the file and the line of each, and the report on reading them.

A job's name may be anything, blanks and ``A=B`` included: it ends where ``UserId`` begins.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinktime.models.site.slurm.values import absent
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.sacct import values as sacct
from thinktime.workloads.text_files import text_of

READ, REPAIRED, IGNORED, UNKNOWN = KINDS = "read", "repaired", "ignored", "unknown"
_KEY = re.compile(r"(?:(?<=\s)|^)([A-Za-z][\w/:.\[\]-]*)=")
_PLACES = re.compile(r"(?<=\s)Nodes=(\S+) CPU_IDs=(\S+)")
_NAMED = re.compile(r"(.*? JobName=)(.*?)( UserId=.*)", re.DOTALL)
NEVER = frozenset({"", "unknown", "none", "n/a", "(null)", "0"})
"""How Slurm writes a time that is not known."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What was done, why, how often, and where first."""

    kind: str
    what: str
    count: int
    where: str = ""

    def __str__(self) -> str:
        place = f", first in {self.where}" if self.where and self.count > 1 else f", {self.where}" if self.where else ""
        return f"{self.kind:<8} {self.count:>7,}  {self.what}{place}"


@dataclass(slots=True)
class Report:
    """What was read, repaired, ignored, and what is unknown: nothing is silent."""

    source: str
    _entries: dict[tuple[str, str], Entry] = field(default_factory=dict)

    def add(self, kind: str, what: str, where: str = "", count: int = 1) -> None:
        """Add a finding, or count it once more."""
        before = self._entries.get((kind, what))
        if before is not None:
            self._entries[kind, what] = Entry(kind, what, before.count + count, before.where)
        elif count:
            self._entries[kind, what] = Entry(kind, what, count, where)

    @property
    def entries(self) -> list[Entry]:
        """All findings, by kind, in the order in which they were found."""
        return sorted(self._entries.values(), key=lambda each: KINDS.index(each.kind))

    def of(self, kind: str) -> dict[str, int]:
        """What of a kind was found how often."""
        return {each.what: each.count for each in self.entries if each.kind == kind}

    def __str__(self) -> str:
        return "\n".join([self.source, *(f"  {each}" for each in self.entries)])


@dataclass(frozen=True, slots=True)
class Record:
    """One record: where it is, and its values by their keys in lower case."""

    where: str
    values: Mapping[str, str]

    def __getitem__(self, key: str) -> str:
        """A value, empty if there is none."""
        found = self.values.get(key, "")
        return "" if found in ("(null)", "N/A") else found

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def fail(self, key: str, expected: str) -> ValueError:
        """The error for a value that cannot be read."""
        return ValueError(f"{self.where}: {key} must be {expected}, not {quoted(self.values.get(key, ''))}")

    def whole(self, key: str, usual: int = 0) -> int:
        """A whole number; ``usual`` if there is none."""
        text = self[key].split("-")[0]
        if absent(text):
            return usual
        if not text.isdecimal():
            raise self.fail(key, "a whole number")
        return int(text)

    def number(self, key: str, usual: float = 0.0) -> float:
        """A number; ``usual`` if there is none."""
        try:
            found = float(self[key] or usual)
        except ValueError:
            raise self.fail(key, "a number") from None
        if not math.isfinite(found):
            raise self.fail(key, "a finite number")
        return found

    def length(self, key: str) -> float | None:
        """A duration as ``[D-]HH:MM:SS`` (s); None for none or an unlimited one."""
        if absent(self[key]):
            return None
        try:
            return sacct.duration(self[key])
        except ValueError:
            raise self.fail(key, "a duration such as 1-00:30:00") from None


def records(path: Path, command: str, first: str) -> list[Record]:
    """The records of `scontrol -o show …`, of which each begins with a key; ``ValueError`` names the line."""
    found = []
    text = text_of(path)
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        where = f"{path.name}, line {number}"
        if not line.strip() or line.startswith(("No ", "slurm_load")):
            continue
        values = pairs(line)
        if next(iter(values), "") != first.lower():
            raise ValueError(f"{where}: this is no output of '{command}', but {quoted(shortened(line, 40))}")
        found.append(Record(where, values))
    if found and not text.endswith("\n"):
        raise ValueError(f"{found[-1].where}: the file is cut off in the middle of this line; take another snapshot")
    return found


def pairs(line: str) -> dict[str, str]:
    """The values of a record by their keys in lower case; ``cpu_ids`` are those on all nodes: ``n[1-2]:0-3;n3:0-1``."""
    named = _NAMED.fullmatch(line)
    if named:
        places = ";".join(f"{nodes}:{numbers}" for nodes, numbers in _PLACES.findall(named[3]))
        return {**_pairs(named[1]), "jobname": named[2], **_pairs(named[3]), "cpu_ids": places}
    return _pairs(line)


def _pairs(text: str) -> dict[str, str]:
    found = [(match.start(), match.end(), match[1].lower()) for match in _KEY.finditer(text)]
    stops = [*(start for start, _, _ in found[1:]), len(text)]
    return {key: text[end:stop].strip() for (_, end, key), stop in zip(found, stops, strict=True)}


def table(path: Path, needed: tuple[str, ...], command: str) -> list[Record]:
    """The rows of a table with ``|``, by the headings in its first line."""
    from thinktime.models.site.slurm import psv

    return [Record(row.where, _stripped(row.cells)) for row in psv.table(path, needed, command)]


def _stripped(cells: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(cell).strip() for key, cell in cells.items()}
