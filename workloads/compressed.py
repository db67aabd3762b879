"""Files that may be gzip-compressed: recognized by their first two bytes and decompressed up to a size limit.

A few kilobytes of gzip can decompress to more than a disk holds. Logs compress to a fifth or a tenth, so by
default a file may decompress to 200 times its size, and always to 1 GiB (our choice). `max_size` changes that.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.node_requests import UNITS
from thinktime.workloads.text_files import BEGINNING, other_encoding, wide

TIMES = 200
"""How many times its size a file may decompress to."""
AT_LEAST = 2**30
"""How many bytes any file may decompress to."""

_MAGIC = b"\x1f\x8b"
_OTHERS = {b"(\xb5/\xfd": "zstd", b"\xfd7zXZ\0": "xz", b"BZh": "bzip2", b"PK\3\4": "zip"}
"""What files begin with that other programs compress."""
_SIZE = re.compile(r"\s*(\d{1,19})(\.\d+)?\s*(?:([kmgt])i?)?b?\s*", re.ASCII | re.IGNORECASE)


def opened(path: Path, max_size: int | None = None) -> io.BufferedReader:
    """Open a file for reading, decompressing it if necessary.

    ``ValueError`` if it is a text in UTF-16 or compressed in another way, and, while reading, once a compressed file
    exceeds `max_size` bytes (default: see above). Plain files have no limit.
    """
    raw = path.open("rb")
    first = raw.read(BEGINNING)
    raw.seek(0)
    if not first.startswith(_MAGIC):
        if wide(first):
            raw.close()
            raise other_encoding(path, "UTF-16")
        for begins, how in _OTHERS.items():
            if first.startswith(begins):
                raw.close()
                raise ValueError(f"{shortened(path)} is compressed by {how}; decompress it, or compress it by gzip")
        return raw
    most = max(TIMES * path.stat().st_size, AT_LEAST) if max_size is None else max_size
    return io.BufferedReader(_Unfolded(path, raw, most))


@contextmanager
def decompressing(path: Path) -> Iterator[None]:
    """Whatever is read inside is of this file; ``ValueError`` names it if it is damaged, or is not there."""
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {shortened(path)}") from None
    except (EOFError, zlib.error) as error:
        raise ValueError(f"{shortened(path)} is a damaged gzip file: {error}") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise ValueError(f"{shortened(path)} is a damaged gzip file: {error}") from None


def size(value: object) -> int:
    """Parse a number of bytes: a whole number of at least 1, or a string with a unit (powers of 1024).

    >>> size(4096), size("4 kb"), size("1.5GiB")
    (4096, 4096, 1610612736)
    """
    found = _SIZE.fullmatch(str(value)) if not isinstance(value, bool) else None
    if found:
        unit = UNITS[f"{(found[3] or '').lower()}b"]
        number = int(found[1]) * unit + int(float(found[2] or 0) * unit)
        if number >= 1:
            return number
    raise ValueError(
        f"a size must be at least 1 byte, with an optional unit (kb, mb, gb, tb), such as '4 gb', not {quoted(value)}"
    )


class _Unfolded(io.RawIOBase):
    """The decompressed contents of a file, up to a limit."""

    def __init__(self, path: Path, raw: io.BufferedReader, most: int) -> None:
        self._path, self._raw, self._most = path, raw, most
        self._stream = gzip.GzipFile(fileobj=raw)
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        given = self._stream.readinto(buffer)  # type: ignore[arg-type]
        self._given += given
        if self._given > self._most:
            raise ValueError(
                f"{self._path} ({self._path.stat().st_size:,} bytes) decompresses to more than {self._most:,} "
                "bytes; to allow more, give --max-size SIZE (in Python max_size)"
            )
        return given

    def close(self) -> None:
        self._stream.close()
        self._raw.close()
        super().close()
