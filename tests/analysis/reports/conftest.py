"""Sweeps to report on: one of simulations, one of numbers that are known beforehand, with runs that fail."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.analysis.reports.known_numbers import known_numbers
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


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """A small sweep of simulations: two loads, three policies, four seeds."""
    return sweep(Scenario.from_text(SIMULATED), tmp_path_factory.mktemp("simulated") / "out", processes=1)


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """A sweep of known numbers, in which one run fails."""
    return known_numbers(tmp_path_factory.mktemp("known"))


@pytest.fixture
def swept(tmp_path: Path) -> Callable[[str], Sweep]:
    """Give a function that runs the known numbers with other settings."""
    return partial(known_numbers, tmp_path)
