"""The expectations paper's study (section 4): FIFO and backfilling, each with and without fairshare, on a site's log.

The log is replayed on the machine (of nodes, if it is described) under the four schedulers, and every schedule is
held against the same expectations: one capacity for all, chosen from the log's own schedule where it has one. What
the paper leaves open stands in the sensitivity table: how many EETs are violated if users expect something else,
or if they are judged in another way. That needs no other simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from thinktime.analysis.expectations.batches import as_batches, batch_numbers
from thinktime.analysis.expectations.capacity import Capacity, Chosen
from thinktime.analysis.expectations.evaluate import Expectations, chosen_for, evaluate
from thinktime.analysis.expectations.recorded import recorded_result
from thinktime.analysis.studies.parallel import Progress, in_parallel
from thinktime.models.result import Result
from thinktime.users.node_replay import replay_on_nodes
from thinktime.users.replay import replay
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.trace import Trace

POLICIES = {
    "fcfs": "FIFO",
    "none:order=fairshare": "FIFO with fairshare",
    "easy": "backfilling",
    "easy:order=fairshare": "backfilling with fairshare",
}
"""The paper's schedulers by ours."""


@dataclass(frozen=True, slots=True)
class Task:
    """One replay."""

    trace: Trace
    processors: int
    nodes: Nodes | None
    log: NodeLog | None
    policy: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the sensitivity table: what differs; violated EETs (%) and upper quartile of VEET by policy."""

    changed: str
    violated: dict[str, float]
    upper_quartile: dict[str, float]


@dataclass(frozen=True, slots=True)
class Study:
    """All that came out."""

    expectations: dict[str, Expectations]
    """By policy."""
    recorded: Expectations | None
    """The log's own schedule, where it has one."""
    in_use: dict[str, float]
    """The part of the processors in use between the first and the last submission."""
    sensitivity: list[Row]


def run_study(
    trace: Trace,
    processors: int,
    nodes: Nodes | None = None,
    log: NodeLog | None = None,
    capacity: Capacity | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Replay under the four policies and compare."""
    memory = (nodes.total("memory") or None) if nodes else None
    tasks = [Task(trace, processors, nodes, log, policy) for policy in POLICIES]
    results = dict(zip(POLICIES, in_parallel(schedule, tasks, workers, progress), strict=True))
    history = recorded_result(trace, processors, log) if np.isfinite(trace.wait).any() else None
    rule = capacity or Capacity()
    first = results["fcfs"] if history is None else history
    where = " under FIFO" if history is None else " in the log's own schedule"
    chosen = chosen_for(first, rule, memory, where)
    expected = {policy: evaluate(result, chosen, memory) for policy, result in results.items()}
    return Study(
        expectations=expected,
        recorded=None if history is None else evaluate(history, chosen, memory),
        in_use={policy: in_use(jobs) for policy, jobs in expected.items()},
        sensitivity=_sensitivity(results, first, chosen, memory),
    )


def schedule(task: Task) -> Result:
    """The schedule of one policy."""
    if task.nodes is None:
        return replay(task.trace, task.policy, task.processors)
    return replay_on_nodes(task.trace, task.policy, task.nodes, log=task.log)


def in_use(jobs: Expectations) -> float:
    """The part of the processors in use from the first to the last submission."""
    first, last = float(jobs.submit.min()), float(jobs.submit.max())
    held = np.clip(np.minimum(jobs.end, last) - np.maximum(jobs.start, first), 0.0, None)
    span = (last - first) * jobs.machine[0]
    return float(held @ jobs.processors) / span if span > 0 else np.nan


def _sensitivity(results: dict[str, Result], first: Result, chosen: Chosen, memory: int | None) -> list[Row]:
    """Other expectations of the same schedules."""

    def times(factor: float) -> Chosen:
        more = None if chosen.memory is None else max(1, round(chosen.memory * factor))
        return replace(chosen, processors=max(1, round(chosen.processors * factor)), memory=more)

    choices: list[tuple[str, Chosen, float]] = [
        ("nothing", chosen, 0.0),
        ("half the capacity", times(0.5), 0.0),
        ("twice the capacity", times(2.0), 0.0),
        ("four times the capacity", times(4.0), 0.0),
        ("machine by all users", chosen_for(first, Capacity("users"), memory), 0.0),
        ("less after much usage", replace(chosen, half_life=86_400.0), 0.0),
        ("tolerance 5 min", chosen, 300.0),
    ]
    if chosen.memory is not None:
        choices.insert(5, ("processors only", replace(chosen, memory=None), 0.0))
    rows = [
        _row(
            changed, {policy: evaluate(result, each, memory, tolerance) for policy, result in results.items()}
        )
        for changed, each, tolerance in choices
    ]
    plain = {policy: evaluate(result, chosen, memory) for policy, result in results.items()}
    batches = {policy: as_batches(jobs, batch_numbers(jobs)) for policy, jobs in plain.items()}
    return [*rows, _row("one EET per batch", batches)]


def _row(changed: str, found: dict[str, Expectations]) -> Row:
    return Row(
        changed,
        {policy: 100.0 * float(jobs.violated.mean()) for policy, jobs in found.items()},
        {policy: float(jobs.users()["veet"].quantile(0.75)) for policy, jobs in found.items()},
    )


def heavy_part(jobs: Expectations, heavy: Sequence[str]) -> float:
    """Of the time that EETs are violated (summed over jobs), the part that is of these users."""
    table = jobs.users()
    total = float(table["tardiness"].sum())
    mine = float(table.loc[table.index.isin(heavy), "tardiness"].sum())
    return mine / total if total else np.nan
