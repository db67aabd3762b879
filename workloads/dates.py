"""Convert dates to seconds since a log's start, in the log's own time zone."""

from __future__ import annotations

import datetime
import math
import zoneinfo


def zone(name: str | None, offset: int | None) -> datetime.tzinfo:
    """The zone called `name`; if that is missing or unknown, `offset` (s) from UTC, else UTC."""
    if name:
        try:
            return zoneinfo.ZoneInfo(name.strip())
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            pass
    if offset is not None and abs(offset) < 86_400:
        return datetime.timezone(datetime.timedelta(seconds=offset))
    return datetime.UTC


def seconds(
    time: float | str | datetime.datetime | datetime.date, start: int | None, tz: datetime.tzinfo
) -> float:
    """Convert a number of seconds, or a date, to s since `start` (a Unix time; None if the log has none)."""
    number = _number(time)
    if number is not None:
        return number
    moment = _moment(time)
    if start is None:
        raise ValueError(
            f"the date {time!r} cannot be placed: the log's header has no UnixStartTime; "
            "give seconds since the log's start"
        )
    return (moment if moment.tzinfo else moment.replace(tzinfo=tz)).timestamp() - start


def _number(time: object) -> float | None:
    if isinstance(time, datetime.date):
        return None
    try:
        number = float(time)  # type: ignore[arg-type]
    except ValueError:
        return None
    except TypeError:
        raise TypeError(f"a time must be a number of seconds or a date, not {time!r}") from None
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
            "a time must be seconds since the log's start, or a date like 2002-12-01 or 2002-12-01T08:30, "
            f"not {time!r}"
        ) from None
