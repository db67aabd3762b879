"""PyArrow, imported when tables are read, and its errors in one sentence."""

import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from thinktime.workloads.names import shortened

MISSING = "tables of jobs are read with PyArrow: pip install 'thinktime[data]'"


def arrow() -> Any:
    """The package ``pyarrow``; ``ValueError`` says how to install it."""
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError:
        raise ValueError(MISSING) from None
    return pyarrow


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Whatever is read inside is of this file; errors of libraries become a ``ValueError`` that names it."""
    pa = arrow()
    try:
        yield
    except (pa.ArrowException, zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error) as error:
        raise ValueError(f"{shortened(name)}: {_explained(' '.join(str(error).split()))}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{shortened(name)} is not in UTF-8; convert it with iconv") from None
    except FileNotFoundError:
        raise ValueError(f"there is no file {shortened(name)}") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise ValueError(f"{shortened(name)} is damaged or cut off: {_explained(str(error))}") from None


def _explained(text: str) -> str:
    """What an error of a library means for who reads the file."""
    if "magic bytes" in text or "footer" in text or "smaller than the minimum" in text:
        return "it is cut off, or no parquet file"
    if "straddling" in text or "block boundaries" in text:
        return f"a record is longer than {MOST_RECORD // 2**20} MB, so a quotation mark or a line end is missing"
    if "UTF8" in text:
        return "it is not in UTF-8; convert it with iconv"
    if found := re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", text):
        return f"line {found[1]} has {found[3]} values, but must have {found[2]}, as many as the first"
    if found := re.search(r"Expected (\d+) columns, got (\d+)", text):
        return f"a line has {found[2]} values, but must have {found[1]}, as many as the first"
    return shortened(text)


MOST_RECORD = 2**24
"""The longest line of a text with jobs, in bytes."""
