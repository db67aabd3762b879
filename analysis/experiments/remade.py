"""The results of stored runs, made again: a sweep keeps numbers of its runs, and a run is a function of its scenario.

Whether a run is the stored one is told by its digest, the hash of everything that it depends on: settings, logs, and
scripts. Policies of the same point and seed have the same jobs, or the same users with the same random numbers.
"""

from pathlib import Path

from thinktime.analysis.experiments import plan
from thinktime.analysis.experiments.folder import SweepFolder
from thinktime.analysis.experiments.measured_run import simulate
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.store import Identity
from thinktime.models.results.result import Result
from thinktime.workloads.names import key_of


def remade(sweep: SweepFolder, key: str | None = None) -> dict[str, Result]:
    """The results of all policies at the point and seed of a run (by default the first), with reasons, by policy.

    Relative paths of the scenario are looked up beside the folder of results, then in the current folder.
    ``ValueError`` if there is no such run, or something that it depends on has changed.
    """
    stored = sweep.digests()
    if not stored:
        raise ValueError(f"{sweep.folder} has no finished runs; `thinktime run` with the same folder makes them")
    if key is not None and key not in stored:
        raise ValueError(f"{sweep.folder} has no finished run {key!r}; {key_of(key, stored, 'its runs', 3)}")
    scenario, runs = _of_folder(sweep, stored)
    finished = [run for run in runs if run.key in stored]
    one = next(run for run in finished if key is None or run.key == key)
    same = [run for run in finished if run.parameters == one.parameters and run.seed == one.seed]
    return {run.policy: _made(scenario, run) for run in same}


def _of_folder(sweep: SweepFolder, stored: dict[str, str]) -> tuple[Scenario, list[Identity]]:
    """The scenario, with the folder of its files in which its runs are those that are stored, and these runs."""
    complaint = "its log, its scripts or its settings have changed since"
    for folder in dict.fromkeys((sweep.folder.absolute().parent, Path.cwd())):
        scenario = sweep.scenario
        scenario._folder = folder
        try:
            runs = list(plan.runs(scenario, plan.most_seeds(scenario)))
        except (ValueError, OSError) as error:
            complaint = str(error)
            continue
        if any(stored.get(run.key) == run.digest for run in runs):
            return scenario, [run for run in runs if stored.get(run.key) in (None, run.digest)]
    raise ValueError(f"the runs in {sweep.folder} cannot be made again: {complaint}")


def _made(scenario: Scenario, run: Identity) -> Result:
    made = simulate(scenario.resolved(run.parameters), run.policy, run.seed, reasons=True)
    if isinstance(made, Result):
        return made
    raise ValueError(f"the run {run.key!r} is one of a model of your own that returned numbers, not a result")
