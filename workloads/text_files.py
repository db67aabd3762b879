"""Text files are in UTF-8; one in another encoding is named, with how to convert it."""

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thinktime.workloads.names import shortened

WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
BEGINNING = 64
"""How many bytes tell UTF-16 without a mark: every other one of plain letters is 0, and no others are."""


def wide(beginning: bytes) -> bool:
    """Whether the first bytes of a file are those of a text in UTF-16.

    >>> wide("kind,start".encode("utf-16")), wide("kind".encode("utf-16-le")), wide(b"kind"), wide(b"")
    (True, True, False, False)
    """
    first = beginning[: BEGINNING & ~1]
    some, others = first[::2], first[1::2]
    return first.startswith(WIDE) or (len(others) > 0 and {some.count(0), others.count(0)} == {0, len(others)})


def other_encoding(path: Path, encoding: str) -> ValueError:
    """The error for a file in another encoding."""
    return ValueError(
        f"{path} is in {encoding}, but must be in UTF-8; convert it, for instance with iconv -f {encoding} -t UTF-8"
    )


@contextmanager
def decoding(path: Path) -> Iterator[None]:
    """Whatever is read inside is text in UTF-8; if it is not, ``ValueError`` names the file and its encoding.

    Any bytes are a text in Latin-1, so it is the guess for all that is not in UTF-16.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise other_encoding(path, "UTF-16" if wide(error.object) else "LATIN1") from None


def text_of(path: Path) -> str:
    """What a file says; ``ValueError`` or ``OSError`` names it if it cannot be read."""
    try:
        with decoding(path):
            data = path.read_bytes()
            if wide(data):
                raise other_encoding(path, "UTF-16")
            return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {shortened(path)}") from None
    except IsADirectoryError:
        raise ValueError(f"{path} is a folder; give a file") from None
