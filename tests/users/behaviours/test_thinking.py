"""Think times that follow the response, and a rhythm of the day."""

import pytest
from scipy import stats

import thinktime as tt
from tests.users.behaviours.behaving import PLAIN, one
from thinktime import HOUR
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
