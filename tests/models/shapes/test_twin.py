"""Moldable and malleable jobs, stage by stage, against a brute-force scheduler that shares no code with the package."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import pytest

from tests.models.shapes import twin
from tests.models.shapes.cases import BY_HAND, Case, Solved, random_cases
from tests.models.shapes.package import played

COUNTS = [60, pytest.param(4000, marks=pytest.mark.thorough)]


def exact(case: Case) -> bool:
    """Whether all rates are multiples of a power of two, so that the machine's doubles are exact."""
    rates = [rate for job in case.jobs for each in (job.rate, job.believed) for rate in each.values()]
    return all(rate.denominator & (rate.denominator - 1) == 0 and rate.denominator < 2**20 for rate in rates)


def expected(case: Case, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[int, list[twin.Stage]], dict[int, str]] | None:
    """What the twin does; None if doubles may round a time in the middle of two grid points either way."""
    middle = []

    def on_grid(seconds: Fraction) -> Fraction:
        place = 1024 * seconds + Fraction(1, 2)
        middle.append(abs(place - round(place)) < Fraction(1, 10**6))
        return Fraction(floor(place), 1024)

    with monkeypatch.context() as patch:
        patch.setattr(twin, "on_grid", on_grid)
        schedule = twin.play(case.processors, list(case.jobs), case.options)
    return schedule if exact(case) or not any(middle) else None


@pytest.mark.parametrize("solved", BY_HAND.values(), ids=BY_HAND)
def test_cases_by_hand(solved: Solved) -> None:
    """Stage by stage."""
    assert played(solved.case) == (solved.stages, dict.fromkeys(solved.stages, "finished"))


@pytest.mark.parametrize("count", COUNTS)
def test_every_stage_is_the_twins(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every stage begins and ends when the twin's does, on as many processors, and every job ends in the same way."""
    compared = 0
    for case in random_cases("against the package", count):
        schedule = expected(case, monkeypatch)
        if schedule is not None:
            assert played(case) == schedule, case.describe()
            compared += 1
    assert compared > 0.9 * count
