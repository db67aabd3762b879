"""The results of stored runs, made again: a sweep keeps numbers of its runs, and a run is a function of its scenario.

Whether a run is the stored one is told by its digest, the hash of everything that it depends on: settings, logs, and
scripts. Policies of the same point and seed have the same jobs, or the same users with the same random numbers.

A folder of results may come from another person, so no script that it names is imported unless the caller trusts it.
"""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from thinktime.analysis.experiments import plan
from thinktime.analysis.experiments.folder import SweepFolder
from thinktime.analysis.experiments.measured_run import simulate
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.store import Identity
from thinktime.models.orders.scripts import without_scripts
from thinktime.models.results.result import Result
from thinktime.workloads.names import key_of, quoted

CHANGED = "its log, its scripts or its settings have changed since"
TRUST = "it belongs to somebody's results; give --trust (in Python, trust=True) if you trust them"


def remade(
    sweep: SweepFolder, key: str | None = None, *, trust: bool = False, say: Callable[[str], None] = lambda _: None
) -> dict[str, Result]:
    """The results of all policies at the point and seed of a run (by default the first), with reasons, by policy.

    Relative paths of the scenario are looked up beside the folder of results, then in the current folder. Without
    ``trust``, policies that need a Python file are left out, which ``say`` is told. ``ValueError`` if there is no such
    run, if nothing is left, or if something that the runs depend on has changed.
    """
    with nullcontext() if trust else without_scripts(TRUST):
        stored = sweep.digests()
        if not stored:
            raise ValueError(f"{sweep.folder} has no finished runs; `thinktime run` with the same folder makes them")
        if key is not None and key not in stored:
            raise ValueError(f"{sweep.folder} has no finished run {quoted(key)}; {key_of(key, stored, 'its runs', 3)}")
        scenario, runs = _of_folder(sweep, stored)
        finished = [run for run in runs if run.key in stored]
        one = next((run for run in finished if key is None or run.key == key), None)
        if one is None:
            raise ValueError(f"the run {quoted(key)} in {sweep.folder} cannot be made again: {CHANGED}")
        same = [run for run in finished if run.parameters == one.parameters and run.seed == one.seed]
        if not trust:
            same = _without_scripts(sweep, scenario.resolved(one.parameters), same, say)
        return {run.policy: _made(scenario, run) for run in same}


def _without_scripts(
    sweep: SweepFolder, scenario: Scenario, runs: list[Identity], say: Callable[[str], None]
) -> list[Identity]:
    """The runs that need no Python file; ``ValueError`` if there are none."""
    everywhere = [scenario.model.function if scenario.model else "", scenario.machine.allocator or ""]
    if needed := [text for text in everywhere if ".py" in text]:
        raise ValueError(f"{sweep.folder}: {needed[0]} is not imported: {TRUST}")
    own = [run.policy for run in runs if ".py" in run.policy]
    left = [run for run in runs if run.policy not in own]
    if not left:
        raise ValueError(f"{sweep.folder}: {own[0]} is not imported: {TRUST}")
    for policy in own:
        say(f"{policy} is left out and not imported: {TRUST}")
    return left


def _of_folder(sweep: SweepFolder, stored: dict[str, str]) -> tuple[Scenario, list[Identity]]:
    """The scenario, with the folder of its files in which its runs are those that are stored, and these runs."""
    complaint = CHANGED
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
