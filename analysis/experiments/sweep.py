"""Sweeps: all runs of a scenario, on any executor, written as they end, resumed where they stopped.

The caller's process alone writes, one transaction per run. Results do not depend on the executor, the number of
workers or the order, and memory does not grow with the number of runs.
"""

from __future__ import annotations

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

from thinktime.analysis.experiments import plan, precision, workers
from thinktime.analysis.experiments.integrity import ChangedResults, told
from thinktime.analysis.experiments.run import Task, need_parquet
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.store import SCENARIO, Identity, Store, dumps
from thinktime.analysis.experiments.sweep_results import Sweep
from thinktime.analysis.parallel import cores
from thinktime.models.policies import from_spec
from thinktime.models.warm_up import prepare

PACKAGES = ("thinktime", "simpy", "numpy", "numba", "scipy", "pandas", "pydantic")
WINDOW = 64
"""Runs handed out at a time to an executor whose number of workers is not known."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a sweep is."""

    runs: int
    """How many there are in all."""
    done: int
    """How many are finished, those of earlier sweeps included."""
    running: int
    failed: int
    resumed: int
    """How many were finished before this sweep began."""
    changed: int = 0
    """How many stored results were changed since they were written, so that their runs are made again."""


Progress = Callable[[Standing], None]


def sweep(
    scenario: Scenario,
    out: str | Path,
    *,
    processes: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Make all runs of a scenario that the folder ``out`` does not have yet, and open it.

    Runs are made by ``processes`` on this computer (default: one per core; 1: this process alone), or by any
    ``executor`` of `concurrent.futures`: Dask's ``Client(…).get_executor()``, mpi4py's ``MPIPoolExecutor``. A
    run that fails is recorded and does not stop the others; the next sweep tries it again. A full disk, too little
    memory and a lost Dask scheduler end the sweep with an ``OSError`` of one sentence; another call goes on. Where
    stored results were changed since they were written, their runs are made again, with a warning. ``progress`` is
    called with a `Standing` whenever something has changed. ``ValueError`` if the folder holds runs that the
    scenario does not ask for: an enlarged scenario goes on in its folder, a changed one needs another.
    """
    folder = Path(out)
    if scenario.outputs.jobs:
        need_parquet()
    scenario.check()
    for _ in plan.runs(scenario):
        pass  # what cannot be planned, such as a log that is not there, is told before anything is written
    with told(folder):
        _swept(scenario, folder, processes or cores(), executor, progress or (lambda standing: None))
        found = Sweep(folder)
        found.write_table()
    return found


def _swept(scenario: Scenario, folder: Path, hands: int, executor: Executor | None, tell: Progress) -> None:
    """Make the missing runs and write them."""
    more: dict[int, int] = {}
    with Store(folder, meta(scenario)) as store:
        _refuse_strangers(scenario, store)
        (folder / SCENARIO).write_text(scenario.text, encoding="utf-8")
        standing = _standing(scenario, store, more)
        tell(standing)
        store.begin(_now(), socket.gethostname(), _name(executor, hands), hands, versions())
        store.forget_failures(plan.runs(scenario, precision.most(scenario)))
        while True:
            for outcome, running in _ended(scenario, store, more, hands, executor):
                store.add(outcome)
                standing = _after(standing, outcome.metrics is not None, min(running, hands))
                tell(standing)
            if not (needed := precision.needed(scenario, store, more)):
                break
            more |= needed
            standing = replace(standing, runs=plan.count(scenario, more))
        store.end(_now())
        store.seal()


def meta(scenario: Scenario) -> dict[str, str]:
    """What the folder says of itself."""
    lists = {
        "parameters": plan.parameters(scenario),
        "metrics": scenario.all_metrics,
        "policies": scenario.policies,
    }
    described = {name: dumps(list(each)) for name, each in lists.items()}
    return {"thinktime": version("thinktime"), "scenario": dumps(scenario.content()), **described}


def versions() -> dict[str, str]:
    """The versions that a result can depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def _standing(scenario: Scenario, store: Store, more: dict[int, int]) -> Standing:
    """How far the sweep is before anything is run."""
    known = sum(store.has(run) for run in plan.runs(scenario, more))
    if store.changed:
        warnings.warn(
            f"{len(store.changed)} results in {store.folder} were changed since they were written, such as "
            f"{min(store.changed)!r}; they are made again",
            ChangedResults,
            stacklevel=4,
        )
    return Standing(plan.count(scenario, more), known, 0, 0, known, len(store.changed))


def _refuse_strangers(scenario: Scenario, store: Store) -> None:
    """Refuse a folder with runs that the scenario does not ask for."""
    allowed = precision.most(scenario)
    strange = store.finished - sum(store.has(run) for run in plan.runs(scenario, allowed))
    if not strange:
        return
    wanted = {run.key: run.digest for run in plan.runs(scenario, allowed)}
    stranger = next(
        key for key in store.all_keys() if key not in wanted or not store.has_digest(key, wanted[key])
    )
    what = "made with other settings" if stranger in wanted else "not asked for here"
    raise ValueError(
        f"{store.folder} holds {strange} runs of another scenario, such as {stranger!r}, which is {what}; "
        "give another folder"
    )


def _ended(
    scenario: Scenario, store: Store, more: dict[int, int], hands: int, executor: Executor | None
) -> workers.Ended:
    """The outcomes of the missing runs, as they end."""
    text, folder = dumps(scenario.content()), str(scenario.folder)
    missing = list(itertools.islice(_missing(scenario, store, more), hands))
    if not missing:
        return iter(())
    tasks = (Task(run, text, folder) for run in _missing(scenario, store, more))
    if executor is not None:
        return workers.through(executor, tasks, max(WINDOW, workers.AHEAD * hands))
    _compile(scenario)
    hands = min(hands, len(missing))
    return workers.here(tasks) if hands == 1 else workers.by_processes(tasks, hands)


def _missing(scenario: Scenario, store: Store, more: dict[int, int]) -> Iterator[Identity]:
    return (run for run in plan.runs(scenario, more) if not store.has(run))


def _compile(scenario: Scenario) -> None:
    """Compile the kernels here, once, before any worker needs them."""
    if scenario.model is None:
        for policy in scenario.policies:
            prepare(
                from_spec(scenario.located(policy)), scenario.machine.overrun, nodes=scenario.machine.of_nodes
            )


def _after(before: Standing, finished: bool, running: int) -> Standing:
    done, failed = before.done + finished, before.failed + (not finished)
    return replace(before, done=done, running=running, failed=failed)


def _name(executor: Executor | None, hands: int) -> str:
    if executor is not None:
        return type(executor).__name__
    return "processes" if hands > 1 else "this process"


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
