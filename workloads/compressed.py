"""Files that may be compressed: known by their first two bytes, and unfolded piece by piece up to a limit.

A few kilobytes of gzip can unfold to more than a disk holds. Logs shrink to a fifth or a tenth, so a file may
unfold to 200 times its size, and to 1 GiB in any case (our decision); whoever has another one sets `max_size`.
"""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path
from typing import IO

from thinktime.workloads.node_requests import UNITS

TIMES = 200
"""A file may unfold to so many times its size without being asked about."""
AT_LEAST = 2**30
"""And to so many bytes, however small it is."""

_MAGIC = b"\x1f\x8b"
_SIZE = re.compile(r"\s*(\d{1,19})(\.\d+)?\s*(?:([kmgt])i?)?b?\s*", re.ASCII | re.IGNORECASE)


def opened(path: Path, max_size: int | None = None) -> IO[bytes]:
    """Open a file for reading, unfolded if it is compressed; ``ValueError`` where it unfolds to more than allowed.

    `max_size` is what a compressed file may unfold to, in bytes (default: see above). A plain file is as large
    as it is.
    """
    raw = path.open("rb")
    packed = raw.read(len(_MAGIC)) == _MAGIC
    raw.seek(0)
    if not packed:
        return raw
    most = max(TIMES * path.stat().st_size, AT_LEAST) if max_size is None else max_size
    return io.BufferedReader(_Unfolded(path, raw, most))


def size(value: object) -> int:
    """A number of bytes: a whole number of at least 1, or a text with a unit (powers of 1024).

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
        f"a size is a number of bytes of at least 1, with kb, mb, gb or tb perhaps, such as '4 gb', not {value!r}"
    )


class _Unfolded(io.RawIOBase):
    """What a compressed file holds, up to a limit."""

    def __init__(self, path: Path, raw: IO[bytes], most: int) -> None:
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
                f"{self._path} unfolds to more than {self._most:,} bytes from {self._path.stat().st_size:,}; "
                "if it is to be that large, give --max-size SIZE (in Python max_size)"
            )
        return given

    def close(self) -> None:
        self._stream.close()
        self._raw.close()
        super().close()
