"""How often to write checkpoints: the formulas against printed figures and against a search."""

import math

import pytest
from scipy.optimize import minimize_scalar

from thinktime.analysis.checkpoints import daly, expected_time, young


def test_young_and_daly():
    """With checkpoints of 5 s and interruptions every 1,000 s, the intervals are 100 s and 96.694 s."""
    assert young(5, 1000) == 100
    assert daly(5, 1000) == pytest.approx(96.694, abs=5e-4)


@pytest.mark.parametrize("mtbf, interval, digits", [(24 * 60, 117, 0), (6 * 60, 57, 0), (15, 9.1, 1)])
def test_the_figures_that_daly_prints(mtbf, interval, digits):
    """Daly's own figures for checkpoints of 5 minutes, in minutes."""
    assert round(daly(5, mtbf), digits) == interval


def test_no_checkpoints_where_they_take_too_long():
    """If a checkpoint takes twice the mean time between interruptions, Daly's interval is that mean."""
    assert daly(2000, 1000) == 1000


@pytest.mark.parametrize("cost, mtbf", [(5, 1000), (60, 86400), (300, 3600)])
def test_daly_is_near_the_best_interval(cost, mtbf):
    """The expected time of a long job at Daly's interval is within a thousandth of the least one."""
    work = 1000 * mtbf

    def per_work(interval):
        return math.expm1((interval + cost) / mtbf) / interval

    best = minimize_scalar(per_work, bounds=(cost / 10, 10 * mtbf), method="bounded").x
    assert per_work(daly(cost, mtbf)) <= 1.001 * per_work(best)
    assert expected_time(work, mtbf, daly(cost, mtbf), cost) == pytest.approx(
        mtbf * work * per_work(daly(cost, mtbf)), rel=0.001
    )


@pytest.mark.parametrize("call", [lambda: young(0, 10), lambda: daly(5, -1), lambda: expected_time(0, 10)])
def test_times_that_make_no_sense_are_refused(call):
    """Times must be above 0 s, and the message says so."""
    with pytest.raises(ValueError, match="must be a time above 0 s"):
        call()
