"""Logs in the prediction study."""

import pickle

import pytest

from tests.analysis.diagnosis import worlds
from thinktime.analysis.studies.prediction import log_figures, logs
from thinktime.analysis.studies.prediction.study import PredictionStudy
from thinktime.analysis.study.base import StudiedLog


@pytest.fixture(scope="module")
def diagnosed():
    return logs.Run(worlds.eager(), 1, quick=True).perform()


def test_the_object_of_a_log(diagnosed):
    """Each log has its jump, the gains, the null's, and their intervals."""
    found = diagnosed.as_object()
    assert found["jump"] == 1.0
    assert found["wait_gain_null"] == diagnosed.null["wait_gain"].value
    assert {"jump", "clock_gain", "wait_gain", "wait_gain_null", "wait_gain_placebo"} <= found["intervals"].keys()
    assert found["sentence"].startswith("Trust feedback")


def test_an_answer_can_be_kept(diagnosed):
    """The answer of a log consists of plain values and classes of the package, so that a study can be resumed."""
    assert repr(pickle.loads(pickle.dumps(diagnosed))) == repr(diagnosed)


def test_every_log_given_is_diagnosed():
    """A study has a task for each log, by its name, and none without."""
    given = StudiedLog("some/where.swf.gz", worlds.closed(days=40))
    study = PredictionStudy(quick=True, families="campaign", worlds=1, log=(given,))
    assert [key for key in study.tasks() if key[0] == "log"] == [("log", "where")]
    assert study.tasks()["log", "where"].quick
    assert not [key for key in PredictionStudy(quick=True).tasks() if key[0] == "log"]


def test_table_and_pictures(diagnosed):
    """Three rows for each log, and two pictures."""
    named = {"one": diagnosed, "other": diagnosed}
    told = {name: each.as_object() for name, each in named.items()}
    assert [row[0] for row in logs.table(told).rows[:3]] == ["one", "  if nobody reacted", "  with ends nobody saw"]
    assert log_figures.jumps(named).axes[0].get_title("left") == "one: 1.00"
    assert [label.get_text() for label in log_figures.waits(named).axes[0].get_yticklabels()] == ["one", "other"]
