"""Gaps between batches, worked out by hand."""

import numpy as np

from thinktime.analysis.diagnosis.gaps import gaps_of
from thinktime.workloads import Trace
from thinktime.workloads.units import DAY, HOUR, WEEK
from thinktime.workloads.user_models import delimit


def test_gaps_by_hand():
    """A gap has the job of the batch that ended last; overlaps and last batches have none."""
    trace = Trace(
        {
            "submit": [0, 10, 5000, 5010, 9000, 50_000],
            "wait": [100, 0, 0, 40_000, 5, 0],
            "runtime": [900, 2000, 50, 100, 10, 10],
            "requested_processors": [1, 8, 2, 4, 1, 1],
            "user": [1, 1, 1, 2, 2, -1],
        }
    )
    found = gaps_of(trace, delimit(trace))
    # user 1: a batch of two jobs ends at 2010, the next begins at 5000; user 2's second comes before the first ended
    assert found.gap.tolist() == [2990]
    assert (found.end.tolist(), found.wait.tolist(), found.runtime.tolist(), found.processors.tolist()) == (
        [2010], [0], [2000], [8],
    )  # fmt: skip


def test_gaps_are_in_order_of_the_ends():
    """Gaps come by end, with the week of each."""
    trace = Trace(
        {"submit": [0, DAY, WEEK, 2 * WEEK], "wait": [0] * 4, "runtime": [2 * DAY, HOUR, 60, 60], "user": [1, 2, 2, 1]}
    )
    found = gaps_of(trace, delimit(trace))
    assert found.gap.tolist() == [6 * DAY - HOUR, 12 * DAY]
    assert found.week.tolist() == [0, 0]
    assert np.array_equal(found.take(np.array([1])).gap, [12 * DAY])
