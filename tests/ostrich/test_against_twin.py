"""OStrich against its brute-force twin in fractions: the same users, the same schedule, start by start."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ostrich.exact import WITHIN, Exact
from tests.ostrich.instances import populations
from tests.ostrich.package import Run, Watched, shares_of

PROCESSORS = st.integers(1, 8)
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


@settings(max_examples=400, deadline=None)
@given(PROCESSORS, populations(), st.sampled_from(sorted(WITHIN)))
def test_every_start_is_the_twins(processors, users, within):
    """Equal shares, users who wait for their campaigns and users who do not, each order within a campaign."""
    assert_same(processors, users, within)


@settings(max_examples=400, deadline=None)
@given(PROCESSORS, populations(shares=True))
def test_every_start_with_shares_is_the_twins(processors, users):
    """The same if users weigh differently in V."""
    assert_same(processors, users)


@settings(max_examples=200, deadline=None)
@given(PROCESSORS, populations(estimates=True), st.sampled_from(sorted(WITHIN)))
def test_every_start_with_estimates_is_the_twins(processors, users, within):
    """V and the order within a campaign go by estimates, whatever the jobs really take."""
    assert_same(processors, users, within)


@settings(max_examples=400, deadline=None)
@given(PROCESSORS, populations(estimates=True, shares=True), st.sampled_from(sorted(WITHIN)))
def test_every_start_with_corrections_is_the_twins(processors, users, within):
    """With ``corrected`` V loses what a job did not use when it ends, though never more than V has left to do."""
    assert_same(processors, users, within, corrected=True)
