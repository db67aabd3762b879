"""The twin of a machine that changes, without the package: the worked examples of the contract."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.models.changes.case import Outcome
from tests.models.changes.examples import EXAMPLES, Example
from tests.models.changes.twin import Twin, twin


def _lost(example: Example, outcome: Outcome, job: int) -> int:
    width = next(j.width for j in example.case.jobs if j.id == job)
    return sum(run.lost for run in outcome.of(job)) * width


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_twin_gives_the_worked_examples(example: Example) -> None:
    """Every run of the twin starts and ends when the table of the contract says, and nothing else runs."""
    outcome = twin(example.case)
    found: dict[int, list[tuple[int, float]]] = {}
    for run in outcome.runs:
        found.setdefault(run.job, []).append((run.start, run.end))
    assert found == example.runs
    for what, said in example.says.items():
        _assert_says(example, outcome, what, said)


def _assert_says(example: Example, outcome: Outcome, what: str, said: object) -> None:
    if what == "broken":
        assert outcome.broken == said
    elif what == "reserved":
        assert isinstance(said, tuple)
        assert _reservations(example, said[0]) == said[1]
    else:
        assert isinstance(said, dict)
        assert {job: _fact(example, outcome, what, job) for job in said} == said


def _fact(example: Example, outcome: Outcome, what: str, job: int) -> object:
    runs = outcome.of(job)
    facts: dict[str, Callable[[], object]] = {
        "lost": lambda: _lost(example, outcome, job),
        "how": lambda: [run.how for run in runs],
        "indices": lambda: [run.indices for run in runs],
        "accounts": lambda: [(run.progress, run.overhead, run.lost) for run in runs],
        "work": lambda: sum(run.progress for run in runs),
        "states": lambda: outcome.states[job],
        "over": lambda: outcome.over[job],
        "promised": lambda: outcome.promised[job],
    }
    return facts[what]()


def _reservations(example: Example, at: int) -> dict[int, float]:
    """Who has which reservation after the instant `at`."""
    stopped = Twin(example.case)
    stopped.run(until=at)
    return {task.job.id: task.reserved for task in stopped.tasks if task.reserved is not None}
