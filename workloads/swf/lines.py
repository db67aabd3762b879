"""The lines of an SWF file, in blocks of bytes for the tokenizer (`tokens`).

A record is a line of numbers. Comments begin with a semicolon and may occur anywhere; blank lines are ignored. A
line ends with LF, CR LF, or CR alone (old Macintoshes). Blanks are spaces, tabs, vertical tabs and form feeds only,
not the separators 0x1c to 0x1f, 0x85 and 0xa0, which are white space to some programs and text to others.
"""

import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from thinktime.workloads.compressed import opened
from thinktime.workloads.names import shortened

BLANKS = b" \t\v\f"
COMMENT, ODD, EXTRA = range(3)
"""What the tokenizer notes of bytes: a comment, a record that only Python can judge, or the text after field 18."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # written by some editors before UTF-8 text
_PIECE = 2**18
"""Bytes read at a time: such a piece and its numbers stay in a processor's cache."""


class SWFError(ValueError):
    """A file or a line that is not in the Standard Workload Format."""


def blocks(path: Path, max_size: int | None = None) -> Iterator[tuple[bytearray, int]]:
    """The content of a plain or compressed file: a buffer, used again and again, and where its whole lines end.

    For `max_size` see `compressed.opened`.
    """
    try:
        with opened(path, max_size) as file:
            yield from _whole_lines(file)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no log at {shortened(path)}") from None
    except (EOFError, zlib.error) as error:
        raise SWFError(f"the log {shortened(path)} is a damaged gzip file: {error}") from error
    except OSError as error:
        if error.errno is None:  # raised by gzip itself
            raise SWFError(f"the log {shortened(path)} is a damaged gzip file: {error}") from error
        raise OSError(f"the log {shortened(path)} cannot be read: {error.strerror}") from error


def as_text(line: bytes) -> str:
    """Decode a line; what is not UTF-8 is read as Latin-1, which old logs have in names."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _whole_lines(file: BufferedReader) -> Iterator[tuple[bytearray, int]]:
    start = file.read(len(_BYTE_ORDER_MARK)).removeprefix(_BYTE_ORDER_MARK)
    buffer, size = bytearray(start.ljust(_PIECE, b"\0")), len(start)
    while more := file.readinto(memoryview(buffer)[size:-1]):
        size += more
        # A CR at the end may be half of a CR LF.
        end = max(buffer.rfind(b"\n", 0, size), buffer.rfind(b"\r", 0, size - 1)) + 1
        if end:
            yield buffer, end
            buffer[: size - end] = buffer[end:size]
            size -= end
        elif size == len(buffer) - 1:
            buffer = buffer.ljust(2 * len(buffer), b"\0")
    buffer[size] = ord("\n")
    yield buffer, size + 1
