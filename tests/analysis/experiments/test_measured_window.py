"""One window in Python, scenarios, comparisons of modes and commands."""

import json
from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from tests.commands import refusal_of, stdout_of
from thinktime.analysis.experiments import Scenario
from thinktime.analysis.experiments.measured_run import reduced, simulate
from thinktime.analysis.modes.mode_runs import compare_modes
from thinktime.workloads.swf.write import write_swf

METRICS = ("jobs", "finished", "mean_wait", "utilization", "loss_of_capacity", "mean_bounded_slowdown_10")
WINDOW = (5_000.0, 40_000.0)


@pytest.fixture
def log() -> tt.Trace:
    """Sixty jobs of three users over 18 hours, with waits."""
    rng = np.random.default_rng(3)
    submit = np.sort(rng.integers(0, 18 * 3600, 60)).astype(float)
    columns = {
        "submit": submit, "runtime": rng.integers(60, 9000, 60), "wait": rng.integers(0, 600, 60),
        "allocated": rng.integers(1, 4, 60), "user": rng.integers(1, 4, 60),
    }  # fmt: skip
    return tt.Trace(columns, tt.workloads.Header.build(MaxProcs=4, UnixStartTime=0))


@pytest.fixture
def path(log: tt.Trace, tmp_path: Path) -> str:
    """The same as a file."""
    write_swf(log, tmp_path / "log.swf")
    return str(tmp_path / "log.swf")


def test_a_scenario_measures_what_a_result_does(log: tt.Trace, path: str) -> None:
    """Times and dates are the same in scenarios as in `Result.summary`, with the throughput and the backlog."""
    wanted = tt.replay(log, "easy").summary(*WINDOW)
    throughput = tt.replay(log, "easy").during(*WINDOW).throughput()
    for since, until in (WINDOW, ("5000 s", "1970-01-01T11:06:40")):
        tables = {"trace": {"file": path}, "policies": ["easy"], "metrics": [*METRICS, "throughput_per_day"]}
        scenario = Scenario.from_tables(tables | {"measure_from": since, "measure_to": until})
        found = reduced(scenario, simulate(scenario, "easy", 1))["metrics"]
        assert {name: found[name] for name in METRICS} == {name: wanted[name] for name in METRICS}
        assert found["throughput_per_day"] == throughput
        assert Scenario.from_text(scenario.text) == scenario


def test_a_window_and_a_warm_up_are_two_windows() -> None:
    """A scenario has one of them."""
    users = {"users": {"short": {"profile": "short"}}, "machine": {"processors": 4}, "horizon": "1 d"}
    with pytest.raises(ValueError, match="measure_from or measure_to and a warm_up or cool_down; give one"):
        Scenario.from_tables({**users, "measure_from": "1 h", "warm_up": "1 h"})
    with pytest.raises(ValueError, match="measure_to must be after measure_from, not 3600 s after 7200 s"):
        Scenario.from_tables({**users, "measure_from": "2 h", "measure_to": "1 h"})


def test_replay_measures_a_window(path: str, log: tt.Trace) -> None:
    """The whole log runs, and the numbers are those of the window."""
    command = ["replay", path, "--policy", "easy", "--quiet", "--measure-from", "5000", "--measure-to", "40000"]
    found = json.loads(stdout_of(*command, "--json"))
    wanted = tt.replay(log, "easy").summary(*WINDOW)
    (policy,) = found["policies"]
    assert found["jobs"] == 60 and (found["measure_from"], found["measure_to"]) == WINDOW
    assert all(policy[name] == wanted[name] for name in METRICS if name != "jobs")
    assert "measured from 5,000 s to 40,000 s" in " ".join(stdout_of(*command).split())


def test_modes_measure_a_window(path: str, log: tt.Trace) -> None:
    """`compare_modes` and the command have the numbers of each mode's own result."""
    kept = {}
    modes = ("open", "feedback")
    sides = dict(zip(("measure_from", "measure_to"), WINDOW, strict=True))
    compared = compare_modes(
        log, {"easy": "easy"}, modes, keep=lambda mode, *more: kept.update({mode: more[-1]}), **sides
    )
    command = ["feedback", path, "--policy", "easy", "--quiet", "--measure-from", "5000", "--measure-to", "40000"]
    found = json.loads(stdout_of(*command, "--json"))
    assert {name: found[name] for name in sides} == sides
    for mode in modes:
        summary = kept[mode].summary(*WINDOW)
        for name in ("mean_wait", "utilization", "mean_bounded_slowdown_10"):
            assert compared.measures[mode]["easy"][0][name] == summary[name] == found["modes"][mode]["easy"][name]
    assert "batches of the same jobs (feedback: Welch's)" in " ".join(stdout_of(*command).split())


@pytest.mark.parametrize("command", ["replay", "feedback"])
def test_windows_that_are_none(command: str, path: str) -> None:
    """One sentence says what is wrong."""
    assert "--measure-to 7 must be after --measure-from 7" in refusal_of(
        command, path, "--measure-from", "7", "--measure-to", "7", "--quiet"
    )
    assert "no job of the log is submitted from 90000 to its end" in refusal_of(
        command, path, "--measure-from", "90000", "--quiet"
    )
    assert "--measure-from: " in refusal_of(command, path, "--measure-from", "soon", "--quiet")
