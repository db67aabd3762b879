"""The lines of an SWF file: comments, and records with their line numbers.

A record is a line of numbers; a comment begins with a semicolon and may stand anywhere; blank lines mean
nothing. A gzip file is known by its first two bytes, whatever its name.
"""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path

_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # what some editors put before UTF-8 text
_SEMICOLON = ord(";")


class SWFError(ValueError):
    """A file, or a line of it, that is not in the Standard Workload Format."""


@dataclass(slots=True)
class Lines:
    """A file, taken apart: its comment lines, its records and the line number (from 1) of each record."""

    comments: list[str]
    records: list[bytes]
    numbers: list[int]


def read_lines(path: Path) -> Lines:
    """Read a file, plain or compressed."""
    lines = Lines([], [], [])
    for number, line in enumerate(_content(path).removeprefix(_BYTE_ORDER_MARK).split(b"\n"), start=1):
        record = line.strip()
        if not record:
            continue
        if record[0] == _SEMICOLON:
            lines.comments.append(as_text(line.rstrip(b"\r")))
        else:
            lines.records.append(record)
            lines.numbers.append(number)
    return lines


def as_text(line: bytes) -> str:
    """Decode a line; old logs have Latin-1 letters in names, so what is not UTF-8 is read as that."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no log at {path}") from None
    except OSError as error:
        raise OSError(f"the log {path} cannot be read: {error.strerror}") from error
    if not content.startswith(_GZIP):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise SWFError(f"the log {path} is a damaged gzip file: {error}") from error
