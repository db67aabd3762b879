"""The study of shapes: one run by hand, whose jobs gain, and its command."""

import json

import numpy as np
import pytest

import thinktime as tt
from tests.commands import stdout_of
from thinktime.analysis.studies.shapes import runs
from thinktime.analysis.studies.shapes import study as model
from thinktime.users import made_up_log
from thinktime.workloads.calibration.calibrate import calibrate


def log():
    """Two jobs of 2 of 4 processors: one alone for 100 s, one that comes in the middle, and a last one."""
    columns = {"submit": [0, 50, 1000], "wait": [0, 0, 0], "runtime": [100, 100, 1], "allocated": [2, 2, 4]}
    return tt.Trace(columns | {"user": [1, 2, 1]})


def performed(strategy=runs.RIGID, share=1.0, speedup="linear", **more):
    share = 0.0 if strategy == runs.RIGID else share
    how = {"speedup": speedup}
    return runs.Run(log(), 4, (1.0,), strategy, share, how=how, **more).perform()


def test_a_run_by_hand():
    """Linear: the first job is at 4 processors at once; the second makes it shrink, and takes what is left."""
    rigid, malleable = performed(), performed("equal shares")
    assert (rigid.wait, rigid.response, rigid.makespan) == pytest.approx((0, (100 + 100 + 1) / 3, 1001))
    # job 1 does its 200 processor-seconds by 50, job 2 by 100, each on 4 processors
    assert (malleable.wait, malleable.response) == pytest.approx((0, (50 + 50 + 1) / 3))
    assert malleable.efficiency == 1.0 and np.isnan(rigid.efficiency)
    assert malleable.work == rigid.work == pytest.approx(400 / 3600)
    assert malleable.chosen == pytest.approx(((50 + 50 + 1) / 3,)) and np.isnan(malleable.others[0])


@pytest.mark.parametrize("who", [runs.USERS, "earliest", "largest"])
def test_users_who_choose_take_the_size_that_ends_first(who):
    """Job 1 has all 4 processors; job 2, which comes in the middle, ends first if it waits for all of them, too."""
    how = {"kind": "moldable", "steps": 2, "most": 2}
    found = runs.Run(log(), 4, (1.0,), share=1.0, how=how, choice=who).perform()
    each = 100 * tt.SpeedUp(runs.USUAL).of(2) / tt.SpeedUp(runs.USUAL).of(4)
    assert found.response == pytest.approx((each + (2 * each - 50) + 1) / 3, abs=0.01)
    assert found.wait == pytest.approx((each - 50) / 3, abs=0.01)


def test_users_who_are_fitted():
    """They are those of the log as it is, whatever is assumed of its jobs, and fitted once for all runs."""
    jobs = np.arange(24)
    columns = {"runtime": 300 + 100 * (jobs % 5), "allocated": 1 + jobs % 4, "wait": 0 * jobs, "user": 1 + jobs % 3}
    made = tt.Trace({"submit": 200 * jobs, **columns})
    every = [runs.Run(made, 8, (1.0,), name, share, "calibrated") for name, share in (("rigid", 0.0), ("min", 1.0))]
    found = runs.Calibrated(tuple(every)).perform()
    assert found[0].wait != found[1].wait
    malleable = every[1].shaping(1.0).of(made, 8)
    anew = tt.run(tt.MachineSpec(8, runs.STRATEGIES["min"]), tt.sources.calibrated(malleable))
    assert found[1] == every[1].measured(anew)


def test_the_command(tmp_path, monkeypatch):
    """The command prints tables within 100 columns, and writes the picture and the numbers."""
    fits = []
    monkeypatch.setattr(tt, "calibrate", lambda log, score: fits.append(len(log)) or calibrate(log, score=score))
    monkeypatch.setattr(model, "made_up_log", lambda weeks: made_up_log(2, 15))
    monkeypatch.setattr(model, "QUICK_JOBS", 200)
    monkeypatch.setattr(model, "QUICK_CHOOSING", 60)
    words = ["study", "shapes", "--quick", "--quiet", "--workers", "1", "--out", str(tmp_path / "out"), "--fitted"]
    shown = stdout_of(*words)
    assert all(len(line) <= 100 for line in shown.splitlines())
    assert all(name in shown for name in (*model.QUICK_STRATEGIES, *runs.CHOICES, *model.QUICK_ASSUMED))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "answers.sqlite", "waits.png", "study.json",
    }  # fmt: skip
    found = json.loads((tmp_path / "out" / "study.json").read_text())
    assert fits == [200]
    assert len(found["runs"]) == 3 * (1 + 2 * len(model.QUICK_STRATEGIES) + 1) + 1 + len(runs.CHOICES)
