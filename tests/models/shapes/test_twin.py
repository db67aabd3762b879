"""Moldable and malleable jobs, stage by stage, against a brute-force scheduler that shares no code with the package."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import pytest

import thinktime as tt
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


@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.thorough)])
def test_nodes_of_one_processor_are_a_pool(count: int) -> None:
    """Where any nodes serve every job, sizes change as on processors."""
    for case in random_cases("on nodes", count):
        assert played(case, tt.Nodes.uniform(case.processors, 1)) == played(case), case.describe()


@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.thorough)])
def test_jobs_have_their_sizes_on_nodes(count: int) -> None:
    """On nodes of three processors, all jobs end, with sizes that they may have, and have done their work.

    That no node gives more than it has, and that jobs have places for all of their processors, is checked everywhere.
    """
    for case in random_cases("on larger nodes", count):
        stages, how = played(case, tt.Nodes.uniform(-(-case.processors // 3), 3))
        for job in case.jobs:
            assert how[job.id] in ("finished", "killed")
            assert {size for _, _, size in stages[job.id]} <= set(job.sizes), case.describe()
            done = sum((end - start) * job.rate[size] for start, end, size in stages[job.id])
            assert how[job.id] == "killed" or done >= job.work - Fraction(1, 100), case.describe()
