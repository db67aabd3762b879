"""The twin of a machine that changes: the contract's examples, and the package, start by start, against it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.how_many import few_or_many
from tests.models.changes.case import Case, Outcome, describe
from tests.models.changes.cases import random_cases
from tests.models.changes.compare import assert_same, differences, shrink
from tests.models.changes.engine import engine
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


def _spoiled(case: Case) -> Outcome:
    """An engine that does not know windows."""
    return twin(replace(case, windows=()))


def test_the_twin_agrees_with_itself() -> None:
    """An engine that does what the twin does is left alone."""
    assert_same(twin, random_cases(20, 50))


def test_a_wrong_engine_is_shown_with_a_small_case() -> None:
    """An engine that ignores windows is found, with a case of at most two jobs and one window."""
    with pytest.raises(AssertionError, match="only the twin") as caught:
        assert_same(_spoiled, random_cases(21, 200))
    assert str(caught.value).count("Job(") <= 2
    assert str(caught.value).count("Window(") == 1


def test_a_small_case_still_fails() -> None:
    """What is left after leaving out all that does not matter fails as well, and the whole case is not changed."""
    failing = [case for case in random_cases(22, 100) if _spoiled(case) != twin(case)]
    assert failing
    for case in failing[:10]:
        small = shrink(case, lambda smaller: _spoiled(smaller) != twin(smaller))
        assert differences(twin(small), _spoiled(small))
        assert len(small.jobs) <= len(case.jobs)


@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_the_worked_examples(example, observed):
    """The machine gives every worked example, in compiled leaps and phase by phase."""
    assert engine(example.case, observed) == twin(example.case)


@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
@pytest.mark.parametrize("seeds", few_or_many(range(1), range(1, 4)), ids=str)
def test_random_cases(seeds, observed):
    """Every start, end, processor, loss, state, promise and broken reservation of random cases is the twin's."""
    for seed in seeds:
        for case in random_cases(f"machine {seed}", 60):
            assert engine(case, observed) == twin(case), describe(case)
