"""The expectations paper's study (section 4): FIFO and backfilling, each with and without fairshare, on a site's log.

The log is replayed on the machine (of nodes, if it is described) under the four schedulers, and every schedule is
held against the same expectations: one capacity for all, chosen from the log's own schedule where it has one. What
the paper leaves open is varied one by one, and every finding is judged under each variant: how many EETs are
violated if users expect something else, or if they are judged in another way (the same schedules), and on smaller
machines, which bear a higher load (`expectations_machines`; new schedules, and capacities of that machine).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from thinktime.analysis.expectations.batches import as_batches, batch_numbers
from thinktime.analysis.expectations.capacity import Capacity, Chosen
from thinktime.analysis.expectations.evaluate import Expectations, chosen_for, evaluate
from thinktime.analysis.expectations.recorded import recorded_result
from thinktime.analysis.papers.expectations.machines import Site, site_of, sites
from thinktime.analysis.papers.expectations.printed import POLICIES
from thinktime.analysis.parallel import Progress, in_parallel
from thinktime.models.results.result import Result
from thinktime.users.replay import replay
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.trace import Trace

Schedules = dict[str, Result]


@dataclass(frozen=True)
class Variant:
    """The four schedulers under one assumption."""

    changed: str
    """What differs from the study's own assumptions."""
    short: str
    """The same for the head of a column."""
    expectations: dict[str, Expectations]
    """By policy."""
    load: float
    """Offered load of the machine, as a part of 1."""
    dropped: int
    """Jobs of the log that the machine cannot hold."""

    @property
    def in_use(self) -> dict[str, float]:
        """By policy, the part of the processors in use between the first and the last submission."""
        return {policy: in_use(jobs) for policy, jobs in self.expectations.items()}

    def violated(self, policy: str) -> float:
        """Violated EETs, % of all jobs."""
        return 100.0 * float(self.expectations[policy].violated.mean())

    def upper_quartile(self, policy: str) -> float:
        """The upper quartile of VEET over users, %."""
        return float(self.expectations[policy].users()["veet"].quantile(0.75))


@dataclass(frozen=True)
class Study:
    """All that came out; the study's own assumptions come first among the judgements and among the sizes."""

    recorded: Expectations | None
    """The log's own schedule, where it has one."""
    judgements: list[Variant]
    """The same schedules, judged in other ways."""
    sizes: list[Variant]
    """Other machines."""

    @property
    def own(self) -> Variant:
        """The study's own assumptions."""
        return self.judgements[0]

    @property
    def expectations(self) -> dict[str, Expectations]:
        """Those of the study's own assumptions, by policy."""
        return self.own.expectations


@dataclass(frozen=True, slots=True)
class Task:
    """One replay."""

    site: Site
    policy: str


def run_study(
    trace: Trace,
    processors: int,
    nodes: Nodes | None = None,
    log: NodeLog | None = None,
    capacity: Capacity | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    sizes: Sequence[str] | None = None,
) -> Study:
    """Replay under the four policies, on the machine and on other sizes of it, and compare.

    ``sizes`` are those of `expectations_machines.sites` (an empty list for none).
    """
    base = site_of(trace, processors, nodes, log)
    machines = [base, *sites(base, sizes)]
    tasks = [Task(site, policy) for site in machines for policy in POLICIES]
    found = iter(in_parallel(schedule, tasks, workers, progress))
    results = [{policy: next(found) for policy in POLICIES} for _ in machines]
    rule = capacity or Capacity()
    chosen = [_chosen(site, schedules, rule) for site, schedules in zip(machines, results, strict=True)]
    own = _variant("nothing", "own", base, results[0], chosen[0])
    others = [
        _variant(_sized(site), site.size, site, schedules, units)
        for site, schedules, units in list(zip(machines, results, chosen, strict=True))[1:]
    ]
    history = _history(base)
    return Study(
        recorded=None if history is None else evaluate(history, chosen[0]),
        judgements=[own, *_judgements(base, results[0], chosen[0])],
        sizes=[replace(own, changed=_sized(base), short=base.size), *others],
    )


def schedule(task: Task) -> Result:
    """The schedule of one policy."""
    site = task.site
    if site.nodes is None:
        return replay(site.trace, task.policy, site.processors)
    return replay(site.trace if site.log is None else site.log, task.policy, nodes=site.nodes)


def in_use(jobs: Expectations) -> float:
    """The part of the processors in use from the first to the last submission."""
    first, last = float(jobs.submit.min()), float(jobs.submit.max())
    held = np.clip(np.minimum(jobs.end, last) - np.maximum(jobs.start, first), 0.0, None)
    span = (last - first) * jobs.machine["processors"]
    return float(held @ jobs.processors) / span if span > 0 else nan


def _history(site: Site) -> Result | None:
    """The log's own schedule, as if it had been on this machine; None where the log has none."""
    if not np.isfinite(site.trace.wait).any():
        return None
    return recorded_result(site.trace, site.processors, site.log)


def _chosen(site: Site, schedules: Schedules, rule: Capacity) -> Chosen:
    history = _history(site)
    if history is None:
        return chosen_for(schedules["fcfs"], rule, where=" under FIFO")
    return chosen_for(history, rule, where=" in the log's own schedule")


def _variant(
    changed: str,
    short: str,
    site: Site,
    schedules: Schedules,
    chosen: Chosen,
    tolerance: float = 0.0,
    judged: Callable[[Expectations], Expectations] = lambda jobs: jobs,
) -> Variant:
    expected = {
        policy: judged(evaluate(result, chosen, tolerance=tolerance)) for policy, result in schedules.items()
    }
    return Variant(changed, short, expected, site.load, site.dropped)


def _sized(site: Site) -> str:
    return f"{site.size} {'processors' if site.nodes is None else 'nodes'}"


def _judgements(site: Site, schedules: Schedules, chosen: Chosen) -> list[Variant]:
    """Other expectations of the same schedules."""
    by_all = _chosen(site, schedules, Capacity("users"))
    choices = [
        ("half the capacity", "half", _times(chosen, 0.5), 0.0),
        ("twice the capacity", "twice", _times(chosen, 2.0), 0.0),
        ("four times the capacity", "× 4", _times(chosen, 4.0), 0.0),
        ("machine by all users", "all\nusers", by_all, 0.0),
        ("less after much usage", "after\nuse", replace(chosen, half_life=86_400.0), 0.0),
        ("tolerance 5 min", "5 min", chosen, 300.0),
    ]
    if len(chosen.amounts) > 1:
        alone = replace(chosen, amounts={"processors": chosen.processors})
        choices.insert(4, ("processors only", "proc.\nonly", alone, 0.0))
    found = [
        _variant(changed, short, site, schedules, each, tolerance)
        for changed, short, each, tolerance in choices
    ]
    return [*found, _variant("one EET per batch", "batch", site, schedules, chosen, judged=_by_batch)]


def _by_batch(jobs: Expectations) -> Expectations:
    return as_batches(jobs, batch_numbers(jobs))


def _times(chosen: Chosen, factor: float) -> Chosen:
    amounts = {name: max(1, round(units * factor)) for name, units in chosen.amounts.items()}
    return replace(chosen, amounts=amounts)


def heavy_part(jobs: Expectations, heavy: Sequence[str]) -> float:
    """Of the time that EETs are violated (summed over jobs), the part that is of these users."""
    table = jobs.users()
    total = float(table["tardiness"].sum())
    mine = float(table.loc[table.index.isin(heavy), "tardiness"].sum())
    return mine / total if total else nan
