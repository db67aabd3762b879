"""The rhythm of the week, and time that runs with it."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workloads.user_models.logs import log
from thinktime.workloads.units import DAY, HOUR, WEEK
from thinktime.workloads.user_models.rhythm import WeeklyRhythm, hours_of_week, local_seconds, rhythm_of

OFFICE = np.where((np.arange(168) % 24 >= 9) & (np.arange(168) % 24 < 17) & (np.arange(168) < 120), 1.0, 1e-3)


def test_a_break_that_ends_at_night_ends_next_morning():
    """From Friday 16:30, two working hours of active time end at 10:30 on Monday (an hour of night is 4 s)."""
    rhythm = WeeklyRhythm(OFFICE)
    friday = 4 * DAY + 16.5 * HOUR
    gap = 2 * HOUR * rhythm.weights[9]
    assert rhythm.later(friday, gap) == pytest.approx(7 * DAY + 10.5 * HOUR, abs=600)


@given(st.floats(-1e7, 1e8), st.floats(0, 3e6), st.floats(0, 1e6))
def test_later_undoes_activity(time, gap, shift):
    """Later is the inverse of the integral of the weights, whatever the clock; an even rhythm is the clock itself."""
    rhythm = WeeklyRhythm(OFFICE, shift)
    found = rhythm.later(time, gap)
    between = rhythm.activity(np.array([time, found]))
    assert between[1] - between[0] == pytest.approx(gap, abs=1e-3)
    assert WeeklyRhythm(np.ones(168)).later(time, gap) == pytest.approx(time + gap, abs=1e-5)


def test_a_break_without_end_never_ends():
    """As that of a user with one session."""
    assert WeeklyRhythm(OFFICE).later(5.0, np.inf) == np.inf


def test_a_week_of_active_time_is_a_week():
    """Whenever it begins."""
    rhythm = WeeklyRhythm(OFFICE)
    for start in (0.0, 12345.0, 5.5 * DAY):
        assert rhythm.later(start, WEEK) == pytest.approx(start + WEEK)


def test_hours_are_those_of_the_logs_zone():
    """The log starts on Thursday, 1996-09-26 at 00:00 UTC, which is 02:00 in Stockholm."""
    start = int(datetime.datetime(1996, 9, 26, tzinfo=datetime.UTC).timestamp())
    trace = log([(1, 0, 5)])
    header = trace.header.set("UnixStartTime", start).set("TimeZoneString", "Europe/Stockholm")
    there = trace.with_header(header)
    assert local_seconds(there, np.zeros(1))[0] % WEEK == 3 * DAY + 2 * HOUR
    assert hours_of_week(there, np.array([0.0, HOUR])).tolist() == [74, 75]
    assert rhythm_of(there, np.zeros(3)).shift == 3 * DAY + 2 * HOUR


def test_few_times_lean_on_the_prior():
    """Three sessions at 9:00 on a Monday, and a prior of 6 sessions at 14:00: weights 3 to 6."""
    prior = np.full(168, 1e-9)
    prior[14] = 1
    rhythm = rhythm_of(log([(1, 0, 5)]), np.full(3, 9.0 * HOUR), prior, 6)
    assert rhythm.weights[14] / rhythm.weights[9] == pytest.approx(2, rel=1e-6)


def test_a_weight_of_zero_is_refused():
    """No user could pass that hour."""
    with pytest.raises(ValueError, match="above 0"):
        WeeklyRhythm(np.zeros(168))
