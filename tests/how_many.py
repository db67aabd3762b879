"""How many cases a test has: few in each run of the tests, and many in a thorough one."""

from __future__ import annotations

from typing import Any

import pytest


def few_or_many(few: Any, many: Any) -> list[Any]:
    """The values of a parameter: one for each run of the tests, and one for a thorough run."""
    return [few, pytest.param(many, marks=pytest.mark.thorough)]
