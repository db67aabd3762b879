"""What a record must be: eighteen numbers, each of which fits its column.

The tokenizer (`kernels.tokens`) accepts nothing else, so this is asked only for the few records that it leaves to
Python: malformed ones, and numbers with more digits or farther exponents than it can hold.
"""

import math
import re

from thinktime.workloads.columns import COLUMNS, Column
from thinktime.workloads.grid import LIMIT
from thinktime.workloads.header import quoted
from thinktime.workloads.swf.lines import as_text

WIDTH = len(COLUMNS)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)

LARGEST = 2.0**53
"""From here on doubles skip whole numbers, so a job number could be read as another one."""

LIMITS = {"whole": LARGEST, "time": LIMIT, "memory": math.inf}
"""Numbers of each kind must be below this."""


def fault(record: bytes) -> str | None:
    """What is wrong with a record, as the text after "line 7"; None if it is valid."""
    texts = [as_text(text) for text in split(record)]
    for column, text in zip(COLUMNS, texts, strict=False):
        expected = _expected(column, text)
        if expected:
            return f", field {column.field} ({column.title}): found {quoted(text)}, expected {expected}"
    if len(texts) < WIDTH:
        column = COLUMNS[len(texts)]
        return (
            f", field {column.field} ({column.title}): the line ends after {quoted(texts[-1])}, expected "
            f"{WIDTH} numbers, with -1 for missing ones"
        )
    return None


def split(record: bytes) -> list[bytes]:
    """The fields of a record, followed by the rest of the line, if any."""
    # Without a separator, bytes are split at our blanks and at line ends, which no record has.
    return record.split(None, WIDTH)


def _expected(column: Column, text: str) -> str | None:
    """What a field must be, if `text` is not; else None."""
    kind = "a whole number" if column.kind == "whole" else "a number"
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number) or (column.kind == "whole" and not number.is_integer()):
        return kind
    if abs(number) < LIMITS[column.kind]:
        return None
    return f"{kind} below {LARGEST:,.0f}" if column.kind == "whole" else f"a time below {LIMIT:,.0f} s"
