"""Sweeps: every run once, the same bytes whoever makes them, failures kept apart."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import thinktime as tt
from thinktime.analysis.experiments import Scenario, sweep
from thinktime.analysis.experiments.measured_run import simulate
from thinktime.workloads.generators import generate, preset

from .conftest import content


def test_the_same_bytes_whoever_makes_the_runs(small: Scenario, tmp_path: Path) -> None:
    """One process, two processes and the caller's threads leave the same bytes."""
    sweep(small, tmp_path / "here", processes=1)
    sweep(small, tmp_path / "two", processes=2)
    with ThreadPoolExecutor(3) as threads:
        sweep(small, tmp_path / "threads", executor=threads)
    here = content(tmp_path / "here")
    assert "results.csv" in here and "results.sqlite" in here
    assert content(tmp_path / "two") == here
    assert content(tmp_path / "threads") == here


def test_runs_are_what_their_row_says(small: Scenario, tmp_path: Path) -> None:
    """A row is the summary of a replay of that seed's jobs at that load under that policy."""
    table = sweep(small, tmp_path, processes=1).table.set_index("key")
    assert len(table) == 12
    for load in (0.6, 0.9):
        jobs = generate(replace(preset("lublin"), load=load), jobs=60, users=4, processors=16, seed=10)
        expected = tt.replay(jobs, "easy", 16).summary()
        row = table.loc[f"policy=easy workload.load={load} seed=00010"]
        assert row["mean_wait"] == expected["mean_wait"]
        assert row["utilization"] == expected["utilization"]


def test_a_sweep_goes_on_where_it_stopped(own: Scenario, tmp_path: Path) -> None:
    """Only missing runs are made, and more seeds in the same folder give what one sweep would give."""
    seen = []
    sweep(own, tmp_path / "out", processes=1, progress=seen.append)
    assert [(each.done, each.resumed) for each in seen] == [(n, 0) for n in range(7)]
    seen.clear()
    sweep(own, tmp_path / "out", processes=1, progress=seen.append)
    assert [(each.done, each.resumed) for each in seen] == [(6, 6)]
    more = Scenario.from_text(own.text.replace("= 3", "= 5"), folder=own.folder)
    seen.clear()
    sweep(more, tmp_path / "out", processes=1, progress=seen.append)
    assert [(each.done, each.resumed) for each in seen] == [(n, 6) for n in range(6, 11)]
    sweep(more, tmp_path / "once", processes=1)
    assert content(tmp_path / "out") == content(tmp_path / "once")


def test_another_scenario_needs_another_folder(own: Scenario, small: Scenario, tmp_path: Path) -> None:
    """Runs of other settings in the folder are refused and kept."""
    sweep(own, tmp_path / "out", processes=1)
    before = content(tmp_path / "out")
    with pytest.raises(
        ValueError, match="holds 2 runs of another scenario, such as 'policy=easy seed=00003', which is not"
    ):
        sweep(own.resolved({"replications": 2}), tmp_path / "out", processes=1)
    with pytest.raises(ValueError, match=r"holds 6 runs of another scenario, .* made with other settings"):
        sweep(own.resolved({"model.load": 2.0}), tmp_path / "out", processes=1)
    after = content(tmp_path / "out")
    assert [after[name] for name in ("results.csv", "scenario.toml")] == [
        before[name] for name in ("results.csv", "scenario.toml")
    ]
    assert tt.Sweep(tmp_path / "out").scenario.replications == 3


def test_a_changed_script_is_noticed(own: Scenario, tmp_path: Path) -> None:
    """A scenario whose script has changed is another scenario."""
    sweep(own, tmp_path / "out", processes=1)
    script = own.folder / "model.py"
    script.write_text(script.read_text().replace("seed * load", "2 * seed * load"))
    with pytest.raises(ValueError, match="made with other settings"):
        sweep(own, tmp_path / "out", processes=1)


def test_a_failing_run_stops_no_other(tmp_path: Path) -> None:
    """A failing run is recorded with its traceback and tried again later, and the others are made."""
    script = tmp_path / "model.py"
    broken = "def simulate(policy, seed):\n    assert seed != 2, 'two is too many'\n    return {'wait': seed}\n"
    script.write_text(broken)
    scenario = Scenario.from_text(
        'policies = ["fcfs"]\nmetrics = ["wait"]\nmodel.function = "model.py:simulate"', folder=tmp_path
    )
    with ThreadPoolExecutor(2) as threads:
        for name, executor in (("here", None), ("threads", threads)):
            found = sweep(scenario, tmp_path / name, processes=1, executor=executor)
            assert found.table["seed"].tolist() == [1, 3, 4, 5]
            (row,) = found.failed.to_dict("records")
            assert row["seed"] == 2
            assert row["error"] == "AssertionError: two is too many"
            assert "assert seed != 2" in row["traceback"]
    assert content(tmp_path / "here") == content(tmp_path / "threads")


def test_who_kills_the_worker_has_failed_alone(tmp_path: Path) -> None:
    """A run that kills its process is recorded, as one that fails in it, and those under way with it are made."""
    (tmp_path / "model.py").write_text(
        "import os\ndef simulate(policy, seed):\n    assert seed != 2, 'two is too many'\n"
        "    if seed == 3:\n        os._exit(1)\n    return {'wait': seed}\n"
    )
    scenario = Scenario.from_text(
        'policies = ["fcfs"]\nmetrics = ["wait"]\nreplications = 4\nmodel.function = "model.py:simulate"',
        folder=tmp_path,
    )
    found = sweep(scenario, tmp_path / "out", processes=2)
    assert found.table["seed"].tolist() == [1, 4]
    assert found.failed["seed"].tolist() == [2, 3]
    assert found.failed["error"].iloc[0] == "AssertionError: two is too many"
    assert "assert seed != 2" in found.failed["traceback"].iloc[0]
    assert "died" in found.failed["error"].iloc[1]


def test_simulate_gives_the_whole_result(small: Scenario) -> None:
    """In Python, one run of a scenario is a `Result` like any other."""
    result = simulate(small.resolved({"workload.load": 0.9}), "easy", 1)
    assert len(result) == 60 and result.policy.startswith("easy")


PRECISE = """
policies = ["fcfs", "easy"]
metrics = ["wait"]
replications = 4
model.function = "model.py:simulate"
[precision]
metric = "wait"
relative = 0.2
most = 30
[sweep.grid]
"model.spread" = [0.01, 0.1, 50.0]
"""

SPREAD = """
import numpy as np
def simulate(policy, seed, spread):
    return {"wait": 10 + spread * np.random.default_rng(seed).normal()}
"""


def test_seeds_until_a_precision_is_reached(tmp_path: Path) -> None:
    """Every point gets as many seeds as its mean needs, the same for all policies."""
    (tmp_path / "model.py").write_text(SPREAD)
    scenario = Scenario.from_text(PRECISE, folder=tmp_path)
    seen = []
    found = sweep(scenario, tmp_path / "here", processes=1, progress=seen.append)
    counts = found.table.groupby(["model.spread", "policy"])["seed"].agg(["count", "max"])
    assert (counts["count"] == counts["max"]).all()
    assert counts["count"].tolist() == [4, 4, 4, 4, 30, 30]
    assert seen[-1].done == seen[-1].runs == len(found) == 76
    with ThreadPoolExecutor(3) as threads:
        sweep(scenario, tmp_path / "threads", executor=threads)
    assert content(tmp_path / "threads") == content(tmp_path / "here")
    again = sweep(scenario, tmp_path / "here", processes=1)
    assert len(again) == 76


def test_the_precision_is_reached_where_it_can_be(tmp_path: Path) -> None:
    """Where fewer seeds than the most are run, the half width is as wanted."""
    from thinktime.analysis.statistics import mean

    (tmp_path / "model.py").write_text(SPREAD)
    scenario = Scenario.from_text(
        PRECISE.replace("[0.01, 0.1, 50.0]", "[3.0, 5.0]").replace("most = 30", "most = 500"), folder=tmp_path
    )
    found = sweep(scenario, tmp_path / "out", processes=1).table
    for _, values in found.groupby(["model.spread", "policy"])["wait"]:
        centre, half = mean(values.to_numpy())
        assert 4 < len(values) < 500
        assert half <= abs(centre) * 0.2 / 1.2
