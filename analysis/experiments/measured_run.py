"""One run: a pure function of the scenario, a policy and a seed.

`RunTask.perform` simulates and reduces the result to metrics and small curves. If anything goes wrong, it records the
error. Workers receive a `RunTask` of plain values only.
"""

import datetime
import io
import json
import os
import socket
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from thinktime.analysis import series
from thinktime.analysis.experiments import kept_batches, observed
from thinktime.analysis.experiments.integrity import described
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.scenario_begin import begun
from thinktime.analysis.experiments.scenario_sources import lacks_of, machine_of, sources_of
from thinktime.analysis.experiments.store import Circumstances, Identity, StoredOutcome, dumps
from thinktime.analysis.experiments.window import Measured, finite
from thinktime.analysis.response_times import waits
from thinktime.analysis.statistics import mser5
from thinktime.models.orders.scripts import member
from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.models.results.windowed import window_of
from thinktime.users.run import run
from thinktime.workloads.names import quoted

LEVELS = (*(round(0.05 * i, 2) for i in range(20)), 0.98, 0.99, 1.0)
"""The levels of the quantiles stored for a run."""
ELAPSED = tuple(float(f"{10 ** (k / 12):.4g}") for k in range(7 * 12 + 1))
"""The times since submission (s) at which the share still waiting is stored: 1 s to four months."""
BINS = 60
"""The maximum number of time bins stored for a run."""


@dataclass(frozen=True, slots=True)
class RunTask:
    """A run as sent to a worker."""

    run: Identity
    scenario: str
    """The scenario as JSON."""
    folder: str
    """The folder of the scenario's files."""

    def perform(self) -> StoredOutcome:
        """Make a run; errors inside it are recorded, not raised."""
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        begin = time.perf_counter()
        result: Any = None
        found: dict[str, Any]
        try:
            scenario = _resolved(self.scenario, self.folder, dumps(self.run.parameters))
            result = simulate(scenario, self.run.policy, self.run.seed)
            found = reduced(scenario, result, lacks_of(scenario, self.run.seed))
            if scenario.outputs.jobs and isinstance(result, Result):
                found["jobs"] = parquet(result)
        except Exception as error:
            found = {"error": _line(error), "traceback": _traceback(error)}
        how = Circumstances(
            host=socket.gethostname(),
            pid=os.getpid(),
            started=started,
            seconds=time.perf_counter() - begin,
            simulation_seconds=getattr(result, "simulation_seconds", None),
            jobs=len(result) if isinstance(result, Result) else 0,
        )
        return StoredOutcome(self.run, circumstances=how, **found)

    def lost(self, error: str, traceback: str) -> StoredOutcome:
        """A failed run: its worker was lost."""
        return StoredOutcome(self.run, error=error, traceback=traceback)


def reduced(scenario: Scenario, result: Result | Mapping[str, float], lacks: Sequence[str] = ()) -> dict[str, Any]:
    """The metrics of a result, their observations, the curves and, if nothing is random, the batches.

    If the user's own model returned numbers, only those listed as metrics. ``lacks`` is what fitted users do beyond
    their model.
    """
    if not isinstance(result, Result):
        unknown = [name for name in scenario.metrics if name not in result]
        if unknown:
            raise ValueError(f"the model returns no {quoted(unknown[0])}, only {', '.join(map(str, result))}")
        return {"metrics": {name: finite(result[name]) for name in scenario.metrics}}
    measured = window(scenario, result)
    metrics = {each.name: each(measured) for each in scenario.measures}
    return {
        "metrics": metrics,
        "observed": observed.kept(
            {each.name: each.made_of(measured) for each in scenario.measures if each.made_of}, measured, lacks
        ),
        "series": curves(measured) if scenario.outputs.series else {},
        "batches": {} if scenario.random else kept_batches.kept(scenario.measures, measured),
    }


def window(scenario: Scenario, result: Result) -> Measured:
    """The part of a result that is measured: the scenario's window, or what its warm-up and cool-down leave."""
    if scenario.measure_from is not None or scenario.measure_to is not None:
        return Measured(result, *window_of(scenario.measure_from, scenario.measure_to, result))
    if not len(result):
        return Measured(result)
    submit = result["submit"]
    origin = 0.0 if scenario.users else float(submit.min())
    end = origin + scenario.horizon if scenario.horizon is not None else float(submit.max())
    first = mser5_start(result) if scenario.warm_up == "mser5" else origin + scenario.warm_up
    last = end - scenario.cool_down if scenario.cool_down else np.inf
    return Measured(result, first if scenario.warm_up else -np.inf, last)


def mser5_start(result: Result) -> float:
    """When the first job that MSER-5 keeps is submitted (s); MSER-5 is applied to waits in order of submission."""
    rows = np.flatnonzero(measures.ended(result))
    rows = rows[np.argsort(result["submit"][rows], kind="stable")]
    waits = measures.wait(result)[rows]
    drop = mser5(waits).drop
    return float(result["submit"][rows[drop]]) if drop else -np.inf


def curves(measured: Measured) -> dict[str, list[float | None]]:
    """The small curves stored for a run, see `Sweep.series`."""
    wait = measured.values("wait", measures.wait)
    slowdown = measured.values("bounded_slowdown_10", lambda result: measures.bounded_slowdown(result, 10.0))
    start, end = measures.window(measured.result)
    kept: dict[str, Any] = {}
    if len(wait):
        kept |= {"quantiles": LEVELS, "wait": np.quantile(wait, LEVELS)}
        kept["bounded_slowdown_10"] = np.quantile(slowdown, LEVELS)
    if end > start:
        edges = series.bins(start, end, BINS)
        used = series.processors_in_use(measured.result).mean(edges) / measured.result.processors
        queued = series.processors_queued(measured.result).mean(edges)
        kept |= {"time": edges, "utilization": used, "queued_processors": queued}
    if len(measured.jobs):
        kept["waiting_jobs"] = waits(measured.jobs).kaplan_meier().at(ELAPSED)
    return {name: [finite(f"{value:.6g}") for value in values] for name, values in kept.items()}


def need_parquet() -> None:
    """Raise ``ValueError`` if Parquet files cannot be written."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ValueError("outputs.jobs needs pyarrow: pip install 'thinktime[parquet]'") from None


def parquet(result: Result) -> bytes:
    """The table of jobs as a Parquet file."""
    need_parquet()
    target, table = io.BytesIO(), result.jobs
    labels = {name: "string" for name, kind in table.dtypes.items() if kind.kind == "O"}
    table.astype(labels).to_parquet(target, engine="pyarrow", compression="zstd", index=False)
    return target.getvalue()


@lru_cache(maxsize=8)
def _resolved(text: str, folder: str, parameters: str) -> Scenario:
    """The scenario of a point, cached because the runs of a point follow each other."""
    scenario = Scenario.model_validate_json(text)
    scenario._folder = Path(folder)
    return scenario.resolved(json.loads(parameters))


def _line(error: Exception) -> str:
    if isinstance(error, MemoryError) and not str(error):
        error = MemoryError("there was not enough memory for this run")
    return described(error)


def _traceback(error: Exception) -> str:
    """The traceback, with paths inside the package relative to its root."""
    text = "".join(traceback.format_exception(error))
    root = str(Path(__file__).resolve().parents[2])
    return text.replace(f"{root}{os.sep}", "")


def simulate(scenario: Scenario, policy: str, seed: int, *, reasons: bool = False) -> Any:
    """Simulate a scenario, ignoring its sweep: a `Result` (with ``reasons``), or what the user's own model returns."""
    if scenario.model is not None:
        path, _, name = scenario.located(scenario.model.function).rpartition(":")
        options = dict(scenario.model.model_extra or {})
        return member(path, name)(policy=policy, seed=seed, **options)
    jobs, users = sources_of(scenario, seed)
    until = scenario.horizon
    if until is not None and jobs and not users:
        until += float(jobs[0].trace.submit[0])
    machine, jobs = begun(scenario, replace(machine_of(scenario, policy, seed), reasons=reasons), jobs)
    return run(machine, *jobs, *users, until=until)
