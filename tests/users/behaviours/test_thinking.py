"""Think times that follow the response, a rhythm of the day, and users who stay away."""

import numpy as np
import pytest
from scipy import stats

import thinktime as tt
from tests.users.behaviours.behaving import LONG, PLAIN, one, several
from thinktime import HOUR, WorkingHours
from thinktime.users import behaviours as b
from thinktime.workloads.generators.cycles import Cycle


def test_think_times_on_a_line():
    """Think times are 0.4826 x response + 1779 s, on the grid, times a spread."""
    result = one(b.LinearThinking(), campaigns=2, **PLAIN)
    assert result["think_time"][1] == pytest.approx(0.4826 * 100 + 1779, abs=1e-3)
    result = one(b.LinearThinking(slope=1, offset=0, spread=3), campaigns=2, **PLAIN)
    assert result["think_time"][1] == 300


def test_a_rhythm_keeps_the_rate_and_moves_the_hours():
    """A rhythm moves submissions to its hours and keeps their number per week."""
    day = b.Rhythm(cycle=Cycle(day=(0, 1)))
    quick = PLAIN | {"runtime": 0, "think_time": stats.expon(scale=600)}
    with_it, without = (one(*each, campaigns=10**9, until=4 * tt.WEEK, **quick) for each in ((day,), ()))
    assert (with_it["submit"][1:] % tt.DAY >= 12 * HOUR - 1).all()
    assert len(with_it) == pytest.approx(len(without), rel=0.01)


def test_mornings_are_those_of_the_hours():
    """What would be submitted at night or on a weekend comes within an hour of the next morning, or not at all."""
    quick = PLAIN | {"runtime": 0, "think_time": stats.expon(scale=5 * HOUR)}
    submit = one(b.Mornings(hours=WorkingHours(8, 18)), campaigns=300, **quick)["submit"][1:]
    hour, day = submit % tt.DAY / HOUR, submit % tt.WEEK // tt.DAY
    assert (hour >= 8).all() and (hour <= 18).all() and (day < 5).all()
    assert len(set(submit[hour < 9].tolist())) > 60
    half = one(b.Mornings(hours=WorkingHours(8, 18), share=0.5), campaigns=300, **quick)["submit"][1:]
    assert 0.1 < ((half % tt.DAY / HOUR < 8) | (half % tt.DAY / HOUR > 18)).mean() < 0.5
    never = one(b.Mornings(share=0), campaigns=300, **quick)["submit"]
    assert never.tolist() == one(campaigns=300, **quick)["submit"].tolist()
    with pytest.raises(ValueError, match="share must be from 0 to 1, not 2"):
        b.Mornings(share=2)


def test_who_complains_too_often_stays_away():
    """A user whose waits use up the budget of complaints stays away."""
    contentment = b.Contentment(complaints=3, away=1e5)
    result = one(contentment, before=[LONG], campaigns=6, **PLAIN)
    assert result["think_time"].tolist()[2:] == [60, 60, 100_000, 60, 60]
    result = one(b.Contentment(complaints=1), before=[LONG], campaigns=6, **PLAIN)
    assert len(result) == 2


def test_behaviours_remember_each_user_alone():
    """Two users with one profile have an account each; the profile's own behaviour is not touched."""
    contentment = b.Contentment()
    several(contentment, users=3, until=tt.DAY)
    assert contentment.account.jobs == 0


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
