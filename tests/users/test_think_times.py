"""Think times of a replay with feedback, by rules and by functions, and the pauses nearest to one."""

import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.workloads.user_models.logs import log, logs
from thinktime.users import replay_with_feedback
from thinktime.users.nearest import NearPauses, features, place_of
from thinktime.users.think_times import RULES, Pause, Pauses, after_working_days, quietest_hour, working_days
from thinktime.workloads.units import DAY, HOUR, WEEK
from thinktime.workloads.user_models import delimit, dependencies

MINUTE = 60


def office(*jobs):
    """A log of a user who comes at 9 in the morning of ten weeks' working days, for a minute, and of these jobs."""
    days = [day for day in range(70) if day % 7 < 5]
    rows = [(9, day * DAY + 9 * HOUR, day * DAY + 9 * HOUR + MINUTE) for day in days]
    return log(sorted([*rows, *jobs], key=lambda row: row[1]))


def rule(think, trace):
    """The think-time function that a rule makes for a log."""
    seen = delimit(trace)
    return RULES[think](trace, seen, Pauses(seen, dependencies(seen.batches)))


def back(think, trace, recorded, end):
    """When a user comes back whose pause was ``recorded`` (from, to) and begins at ``end`` here; all in s."""
    begin, until = recorded
    pause = Pause(0, 0, end, HOUR, until - begin, begin, HOUR, until - begin)
    return end + rule(think, trace)(pause)


@pytest.mark.parametrize("think", ["recorded", *RULES])
@settings(max_examples=60)
@given(logs())
def test_recorded_waits_give_the_recorded_submissions(think, trace):
    """A pause that begins as in the log, after the same response, is as long as in the log."""
    result = replay_with_feedback(trace, "recorded", think=think)
    assert result["submit"].tolist() == trace.submit.tolist()


FRIDAY, MONDAY = 4 * DAY, 7 * DAY
NIGHT = FRIDAY - DAY + 18 * HOUR, FRIDAY + 10 * HOUR
WEEKEND = FRIDAY + 16 * HOUR, MONDAY + 10 * HOUR
NOON = FRIDAY + 9 * HOUR, FRIDAY + 14 * HOUR


@pytest.mark.parametrize(
    ("recorded", "end", "due"),
    [
        (NIGHT, FRIDAY - DAY + 14 * HOUR, FRIDAY + 10 * HOUR),  # in the afternoon
        (NIGHT, FRIDAY + 2 * HOUR, FRIDAY + 10 * HOUR),  # in the middle of the night
        (NIGHT, FRIDAY + 9 * HOUR, MONDAY + 10 * HOUR),  # on Friday: the next working day is Monday
        (NIGHT, FRIDAY + 7 * DAY, FRIDAY + 7 * DAY + 10 * HOUR),  # at midnight, which is still Thursday
        (WEEKEND, FRIDAY + 22 * HOUR, MONDAY + 10 * HOUR),
        (WEEKEND, FRIDAY + DAY + 22 * HOUR, MONDAY + 10 * HOUR),  # no working day has passed before Monday
        (WEEKEND, MONDAY + 9 * HOUR, MONDAY + DAY + 10 * HOUR),
        (NOON, FRIDAY + 8 * HOUR, FRIDAY + 14 * HOUR),
        (NOON, FRIDAY + 15 * HOUR, MONDAY + 14 * HOUR),  # two o'clock is over
        ((FRIDAY + DAY, FRIDAY + DAY + 12 * HOUR), MONDAY, MONDAY + 12 * HOUR),  # on a Saturday
        ((FRIDAY, MONDAY + FRIDAY), FRIDAY + HOUR, MONDAY + FRIDAY),  # five working days
    ],
)
def test_breaks_end_at_their_time_of_day_after_as_many_working_days(recorded, end, due):
    """A night stays a night, and a weekend a weekend, whenever the jobs before it end."""
    assert back("clock", office(), recorded, end) == due


@pytest.mark.parametrize(
    ("end", "due"), [(FRIDAY, MONDAY + 10 * HOUR), (MONDAY, MONDAY + 10 * HOUR), (MONDAY + DAY, MONDAY + DAY)]
)
def test_in_a_partly_open_system_breaks_end_at_their_recorded_time(end, due):
    """Or as soon as what the user waited for is over."""
    assert back("partly-open", office(), WEEKEND, end) == due


@pytest.mark.parametrize("think", ["clock", "partly-open"])
def test_short_pauses_are_kept(think):
    """Up to four hours."""
    assert back(think, office(), (FRIDAY, FRIDAY + 4 * HOUR), FRIDAY + 5 * HOUR) == FRIDAY + 9 * HOUR


def test_breaks_end_by_the_clock_on_the_wall():
    """Ten in the morning is ten in the morning, also after clocks have gone forward on Sunday."""
    start = int(datetime.datetime(1997, 3, 24, tzinfo=datetime.UTC).timestamp())
    trace = office()
    header = trace.header.set("UnixStartTime", start).set("TimeZoneString", "Europe/Stockholm")
    assert back("clock", tt.Trace(trace.columns, header), NIGHT, FRIDAY + 9 * HOUR) == MONDAY + 9 * HOUR


def test_a_pause_keeps_its_rank():
    """After a minute users pause for 1 to 50 s, after four hours for 1,000 s more: the tenth stays the tenth."""
    rows = []
    for k in range(100):
        begin, pause = k * 7 * DAY + 10 * HOUR, k // 2 + 1 + 1000 * (k % 2)
        end = begin + (4 * HOUR if k % 2 else MINUTE)
        rows += [(k, begin, end), (k, end + pause, end + pause + 1)]
    trace = log(rows)
    short = trace.with_columns(runtime=np.minimum(trace.runtime, MINUTE))
    result = replay_with_feedback(short, "easy", think="reacting", delimitation=delimit(trace))
    think_time = result["think_time"][1::2]
    assert think_time[0::2].tolist() == list(range(1, 51))  # nothing has changed
    assert think_time[1::2].tolist() == list(range(1, 51))


def test_a_function_says_how_long_users_think():
    """It sees the response, what is recorded, and what feedback would do; negative times are 0."""
    trace = log([(2, 0, 100), (1, 10, 30), (1, 90, 95)])
    pauses = []

    def half(pause):
        pauses.append(pause)
        return pause.think_time / 2

    result = replay_with_feedback(trace, "fcfs", 1, think=half)
    assert result["submit"].tolist() == [0, 10, 150]
    (pause,) = pauses
    assert (pause.end, pause.response, pause.think_time) == (120, 110, 60)
    assert (pause.recorded_end, pause.recorded_response, pause.recorded_think_time) == (30, 20, 60)
    assert replay_with_feedback(trace, "fcfs", 1, think=lambda pause: -5.0)["submit"].tolist() == [0, 10, 120]


def test_the_batch_that_ended_last_gives_the_response():
    """Of two that a batch waited for, the second ends last here, and the first did in the log."""
    trace = log([(1, 0, HOUR, 10 * HOUR), (1, 2 * HOUR, 9 * HOUR), (1, 12 * HOUR, 13 * HOUR)])
    pauses = []
    replay_with_feedback(trace, "fcfs", think=lambda pause: pauses.append(pause) or 0.0)
    (pause,) = pauses
    assert (pause.end, pause.response) == (9 * HOUR, 7 * HOUR)
    assert (pause.recorded_end, pause.recorded_response) == (10 * HOUR, 10 * HOUR)


@pytest.mark.parametrize("think, said", [("nap", "no rule 'nap'"), (3, "a function of a Pause")])
def test_what_is_no_rule_is_refused(think, said):
    """With the names of those that are."""
    with pytest.raises((ValueError, TypeError), match=said):
        tt.sources.feedback(log([(1, 0, 10)]), think=think)


def test_a_function_that_gives_no_number_is_refused():
    """With the user's number."""
    with pytest.raises(ValueError, match="user 1: think_time is nan"):
        replay_with_feedback(log([(1, 0, 10), (1, 20, 30)]), "easy", think=lambda pause: float("nan"))


@given(st.integers(0, 50), st.integers(0, 60), st.sets(st.integers(0, 6), min_size=1))
def test_working_days_are_counted_one_by_one(first, length, days):
    """And the day after so many of them is found by going on until they have passed."""
    chosen = tuple(sorted(days))
    count = sum(day % 7 in days for day in range(first + 1, first + length + 1))
    assert working_days(first, first + length, chosen) == count
    day, left = first, count
    while left:
        day += 1
        left -= day % 7 in days
    assert after_working_days(first, count, chosen) == day


def test_the_quietest_hour():
    """In the middle of the three hours with the fewest submissions, and nearest to four of several such."""
    wall = np.array([hour * HOUR for hour in range(24) if not 2 <= hour <= 6] + [6 * HOUR])
    assert quietest_hour(wall) == 4
    assert quietest_hour(np.append(wall, 5 * HOUR)) == 3


def test_what_a_function_raises_ends_the_run() -> None:
    """An error in a think-time function is raised, of whatever kind, and not taken for a run without more events."""
    columns = {"user": [1, 1], "submit": [0, 50], "wait": [0, 0], "runtime": [10, 10], "requested_processors": [1, 1]}
    two = tt.Trace({name: np.array(values, float) for name, values in columns.items()})

    def wrong(pause: object) -> float:
        raise RuntimeError("this rule is wrong")

    with pytest.raises(RuntimeError, match="this rule is wrong"):
        tt.replay_with_feedback(two, "easy", 1, think=wrong)


TIMES = st.integers(0, 28).map(lambda sixths: sixths * 6 * HOUR) | st.floats(0, 2 * WEEK)
RESPONSES = st.sampled_from([0.0, 60.0, 3600.0]) | st.floats(0, 1e6)
BEGUN = st.tuples(TIMES, RESPONSES)


def sorted_out(pauses: list[tuple[float, float]], place: tuple[float, float], count: int) -> list[int]:
    """The numbers of the nearest pauses, by (distance, number)."""
    wall, response = np.array(pauses, float).T
    away = ((features(wall, response) - place_of(*place)) ** 2).tolist()
    far = [sum(each) for each in away]  # in the order of the coordinates, as the kernel does
    return sorted(sorted(range(len(pauses)), key=lambda number: (far[number], number))[:count])


@given(pauses=st.lists(BEGUN, min_size=1, max_size=40), count=st.integers(1, 50), place=BEGUN, other=BEGUN)
def test_the_nearest_are_those_of_a_sort(
    pauses: list[tuple[float, float]], count: int, place: tuple[float, float], other: tuple[float, float]
) -> None:
    """As many are found as are asked for, of equally near ones the first, whatever was asked before."""
    near = NearPauses(*np.array(pauses, float).T, count)
    for each in (place, other, place):
        assert sorted(near.of(*each).tolist()) == sorted_out(pauses, each, count)


def test_points_of_one_pause_and_of_many_are_the_same() -> None:
    """Sines and logarithms of single numbers differ from those of arrays in the last digit at most."""
    wall, response = np.linspace(0, 2 * WEEK, 500), np.geomspace(1, 1e6, 500)
    one = [place_of(*each) for each in zip(wall.tolist(), response.tolist(), strict=True)]
    np.testing.assert_allclose(features(wall, response), one, rtol=0, atol=1e-11)


@pytest.mark.compiled
def test_many_pauses() -> None:
    """Of 5,000 pauses the 50 nearest are those of a sort of all distances."""
    rng = np.random.default_rng(3)
    pauses = list(zip(rng.uniform(0, 50 * DAY, 5000).tolist(), rng.lognormal(7, 2, 5000).tolist(), strict=True))
    near = NearPauses(*np.array(pauses).T, 50)
    for place in zip(rng.uniform(0, 50 * DAY, 20).tolist(), rng.lognormal(7, 3, 20).tolist(), strict=True):
        assert sorted(near.of(*place).tolist()) == sorted_out(pauses, place, 50)
