"""What users gave up, in tables and pictures of results."""

import math

import numpy as np
import pytest

from thinktime.analysis import pictures, stretch
from thinktime.analysis.compare import user_comparison
from thinktime.analysis.modes.mode_comparison import ModeComparison, made_of
from thinktime.analysis.modes.user_measures import measure, session_responses
from thinktime.analysis.response_times import response_times, waits
from thinktime.analysis.satisfaction import satisfaction
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.workloads import Trace

NAN = math.nan

# (user, campaign, submit, start, end, state): ann is served twice, bob once of two, cat never
JOBS = [
    (0, 0, 0, 0, 10, State.FINISHED), (0, 1, 20, 25, 60, State.FINISHED), (1, 2, 0, 10, 20, State.FINISHED),
    (1, 3, 30, NAN, 45, State.WITHDRAWN), (2, 4, 0, NAN, 15, State.WITHDRAWN), (2, 5, 50, NAN, 65, State.WITHDRAWN),
]  # fmt: skip


def made(jobs: list[tuple[float, ...]]) -> Result:
    columns = {name: [row[i] for row in jobs] for i, name in enumerate(("user", "campaign", "submit", "start", "end"))}
    columns |= {"state": [row[5] for row in jobs], "processors": [1] * len(jobs), "runtime": [10.0] * len(jobs)}
    return Result.from_columns(columns, 4, names={"user": ["ann", "bob", "cat"]}, now=100.0)


@pytest.fixture
def result() -> Result:
    return made(JOBS)


@pytest.fixture
def results(result: Result) -> dict[str, Result]:
    """The same under two policies; under the second all were served."""
    served = [(*row[:3], row[2], row[2] + 10, State.FINISHED) for row in JOBS]
    return {"fcfs": result, "easy": made(served)}


def test_campaigns_that_were_given_up_have_no_stretch(result: Result) -> None:
    """Flow times and stretches are of what was served; how many campaigns were not stands beside them."""
    columns = stretch.campaign_columns(result)
    np.testing.assert_array_equal(columns.response_time, [10, 40, 20, NAN, NAN, NAN])
    assert columns.elapsed.tolist() == [10, 40, 20, 15, 15, 15]
    table = stretch.user_table(result)
    assert table[["campaigns", "abandoned", "unfinished"]].to_numpy().tolist() == [[2, 0, 0], [1, 1, 0], [0, 2, 0]]


def test_response_times_of_users(result: Result) -> None:
    """Of a user who was never served, only a lower bound of the response time is known."""
    cat = response_times(result).of("cat")
    assert (len(cat), cat.served, cat.abandoned) == (2, 0, 2)
    assert math.isnan(cat.mean) and math.isnan(cat.kaplan_meier().median)
    assert user_comparison({"a": result}, "mean_campaign_response_time")["a"].tolist()[:2] == [25, 20]
    with pytest.raises(ValueError, match=r"'dan'.*ann, bob, cat"):
        response_times(result).of("dan")


def test_the_median_wait_of_users_counts_who_gave_up(results: dict[str, Result]) -> None:
    """It is the Kaplan-Meier estimate, NaN for a user who never had a job started."""
    table = user_comparison(results, "km_median_wait")
    assert math.isnan(table.loc["cat", "fcfs"]) and table.loc["cat", "easy"] == 0
    assert table.loc["ann", "fcfs"] == waits(results["fcfs"]).of("ann").kaplan_meier().median


def test_sessions_that_were_given_up_have_no_response_time(result: Result) -> None:
    """A session with a withdrawn job was not served."""
    assert session_responses(result, np.array([0, 0, 1, 1, 2, 3])).tolist() == [60]


def test_satisfaction_stands_beside_what_was_given_up(result: Result) -> None:
    """Jobs that were given up are counted beside complaints, which they are not."""
    table = satisfaction(result)
    assert table["abandoned"].to_dict() == {"ann": 0, "bob": 1, "cat": 2}
    assert table.loc["cat", "jobs"] == 0


def test_the_chart_of_users_shows_who_was_not_served(results: dict[str, Result]) -> None:
    """A second panel has what was given up; hollow points are of what was served alone; cat has no point under FCFS."""
    picture = pictures.user_comparison_chart(results)
    means, given_up = picture.axes
    users = [label.get_text() for label in means.get_yticklabels()]
    assert users == ["ann", "bob", "cat"]
    filled, hollow = (line for line in means.lines if line.get_color() == "#000000")
    np.testing.assert_array_equal(filled.get_xdata(), [25, NAN, NAN])
    np.testing.assert_array_equal(hollow.get_xdata(), [NAN, 20, NAN])
    assert (filled.get_markerfacecolor(), hollow.get_markerfacecolor()) == ("#000000", "white")
    assert given_up.lines[0].get_xdata().tolist() == [0, 50, 100]
    assert [text.get_text() for text in picture.legends[0].get_texts()] == ["fcfs (n=3)", "easy (n=6)"]


def test_a_chart_where_no_user_gave_up_has_one_panel(results: dict[str, Result]) -> None:
    """Where no user gave up, the chart has one panel."""
    assert len(pictures.user_comparison_chart(results["easy"]).axes) == 1


def test_curves_of_waits(results: dict[str, Result]) -> None:
    """Curves are steps of the Kaplan-Meier estimate of waits, with marks and counts of who gave up."""
    picture = pictures.wait_curves(results)
    axes = picture.axes[0]
    step, marks = axes.lines[:2]
    assert step.get_xdata().tolist() == [0, 0, 5, 10, 15]
    assert step.get_ydata() == pytest.approx([100, 500 / 6, 400 / 6, 50, 50])
    assert marks.get_xdata().tolist() == [15]
    texts = [text.get_text() for text in picture.legends[0].get_texts()]
    assert texts == ["fcfs: 3 of 6 started, 3 given up; median 10 s", "easy: 6 of 6 started; median 0 s"]


@pytest.mark.parametrize("draw", [pictures.wait_by_width, pictures.slowdown_distribution])
def test_pictures_of_jobs_say_how_many_were_given_up(draw, results: dict[str, Result]) -> None:
    """The legend has the number of jobs that were served and given up, where there are any of these."""
    texts = [text.get_text() for text in draw(results).legends[0].get_texts()]
    assert texts == ["fcfs (3 of 6 jobs served, 3 given up)", "easy"]


def test_a_bar_without_an_interval_is_hollow() -> None:
    """The mean of one instance is a bar without a fill and without an interval."""
    picture = pictures.worst_stretches({"fcfs": {"short": (3.0, NAN), "long": (5.0, 1.0)}})
    axes = picture.axes[0]
    assert [patch.get_facecolor()[3] for patch in axes.patches[:2]] == [0, 1]


def test_stretches_say_of_how_many_campaigns_they_are() -> None:
    """The legend has the campaigns with a stretch, and all."""
    picture = pictures.stretch_histogram({"fcfs": np.array([1.0, 2.0, NAN]), "easy": np.array([1.0, 2.0, 3.0])})
    assert [text.get_text() for text in picture.legends[0].get_texts()] == ["fcfs (n=2 of 3)", "easy (n=3)"]


def test_modes_say_of_how_many_their_means_are() -> None:
    """A comparison of modes says how many jobs, users and sessions its means are of."""
    result = made(JOBS)
    found = measure(result, np.array([0, 0, 1, 1, 2, 2]), Trace({"submit": [0.0, 50.0]}))
    assert (found.served.n, found.served.abandoned, found.served.wanted) == (3, 3, 6)
    assert (found.users.n, found.users.abandoned) == (2, 1)
    assert (found.sessions.n, found.sessions.abandoned) == (1, 2)
    assert found["abandoned_share"] == 0.5 and found["lost_processor_hours"] == pytest.approx(30 / 3600)
    told = ModeComparison(4, 6, 2, {"open": {"a": (found, found), "b": (found, found)}})
    assert told.observed("open", "a")["users"].n == 4
    first, *others = made_of(told, "open")
    assert first == "open: response times are means of 4 of 6 users and 2 of 6 sessions, in all 2 replications."
    assert others[0] == (
        "open: users gave up 50.0% of the jobs that they wanted under a (0 processor-hours on average); "
        "means are of the 6 that were served, in all 2 replications."
    )
    assert len(others) == 2 and "50.0%" in told._repr_html_()
