"""The study of incentives: one run by hand, shares of users, its command."""

import numpy as np
import pytest

import thinktime as tt
from tests.commands import quick_study
from thinktime.analysis.studies.incentives import assumptions, runs, tables
from thinktime.analysis.studies.incentives import study as model
from thinktime.users import made_up_log

SOME = [("windows", "renounce", 1.0, 0.0), ("held", "leave", 0.0, 8 * tt.HOUR), ("kg", "delay", 4.0, 8 * tt.HOUR)]


def log(**columns):
    """Two jobs of one processor: one of user 1 at 16:30, for an hour, one of user 2 at 18:00, for two hours."""
    usual = {
        "submit": [16.5 * tt.HOUR, 18 * tt.HOUR, 10 * tt.DAY], "runtime": [3600, 7200, 1], "allocated": [1, 1, 1],
        "user": [1, 2, 1], "wait": [0, 0, 0],
    }  # fmt: skip
    return tt.Trace(usual | columns, further={"power": np.array([100.0, 50.0, 0.0])})


def performed(**more):
    given = log()
    return runs.Run(given, 4, windows=runs.demand_response(given), **more).perform()


def test_energy_in_and_after_windows_by_hand():
    """Half of an hour at 100 W and two hours at 50 W are between 17 and 21 h; nothing runs after it."""
    found = performed()
    assert (found.energy, found.inside, found.after) == pytest.approx((0.2, 0.15, 0.0))
    assert (found.work, found.wait, found.lost) == (3.0, 0.0, 0.0)


@pytest.mark.parametrize("mode", runs.MODES)
def test_what_is_renounced_is_lost_and_what_is_delayed_comes_after(mode):
    """User 2 submits within the window: never, or at 21 h."""
    ways = runs.answers_to(runs.demand_response(log()))
    gone, later = (performed(mode=mode, answering=tt.Respondents(ways[way])) for way in ("renounce", "delay"))
    assert (gone.inside, gone.after, gone.lost, gone.work) == pytest.approx((0.05, 0.0, 2.0, 1.0))
    assert (later.inside, later.after, later.lost, later.work) == pytest.approx((0.05, 0.1, 0.0, 3.0))
    assert later.delay == pytest.approx(3 * tt.HOUR / 3)


def test_carbon_is_that_of_the_hours_in_which_jobs_run():
    """An hour at 100 W with 500 g/kWh, and two at 50 W of which one has 100 g/kWh."""
    carbon = tt.Signal([0, 19 * tt.HOUR, 24 * tt.HOUR], [500, 100, 500], unit="g/kWh", after="hold")
    assert performed(carbon=carbon).carbon == pytest.approx(0.1 * 0.5 + 0.05 * 0.5 + 0.05 * 0.1)


def test_users_draw_their_power_once():
    """Jobs of a user have the same watts, in every run of a seed, and other users have others."""
    one, other = (runs.with_power(made_up_log(2, 15), 1) for _ in range(2))
    each = one.further["power"] / one.processors
    assert np.array_equal(one.further["power"], other.further["power"])
    assert len(np.unique(each.round(6))) == len(np.unique(one.user))


def test_the_command(tmp_path, monkeypatch):
    """The command prints tables within 100 columns, and writes the picture and the numbers."""
    monkeypatch.setattr(model, "made_up_log", lambda weeks: made_up_log(2, 15))
    monkeypatch.setattr(model, "QUICK_JOBS", 200)
    few = [what for what in assumptions.ASSUMED if what in SOME]
    for each in (model, tables, assumptions):
        monkeypatch.setattr(each, "ASSUMED", few)
    shown, files, found = quick_study("incentives", tmp_path / "out")
    assert all(name in shown for name in (*model.QUICK_WAYS, *model.HELD, *model.ARMS))
    assert files == {
        "answers.sqlite",
        "carbon-and-work.png",
        "power.png",
        "study.json",
        "who-pays.png",
        "work-by-hour.png",
    }
    assert len(found["runs"]) == 2 * (len(model.QUICK_WAYS) + 5 + 3 + 3) and set(found["bills"]) == {"kWh", "kg"}
    assert [each["says"] for each in found["turns over"]] == [each.says for each in assumptions.CONCLUSIONS]


def test_each_assumption_has_three_values_and_a_conclusion():
    """All are tried with three elasticities or patiences, each once, and some conclusion is about each."""
    assert len({*assumptions.ASSUMED}) == len(assumptions.ASSUMED)
    for question, way in {what[:2] for what in assumptions.ASSUMED}:
        tried = [what[2:] for what in assumptions.ASSUMED if what[:2] == (question, way)]
        varied = [{each[k] for each in tried} - {0.0} for k in (0, 1)]
        assert all(len(each) in (0, 3) for each in varied) and any(varied)
    for what in assumptions.ASSUMED:
        assert any(each.concerns(what) for each in assumptions.CONCLUSIONS)


def answered(what, **columns):
    """The run of the log in which users answer so, in the open loop, with constant carbon."""
    given, carbon = log(**columns), tt.Signal([0], [400.0], unit="g/kWh")
    windows = runs.demand_response(given)
    who = assumptions.answering(what, given, windows, carbon, seed=1)
    return runs.Run(given, 4, windows=windows, answering=who, carbon=carbon).perform()


def test_the_more_elastic_users_are_the_more_is_lost():
    """At twice the price, an elasticity near 0 changes nothing, and of a large one no user computes in the window."""
    little, much = (answered(("windows", "renounce", each, 0.0)) for each in (1e-9, 99.0))
    assert (little.lost, much.lost) == (0.0, 2.0) and much.inside == pytest.approx(0.05)


def test_no_job_is_put_off_for_longer_than_the_patience():
    """User 2 comes at 18 h for two hours: at 20 h with two hours of patience, and at 21 h with eight."""
    hours = [answered(("windows", "delay", 99.0, each * tt.HOUR)).delay * 3 / tt.HOUR for each in (2, 8)]
    assert hours == pytest.approx([2.0, 3.0])


def test_whose_jobs_draw_more_pays_more():
    """Of 100 W for an hour and 50 W for two, the mean is 66.7 W: who draws 100 W pays 1.5 times as much by energy."""
    assert assumptions.factors(log()) == pytest.approx({1: 1.5, 2: 0.75}, rel=1e-3)
    gone = answered(("kWh", "renounce", 99.0, 0.0))
    assert (gone.lost, gone.work) == pytest.approx((1.0, 2.0), abs=1e-3)


def test_who_has_waited_too_long_leaves_out_the_next_batch_and_comes_back():
    """The second job waits three hours for the first, so the third is renounced, and the fourth is not."""
    columns = {"submit": [0, 3600, 50_000, 60_000], "runtime": [14_400, 60, 60, 60], "allocated": [4, 4, 1, 1]}
    given = tt.Trace({**columns, "user": [1, 2, 2, 2], "wait": [0] * 4}, further={"power": np.full(4, 100.0)})
    who = assumptions.answering(("held", "leave", 0.0, 2 * tt.HOUR), given, (), tt.Signal([0], [400.0]), seed=1)
    result = runs.Run(given, 4, mode="users", answering=who).result()
    assert [bool(state == tt.State.WITHDRAWN) for state in result["state"]] == [False, False, True, False]
