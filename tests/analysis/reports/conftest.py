"""Sweeps to report on: one of simulations, one of numbers that are known beforehand, with runs that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from thinktime.analysis.experiments import Scenario, Sweep, sweep

SIMULATED = """
name = "Two loads & three policies"
description = "Lublin's model <b>at two loads</b>."
policies = ["fcfs", "easy", "conservative"]
metrics = ["jobs", "killed", "mean_wait", "p95_wait", "mean_bounded_slowdown_10", "utilization", "mean_user_mean_wait"]
replications = 4
warm_up = "2 h"
[machine]
processors = 32
[workload]
recipe = "lublin"
jobs = 80
[sweep.grid]
"workload.load" = [0.6, 0.9]
"""

MODEL = '''
def numbers(policy, seed, factor=1):
    """Numbers that are known: a shared luck, and what the policy makes of it."""
    luck = [3, 7, 4, 9, 6][seed - 1]
    if policy == "sjf" and seed == 2:
        raise RuntimeError("<script>alert('& luck')</script>")
    extra = {"fcfs": 0, "easy": -2 - 0.1 * luck, "sjf": 0.5 * (-1) ** seed}[policy]
    return {"mean_wait": 3600.0 * factor * (10 + luck + extra), "utilization": 0.5 + 0.01 * luck, "score": 1.0 * seed}
'''

KNOWN = """
name = "Known numbers"
policies = ["fcfs", "easy", "sjf"]
metrics = ["mean_wait", "utilization", "score"]
replications = 5
[model]
function = "model.py:numbers"
"""


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """A small sweep of simulations: two loads, three policies, four seeds."""
    return sweep(Scenario.from_text(SIMULATED), tmp_path_factory.mktemp("simulated") / "out", processes=1)


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """A sweep of known numbers, in which one run fails."""
    folder = tmp_path_factory.mktemp("known")
    (folder / "model.py").write_text(MODEL)
    return sweep(Scenario.from_text(KNOWN, folder=folder), folder / "out", processes=1)


@pytest.fixture
def swept(tmp_path: Path):
    """Give a function that runs the known numbers with other settings."""

    def run(text: str) -> Sweep:
        (tmp_path / "model.py").write_text(MODEL)
        return sweep(Scenario.from_text(text, folder=tmp_path), tmp_path / "out", processes=1)

    return run
