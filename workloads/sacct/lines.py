"""Read sacct's files into rows: the first line names the columns, in any order, separated by `|`.

A command may contain the separator, and so may a job's name, so surplus values belong to the column SubmitLine, else
JobName, if there is one. It may also contain line ends, so a line with too few values goes on in the next ones, unless
that is a whole line itself. A column that is printed twice is read once. `sacct -p` also ends each line with a
separator. Blank lines and lines that begin with # are skipped. Files may be compressed (gzip).
"""

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from thinktime.workloads.compressed import decompressing, opened
from thinktime.workloads.names import quoted

SEPARATOR = "|"
SacctLine = tuple[int, dict[str, str] | str]
"""The number of a line, and its values by column, or what is wrong with it."""
MOST_LINES = 1_000
"""How many lines one job may take."""
MOST_LETTERS = 2**24
"""How many characters a line may have."""
_COLUMN = re.compile(r"\w+")
WRONG = "wrong number of values"


def rows(
    path: Path, separator: str | None = None, max_size: int | None = None, columns: Sequence[str] = ()
) -> Iterator[SacctLine]:
    """The lines of one file after its header; column names are in lower case.

    Without a ``separator``, it is what stands between the first two names of columns. With ``columns``, a file has no
    header (`sacct --noheader`).
    """
    # Bytes that are not UTF-8 are replaced.
    with decompressing(path), io.TextIOWrapper(opened(path, max_size), encoding="utf-8", errors="replace") as lines:
        texts = enumerate(_whole_lines(path, lines), start=1)
        if columns:
            between = separator or SEPARATOR
            yield from _records(texts, between, _header(path, between.join(columns), between))
            return
        first = next(((number, text) for number, text in texts if _says(text)), None)
        if first is None:
            raise ValueError(f"{path} is empty; it must be the output of `sacct -P`, with its header line")
        text = first[1].removeprefix("\ufeff")
        between = separator or _separator(text)
        yield from _records(texts, between, _header(path, text, between))


def _whole_lines(path: Path, lines: io.TextIOWrapper) -> Iterator[str]:
    while line := lines.readline(MOST_LETTERS):
        if len(line) == MOST_LETTERS:
            raise ValueError(f"{path} has a line of more than {MOST_LETTERS // 2**20} MB, so it is not of `sacct -P`")
        yield line.rstrip("\r\n")


def _says(text: str) -> bool:
    return bool(text.strip()) and not text.startswith("#")


def _separator(header: str) -> str:
    """What stands between the names of columns: whatever is no letter, digit or _."""
    name = _COLUMN.match(header)
    found = re.match(r"\W+", header[name.end() :]) if name else None
    return found[0] if found else SEPARATOR


def _records(texts: Iterator[tuple[int, str]], separator: str, header: list[str]) -> Iterator[SacctLine]:
    """Lines with values; those of a job that goes on are put together."""
    begun: list[str] = []
    at = 0
    for number, text in texts:
        if not begun and not _says(text):
            continue
        if not begun or _complete(text, separator, header):
            if begun:
                yield at, WRONG
            begun, at = [text], number
        else:
            begun.append(text)
        whole = "\n".join(begun)
        if whole.count(separator) < len(header) - 1:
            if len(begun) >= MOST_LINES:
                yield at, WRONG
                begun = []
            continue
        begun = []
        values = _values(whole, separator, header)
        if values is None:
            yield at, WRONG
        elif _lowered(values) != header:  # the header of a concatenated file
            yield at, dict(reversed(list(zip(header, values, strict=True))))
    if begun:
        yield at, WRONG


def _complete(text: str, separator: str, header: list[str]) -> bool:
    """Whether a line is that of a job by itself."""
    return _says(text) and text.count(separator) >= len(header) - 1


def _header(path: Path, text: str, separator: str) -> list[str]:
    names = _lowered(text.split(separator))
    names = names[:-1] if names[-1] == "" else names
    for needed in ("jobid", "submit"):
        if needed not in names and not (needed == "jobid" and "jobidraw" in names):
            raise ValueError(
                f"{path}, line 1: there is no column {'JobID' if needed == 'jobid' else 'Submit'} in {quoted(text)}; "
                f"the first line must name the columns, so run sacct -P without --noheader, or give --columns"
            )
    return names


def _lowered(texts: list[str]) -> list[str]:
    return [text.strip().lower() for text in texts]


def _values(text: str, separator: str, header: list[str]) -> list[str] | None:
    values = text.split(separator)
    if len(values) == len(header) + 1 and values[-1] == "":
        values.pop()
    surplus = len(values) - len(header)
    wide = [name for name in ("submitline", "jobname") if name in header]
    if surplus > 0 and wide:
        at = header.index(wide[0])
        values[at : at + surplus + 1] = [separator.join(values[at : at + surplus + 1])]
    return values if len(values) == len(header) else None
