"""OStrich against its brute-force twin in fractions: the same users, the same schedule, start by start."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.policies.ostrich.exact import WITHIN, Exact, user
from tests.models.policies.ostrich.instances import populations
from tests.models.policies.ostrich.package import Run, Watched, shares_of

PROCESSORS = st.integers(1, 8)
KINDS = st.fixed_dictionaries({"shares": st.booleans(), "estimates": st.booleans()})
SHOWN = Fraction(1, 2048) + Fraction(1, 10**6)  # virtual times are shown on the grid


def assert_same(processors, users, within="lpt", corrected=False):
    """Starts, ends, virtual starts and ends, and all projections."""
    twin = Exact(processors, users, within, corrected=corrected)
    run = Run(processors, users, Watched(within=within, shares=shares_of(users), corrected=corrected))
    expected = {(c.user, c.index): c for c in twin.campaigns}
    assert run.starts == {key: [job.start for job in c.jobs] for key, c in expected.items()}
    assert {key: record.end for key, record in run.records.items()} == {key: c.end for key, c in expected.items()}
    for key, found in run.virtual.items():
        assert abs(found.virtual_start - expected[key].virtual_start) <= SHOWN, key
        assert abs(found.virtual_end - expected[key].virtual_end) <= SHOWN, key
    assert run.virtual.keys() == expected.keys()
    assert run.policy.projections.keys() == twin.projections.keys()
    for time, projected in twin.projections.items():
        found = run.policy.projections[float(time)]
        assert found == pytest.approx(projected, rel=0, abs=float(SHOWN)), time


@settings(max_examples=80, deadline=None, derandomize=True)
@given(PROCESSORS, KINDS.flatmap(lambda kind: populations(**kind)), st.sampled_from(sorted(WITHIN)), st.booleans())
def test_every_start_is_the_twins(processors, users, within, corrected):
    """With or without shares, estimates and corrections, in every order within a campaign, starts are the twin's."""
    assert_same(processors, users, within, corrected)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(PROCESSORS, populations(shares=True, shortest=1))
def test_with_exact_estimates_there_is_nothing_to_correct(processors, users):
    """``corrected`` changes no start if every job takes what it asked for."""
    plain = Run(processors, users, Watched(shares=shares_of(users)))
    corrected = Run(processors, users, Watched(shares=shares_of(users), corrected="yes"))
    assert corrected.starts == plain.starts


def test_a_correction_changes_the_order_of_ready_campaigns_at_once():
    """User 0 asked for 20 s, used 1 s of the first 10 s, and is due at 21 in V; user 1, with 15 s from 1 on, at 31."""
    users = [user(0, [(0, [1, 10], [10, 10])]), user(1, [(1, [15])])]
    run = Run(1, users, Watched(within="fcfs", corrected=True))
    assert run.starts == {(0, 0): [0, 1], (1, 0): [11]}


def test_a_tie_in_exact_arithmetic_is_a_tie():
    """Campaigns (0, 2) and (2, 1) end in V at 86/3 both; the one submitted first is more urgent from 24 on."""
    users = [
        user(0, [(0, [4]), (2, [5, 3, 4]), (2, [7])]), user(1, [(2, [7])]), user(2, [(0, [15]), (0, [3, 5, 2, 1])]),
        user(3, [(0, [7]), (0, [8]), (0, [3])]), user(4, [(5, [2, 3, 2, 5])]),
    ]  # fmt: skip
    assert_same(3, users)


def test_a_virtual_completion_at_a_whole_second_is_not_late():
    """User 0's first campaign ends in V at 25 exactly; the second one starts there, not 2⁻¹⁰ s later."""
    users = [
        user(0, [(0, [5]), (0, [1])], share=0.5, closed=False),
        user(1, [(3, [0, 3], [1, 3]), (3, [4]), (2, [8])], share=7),
        user(2, [(0, [1, 2], [4, 2])], share=0.5),
    ]
    assert Exact(1, users, "fcfs").users[0].campaigns[0].virtual_end == 25
    assert_same(1, [user(0, [(0, [5]), (0, [1])], share=0.5, closed=False), *again(users[1:])], "fcfs")


def again(users):
    """The same users, not run yet."""
    for each in users:
        for campaign in each.campaigns:
            campaign.submit = campaign.virtual_start = campaign.virtual_end = None
            campaign.left = campaign.work
            for job in campaign.jobs:
                job.start = None
    return users
