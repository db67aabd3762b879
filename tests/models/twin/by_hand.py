"""Jobs and schedules of the reference scheduler, for cases that are solved by hand."""

from typing import Any

from tests.models.twin.reference import RefInfo, RefOutcome, simulate
from tests.models.twin.reference_rules import ORDERS, RefJob

A, B, C, D, E, F = range(1, 7)

Outcomes = dict[int, RefOutcome]


def job(
    id: int,
    submit: float,
    processors: int,
    runtime: float,
    estimate: float | None = None,
    cancel_at: float | None = None,
) -> RefJob:
    """A job whose estimate is its run time unless told."""
    return RefJob(id, submit, processors, runtime, runtime if estimate is None else estimate, cancel_at)


def run(jobs: list[RefJob], processors: int, rule: Any, order: str = "fcfs", **how: Any) -> tuple[Outcomes, RefInfo]:
    """Simulate with an order given by name."""
    return simulate(jobs, processors, rule=rule, order=ORDERS[order], **how)


def starts(jobs: list[RefJob], processors: int, rule: Any, order: str = "fcfs", **how: Any) -> dict[int, float | None]:
    """When each job starts."""
    outcomes, _ = run(jobs, processors, rule, order, **how)
    return {id: outcomes[id].start for id in sorted(outcomes)}


def promises(jobs: list[RefJob], processors: int, **how: Any) -> dict[int, float | None]:
    """What each job was promised at submission under conservative backfilling."""
    outcomes, _ = run(jobs, processors, "conservative", **how)
    return {id: outcomes[id].promised for id in sorted(outcomes)}
