"""Means and differences of a sweep, against scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from thinktime.analysis.experiments import Sweep
from thinktime.analysis.reports import compared
from thinktime.analysis.statistics import holm

LUCK = np.array([3.0, 7, 4, 9, 6])
FCFS = 3600 * (10 + LUCK)
EASY = 3600 * (8 + 0.9 * LUCK)
SJF = 3600 * (10 + LUCK + 0.5 * np.array([-1, 1, -1, 1, -1]))


def test_means_and_paired_differences(known: Sweep) -> None:
    """Intervals and p-values of paired differences are scipy's, with Holm's correction."""
    found = compared(known)
    cells = {policy: found.measured[0].cells[0, policy] for policy in found.policies}
    low, high = stats.t.interval(0.95, 4, FCFS.mean(), stats.sem(FCFS))
    assert (cells["fcfs"].interval.low, cells["fcfs"].interval.high) == pytest.approx((low, high))
    kept = [0, 2, 3, 4]  # seed 2 of sjf failed
    p = [stats.ttest_rel(EASY, FCFS).pvalue, stats.ttest_rel(SJF[kept], FCFS[kept]).pvalue]
    assert [cells[name].adjusted for name in ("easy", "sjf")] == pytest.approx(holm(p))
    assert cells["easy"].relative == pytest.approx((EASY - FCFS).mean() / FCFS.mean())
    assert cells["sjf"].runs == 4 and cells["sjf"].difference.pairs == 4
    assert cells["easy"].verdict == "lower" and cells["easy"].mark == "***" and cells["sjf"].verdict == ""


def test_another_baseline(known: Sweep) -> None:
    """Any policy may be the baseline, and an unknown one is refused with their names."""
    found = compared(known, "easy")
    assert found.measured[0].cells[0, "fcfs"].verdict == "higher"
    assert found.measured[0].cells[0, "easy"].difference is None
    with pytest.raises(ValueError, match="one of the policies fcfs, easy, sjf, not 'lxf'"):
        compared(known, "lxf")


def test_equal_numbers_are_no_difference(known: Sweep) -> None:
    """Equal numbers of two policies are never significantly different."""
    utilization = compared(known).measured[1]
    assert utilization.cells[0, "easy"].adjusted == 1 and utilization.cells[0, "easy"].relative == 0


def test_points_are_in_the_order_of_their_values(swept) -> None:
    """Points are sorted as numbers, and all points of a metric are one family for Holm."""
    known = """
policies = ["fcfs", "easy"]
metrics = ["mean_wait"]
replications = 5
[model]
function = "model.py:numbers"
[sweep.grid]
"model.factor" = [10, 2, 1]
"""
    found = compared(swept(known))
    assert [point.label for point in found.points] == ["model.factor = 1", "model.factor = 2", "model.factor = 10"]
    means = [found.measured[0].cells[place, "fcfs"].interval.mean for place in range(3)]
    assert means == pytest.approx([FCFS.mean(), 2 * FCFS.mean(), 10 * FCFS.mean()])
    p = stats.ttest_rel(EASY, FCFS).pvalue
    assert found.measured[0].cells[2, "easy"].adjusted == pytest.approx(3 * p) and found.tested == 3


def test_one_run_of_each_tells_no_significance(swept) -> None:
    """One seed gives means without intervals or marks."""
    found = compared(
        swept(
            'policies = ["fcfs", "easy"]\nmetrics = ["score"]\nreplications = 1\n[model]\nfunction = "model.py:numbers"'
        )
    )
    cell = found.measured[0].cells[0, "easy"]
    assert math.isnan(cell.interval.half) and not cell.mark and found.tested == 0 and found.seeds == 1


def test_nothing_finished(swept) -> None:
    """A sweep of which every run failed has no points and is no error."""
    found = compared(
        swept(
            'policies = ["lxf"]\nmetrics = ["score"]\n[model]\nfunction = "model.py:numbers"'.replace(
                "lxf", "conservative"
            )
        )
    )
    assert found.points == [] and found.seeds == 0 and found.tested == 0
