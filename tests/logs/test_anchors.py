"""FCFS on three logs, as printed elsewhere: jobs without a run time left out, run times not cut at estimates.

The numbers of CTC-SP2 on 512 processors and of SDSC-SP2 agree with those published for two other simulators,
which keep a few jobs more, to within 0.02 %.
"""

import numpy as np
import pytest

import thinktime as tt

pytestmark = pytest.mark.compiled

KEYS = ("utilization", "mean_wait", "p95_wait", "makespan", "p95_bounded_slowdown_60", "mean_bounded_slowdown_10")
# log, processors: jobs, and the numbers of KEYS as printed
ANCHORS = {
    ("CTC", 512): (77_205, 0.555, 6_183.2, 34_365, 29_306_751, 188.03, 30.76),
    ("CTC", 338): (77_205, 0.798, 767_875.6, 1_657_614, 30_919_043, 14_914, 4_261),
    ("SDSC", 128): (54_034, 0.768, 1_551_989, 5_103_093, 68_440_542, 56_707, 13_993),
}
DIGITS = {("CTC", 512): (3, 1, 0, 0, 2, 2), ("CTC", 338): (3, 1, 0, 0, 0, 0), ("SDSC", 128): (3, 0, 0, 0, 0, 0)}


@pytest.mark.parametrize(("name", "processors"), ANCHORS)
def test_fcfs_gives_the_printed_numbers(log, name, processors):
    """FCFS agrees with the anchors to every printed digit."""
    trace = log(name)
    result = tt.replay(trace.select(trace.runtime > 0), "fcfs", processors, overrun="extend")
    summary = result.summary()
    assert (len(result), summary["finished"]) == 2 * ANCHORS[name, processors][:1]
    digits = zip(KEYS, DIGITS[name, processors], strict=True)
    found = [round(float(summary[key]), places) for key, places in digits]
    assert found == list(ANCHORS[name, processors][1:])


def test_utilization_is_over_the_makespan(log):
    """Utilization is the work over the capacity between the first start and the last end."""
    trace = log("CTC")
    result = tt.replay(trace.select(trace.runtime > 0), "fcfs", 512, overrun="extend")
    work = float(np.sum((result["end"] - result["start"]) * result["processors"]))
    span = float(result["end"].max() - result["start"].min())
    assert result.summary()["utilization"] == pytest.approx(work / (512 * span), rel=1e-12)
