"""The feedback study: draws of users, all policies in all modes, who gains, and what is looked for."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.commands import quick_study
from thinktime.analysis.left_log import left_by
from thinktime.analysis.modes.mode_runs import compare_modes
from thinktime.analysis.modes.user_measures import session_responses
from thinktime.analysis.pictures.style import plotting
from thinktime.analysis.studies.feedback import flow_figure, flows, runs
from thinktime.analysis.studies.feedback import study as model
from thinktime.analysis.studies.feedback.figures import figures
from thinktime.analysis.studies.feedback.findings import findings
from thinktime.analysis.studies.feedback.runs import MODES, end_of_window
from thinktime.analysis.study.base import StudiedLog
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.results.result import Result
from thinktime.users import replay_with_feedback
from thinktime.users.office_log import made_up_log
from thinktime.workloads.header import Header
from thinktime.workloads.trace import Trace

BY_LEVEL = ("levels", "responses", "heavy")
"""The fields of the evidence that have a part for each level of load."""


@pytest.fixture(scope="module", name="log")
def small_log():
    """A week of four users."""
    return made_up_log(weeks=1, users=4)


@pytest.fixture(scope="module", name="study")
def small_study(log):
    """All policies on the shaken log, on a machine that is too small for it; another level has the same runs."""
    asked = model.FeedbackStudy(log=StudiedLog("a made-up log", log), processors=8, log_only=True, replications=2)
    found = asked.run()
    again = {name: {None: getattr(found, name)[None], 1.5: getattr(found, name)[None]} for name in BY_LEVEL}
    return replace(found, **again)


def test_the_made_up_log_is_one_of_users_who_react():
    """It has waits and users, and under the recorded schedule its submissions come back."""
    log = made_up_log(weeks=1, users=15)
    assert len(np.unique(log.user)) == 15
    assert (log.wait > 0).any()
    assert np.array_equal(replay_with_feedback(log, "recorded")["submit"], log.submit)
    assert log.equals(made_up_log(weeks=1, users=15))


def test_the_log_itself_is_shaken(study, log):
    """Level None is what `thinktime feedback --shake` makes of the log that EASY would have left."""
    left = left_by(log, MachineSpec(8, "easy"))
    plain = compare_modes(left, {"EASY": "easy"}, ("clock",), 8, seed=1000, shake=0.01, measure_to=end_of_window(left))
    assert study.levels[None].measures["clock"]["EASY"][0] == plain.measures["clock"]["EASY"][0]


def test_every_mode_has_every_draw(study):
    """Shaken copies differ from each other."""
    assert study.levels[None].replications == 2
    assert set(study.levels[None].measures) == set(MODES)
    values = study.levels[None].values("open", "EASY")
    assert values[0] != values[1]


def test_other_levels_draw_users(log):
    """Each draw has other users, the same in every mode."""
    found = {
        (mode, number): runs.Run(log, 8, 1.5, number, mode, 1).perform()
        for mode, number in (("open", 0), ("open", 1), ("feedback", 0))
    }
    assert found["open", 0].measures["EASY"] != found["open", 1].measures["EASY"]
    assert found["open", 0].heavy == found["feedback", 0].heavy
    assert len(found["open", 0].responses["EASY"]) == 6


def test_waits_are_held_against_those_of_the_log(study, log):
    """Those of jobs submitted in the first three quarters of the log; the open loop nearly keeps them."""
    left = left_by(log, MachineSpec(8, "easy"))
    inside = left.submit < left.submit[0] + 0.75 * (left.submit[-1] - left.submit[0])
    assert study.recorded_wait == pytest.approx(left.wait[inside].mean())
    assert study.kept("open") == pytest.approx([1, 1], abs=0.1)


def test_policies_are_held_against_easy_in_the_same_mode(study):
    """Over EASY itself the factor is 1, and what is apart is one factor over the other."""
    assert study.factor(1.5, "clock", "EASY") == (1, 1, 1)
    for mode in MODES:
        one, other = (study.factor(None, each, "FCFS").value for each in ("open", mode))
        assert study.apart(None, mode, "FCFS").value == pytest.approx(one / other)
    assert study.gain(None, "feedback", "EASY")[:2] == (0, 0)


def test_a_factor_by_hand():
    """The geometric mean of 2 and 8 is 4, and the interval is that of the logarithms."""
    found = model.Factor.of(np.array([2.0, 8.0]))
    assert found.value == pytest.approx(4)
    assert found.low * found.high == pytest.approx(16)
    assert not found.certain
    assert model.Factor.of(np.array([2.0, 2.1, 2.05])).certain


EASY_S, OTHER_S = {1: 100.0, 2: 100.0, 3: 100.0, 4: 9.0}, {1: 50.0, 2: 150.0, 3: 100.0}


def test_who_gains_by_hand():
    """Of three users, one gains, one heavy one loses, and one stays the same."""
    draw = {"EASY": EASY_S, "FCFS": OTHER_S}
    assert flows.verdicts(draw, "FCFS") == {1: 0, 2: 2, 3: 1}
    assert flows.gains([draw], "FCFS", [{2}]) == pytest.approx((1 / 3, 1 / 3, 0, 1))


def test_a_flow_by_hand():
    """Users 1 and 2 swap, user 3 stays, and user 4 has jobs in one mode only."""
    here = {"EASY": EASY_S, "FCFS": OTHER_S | {4: 9.0}}
    there = {"EASY": EASY_S, "FCFS": {1: 150.0, 2: 50.0, 3: 100.0}}
    flow = flows.paths([[here], [there]], "FCFS")
    assert flow == pytest.approx(np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]]) / 3)
    assert flows.swapped(flow) == pytest.approx(2 / 3)
    assert flows.paths([[here, there], flows.again([here, there])], "FCFS") == pytest.approx(flow)


def test_bands_fill_the_columns(monkeypatch):
    """All bands between two columns together are as wide as the users are many, and each begins in its column."""
    drawn = []
    monkeypatch.setattr(flow_figure, "_band", lambda *given: drawn.append(given[1:5]))
    shares = np.random.default_rng(1).dirichlet(np.ones(27)).reshape(3, 3, 3)
    with plotting(3, 3, 1, 1) as (_, axes):
        flow_figure.draw(axes, shares, where=1)
    for column in (0, 1):
        found = [each for each in drawn if each[0] == column]
        assert sum(share for *_, share in found) == pytest.approx(1)
        for side in (1, 2):
            low = flow_figure.floors(shares.sum(axis=tuple({0, 1, 2} - {column + side - 1})))
            spans = sorted((each[side], each[side] + each[3]) for each in found)
            begins = [begin for begin, _ in spans]
            assert all(any(begin == pytest.approx(each) for begin in begins) for each in low)
            assert all(end <= begin + 1e-9 for (_, end), (begin, _) in pairwise(spans))


def test_heavy_users_own_half_of_the_work():
    """Of work of 50, 30, 20 and 100, user 4 alone is heavy."""
    columns = {"user": [1, 2, 3, 4], "submit": [0, 1, 2, 3], "runtime": [50, 30, 20, 100], "allocated": [1] * 4}
    assert runs.heavy_users(Trace(columns, Header())) == (4,)


def test_what_is_looked_for_has_verdicts(study):
    """Each of seven statements has a verdict with our numbers."""
    found = list(findings(study))
    assert len(found) == 7
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


def test_the_command(tmp_path, monkeypatch, study):
    """The command prints tables within 100 columns, and writes pictures and numbers."""
    monkeypatch.setattr(model.FeedbackStudy, "run", lambda *given: study)
    shown, files, found = quick_study("feedback", tmp_path / "out")
    assert all(policy in shown for policy in model.POLICIES)
    assert files == {"slowdown-by-mode.png", "backlog-by-load.png", "users-flow.png", "study.json"}
    assert set(found["levels"]) == {"log", "1.5"}
    assert set(found["levels"]["1.5"]["modes"]) == set(MODES)
    assert set(found["flows"]["feedback"]) == set(model.POLICIES) - {"EASY"}


def test_the_log_alone(log):
    """Other numbers of users can be left out."""
    study = model.FeedbackStudy(log=StudiedLog("a log", log), log_only=True, replications=3)
    assert {level for level, _ in study.tasks()} == {None}
    assert len(study.tasks()) == 3 * len(MODES)
