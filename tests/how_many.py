"""How many cases a test has: few in each run of the tests, and many in a thorough one."""

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def few_or_many(few: Any, many: Any) -> list[Any]:
    """The values of a parameter: one for each run of the tests, and one for a thorough run."""
    return [few, pytest.param(many, marks=pytest.mark.thorough)]


def in_turn(every: int, *lists: Iterable[Any]) -> list[Any]:
    """All combinations of values: each run of the tests has one in so many, a thorough run has the others, too.

    They go by turns, so that each value of each list is met if another list is as long as a turn.
    """
    numbered = product(*(enumerate(values) for values in lists))
    chosen = [([value for _, value in each], sum(place for place, _ in each) % every == 0) for each in numbered]
    return [pytest.param(*values, marks=[] if now else [pytest.mark.thorough]) for values, now in chosen]
