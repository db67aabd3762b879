"""The study of the shaken self-test: its ways to replay by hand, what it measures, its command."""

import json

import numpy as np
import pytest

import thinktime as tt
from tests.workloads.user_models.logs import log
from thinktime.analysis.left_log import left_by
from thinktime.analysis.studies.prediction.calibrated import USERS
from thinktime.analysis.studies.self_test import runs
from thinktime.analysis.studies.self_test.study import SelfTestStudy
from thinktime.analysis.study.base import StudiedLog
from thinktime.models.machine.spec import MachineSpec
from thinktime.users.office_log import made_up_log
from thinktime.users.think_times import Pause
from thinktime.workloads.units import DAY, HOUR

MACHINE = MachineSpec(8, "easy")


@pytest.fixture(scope="module", name="trace")
def week_of_an_office():
    """A week of eight users on a machine that is too small for them."""
    return made_up_log(weeks=1, users=8)


@pytest.fixture(scope="module", name="study")
def small_study(trace):
    """Shaken once."""
    study = SelfTestStudy(log=StudiedLog("office.swf", trace), processors=8, replications=1)
    return study, study.run()


def test_the_log_that_a_policy_would_have_left_has_its_schedule():
    """On one processor the second job waits for the first."""
    left = left_by(log([(1, 0, 100), (2, 10, 30)]), MachineSpec(1, "easy"))
    assert left.wait.tolist() == [0, 90]
    assert tt.replay(left, "recorded", 1)["start"].tolist() == [0, 100]


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.thorough] * (way in runs.OF_FITTED[1:])) for way in runs.WAYS]
)
def test_nothing_changes_where_nothing_is_moved(way, trace, monkeypatch):
    """Every way to replay gives the log back, so that what differs is what shaking does."""
    monkeypatch.setattr(runs, "SHARE", 0.0)
    monkeypatch.setattr(runs, "MOVED", 0.0)
    found = runs.Run(left_by(trace, MACHINE), MACHINE, way, 0, 1).perform()
    assert found.ratio == 1
    waited = [part for part in found.parts if not np.isnan(part)]
    assert waited == pytest.approx([1] * len(waited))
    assert len(waited) == runs.PARTS or way == runs.OF_FITTED[2]  # in some part of another log, no job waits
    assert found.drift == 0 or way in runs.DRIFTED


def test_users_are_moved_around_whole_weeks():
    """A log of eight days is one of two weeks: what would come after them comes at their beginning."""
    trace = log([(1, 0, 100), (2, 10, 30), (1, 8 * DAY, 8 * DAY + 60)])
    assert runs.moved(trace, np.array([0.0, -1.0, 7.0])).tolist() == [0, 13 * DAY + 10, DAY]


def test_a_log_to_which_no_users_can_be_fitted():
    """It has no number for them, and the page says so; the other ways have theirs."""
    few = log([(1, 0, 100), (1, 4000, 4100), (2, 10, 130)])
    study = SelfTestStudy(log=StudiedLog("few.swf", few), processors=1, replications=1)
    found = study.run()
    assert np.isnan(found.ratio("calibrated")) and found.ratio("open") > 0
    table, *_, said, _legend = study.report(found).page()
    assert {row[0]: row[1] for row in table.rows}["calibrated"] == "–"
    assert said == "calibrated: no users can be fitted to this log."
    assert json.loads(study.report(found).json)["ways"]["calibrated"]["ratio"] is None


@pytest.mark.parametrize(
    ("think", "begin", "length", "end", "thought"),
    [
        (runs.rejoined(1), 0, HOUR, 2 * HOUR, HOUR),  # a pause within a day is kept
        (runs.rejoined(1), 20 * HOUR, 8 * HOUR, 22 * HOUR, 6 * HOUR),  # overnight, until the recorded time
        (runs.rejoined(1), 20 * HOUR, 8 * HOUR, 29 * HOUR, 0),  # which is over
        (runs.rejoined(2), 20 * HOUR, 8 * HOUR, 22 * HOUR, 8 * HOUR),
        (runs.rejoined(2), DAY + 20 * HOUR, 8 * HOUR, DAY + 21 * HOUR, 7 * HOUR),
        (runs.breaks, 0, HOUR, HOUR / 2, HOUR / 2),
        (runs.breaks, 0, 5 * HOUR, HOUR, 5 * HOUR),
        (runs.one_predecessor, 0, HOUR, 5 * HOUR, HOUR),
    ],
)
def test_think_times_by_hand(think, begin, length, end, thought):
    """What a pause of the log becomes that begins at another time."""
    assert think(Pause(0, 0, end, HOUR, length, begin, HOUR, length)) == thought


def test_half_of_the_pauses_are_kept():
    """The same ones for the same seed."""
    pauses = [Pause(batch, 0, 0, 0, 99.0, 10.0, 0, 1.0) for batch in range(400)]
    kept, again = ([think(each) == 99 for each in pauses] for think in (runs.half(3), runs.half(3)))
    assert kept == again
    assert 150 < sum(kept) < 250


def test_what_is_measured_by_hand():
    """Jobs at 0, 50 and 100 s wait for 0, 50, 20 s, and then for 10, 20, 100 s: until 75 s the ratio is 30/50."""
    before, after = (
        tt.replay(
            log([(1, submit, submit + wait, 500) for submit, wait in zip((0, 50, 100), waits, strict=True)]), "recorded"
        )
        for waits in ((0, 50, 20), (10, 20, 100))
    )
    found = runs.answer(log([(1, 0, 10), (1, 50, 60), (1, 100, 110)]), before, after)
    assert found.ratio == 30 / 50
    assert found.parts == pytest.approx((np.nan, np.nan, 20 / 50, 5), nan_ok=True)
    assert found.drift == 0


def test_the_answers_do_not_depend_on_the_number_of_workers(trace):
    """Nor on the order of the tasks."""
    log_left = left_by(trace, MACHINE)
    tasks = [runs.Run(log_left, MACHINE, way, number, 1) for way in ("feedback", "drifted apart") for number in (0, 1)]
    assert [each.perform() for each in tasks] == [each.perform() for each in reversed(tasks)][::-1]
    assert tasks[0].perform() != tasks[1].perform()


def test_the_page_and_the_object_have_every_way(study):
    """With a verdict on each reason."""
    asked, found = study
    table, *_, legend = asked.report(found).page()
    assert [row[0] for row in table.rows] == list(runs.WAYS)
    assert "office.swf, 140 jobs, as easy would have left it" in legend
    values = json.loads(asked.report(found).json)
    assert set(values["ways"]) == set(runs.WAYS)
    assert values["ways"]["open"]["drift_hours"] == 0
    assert len(values["findings"]) == len(asked.findings(found)) == 10


def test_the_files(study, tmp_path):
    """A picture and the numbers."""
    asked, found = study
    asked.write(found, tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["self-test.png", "study.json"]


def test_worlds_instead_of_a_log(monkeypatch):
    """Each world leaves a log of its own, which is shaken once."""
    monkeypatch.setitem(USERS, "campaign", (1, 1, 1))
    study = SelfTestStudy(family="campaign", replications=2)
    one, other = study.logs
    assert not one.equals(other)
    assert study.tasks()["feedback", 1].log is other
    assert study._described().startswith("2 worlds of campaign users")


@pytest.mark.parametrize(
    ("asked", "message"),
    [({"family": "campaigns"}, "no family 'campaigns'"), ({"family": "linear", "processors": 3}, "leave out --trace")],
)
def test_bad_families(asked, message):
    """One sentence says what is wrong."""
    with pytest.raises(ValueError, match=message):
        SelfTestStudy(**asked)
