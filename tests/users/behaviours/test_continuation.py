"""Sessions: the longer the response, the fewer users stay."""

import numpy as np
import pytest
from scipy import stats

import thinktime as tt
from tests.users.behaviours.behaving import PLAIN, one
from thinktime import HOUR
from thinktime.users import behaviours as b


def test_the_chance_to_stay_is_as_specified():
    """The chance to stay is 0.8 at once, 0.4 after 20 minutes, 0.2 after an hour, 0.032 after eight."""
    chances = [b.Continuation().chance(60 * minutes) for minutes in (0, 20, 60, 480)]
    assert chances == pytest.approx([0.8, 0.4, 0.2, 0.032])


def test_users_stay_as_often_as_the_curve_says():
    """After responses of 20 minutes 40 % stay, within a binomial interval at 99.9 %."""
    result = one(b.Continuation(away=100_000), campaigns=2000, **PLAIN | {"runtime": 1200})
    stays = int((result["think_time"][1:] == 60).sum())
    low, high = stats.binom.interval(0.999, 1999, 0.4)
    assert low <= stays <= high
    assert set(result["think_time"][1:].tolist()) == {60, 100_000}


def test_who_leaves_comes_back_in_the_morning():
    """Users who never stay have one campaign a day, in the first hour of a working day."""
    result = one(b.Continuation(level=0), campaigns=10, **PLAIN)
    days, hours = np.divmod(result["submit"][1:], tt.DAY)
    assert days.tolist() == [0, 1, 2, 3, 4, 7, 8, 9, 10]
    assert ((hours >= 9 * HOUR) & (hours < 10 * HOUR)).all()
    early = one(b.Continuation(level=0, late=0), campaigns=3, hours=tt.WorkingHours(7, 12, days=(2,)), **PLAIN)
    assert early["submit"].tolist() == [(2 + 7 * k) * tt.DAY + 7 * HOUR for k in range(3)]


def test_a_curve_of_ones_own():
    """A user may stay by any function of the response."""
    stay = b.Continuation(probability=lambda response: response < 150, away=7)
    assert one(stay, campaigns=3, **PLAIN)["think_time"].tolist()[1:] == [60, 60]
    assert one(stay, campaigns=3, **PLAIN | {"runtime": 200})["think_time"].tolist()[1:] == [7, 7]
