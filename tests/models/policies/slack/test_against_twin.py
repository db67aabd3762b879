"""The engine against the literal twin: every start, every first reservation and every bound."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.policies.slack.instances import rules, workloads
from tests.models.policies.slack.literal import J, Rules
from tests.models.policies.slack.package import assert_same

EXPONENTS = st.sampled_from([0, 0.2, 0.5, 1])
USUAL = settings(max_examples=200, deadline=None, derandomize=True)
FEWER = settings(max_examples=100, deadline=None, derandomize=True)


@USUAL
@given(rules(), workloads())
def test_every_start_is_the_twins(given_rules: Rules, jobs: list[J]) -> None:
    """Starts with equal priorities, any heuristic and any slack factor are the twin's."""
    assert_same(given_rules, jobs)


@USUAL
@given(rules(), workloads(priorities=True))
def test_every_start_with_priorities_is_the_twins(given_rules: Rules, jobs: list[J]) -> None:
    """Starts with user and political priorities, and users over quota, are the twin's."""
    assert_same(given_rules, jobs)


@FEWER
@given(rules(), workloads(priorities=True, overruns=True, withdrawals=True))
def test_every_start_with_kills_and_withdrawals_is_the_twins(given_rules: Rules, jobs: list[J]) -> None:
    """Starts with kills and withdrawals, which price the rest anew, are the twin's."""
    assert_same(given_rules, jobs)


@FEWER
@given(
    st.tuples(EXPONENTS, EXPONENTS, EXPONENTS, EXPONENTS).flatmap(lambda a: rules(au=a[0], at=a[1], ap=a[2], af=a[3])),
    workloads(priorities=True),
)
def test_every_start_under_other_weights_is_the_twins(given_rules: Rules, jobs: list[J]) -> None:
    """Starts with exponents from 0 to 1 are the twin's."""
    assert_same(given_rules, jobs)


@FEWER
@given(rules(permutations=4), workloads(most=9, priorities=True))
def test_every_start_of_the_permutation_search_is_the_twins(given_rules: Rules, jobs: list[J]) -> None:
    """Starts of the permutation search for up to four delayed jobs are the twin's."""
    assert_same(given_rules, jobs)


@FEWER
@given(
    st.sampled_from(["yes", "half"]).flatmap(lambda tick: rules(tick=tick)), workloads(priorities=True, overruns=True)
)
def test_every_start_under_the_tick_strategy_is_the_twins(given_rules: Rules, jobs: list[J]) -> None:
    """Under the tick strategy, starts and ends are the twin's."""
    assert_same(given_rules, jobs)
