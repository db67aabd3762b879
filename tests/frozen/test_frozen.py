"""No schedule changes, unless a rule does: every policy on every machine from every source, bit by bit."""

import pytest

from tests.frozen.cases import POLICIES, digests, pairs
from tests.frozen.kept import kept
from tests.how_many import in_turn

PARTS = 24
"""Each run of the tests has one policy in so many on each machine from each source."""


@pytest.mark.parametrize(("pair", "part"), in_turn(PARTS, pairs(), range(PARTS)))
def test_schedules_are_those_that_are_kept(pair, part):
    """All columns, places, runs and notes of the results are those of frozen.json."""
    machine, source = pair
    policies = POLICIES[part::PARTS]
    before = kept()[machine][source]
    assert {each: digests(machine, source, each) for each in policies} == {each: before[each] for each in policies}


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("machine", "source", "policies"),
    [
        ("pool", "log", ("none", "no-guarantee:order=sjf", "easy", "conservative", "recorded")),
        pytest.param("pool", "processes", POLICIES, marks=pytest.mark.thorough),
        pytest.param("nodes", "log", POLICIES, marks=pytest.mark.thorough),
        pytest.param("changing pool", "processes", POLICIES, marks=pytest.mark.thorough),
    ],
)
def test_compiled_schedules_are_the_same(machine, source, policies):
    """Compiled code makes the schedules of frozen.json, which plain Python has made."""
    before = kept()[machine][source]
    assert {each: digests(machine, source, each) for each in policies} == {each: before[each] for each in policies}


def test_policies_make_different_schedules():
    """Most policies differ from all others on the crowded pool, so that equal digests mean something."""
    pool = kept()["pool"]["log"]
    assert len(set(pool.values())) > 0.8 * len(pool)
