"""Moldable and malleable jobs, stage by stage, against a brute-force scheduler that shares no code with the package."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import floor

import pytest

import thinktime as tt
from tests.models.shapes import twin, twin_jobs
from tests.models.shapes.cases import BY_HAND, Case, Solved, random_cases, random_node_cases
from tests.models.shapes.package import played, processors_of_stages, result_of, schedule_of

COUNTS = [5, pytest.param(1500, marks=pytest.mark.thorough)]
EXTENDING = ((True, False, False), (True, True, True))
DRAWS = [
    pytest.param(
        partial(draw, asking=asking, failing=failing, extending=extending),
        id=name + ", evolving" * asking + ", failing" * failing + ", extending" * extending,
    )
    for extending, asking, failing in (*product((False,), (False, True), (False, True)), *EXTENDING)
    for name, draw in (("pool", random_cases), ("nodes", random_node_cases))
]


def exact(case: Case) -> bool:
    """Whether all rates are multiples of a power of two, so that the machine's doubles are exact."""
    rates = [rate for job in case.jobs for each in (job.rate, job.believed) for rate in each.values()]
    return all(rate.denominator & (rate.denominator - 1) == 0 and rate.denominator < 2**20 for rate in rates)


def expected(case: Case, monkeypatch: pytest.MonkeyPatch) -> twin.Twin | None:
    """What the twin does; None if doubles may round a time in the middle of two grid points either way."""
    middle, found = [], twin.Twin(case.room, list(case.jobs), case.options, case.outages, case.extends)

    def on_grid(seconds: Fraction) -> Fraction:
        place = 1024 * seconds + Fraction(1, 2)
        middle.append(abs(place - round(place)) < Fraction(1, 10**6))
        return Fraction(floor(place), 1024)

    with monkeypatch.context() as patch:
        patch.setattr(twin_jobs, "on_grid", on_grid)
        found.run()
    return found if exact(case) or not any(middle) else None


@pytest.mark.parametrize("solved", BY_HAND.values(), ids=BY_HAND)
def test_cases_by_hand(solved: Solved) -> None:
    """Stage by stage."""
    result = result_of(solved.case)
    assert schedule_of(result) == (solved.stages, dict.fromkeys(solved.stages, "finished"))
    assert solved.on is None or processors_of_stages(result) == solved.on


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("draw", DRAWS)
def test_every_stage_is_the_twins(
    draw: Callable[[str, int], Iterator[Case]], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every stage begins and ends when the twin's does, on the same processors, and every job ends in the same way."""
    compared = beyond = 0
    for case in draw("against the package", count):
        own = expected(case, monkeypatch)
        if own is not None:
            result = result_of(case)
            assert schedule_of(result) == (own.stages, own.how), case.describe()
            assert processors_of_stages(result) == own.was_on, case.describe()
            compared += 1
            beyond += case.extends and any(job.work > job.limit for job in case.jobs)
    assert compared > count / 2 and (beyond > count / 3 or not case.extends)


@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.thorough)])
def test_nodes_of_one_processor_are_a_pool(count: int) -> None:
    """Where any nodes serve every job, sizes change as on processors."""
    for case in random_cases("on nodes", count):
        assert played(case, tt.Nodes.uniform(case.processors, 1)) == played(case), case.describe()
