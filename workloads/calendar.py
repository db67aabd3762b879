"""Dates in a log's own time zone: dates as seconds since the log's start, local midnights, days and months.

A day is a calendar day of the zone, so it has 23 or 25 hours when the clocks change. A log without a Unix start
time is assumed to start at midnight UTC on 1 January 1970.
"""

import datetime
import math
import zoneinfo
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import quoted
from thinktime.workloads.units import DAY, seconds


class Month(NamedTuple):
    """A calendar month: [start, end) in s since the log's start."""

    name: str
    """The year and month, such as ``1999-03``."""
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Calendar:
    """The local date and time at t seconds; ``start`` is the Unix time of t = 0."""

    start: float | None = None
    zone: datetime.tzinfo = datetime.UTC

    def date(self, t: float) -> datetime.date:
        """The local date at ``t``.

        >>> Calendar(start=893_466_664).date(0)
        datetime.date(1998, 4, 25)
        """
        try:
            return datetime.datetime.fromtimestamp((self.start or 0) + t, self.zone).date()
        except (ValueError, OverflowError, OSError):
            raise ValueError(
                f"{t:.10g} s after the log's start has no date: it must lie in the years 1 to 9999"
            ) from None

    def midnight(self, date: datetime.date) -> float:
        """When the day begins (s)."""
        begin = datetime.datetime(date.year, date.month, date.day, tzinfo=self.zone)
        return begin.timestamp() - (self.start or 0)

    def window(self, t: float, length: float = DAY) -> tuple[float, float]:
        """The window [from, to) of ``length`` s that contains ``t``.

        Windows of whole days begin at local midnights (those of seven days on Mondays). Shorter ones divide
        the day, starting at midnight.
        """
        days = max(1, int(length // DAY))
        first = datetime.date.fromordinal((self.date(t).toordinal() - 1) // days * days + 1)
        begin = self.midnight(first)
        end = self.midnight(first + datetime.timedelta(days))
        if length >= DAY:
            return begin, end
        part = (t - begin) // length
        return begin + part * length, min(begin + (part + 1) * length, end)

    def midnights(self, since: float, until: float) -> Floats:
        """The boundaries of the days that cover [since, until): one more than there are days."""
        day = self.date(since)
        borders = [self.midnight(day)]
        while borders[-1] < until or len(borders) < 2:
            day += datetime.timedelta(1)
            borders.append(self.midnight(day))
        return np.array(borders)

    def months(self, since: float, until: float) -> list[Month]:
        """The calendar months that cover ``since`` to ``until``, both included."""
        day = self.date(since).replace(day=1)
        found: list[Month] = []
        while not found or found[-1].end <= until:
            following = (day + datetime.timedelta(32)).replace(day=1)
            found.append(Month(f"{day:%Y-%m}", self.midnight(day), self.midnight(following)))
            day = following
        return found


def checked_window(length: float) -> float:
    """Check a length for `Calendar.window`: whole days, or a divisor of a day."""
    if not (length > 0 and (length % DAY == 0 or (length < DAY and DAY % length == 0))):
        raise ValueError(f"window is {length:g} s, but must be a number of whole days, or divide a day evenly")
    return length


def zone_of(name: str | None, offset: int | None) -> datetime.tzinfo:
    """The zone called `name`; if that is missing or unknown, `offset` (s) from UTC, else UTC."""
    if name:
        try:
            return zoneinfo.ZoneInfo(name.strip())
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            pass
    if offset is not None and abs(offset) < 86_400:
        return datetime.timezone(datetime.timedelta(seconds=offset))
    return datetime.UTC


def seconds_since(
    time: float | str | datetime.datetime | datetime.date, start: int | None, tz: datetime.tzinfo
) -> float:
    """Convert a number of seconds, a text such as "3 d", or a date, to s since `start` (a Unix time, if known)."""
    number = _number(time)
    if number is not None:
        return number
    moment = _moment(time)
    if start is None:
        raise ValueError(
            f"the date {quoted(time)} cannot be placed: the log's header has no UnixStartTime; "
            "give seconds since the log's start"
        )
    return (moment if moment.tzinfo else moment.replace(tzinfo=tz)).timestamp() - start


def _number(time: object) -> float | None:
    if isinstance(time, datetime.date):
        return None
    try:
        number = float(time)  # type: ignore[arg-type]
    except ValueError:
        try:
            return seconds(time)
        except ValueError:
            return None
    except TypeError:
        raise TypeError(f"a time must be a number of seconds or a date, not {quoted(time)}") from None
    if math.isnan(number):
        raise ValueError("a time must be a number of seconds or a date, not NaN")
    return number


def _moment(time: object) -> datetime.datetime:
    if isinstance(time, datetime.datetime):
        return time
    try:
        return datetime.datetime.fromisoformat(str(time).strip())
    except ValueError:
        raise ValueError(
            "a time must be seconds since the log's start, a text such as '3 d', or a date like 2002-12-01 or "
            f"2002-12-01T08:30, not {quoted(time)}"
        ) from None
