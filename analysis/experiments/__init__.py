"""Experiments: a scenario says what is simulated, a sweep runs it many times, a folder holds what came out.

* `scenario` (with `sections`, `quantities`, `faults`): what a scenario file, or Python, may say
* `metrics` (with `window`): the numbers that a run is reduced to
* `run` (with `sources`, `simulate`): one run, a function of scenario, policy, parameters and seed
* `plan`, `sweep`, `workers`: all runs, on any executor of `concurrent.futures`
* `store`, `folder`: the folder of results, written and read
* `comparisons` (with `against_baseline`, `metric_units`): means with intervals, and differences from the baseline
* `sweep_results`: all of this as a `Sweep`
"""

from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.sweep import sweep
from thinktime.analysis.experiments.sweep_results import Sweep
from thinktime.workloads.lazy import import_on_demand

__all__ = ["Scenario", "Sweep", "sweep"]

import_on_demand(__name__)
