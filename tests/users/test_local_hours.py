"""Working hours on a log's clock, and those of each user, read from the log."""

import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.workloads.user_models.logs import log, logs
from thinktime.analysis.experiments import Scenario
from thinktime.cli.feedback import working_hours as of_text
from thinktime.users import WorkingHours, replay_with_feedback
from thinktime.users.local_hours import FEWEST, LocalHours, LogHours, working_hours
from thinktime.workloads.units import DAY, HOUR
from thinktime.workloads.user_models import delimit
from thinktime.workloads.user_models.rhythm import LocalClock

STOCKHOLM = ZoneInfo("Europe/Stockholm")
HALF = HOUR / 2


def unix(*date):
    """The Unix time of a date in Stockholm."""
    return datetime.datetime(*date, tzinfo=STOCKHOLM).timestamp()


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ((1997, 3, 28, 17, 30), (1997, 3, 31, 9)),  # over the weekend on which clocks go forward
        ((1997, 10, 24, 17, 30), (1997, 10, 27, 9)),  # and back
        ((1997, 7, 1, 8, 59), (1997, 7, 1, 9)),
        ((1997, 7, 1, 9, 1), (1997, 7, 1, 9, 1)),
    ],
)
def test_nine_is_nine_in_summer_and_in_winter(now, due):
    """The hours are those of the clock on the wall, whichever time it shows."""
    start = unix(1997, 1, 1)
    hours = LocalHours(WorkingHours(9, 17), LocalClock(start, STOCKHOLM))
    assert hours.next(unix(*now) - start) == unix(*due) - start


@settings(max_examples=200)
@given(st.integers(0, 370 * 48), st.integers(0, 23), st.integers(0, 24), st.sets(st.integers(0, 6), min_size=1))
def test_the_next_time_is_the_first_one_on_the_clock(half_hours, begin, end, days):
    """The next working time is the first that a search by half hours finds."""
    assume(begin != end)
    start = unix(1997, 1, 1)
    time = half_hours * HALF
    found = LocalHours(WorkingHours(begin, end, tuple(sorted(days))), LocalClock(start, STOCKHOLM)).next(time)
    while True:
        here = datetime.datetime.fromtimestamp(start + time, STOCKHOLM)
        if begin < end and here.weekday() in days and begin <= here.hour < end:
            break
        before = (here.weekday() - 1) % 7
        if begin > end and ((here.weekday() in days and here.hour >= begin) or (before in days and here.hour < end)):
            break
        time += HALF
    assert found == time


def test_hours_are_percentiles_and_frequent_days():
    """Hours are percentiles, and days count if they are frequent."""
    office = [24 * day + hour for day in (0, 2) for hour in range(8, 16)] * 5 + [24 + 12] * 12
    odd = [6 * 24 + 3] * 4 + [23] * 4
    assert working_hours(np.array(office + odd)) == WorkingHours(8, 16, (0, 1, 2))
    assert working_hours(np.array([], np.int64)) == WorkingHours(0, 24, tuple(range(7)))
    assert working_hours(np.array([5 * 24 + 23])) == WorkingHours(23, 24, (5,))


def test_a_user_with_few_batches_has_the_hours_of_all():
    """A user with few batches has the hours of all users."""
    night = [(1, k * DAY + 22 * HOUR, k * DAY + 22 * HOUR + 60) for k in range(FEWEST)]
    seldom = [(2, k * DAY + 10 * HOUR, k * DAY + 10 * HOUR + 60) for k in range(FEWEST - 1)]
    nobody = [(-1, k * DAY + 5 * HOUR, k * DAY + 5 * HOUR + 60) for k in range(99)]
    trace = log(sorted(night + seldom + nobody, key=lambda job: job[1]))
    hours = LogHours(trace, delimit(trace))
    assert hours.own == 1
    assert hours.of(0).hours == WorkingHours(22, 23, tuple(range(7)))
    assert hours.of(1) is hours.together
    assert hours.together.hours == WorkingHours(10, 23, tuple(range(7)))


def test_who_is_late_comes_back_at_an_hour_of_their_own():
    """A user who is late comes back at their own usual hour."""
    rows = [(1, k * DAY + 22 * HOUR, k * DAY + 22 * HOUR + 60) for k in range(FEWEST + 2)]
    rows += [(2, 3 * DAY, 3 * DAY, 3 * DAY + 30 * HOUR)]
    rows.sort(key=lambda job: job[1])
    trace = log(rows, processors=1)
    result = replay_with_feedback(trace, "fcfs", hours="log")
    mine = trace.user == 1
    late = 5 * DAY + 22 * HOUR  # due at 5 d 3 h 59, after the wait for user 2
    assert result["submit"][mine][:5].tolist() == [k * DAY + 22 * HOUR for k in (0, 1, 2, 3)] + [late]


@settings(max_examples=30)
@given(logs())
def test_under_the_recorded_schedule_no_user_is_late(trace):
    """A batch that is released at its recorded time keeps it, whatever the hours."""
    result = replay_with_feedback(trace, "recorded", 4, hours="log")
    assert result["submit"].tolist() == trace.submit.tolist()


def test_other_words_are_no_hours():
    """Hours may be the word 'log' and no other."""
    with pytest.raises(ValueError, match="working hours or 'log', not 'office'"):
        replay_with_feedback(log([(1, 0, 10)]), "easy", hours="office")


def test_night_shifts_in_scenarios_and_on_the_command_line():
    """``hours = { start = 22, end = 6 }`` of a group of users, and ``--hours 22-6``, are such hours."""
    text = """
    policies = ["easy"]
    seeds = [3]
    horizon = "4 d"
    machine.processors = 4
    [users.nurses]
    count = 2
    runtime = "1 h"
    jobs = 1
    think_time = "30 min"
    hours = { start = 22, end = 6 }
    """
    assert of_text("22-6", log([(1, 0, 0, 10)])).hours == WorkingHours(22, 6)
    scenario = Scenario.from_text(text)
    assert scenario.users["nurses"].hours.made() == WorkingHours(22, 6)
    with pytest.raises(ValueError, match="such as 9-17 or, through the night, 22-6"):
        of_text("22-22", log([(1, 0, 0, 10)]))
