"""Comparisons of modes: rankings, neighbours, and who changes places."""

import dataclasses

import numpy as np
import pytest

from tests.behaviour.logs import log
from thinktime.analysis.feedback import Comparison, compare_modes
from thinktime.analysis.feedback_measures import Measures
from thinktime.models.state import State


def comparison(**modes):
    """Measures that hold slowdowns only: a row of replications for each mode and policy."""
    nothing = {field.name: np.nan for field in dataclasses.fields(Measures)}

    def made(value):
        return Measures(**(nothing | {"mean_bounded_slowdown_10": value}))

    measures = {
        mode: {policy: tuple(map(made, values)) for policy, values in of.items()}
        for mode, of in modes.items()
    }
    return Comparison(4, 10, len(next(iter(next(iter(modes.values())).values()))), measures)


def test_policies_are_ranked_by_mean_slowdown_and_neighbours_compared():
    """Means 2, 3 and 10; the differences of neighbours are paired, second minus first."""
    found = comparison(open={"a": (9, 10, 11), "b": (1, 2, 3), "c": (2.5, 3, 3.5)})
    assert found.ranking("open") == ["b", "c", "a"]
    first, second = found.pairs("open")
    assert (first.first, first.second, first.difference.interval.mean) == ("b", "c", 1)
    assert (second.first, second.second, second.difference.interval.mean) == ("c", "a", 7)


def test_a_change_of_places_is_certain_where_both_intervals_say_so():
    """A is better than b by 1 in every replication of one mode, worse by 1 in the other; c is worse in both."""
    found = comparison(
        open={"a": (1, 2, 3), "b": (2.1, 3, 3.9), "c": (9, 9, 9)},
        feedback={"a": (2.1, 3, 3.9), "b": (1, 2, 3), "c": (9, 9, 9)},
    )
    (change,) = found.reversals()
    assert (change.better, change.worse, change.mode, change.other_mode) == ("a", "b", "open", "feedback")
    assert change.certain is True
    noisy = comparison(open={"a": (1, 2, 3), "b": (2.1, 3, 3.9)}, feedback={"a": (1, 9, 2), "b": (9, 1, 1)})
    assert [each.certain for each in noisy.reversals()] == [False]
    single = comparison(open={"a": (1,), "b": (2,)}, feedback={"a": (2,), "b": (1,)})
    assert [each.certain for each in single.reversals()] == [None]
    assert single.pairs("open")[0].difference is None


def test_work_lost_and_delayed():
    """A job killed at its request of 10 s has 90 s left; with feedback the last batch comes after the log's end."""
    trace = log([(2, 0, 100), (1, 10, 30), (1, 90, 95)]).with_columns(requested_time=[10, 20, 5])
    (lost,) = compare_modes(trace, {"fcfs": "fcfs"}, ["open"], 1).measures["open"]["fcfs"]
    assert lost.work_lost == pytest.approx(90 / 3600)
    assert lost.work_delayed == 0
    slow = log([(2, 0, 100), (1, 10, 30), (1, 90, 95)])
    (delayed,) = compare_modes(slow, {"fcfs": "fcfs"}, ["feedback"], 1).measures["feedback"]["fcfs"]
    assert delayed.work_delayed == pytest.approx(5 / 3600)
    assert delayed.mean_session_response == pytest.approx(((185 - 10) + 100) / 2)
    assert delayed.mean_user_response == pytest.approx(((110 + 5) / 2 + 100) / 2)


def test_all_modes_meet_the_same_users_in_a_replication():
    """Open loop and feedback have the same jobs in every replication, another set in each."""
    trace = log([(u, 1000 * k + 10 * u, 1000 * k + 10 * u + 50 * u) for u in range(1, 7) for k in range(5)])
    seen = {}
    compare_modes(
        trace,
        {"easy": "easy"},
        replications=3,
        seed=1,
        keep=lambda mode, policy, number, result: seen.update({(mode, number): result}),
    )
    for number in range(3):
        both = [seen[mode, number] for mode in ("open", "feedback")]
        assert both[0]["runtime"].tolist() == both[1]["runtime"].tolist()
        assert (both[0]["state"] == State.FINISHED).all()
    assert seen["open", 0]["runtime"].tolist() != seen["open", 1]["runtime"].tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [({"modes": ["shut"]}, "modes are"), ({"modes": []}, "not none"), ({"replications": 0}, "at least 1")],
)
def test_what_cannot_be_is_refused(words, message):
    """Unknown modes, none at all, no replications."""
    with pytest.raises(ValueError, match=message):
        compare_modes(log([(1, 0, 5)]), {"easy": "easy"}, **words)
