"""Think times that follow the response, and a rhythm of the day."""

import pytest
from scipy import stats

import thinktime as tt
from tests.users.behaviours.behaving import PLAIN, one
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
