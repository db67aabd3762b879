"""Read sacct's files into rows: the first line names the columns, in any order, separated by `|`.

A command may contain the separator, and so may a job's name, so surplus values belong to the column SubmitLine, else
JobName, if there is one. `sacct -p`
also ends each line with a separator. Blank lines and lines that begin with # are skipped. Files may be compressed
(gzip).
"""

import io
from collections.abc import Iterator
from pathlib import Path

from thinktime.workloads.compressed import opened
from thinktime.workloads.names import quoted

SEPARATOR = "|"
SacctLine = tuple[int, dict[str, str] | None]
"""The number of a line, and its values by column, or None if it has too few or too many."""


def rows(path: Path, separator: str = SEPARATOR, max_size: int | None = None) -> Iterator[SacctLine]:
    """The lines of one file after its header; column names are in lower case."""
    header: list[str] | None = None
    # Bytes that are not UTF-8 are replaced.
    with io.TextIOWrapper(opened(path, max_size), encoding="utf-8", errors="replace") as lines:
        for number, raw in enumerate(lines, start=1):
            text = raw.rstrip("\r\n")
            if not text.strip() or text.startswith("#"):
                continue
            if header is None:
                header = _header(path, text, separator)
                continue
            values = _values(text, separator, header)
            if values is not None and _lowered(values) == header:
                continue  # the header of a concatenated file
            yield number, None if values is None else dict(zip(header, values, strict=True))
    if header is None:
        raise ValueError(f"{path} is empty; it must be the output of `sacct -P`, with its header line")


def _header(path: Path, text: str, separator: str) -> list[str]:
    names = _lowered(text.removeprefix("\ufeff").split(separator))
    names = names[:-1] if names[-1] == "" else names
    for needed in ("jobid", "submit"):
        if needed not in names and not (needed == "jobid" and "jobidraw" in names):
            raise ValueError(
                f"{path}, line 1: there is no column {'JobID' if needed == 'jobid' else 'Submit'} in {quoted(text)}; "
                f"the first line must name the columns, so run sacct -P without --noheader"
            )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{path}, line 1: the column {quoted(twice)} occurs twice")
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
