"""The goal study's table of what was submitted in each month."""

import pytest

import thinktime as tt
from tests.analysis.little_log import DAY, HEADER
from thinktime.analysis.papers.goal.runs import workload_of


def test_the_workload_table():
    """Demand over capacity, means, medians and maxima of a month are those worked out by hand."""
    trace = tt.Trace(
        {"submit": [0.0, 10.0, 20.0, 40 * DAY], "runtime": [3600.0, 7200.0, 36_000.0, 5.0], "user": [1, 1, 2, 3],
         "requested_processors": [1, 2, 8, 1]}, HEADER,
    )  # fmt: skip
    line = workload_of(trace, trace.calendar.months(0, 1)[0], 8)
    assert line.demand == pytest.approx((1 + 4 + 80) / (8 * 31 * 24))
    assert (line.users, line.jobs) == (2, 3)
    assert line.jobs_per_user == (type(line.jobs_per_user))(1.5, 1.5, 2)
    assert (line.demand_per_user.mean, line.demand_per_user.maximum) == (42.5, 80)
    assert (line.size.mean, line.size.median, line.size.maximum) == (pytest.approx(85 / 3), 4, 80)
    assert (line.processors.median, line.runtime.maximum) == (2, 10)
