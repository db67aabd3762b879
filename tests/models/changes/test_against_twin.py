"""A machine that changes, start by start against the twin written from its contract."""

import pytest

from tests.how_many import few_or_many
from tests.models.changes.case import describe
from tests.models.changes.cases import random_cases
from tests.models.changes.engine import engine
from tests.models.changes.examples import EXAMPLES
from tests.models.changes.twin import twin


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
        for case in random_cases(f"machine {seed}", 100):
            assert engine(case, observed) == twin(case), describe(case)
