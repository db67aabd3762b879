"""What is said of fitted users, where the fit is made up."""

from dataclasses import replace

import numpy as np
import pytest

import thinktime as tt
from thinktime.analysis.calibration.report import verdict
from thinktime.workloads.calibration.beyond import Beyond
from thinktime.workloads.calibration.effects import REACTING
from thinktime.workloads.calibration.users import Score


@pytest.fixture(scope="module")
def users():
    """Two users, of one class."""
    submit = np.sort(np.random.default_rng(1).uniform(0, 9e5, 60))
    columns = {"submit": submit, "runtime": [600] * 60, "wait": [0] * 60, "allocated": [1] * 60, "user": [1, 2] * 30}
    return tt.calibrate(tt.Trace(columns), score=False)


def test_it_is_said_if_another_model_predicts_better(users):
    """Beyond its standard error, whether users look at results or not."""
    scores = {"calibrated": Score(-9.0, 0.0), "clock": Score(-8.9, 0.05), "renewal": Score(-9.5, 0.1)}
    sentence = "The model clock predicts the last third better than the one that was chosen."
    assert sentence in list(verdict(replace(users, scores=scores)))
    assert sentence not in list(verdict(replace(users, scores=scores | {"clock": Score(-8.9, 0.2)})))
    assert sentence not in list(verdict(users))


def test_pauses_may_depend_on_slowdowns_alone(users):
    """A class whose only such effect is that of slowdowns."""
    (one,) = users.classes
    size = 5 * REACTING.kinds
    slow = replace(
        one, structure=REACTING, effects=("slowdown",), sizes=(size,), values=np.zeros(1 + size),
        covariance=np.eye(1 + size) / 8, prior=np.ones(1), zero=np.zeros(size, bool), expected=np.ones(size),
    )  # fmt: skip
    said = list(verdict(replace(users, classes=(slow,), evidence={"blind": 0.0, "reacting": 99.0})))
    assert not any("pauses depend" in each for each in said)
    doubtful = replace(slow, covariance=np.eye(1 + size) * 0.9)
    said = list(verdict(replace(users, classes=(doubtful,), evidence={"blind": 0.0, "reacting": 99.0})))
    assert "How pauses depend on response times is in doubt: the log determines 10% of it." in said


def test_what_the_model_lacks_is_said(users):
    """A sentence for each thing that is clear, and what it means; not a word where nothing is."""
    sizes = {"queue": -0.5, "others": 2.0, "parts": 1.6, "days": 0.25, "residuals": 0.1}
    assert sizes.keys() == users.BEYOND.keys()
    found = {name: Beyond(size, 9.0, clear=True) for name, size in sizes.items()}
    said = list(verdict(replace(users, beyond=found)))
    assert said[-6:] == [
        "Where twice as many jobs wait at the moment, users submit 29% less than the model explains.",
        "2 users submit within 4 h of the end of a batch of another user's more than 1.5 times as often as the model "
        "explains.",
        "Within 30 min of the end of a job of theirs whose batch is not over, users submit 1.6 times as often as the "
        "model explains.",
        "Days are busier or less busy by 25% than the model explains.",
        "Something else moves users, for their residuals are not exponential in the log itself (distance 0.10).",
        "The log does not say what this comes to under another policy: the ranges of draws may be too narrow.",
    ]
    unclear = {name: each._replace(clear=False) for name, each in found.items()}
    assert list(verdict(replace(users, beyond=unclear))) == said[:-6]
