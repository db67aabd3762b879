"""Sweeps: all runs of a scenario, on any executor, stored as they end, resumed after an interruption.

Only the caller's process writes, with one transaction per run. Results do not depend on the executor, the number of
workers or the order of the runs, and memory does not grow with their number.
"""

import datetime
import itertools
import platform
import socket
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from thinktime.analysis.experiments import plan, workers
from thinktime.analysis.experiments.integrity import ChangedResults, plain_errors
from thinktime.analysis.experiments.measured_run import RunTask, need_parquet
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.store import SCENARIO, Identity, Store, StoredOutcome, dumps
from thinktime.analysis.experiments.sweep_results import Sweep
from thinktime.analysis.parallel import cores

PACKAGES = ("thinktime", "simpy", "numpy", "scipy", "pandas", "pydantic")
WINDOW = 64
"""Runs submitted at a time to an executor whose number of workers is unknown."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The progress of a sweep, in numbers of runs."""

    runs: int
    """The runs of the whole sweep."""
    done: int
    """Finished runs, including those of earlier sweeps."""
    running: int
    failed: int
    resumed: int
    """Runs finished before this sweep began."""
    changed: int = 0
    """Runs to be repeated because their stored results were changed."""


Progress = Callable[[Standing], None]


def sweep(
    scenario: Scenario,
    out: str | Path,
    *,
    processes: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Make all runs of a scenario that are missing in the folder ``out``, and return the results.

    Runs are made by ``processes`` on this computer (default: one per core; 1: this process alone), or by any
    ``executor`` of `concurrent.futures`, such as Dask's ``Client(…).get_executor()`` or mpi4py's ``MPIPoolExecutor``.
    ``progress`` is called with a `Standing` after every change.

    A run that fails is recorded, does not stop the others, and is tried again by the next sweep. If stored results
    were changed after they were written, their runs are repeated, with a warning. A full disk, a lack of memory or a
    lost Dask scheduler raises ``OSError``; another call resumes the sweep. ``ValueError`` is raised if the folder
    holds runs that are not part of the scenario: a scenario with more runs can reuse its folder, a changed one cannot.
    """
    folder = Path(out)
    if scenario.outputs.jobs:
        need_parquet()
    scenario.check()
    plan.check(scenario)  # before anything is written
    with plain_errors(folder):
        _swept(scenario, folder, processes or cores(), executor, progress or (lambda standing: None))
        found = Sweep(folder)
        found.write_table()
    return found


def _swept(scenario: Scenario, folder: Path, processes: int, executor: Executor | None, tell: Progress) -> None:
    more: dict[int, int] = {}
    with Store(folder, meta(scenario)) as store:
        _refuse_other_runs(scenario, store)
        (folder / SCENARIO).write_text(scenario.text, encoding="utf-8")
        standing = _standing(scenario, store, more)
        tell(standing)
        store.begin(_now(), socket.gethostname(), _name(executor, processes), processes, versions())
        store.forget_failures(plan.runs(scenario, plan.most_seeds(scenario)))
        while True:
            for outcome, running in _ended(scenario, store, more, processes, executor):
                store.add(outcome)
                standing = _after(standing, outcome.metrics is not None, min(running, processes))
                tell(standing)
            if not (needed := plan.needed(scenario, store, more)):
                break
            more |= needed
            standing = replace(standing, runs=plan.count(scenario, more))
        store.end(_now())
        store.seal()


def meta(scenario: Scenario) -> dict[str, str]:
    """The description of the sweep that is stored with its results."""
    return {
        "thinktime": version("thinktime"),
        "scenario": dumps(scenario.content()),
        "parameters": dumps(scenario.sweep.parameters),
        "metrics": dumps(scenario.all_metrics),
        "policies": dumps(scenario.policies),
    }


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that results may depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def _standing(scenario: Scenario, store: Store, more: dict[int, int]) -> Standing:
    known = sum(store.has(run) for run in plan.runs(scenario, more))
    if store.changed:
        warnings.warn(
            f"{len(store.changed)} results in {store.folder} were changed after they were written, such as "
            f"{min(store.changed)!r}; their runs are repeated",
            ChangedResults,
            stacklevel=4,
        )
    return Standing(plan.count(scenario, more), known, 0, 0, known, len(store.changed))


def _refuse_other_runs(scenario: Scenario, store: Store) -> None:
    allowed = plan.most_seeds(scenario)
    strange = store.finished - sum(store.has(run) for run in plan.runs(scenario, allowed))
    if not strange:
        return
    wanted = {run.key: run for run in plan.runs(scenario, allowed)}
    stranger = next(key for key in store.all_keys() if key not in wanted or not store.has(wanted[key]))
    what = "made with other settings" if stranger in wanted else "not part of this one"
    raise ValueError(
        f"{store.folder} holds {strange} runs of another scenario, such as {stranger!r}, which is {what}; "
        "give another folder"
    )


def _ended(
    scenario: Scenario, store: Store, more: dict[int, int], processes: int, executor: Executor | None
) -> workers.Ended[StoredOutcome]:
    text, folder = dumps(scenario.content()), str(scenario.folder)
    missing = list(itertools.islice(_missing(scenario, store, more), processes))
    if not missing:
        return iter(())
    tasks = (RunTask(run, text, folder) for run in _missing(scenario, store, more))
    if executor is not None:
        return workers.through(executor, tasks, max(WINDOW, workers.AHEAD * processes))
    processes = min(processes, len(missing))
    return workers.here(tasks) if processes == 1 else workers.by_processes(tasks, processes)


def _missing(scenario: Scenario, store: Store, more: dict[int, int]) -> Iterator[Identity]:
    return (run for run in plan.runs(scenario, more) if not store.has(run))


def _after(before: Standing, finished: bool, running: int) -> Standing:
    done, failed = before.done + finished, before.failed + (not finished)
    return replace(before, done=done, running=running, failed=failed)


def _name(executor: Executor | None, processes: int) -> str:
    if executor is not None:
        return type(executor).__name__
    return "processes" if processes > 1 else "this process"


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
