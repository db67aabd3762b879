"""The study of incentives: one run by hand, shares of users, its command."""

import json

import numpy as np
import pytest

import thinktime as tt
from tests.commands import stdout_of
from thinktime.analysis.studies.incentives import runs
from thinktime.analysis.studies.incentives import study as model
from thinktime.users import made_up_log


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
    words = ["study", "incentives", "--quick", "--quiet", "--workers", "1", "--out", str(tmp_path / "out")]
    shown = stdout_of(*words)
    assert all(len(line) <= 100 for line in shown.splitlines())
    assert all(name in shown for name in (*model.QUICK_WAYS, *model.HELD, *model.ARMS))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "answers.sqlite",
        "carbon-and-work.png",
        "study.json",
    }
    found = json.loads((tmp_path / "out" / "study.json").read_text())
    assert len(found["runs"]) == 2 * (len(model.QUICK_WAYS) + 5 + 3) and set(found["bills"]) == {"kWh", "kg"}
