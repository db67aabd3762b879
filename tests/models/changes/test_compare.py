"""An engine that is wrong on purpose is found, and the case that shows it is small."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.models.changes.case import Case, Outcome
from tests.models.changes.cases import random_cases
from tests.models.changes.compare import assert_same, differences, shrink
from tests.models.changes.twin import twin


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
