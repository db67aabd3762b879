"""The self-test of feedback, which the advice on modes contains."""

import numpy as np
import pytest

from tests.workloads.user_models.logs import log
from thinktime.analysis.diagnosis import self_test as tested
from thinktime.analysis.diagnosis.self_test import SelfTest, self_test
from thinktime.analysis.left_log import left_by
from thinktime.analysis.studies.feedback.office_log import made_up_log
from thinktime.analysis.studies.self_test import runs
from thinktime.models.machine.spec import MachineSpec

MACHINE = MachineSpec(8, "easy")


@pytest.fixture(scope="module", name="office")
def week_of_an_office():
    """A week of eight users on a machine that is too small for them."""
    return made_up_log(weeks=1, users=8)


def test_nothing_changes_where_nothing_is_moved(office, monkeypatch):
    """With a share of 0 the log comes back, and the interval has no width."""
    monkeypatch.setattr(tested, "SHARE", 0.0)
    assert self_test(office, MACHINE) == SelfTest((1.0, 1.0, 1.0), (1.0, 1.0))


def test_it_is_that_of_the_study(office):
    """One shake has the study's ratio; the interval holds the mean of both."""
    found = self_test(office, MACHINE, seed=(1, 0))
    study = runs.Run(left_by(office, MACHINE), MACHINE, "feedback", 0, 1).perform()
    assert found.ratios[0] == pytest.approx(study.ratio)
    assert found.ratio.value == pytest.approx(np.mean(found.ratios))
    assert found.ratio.low < found.ratio.value < found.ratio.high
    assert self_test(office, MACHINE, seed=(1, 0)) == found


def test_nobody_waits():
    """Without any wait there is no ratio."""
    assert np.isnan(self_test(log([(1, 0, 100), (1, 500, 30)]), MACHINE).ratio.value)
