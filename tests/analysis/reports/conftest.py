"""A sweep of simulations to report on."""

import pytest

from thinktime.analysis.experiments import Scenario, Sweep, sweep

SIMULATED = """
name = "Two loads & three policies"
description = "Lublin's model <b>at two loads</b>."
policies = ["fcfs", "easy", "conservative"]
metrics = ["jobs", "mean_wait", "utilization", "mean_user_mean_wait"]
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
