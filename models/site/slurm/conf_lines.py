"""Lines of slurm.conf, of `scontrol show config`, and of `scontrol -o show …`, as pairs of keys and values.

Keys are lower case, since Slurm does not tell cases apart. Every line knows its file and number.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from thinktime.workloads.names import quoted
from thinktime.workloads.text_files import text_of

_PAIR = re.compile(r'([A-Za-z][\w/]*)\s*=\s*("[^"]*"|[^\s"]*)')
_SHOWN = re.compile(r"([A-Za-z]\w*)\s*= ?(.*)")
_INCLUDE = re.compile(r"include\s+(\S+)", re.IGNORECASE)
_HEAD = re.compile(r"Configuration data as of ")
DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Line:
    """The pairs of one line, and where it is: ``slurm.conf, line 3``."""

    where: str
    pairs: dict[str, str]
    written: dict[str, str] = field(default_factory=dict)
    """The keys as they are written, by those in lower case."""

    @property
    def first(self) -> str:
        """The first key, which says what the line is about."""
        return next(iter(self.pairs))


def conf_lines(path: Path) -> list[Line]:
    """The lines of a configuration, those of included files in their places; or what `scontrol show config` prints."""
    text = text_of(path)
    if _HEAD.search(text):
        return list(_shown_lines(path, text))
    return list(_lines(path, text, 0))


def records(path: Path) -> list[Line]:
    """The records of `scontrol -o show partition` or `show node`: one on each line."""
    found = []
    for number, text in enumerate(text_of(path).splitlines(), start=1):
        if text.strip():
            where = f"{path.name}, line {number}"
            if "=" not in text.split()[0]:
                raise ValueError(
                    f"{path}, line {number}: this is no output of 'scontrol -o show', but {quoted(text[:40])}"
                )
            found.append(_line(where, _PAIR.findall(text)))
    return found


def _line(where: str, pairs: list[tuple[str, str]]) -> Line:
    return Line(where, {key.lower(): value.strip('"') for key, value in pairs}, {key.lower(): key for key, _ in pairs})


def _lines(path: Path, text: str, depth: int) -> Iterator[Line]:
    for number, line in _joined(text):
        where = f"{path.name}, line {number}"
        if include := _INCLUDE.fullmatch(line):
            if depth == DEEPEST:
                raise ValueError(f"{path}, line {number}: files include each other without end")
            other = _included(path, include[1])
            if other is None:
                raise ValueError(f"{path}, line {number}: there is no file {include[1]} to include")
            yield from _lines(other, text_of(other), depth + 1)
            continue
        if left := _PAIR.sub("", line).strip():
            raise ValueError(f"{path}, line {number}: {quoted(left[:40])} is neither Key=Value nor a comment")
        yield _line(where, _PAIR.findall(line))


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are not empty, without comments, with those that a backslash continues."""
    begun, first = "", 0
    for number, raw in enumerate(text.splitlines(), start=1):
        line = re.split(r"(?<!\\)#", raw, maxsplit=1)[0].replace("\\#", "#").rstrip()
        first = first or number
        if line.endswith("\\"):
            begun += line[:-1]
            continue
        if whole := (begun + line).strip():
            yield first, whole
        begun, first = "", 0


def _included(path: Path, name: str) -> Path | None:
    """An included file: where it should be, or, of a copied configuration, beside the other."""
    places = (path.parent / name, path.parent / Path(name).name)
    return next((each for each in places if each.is_file()), None)


def _shown_lines(path: Path, text: str) -> Iterator[Line]:
    """What `scontrol show config` prints: a value is the rest of the line; ``(null)`` is none."""
    for number, line in enumerate(text.splitlines(), start=1):
        match = _SHOWN.fullmatch(line.strip())
        if match and match[2].strip() not in ("", "(null)", "N/A"):
            yield _line(f"{path.name}, line {number}", [(match[1], match[2].strip())])
