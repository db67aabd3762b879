"""Checksums of stored results, and errors of the system while a sweep is written.

A row of `runs` has the SHA-256 of everything stored for the run, including its curves, batches and jobs. If a
stored result no longer matches, the next sweep warns and repeats the run.
"""

import errno
import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

JOBS = "jobs"


class ChangedResults(UserWarning):
    """Stored results were changed after they were written, so their runs are repeated."""


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
SHORT_OF_MEMORY = (errno.ENOMEM, errno.EAGAIN)
RESUMES = "finished runs are kept, and the same sweep resumes from there"
FULL_DISK = f"there is no room left on the disk for results; {RESUMES} once there is some"

_STORED = """
SELECT CAST(runs.key AS BLOB), CAST(digest AS BLOB), CAST(policy AS BLOB), CAST(seed AS BLOB),
    CAST(parameters AS BLOB), CAST(metrics AS BLOB), CAST(jobs AS BLOB), CAST(series AS BLOB), CAST(batches AS BLOB),
    CAST(observed AS BLOB), CAST(checksum AS BLOB)
FROM runs LEFT JOIN series ON series.key = runs.key LEFT JOIN batches ON batches.key = runs.key
    LEFT JOIN observed ON observed.key = runs.key
"""


def described(error: BaseException) -> str:
    """The class and the message of an error, on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def checksum(*values: str | int | bytes | None) -> str:
    """The SHA-256 of values of a row, as the database stores them."""
    parts = [value if isinstance(value, bytes | None) else str(value).encode() for value in values]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def changed(results: sqlite3.Connection, folder: Path) -> set[str]:
    """The keys of the runs whose stored results were changed after they were written."""
    found = set()
    for key, digest, *rest, jobs, series, batches, observed, stored in results.execute(_STORED):
        same = checksum(key, digest, *rest, jobs, series, batches, observed).encode() == stored
        file = jobs_file(folder, key.decode(), digest.decode()) if same and jobs else None
        if not same or (file and file_checksum(file).encode() != jobs):
            found.add(key.decode("utf-8", "replace"))
    return found


def jobs_file(folder: Path, key: str, digest: str) -> Path:
    """The Parquet file of a run, named after its key (as far as file systems allow) and its digest."""
    words = "".join(letter if letter.isalnum() or letter in "=.-_" else "-" for letter in key)
    return folder / JOBS / f"{words[:100]}-{digest[:12]}.parquet"


def file_checksum(path: Path) -> str:
    """The SHA-256 of a file; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


@contextmanager
def plain_errors(folder: Path) -> Iterator[None]:
    """Turn errors of the system, such as a full disk, into one sentence; finished runs are kept."""
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
            raise OSError(f"{folder}: {FULL_DISK}") from None
        if error.errno in SHORT_OF_MEMORY and not isinstance(error, ConnectionError):
            raise OSError(_short_of_memory(folder)) from None
        raise


def _short_of_memory(folder: Path) -> str:
    return (
        f"there is not enough memory for the sweep in {folder}; {RESUMES}: allow it more memory or fewer "
        "processes (--workers N)"
    )


def _of_the_database(error: sqlite3.DatabaseError) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return FULL_DISK
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return f"the results in this folder are damaged ({error}); give another folder"
    return f"results cannot be written ({error}); {RESUMES}"
