"""What holds for every schedule of the twin."""

from dataclasses import replace

import pytest

from tests.how_many import few_or_many
from tests.models.changes.case import Case, describe
from tests.models.changes.cases import random_cases
from tests.models.changes.invariants import check
from tests.models.changes.twin import twin

part_of_cases = pytest.mark.parametrize("part", few_or_many(4, 1))
"""One in so many cases."""


@part_of_cases
def test_every_schedule_keeps_the_invariants(part: int) -> None:
    """Nothing is used that is down, held or in use; every second of a run is progress, overhead or lost."""
    for case in random_cases(1, 1000 // part):
        _keeps_the_invariants(case)


@part_of_cases
def test_every_rule_that_preempts_keeps_the_invariants(part: int) -> None:
    """So do the other rules that keep nothing between passes, if they preempt as EASY does."""
    for case in random_cases(13, 300 // part, preempting=("none", "no-guarantee", "easy", "conservative-dynamic")):
        _keeps_the_invariants(case)


def _keeps_the_invariants(case: Case) -> None:
    try:
        check(case, twin(case))
    except AssertionError as error:
        raise AssertionError(f"{error}\n{describe(case)}") from None


def test_the_same_seed_gives_the_same_cases() -> None:
    """Cases depend on the seed and their number alone."""
    assert list(random_cases(2, 5)) == list(random_cases(2, 8))[:5]
    assert list(random_cases(2, 5)) != list(random_cases(3, 5))


@part_of_cases
def test_a_checkpoint_a_second_loses_nothing(part: int) -> None:
    """With a checkpoint at no cost after every second of work, no work is lost."""
    for case in random_cases(10, 300 // part):
        jobs = tuple(replace(job, checkpoint=None, cost=None) for job in case.jobs)
        case = replace(case, jobs=jobs, options=replace(case.options, checkpoint=1, cost=0))
        assert all(run.lost == 0 for run in twin(case).runs), describe(case)
