"""Checksums of stored results, and what the system may refuse while a sweep is written.

A row of `runs` carries the SHA-256 of all that is stored of the run, its curves, batches and jobs included. A
result that is no longer what was written is as good as none: the next sweep makes it again, and says so.
"""

from __future__ import annotations

import errno
import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

JOBS = "jobs"


class ChangedResults(UserWarning):
    """Stored results are not what was written; their runs are made again."""


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
SHORT_OF_MEMORY = (errno.ENOMEM, errno.EAGAIN)
GOES_ON = "what is finished is kept, and the same sweep goes on from there"

_STORED = """
SELECT CAST(runs.key AS BLOB), CAST(digest AS BLOB), CAST(policy AS BLOB), CAST(seed AS BLOB),
    CAST(parameters AS BLOB), CAST(metrics AS BLOB), CAST(jobs AS BLOB), CAST(series AS BLOB), CAST(batches AS BLOB),
    CAST(observed AS BLOB), CAST(checksum AS BLOB)
FROM runs LEFT JOIN series ON series.key = runs.key LEFT JOIN batches ON batches.key = runs.key
    LEFT JOIN observed ON observed.key = runs.key
"""


def checksum(*values: str | int | bytes | None) -> str:
    """The SHA-256 of some values of a row, as the database holds them."""
    parts = [value if isinstance(value, bytes | None) else str(value).encode() for value in values]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def changed(results: sqlite3.Connection, folder: Path) -> set[str]:
    """The keys of the runs whose stored results are no longer what was written."""
    found = set()
    for key, digest, *rest, jobs, series, batches, observed, stored in results.execute(_STORED):
        same = checksum(key, digest, *rest, jobs, series, batches, observed).encode() == stored
        if not same or (jobs and not _same_jobs(folder, key, digest, jobs)):
            found.add(key.decode("utf-8", "replace"))
    return found


def jobs_file(folder: Path, key: str, digest: str) -> Path:
    """The Parquet file of a run: its key in words, as far as file systems like them, and its digest."""
    words = "".join(letter if letter.isalnum() or letter in "=.-_" else "-" for letter in key)
    return folder / JOBS / f"{words[:100]}-{digest[:12]}.parquet"


def file_checksum(path: Path) -> str:
    """The SHA-256 of a file; empty where there is none."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Say in one sentence what the system refuses, such as room on the disk; what is finished stays as it is."""
    try:
        yield
    except MemoryError:
        raise OSError(_short_of_memory(folder)) from None
    except sqlite3.DatabaseError as error:
        raise OSError(f"{folder}: {_of_the_database(error)}") from None
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        raise OSError(_short_of_memory(folder)) from None
    except OSError as error:
        if error.errno in FULL:
            raise OSError(_no_room(folder)) from None
        if error.errno in SHORT_OF_MEMORY and not isinstance(error, ConnectionError):
            raise OSError(_short_of_memory(folder)) from None
        raise


def _same_jobs(folder: Path, key: bytes, digest: bytes, wanted: bytes) -> bool:
    return file_checksum(jobs_file(folder, key.decode(), digest.decode())).encode() == wanted


def _no_room(folder: Path) -> str:
    return f"{folder}: there is no room left on the disk for results; {GOES_ON} once there is some"


def _short_of_memory(folder: Path) -> str:
    return (
        f"there is not enough memory for the sweep in {folder}; {GOES_ON}: allow it more memory, or give it fewer "
        "processes (--workers N)"
    )


def _of_the_database(error: sqlite3.DatabaseError) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return f"there is no room left on the disk for results; {GOES_ON} once there is some"
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return f"the results there are damaged ({error}); give another folder"
    return f"results cannot be written ({error}); {GOES_ON}"
