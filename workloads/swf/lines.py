"""The lines of an SWF file: comments, and records with their line numbers.

A record is a line of numbers. Comments begin with a semicolon and may occur anywhere; blank lines are ignored. A
line ends with LF, CR LF, or CR alone (old Macintoshes). Blanks are spaces, tabs, vertical tabs and form feeds only,
not the separators 0x1c to 0x1f, 0x85 and 0xa0, which are white space to some programs and text to others.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from thinktime.workloads.compressed import opened

BLANKS = b" \t\v\f"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # written by some editors before UTF-8 text
_SEMICOLON = ord(";")
_PIECE = 2**20
"""Bytes read at a time."""


class SWFError(ValueError):
    """A file or a line that is not in the Standard Workload Format."""


@dataclass(slots=True)
class Lines:
    """The comment lines and the records of a file, each with their line numbers (from 1)."""

    comments: list[str] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    comment_numbers: list[int] = field(default_factory=list)

    def add(self, block: bytes, first: int) -> int:
        """Add a block of whole lines, numbered from `first`; returns the number of the next line."""
        lines = block.split(b"\n")
        stripped = [line.strip(BLANKS) for line in lines]
        if b";" not in block and all(stripped):
            self.records += stripped
            self.numbers.extend(range(first, first + len(stripped)))
            return first + len(stripped)
        for number, record in enumerate(stripped, first):
            if not record:
                continue
            if record[0] == _SEMICOLON:
                self.comments.append(as_text(lines[number - first]))
                self.comment_numbers.append(number)
            else:
                self.records.append(record)
                self.numbers.append(number)
        return first + len(lines)


def read_lines(path: Path, max_size: int | None = None) -> Lines:
    """Read a plain or compressed file; for `max_size` see `compressed.opened`."""
    lines = Lines()
    number = 1
    try:
        for block in _blocks(path, max_size):
            number = lines.add(block, number)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no log at {path}") from None
    except (EOFError, zlib.error) as error:
        raise SWFError(f"the log {path} is a damaged gzip file: {error}") from error
    except OSError as error:
        if error.errno is None:  # raised by gzip itself
            raise SWFError(f"the log {path} is a damaged gzip file: {error}") from error
        raise OSError(f"the log {path} cannot be read: {error.strerror}") from error
    return lines


def as_text(line: bytes) -> str:
    """Decode a line; what is not UTF-8 is read as Latin-1, which old logs have in names."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _blocks(path: Path, max_size: int | None) -> Iterator[bytes]:
    """The content in blocks of whole lines, separated by line feeds."""
    with opened(path, max_size) as file:
        piece = file.read(_PIECE).removeprefix(_BYTE_ORDER_MARK)
        pieces: list[bytes] = []
        while piece:
            while piece.endswith(b"\r") and (more := file.read(1)):
                piece += more  # so that no CR LF is split
            if b"\r" in piece:
                piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            whole, end, tail = piece.rpartition(b"\n")
            if end:
                yield b"".join([*pieces, whole])
                pieces = []
            pieces.append(tail)
            piece = file.read(_PIECE)
        yield b"".join(pieces)
