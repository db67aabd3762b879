"""Dates and seconds: what a time given to a trace means, and how active time passes."""

import datetime

import numpy as np
import pytest

from thinktime.workloads import Header, Trace
from thinktime.workloads.active_time import after
from thinktime.workloads.units import DAY, HOUR, WEEK

START = 843480031  # Mon Sep 23 14:00:31 CEST 1996, the start of KTH-SP2


def trace(**labels: object) -> Trace:
    return Trace({"submit": [0]}, Header.build(**labels))


KTH = trace(UnixStartTime=START, TimeZone=3600, TimeZoneString="Europe/Stockholm")


@pytest.mark.parametrize("time", [90, 90.0, "90", " 9e1 ", np.int64(90)])
def test_numbers(time: float | str) -> None:
    """A number, or the text of one, is seconds since the log's start."""
    assert KTH.seconds(time) == 90.0


@pytest.mark.parametrize(
    "time",
    [
        "1996-09-23T14:00:31", "1996-09-23 14:00:31", "1996-09-23T12:00:31Z", "1996-09-23T13:00:31+01:00",
        datetime.datetime(1996, 9, 23, 14, 0, 31),
    ],
)  # fmt: skip
def test_dates_are_local(time: str) -> None:
    """A date and time is the log's local time, unless it names its own offset."""
    assert KTH.seconds(time) == 0.0


def test_summer_time() -> None:
    """The day on which summer time ends has 25 hours."""
    assert KTH.seconds("1996-10-28") - KTH.seconds(datetime.date(1996, 10, 27)) == 25 * 3600


def test_dates_need_a_start() -> None:
    """A date means nothing in a log without a start, and the error says what to give instead."""
    with pytest.raises(ValueError, match=r"'1996-10-01' cannot be placed.*UnixStartTime.*give seconds"):
        trace().between("1996-10-01")


@pytest.mark.parametrize("time", ["yesterday", "1996-13-01", ""])
def test_nonsense(time: str) -> None:
    """What is neither a number nor a date is refused by value."""
    with pytest.raises(ValueError, match=f"a time must be seconds .* not '{time}'"):
        KTH.seconds(time)


def test_nan_is_no_time() -> None:
    """NaN is refused, and so is what is no time at all."""
    with pytest.raises(ValueError, match="not NaN"):
        KTH.seconds(float("nan"))
    with pytest.raises(TypeError, match="not None"):
        KTH.seconds(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ({"TimeZoneString": "US/Eastern", "TimeZone": 0}, "US/Eastern"),
        ({"TimeZone": -18000}, "UTC-05:00"),
        ({"TimeZoneString": "Mars/Olympus", "TimeZone": 3600}, "UTC+01:00"),
        ({"TimeZoneString": "Mars/Olympus"}, "UTC"),
        ({"TimeZoneString": "../etc"}, "UTC"),
        ({}, "UTC"),
    ],
)
def test_zone(labels: dict[str, object], name: str) -> None:
    """The zone is the one named, else the offset given, else UTC; a name unknown here counts as none."""
    assert str(trace(**labels).zone) == name


def test_start_of_zero() -> None:
    """A log in Unix seconds has its start at 0, once the header says so."""
    assert trace(UnixStartTime=0).seconds("1970-01-02") == 86400


def _week(weights):
    scaled = weights / np.mean(weights)
    return np.concatenate([[0.0], np.cumsum(scaled)])[:-1] * HOUR, scaled


def test_a_week_begins_at_its_place():
    """Each of three users gets the times that the same week has by itself."""
    draw = np.random.default_rng(3)
    weeks = [_week(draw.gamma(0.5, size=168) + 1e-3) for _ in range(3)]
    borders, weights = (np.concatenate(part) for part in zip(*weeks, strict=True))
    for user, (own_borders, own_weights) in enumerate(weeks):
        for time, gap in zip(draw.uniform(-1e6, 1e8, 100), draw.exponential(DAY, 100), strict=True):
            alone = after(own_borders, own_weights, 0, 5.0, time, gap)
            assert after(borders, weights, 168 * user, 5.0, time, gap) == alone


def test_just_below_a_week_is_the_last_hour():
    """A time so little before t = 0 that the remainder is the divisor: the last hour has ended, and so has the week."""
    borders, weights = _week(np.where(np.arange(168) % 2 == 0, 0.5, 1.5))
    assert after(borders, weights, 0, 0.0, -1e-12, 0.5 * HOUR) == HOUR
    assert after(borders, weights, 0, 0.0, WEEK - 1.0, 0.5 * HOUR + 1.5) == WEEK + HOUR
