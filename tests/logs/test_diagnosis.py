"""The diagnosis of a real log."""

import pytest

from thinktime.analysis.diagnosis.diagnose import diagnose

pytestmark = pytest.mark.compiled


@pytest.mark.thorough
def test_users_of_kth_wait_for_results(log):
    """The jump lies above chance, and above worlds in which nobody reacts; the wait says no more than it does there."""
    found = diagnose(log("KTH"), draws=3)
    assert found.value("jump").value == pytest.approx(0.786, abs=0.001)
    assert found.value("jump").low > found.null("jump").high > 0.5 > found.null("jump").value
    assert found.value("clock_gain").value == pytest.approx(0.167, abs=0.005)
    wait, null = found.value("wait_gain"), found.null("wait_gain")
    assert 0 < wait.low < wait.value < null.high
    assert found.trust.modes == ("partly-open", "reacting", "feedback")
    assert found.excess.low > 0 and found.self_test.ratio.high < 0.9
