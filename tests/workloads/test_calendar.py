"""Days, weeks and months on the clock of the log."""

import datetime

import numpy as np
import pytest

from tests.analysis.little_log import DAY, LOCAL, START, local
from thinktime.workloads.calendar import Calendar


def test_days_and_months_are_those_of_the_wall_clock():
    """Days, weeks and months follow the clock on the wall, also where it changes."""
    calendar = Calendar(START, LOCAL)
    april = local(1998, 4, 5)
    assert calendar.window(april + 5 * 3600) == (april, april + 23 * 3600)
    assert calendar.window(local(1998, 4, 15), 7 * DAY) == (local(1998, 4, 13), local(1998, 4, 20))
    assert calendar.window(april + 22.5 * 3600, DAY / 4) == (april + 18 * 3600, april + 23 * 3600)
    assert [month.name for month in calendar.months(0, local(1998, 5, 1))] == ["1998-03", "1998-04", "1998-05"]
    assert np.diff(calendar.midnights(local(1998, 4, 4), local(1998, 4, 7))).tolist() == [DAY, 23 * 3600, DAY]
    assert calendar.date(-8 * 3600) == datetime.date(1998, 2, 28)


def test_a_log_without_a_start_begins_at_midnight():
    """Without a start, t = 0 is 1 January 1970 in UTC."""
    assert Calendar().window(DAY + 1) == (DAY, 2 * DAY)
    assert Calendar().months(0, 0)[0] == ("1970-01", 0, 31 * DAY)


def test_a_time_beyond_the_calendar_is_named():
    """A time beyond the calendar is refused with what would be right."""
    with pytest.raises(ValueError, match=r"has no date: it must lie in the years 1 to 9999"):
        Calendar(start=893_466_664).date(1e12)
