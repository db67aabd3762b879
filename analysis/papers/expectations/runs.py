"""The schedules of the expectations study, and the ways to judge them.

A task is one replay. What a user expects is chosen once for all schedules of a machine, from the log's own schedule
where it has one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np

import thinktime as tt
from thinktime.analysis.expectations import (
    Capacity,
    Chosen,
    Expectations,
    Site,
    as_batches,
    batch_numbers,
    chosen_for,
    evaluate,
)

Schedules = Mapping[str, tt.Result]
"""The schedule of each policy, by its name."""


@dataclass(frozen=True, slots=True)
class Run:
    """The log on a machine under a policy."""

    site: Site
    policy: str

    def perform(self) -> tt.Result:
        """Replay the log's jobs on its site under the policy."""
        return tt.replay(self.site.jobs, self.site.machine(self.policy))


@dataclass(frozen=True)
class Variant:
    """The four schedulers under one assumption."""

    changed: str
    """What differs from the study's own assumptions."""
    short: str
    """The same for the head of a column."""
    expectations: dict[str, Expectations]
    """How each schedule is held against what users expect, by policy."""
    load: float
    """Offered load of the machine, as a part of 1."""
    dropped: int
    """Jobs of the log that the machine cannot hold."""

    def violated(self, policy: str) -> float:
        """Violated EETs, % of all jobs."""
        return 100.0 * float(self.expectations[policy].violated.mean())

    def upper_quartile(self, policy: str) -> float:
        """The upper quartile of VEET over users, %."""
        return float(self.expectations[policy].users()["veet"].quantile(0.75))


def chosen_capacity(site: Site, schedules: Schedules, rule: Capacity) -> Chosen:
    """What users of a machine expect to have."""
    return site.expected_from_log(rule) or chosen_for(schedules["fcfs"], rule, where=" under FIFO")


def variant_of(
    changed: str,
    short: str,
    site: Site,
    schedules: Schedules,
    chosen: Chosen,
    tolerance: float = 0.0,
    judged: Callable[[Expectations], Expectations] = lambda jobs: jobs,
) -> Variant:
    """The expectations of all schedules of a machine, under one assumption."""
    expected = {policy: judged(evaluate(result, chosen, tolerance=tolerance)) for policy, result in schedules.items()}
    return Variant(changed, short, expected, site.load, site.dropped)


def judgements(site: Site, schedules: Schedules, chosen: Chosen) -> list[Variant]:
    """Other expectations of the same schedules."""
    by_all = chosen_capacity(site, schedules, Capacity("users"))
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
        variant_of(changed, short, site, schedules, each, tolerance) for changed, short, each, tolerance in choices
    ]
    return [
        *found,
        variant_of(
            "one EET per batch",
            "batch",
            site,
            schedules,
            chosen,
            judged=lambda jobs: as_batches(jobs, batch_numbers(jobs)),
        ),
    ]


def _times(chosen: Chosen, factor: float) -> Chosen:
    amounts = {name: max(1, round(units * factor)) for name, units in chosen.amounts.items()}
    return replace(chosen, amounts=amounts)


def in_use(jobs: Expectations) -> float:
    """The part of the processors in use from the first to the last submission."""
    first, last = float(jobs.submit.min()), float(jobs.submit.max())
    held = np.clip(np.minimum(jobs.end, last) - np.maximum(jobs.start, first), 0.0, None)
    span = (last - first) * jobs.machine["processors"]
    return float(held @ jobs.processors) / span if span > 0 else nan


def heavy_part(jobs: Expectations, heavy: Sequence[str]) -> float:
    """Of the time that EETs are violated (summed over jobs), the part that is of these users."""
    table = jobs.users()
    total = float(table["tardiness"].sum())
    mine = float(table.loc[table.index.isin(heavy), "tardiness"].sum())
    return mine / total if total else nan
