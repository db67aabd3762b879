"""The feedback study: draws of users, all policies in all modes, who gains, and what is looked for."""

import json

import numpy as np
import pytest

from thinktime.analysis.modes.mode_runs import compare_modes
from thinktime.analysis.modes.user_measures import session_responses
from thinktime.analysis.studies.feedback import runs
from thinktime.analysis.studies.feedback import study as model
from thinktime.analysis.studies.feedback.figures import figures
from thinktime.analysis.studies.feedback.findings import findings
from thinktime.analysis.studies.feedback.office_log import made_up_log
from thinktime.analysis.studies.study import StudiedLog
from thinktime.models.results.result import Result
from thinktime.users import replay_with_feedback
from thinktime.workloads.header import Header
from thinktime.workloads.trace import Trace

EFFORT = model.Effort(loads=(1.5,), replications=2, weeks=1)


@pytest.fixture(scope="module", name="log")
def small_log():
    """A week of fifteen users."""
    return made_up_log(weeks=1, users=15)


@pytest.fixture(scope="module", name="study")
def small_study(log):
    """All policies, one level beside the log itself, on a machine that is too small for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "QUICK", EFFORT)
        return model.FeedbackStudy(log=StudiedLog("a made-up log", log), processors=20, quick=True).run()


def test_the_made_up_log_is_one_of_users_who_react(log):
    """It has waits and users, and under the recorded schedule its submissions come back."""
    assert len(np.unique(log.user)) == 15
    assert (log.wait > 0).any()
    assert np.array_equal(replay_with_feedback(log, "recorded")["submit"], log.submit)
    assert log.equals(made_up_log(weeks=1, users=15))


@pytest.mark.compiled
def test_the_log_itself_is_what_the_command_compares(log, study):
    """Level None has the numbers of a comparison of the log, in the modes that no seed decides."""
    plain = compare_modes(log, {"EASY": "easy"}, ("open", "feedback"), 20)
    for mode in ("open", "feedback"):
        assert study.levels[None].measures[mode]["EASY"] == plain.measures[mode]["EASY"]


def test_every_level_has_every_draw(study):
    """The log runs once and a level with every draw."""
    assert study.levels[None].replications == 1
    assert study.levels[1.5].replications == 2
    values = study.levels[1.5].values("open", "EASY")
    assert values[0] != values[1]


def test_gains_are_against_easy_in_the_same_mode(study):
    """Gains are against EASY in the same mode, so nobody gains under EASY itself."""
    for level in study.levels:
        for mode in model.MODES:
            assert study.gain(level, mode, "EASY")[:2] == (0, 0)
            for policy in model.POLICIES:
                of = study.gain(level, mode, policy)
                assert 0 <= of.gain + of.lose <= 1


def test_who_gains_by_hand():
    """Of three users, one gains, one heavy one loses, and one stays the same."""
    shares = runs._gains({1: 50, 2: 150, 3: 100}, {1: 100, 2: 100, 3: 100, 4: 9}, {2})
    assert shares == pytest.approx((1 / 3, 1 / 3, 0, 1))


def test_heavy_users_own_half_of_the_work():
    """Of work of 50, 30, 20 and 100, user 4 alone is heavy."""
    columns = {"user": [1, 2, 3, 4], "submit": [0, 1, 2, 3], "runtime": [50, 30, 20, 100], "allocated": [1] * 4}
    assert runs.heavy_users(Trace(columns, Header())) == {4}


def test_what_is_looked_for_has_verdicts(study):
    """Each of five statements has a verdict with our numbers."""
    found = list(findings(study))
    assert len(found) == 5
    assert all(each.ours and each.criterion for each in found)


def test_pictures(study):
    """The study draws three figures with axes."""
    for picture in figures(study).values():
        assert picture.axes


def test_measures_by_hand():
    """The measures of two jobs on 2 processors are those worked out by hand."""
    columns = {"submit": [0, 4], "start": [0, 10], "end": [10, 30], "processors": [1, 2]}
    result = Result.from_columns(columns, 2)
    assert result.during().backlog() == pytest.approx(40 * 6 / (2 * 30) / 3600)
    assert result.during().throughput() == pytest.approx(2 / (30 / 86400))
    assert session_responses(result, np.array([5, 5])).tolist() == [30]
    assert session_responses(result, np.array([1, 0])).tolist() == [26, 10]


def test_the_command(capsys, tmp_path, monkeypatch, log):
    """The command prints tables within 100 columns, and writes pictures and numbers."""
    from thinktime.cli import main

    monkeypatch.setattr(model, "made_up_log", lambda weeks: log)
    monkeypatch.setattr(model, "QUICK", model.Effort((1.0,), 1, 1))
    words = ["study", "feedback", "--quick", "--quiet", "--workers", "1", "--out", str(tmp_path / "out")]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert all(len(line) <= 100 for line in shown.splitlines())
    assert all(policy in shown for policy in model.POLICIES)
    names = {"slowdown-by-mode.png", "backlog-by-load.png", "users-who-gain.png", "answers.sqlite", "study.json"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    levels = json.loads((tmp_path / "out" / "study.json").read_text())["levels"]
    assert set(levels) == {"log", "1"}
    assert set(levels["1"]["modes"]) == set(model.MODES)
