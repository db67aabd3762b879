"""Experiments: a scenario describes what is simulated, a sweep runs it many times, a folder holds the results.

* `scenario` (with `sections`, `reactions`, `faults`): the contents of a scenario, from a file or from Python
* `metrics` (with `users_view`, `window`): the numbers computed from each run
* `measured_run` (with `scenario_sources`): one run, a function of scenario, policy, parameters and seed
* `plan`, `sweep`, `workers`: all runs, on any executor of `concurrent.futures`
* `store`, `folder`: writing and reading the folder of results
* `comparisons` (with `against_baseline`, `metric_units`): means with intervals, and differences from a baseline
* `sweep_results`: the results as a `Sweep`
"""

from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.sweep import sweep
from thinktime.analysis.experiments.sweep_results import Sweep
from thinktime.workloads.lazy import import_on_demand

__all__ = ["Scenario", "Sweep", "sweep"]

import_on_demand(__name__)
