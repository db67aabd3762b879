"""Units of time, in seconds: `3 * DAY` reads better than 259200, and files may say `3 d`.

Durations are read by `seconds` and written in four ways: `as_text` exactly, `plain` exactly in seconds, `in_one_unit`
rounded (axes, pages), `in_two_units` rounded and compact (tables of the command line).
"""

import math
import numbers
import re
from decimal import Decimal
from itertools import pairwise
from typing import TypeVar, overload

from thinktime.workloads.names import quoted

MINUTE = 60
"""A minute, in s."""

HOUR = 3_600
"""An hour, in s."""

DAY = 86_400
"""A day, in s."""

WEEK = 604_800
"""A week, in s."""

WEEK_HOURS = 7 * 24
"""The hours of a week."""

LARGEST_FIRST = ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (1, "s"))
"""Units in which durations are shown, with their sizes (s)."""

Duration = float | str
"""A number of seconds, or a text such as "3 d" (`seconds`)."""
Other = TypeVar("Other")

UNITS = {"s": 1, "m": MINUTE, "min": MINUTE, "h": HOUR, "d": DAY, "w": WEEK}
_PART = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]+)")


def seconds(duration: object) -> float:
    """Parse a duration to s: a number of at least 0, or a string of numbers with units in any order.

    >>> seconds(90), seconds("7 d"), seconds("1d 12h"), seconds("1.5 min"), seconds("30")
    (90.0, 604800.0, 129600.0, 90.0, 30.0)
    """
    number = duration if isinstance(duration, numbers.Real) else _of_text(str(duration))
    value = math.nan if number is None or isinstance(duration, bool) else float(number)
    if not 0 <= value < math.inf:
        units = ", ".join(UNITS)
        raise ValueError(
            f"a duration must be a number of seconds, or a string such as '7 d' or '1 h 30 min' (units: {units}), "
            f"not {quoted(duration)}"
        )
    return value


@overload
def as_seconds(name: str, value: float | str) -> float: ...
@overload
def as_seconds(name: str, value: Other | str) -> Other | float: ...
def as_seconds(name: str, value: object) -> object:
    """An argument in s if it is a text such as "3 d", else as it is given; ``ValueError`` with its name.

    Everything that takes times reads them with this, and checks the number itself.

    >>> as_seconds("until", "3 d"), as_seconds("until", 60.0), as_seconds("until", None)
    (259200.0, 60.0, None)
    """
    if not isinstance(value, str):
        return value
    try:
        return seconds(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _of_text(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        pass
    parts = list(_PART.finditer(text))
    if not parts or "".join(part[0] for part in parts) != text.rstrip():
        return None
    if any(part[2] not in UNITS for part in parts):
        return None
    return sum(float(part[1]) * UNITS[part[2]] for part in parts)


def as_text(duration: float) -> str:
    """Format a number of seconds for `seconds`, in the largest unit that divides it (days: from 4 days).

    >>> [as_text(each) for each in (86_400, 604_800, 5_400, 0, 1.5, -3_600)]
    ['24h', '7d', '90min', '0', '1.5s', '-1h']
    """
    if duration == 0:
        return "0"
    if duration % DAY == 0 and abs(duration) >= 4 * DAY:
        return f"{duration // DAY:.0f}d"
    for unit in ("h", "min"):
        if duration % UNITS[unit] == 0:
            return f"{duration // UNITS[unit]:.0f}{unit}"
    return f"{plain(duration)}s"


def plain(time: float) -> str:
    """A number, usually of seconds, with all its digits, without a fraction if it is whole.

    >>> plain(10.0), plain(0.5), plain(1e-5), plain(math.inf)
    ('10', '0.5', '0.00001', 'inf')
    """
    number = float(time)
    return str(int(number)) if number.is_integer() else f"{Decimal(repr(number)):f}".lower().replace("infinity", "inf")


def fitting_unit(duration: float) -> tuple[int, str]:
    """The largest unit that goes into a duration (s): its size (s) and its name; seconds for less than one."""
    return next((each for each in LARGEST_FIRST if abs(duration) >= each[0]), LARGEST_FIRST[-1])


def in_one_unit(duration: float) -> str:
    """A number of seconds in the largest unit that fits, with three digits; from 1,000 days on in whole days.

    >>> [in_one_unit(each) for each in (0, 90, 5_400, 100_000, 1e8)]
    ['0 s', '1.5 min', '1.5 h', '1.16 d', '1157 d']
    """
    size, unit = fitting_unit(duration)
    return f"{duration / size:.3g} {unit}" if abs(duration) < 1000 * DAY else f"{duration / DAY:.0f} d"


def in_two_units(duration: float) -> str:
    """A number of seconds in the two largest units; from 100 days on in days alone, below 10 s with a decimal.

    >>> [in_two_units(each) for each in (0, 2.5, 59.6, 125, 5_000, -100_000, 9_000_000)]
    ['0s', '2.5s', '1m 0s', '2m 5s', '1h 23m', '-1d 3h', '104d']
    """
    if duration < 0:
        return f"-{in_two_units(-duration)}"
    if 0 < duration < 10 and not float(duration).is_integer():
        return f"{duration:.1f}s"
    whole = round(duration)
    for (size, large), (part, small) in pairwise(LARGEST_FIRST):
        if whole >= size:
            count, rest = whole // size, f" {whole % size // part}{small[0]}"
            return f"{count}{large[0]}{rest if count < 100 else ''}"
    return f"{whole}s"


def counted(count: int, noun: str) -> str:
    """A number of things, in the singular for one.

    >>> counted(1, "job"), counted(1234, "user")
    ('1 job', '1,234 users')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
