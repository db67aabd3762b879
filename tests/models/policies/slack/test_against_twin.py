"""The engine against the literal twin: every start and bound, and the search among all orders."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.policies.slack.insertion import insertion
from tests.models.policies.slack.instances import rules, workloads
from tests.models.policies.slack.literal import J, Rules, Twin
from tests.models.policies.slack.package import assert_same, run_package
from thinktime.models.engine.profile import Profile
from thinktime.models.policies.slack import HEURISTICS

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


@FEWER
@given(rules(awt=(2, 20), classes=(3,)), workloads())
def test_every_start_with_classes_of_estimates_is_the_twins(given_rules: Rules, jobs: list[J]) -> None:
    """Where small and large estimates have average waits of their own, starts are the twin's."""
    assert_same(given_rules, jobs)


@settings(max_examples=800, deadline=None, derandomize=True)
@given(rules(quotas={1: 0, 2: 10}), workloads(users=3))
def test_every_start_with_quotas_is_the_twins(given_rules: Rules, jobs: list[J]) -> None:
    """Users whose jobs have used more than their quota are over it from then on, as in the twin."""
    assert_same(given_rules, jobs)


@FEWER
@given(rules(heuristics=st.just("ast"), delayed="shifted"), workloads(priorities=True))
def test_in_order_of_reserved_start_compressing_is_inserting_afresh(given_rules: Rules, jobs: list[J]) -> None:
    """AST keeps every start, whether the delayed jobs are shifted and compressed or taken out and inserted afresh."""
    shifted, afresh = (run_package(replace(given_rules, delayed=how), jobs) for how in ("shifted", "removed"))
    assert shifted["start"].tolist() == afresh["start"].tolist()


@pytest.mark.parametrize(("delayed", "start"), [("shifted", 14), ("removed", 10)])
def test_a_delayed_job_may_be_in_the_way_of_another(delayed: str, start: int) -> None:
    """By size, compressing leaves a job behind one that inserting afresh lets it pass.

    By size B goes first. It stands at 14 behind A, which stands at 10, so it stays; inserted afresh it gets 10.
    """
    twin = Twin(Rules(2, "du", delayed=delayed), [])
    twin.waiting = [J(1, 0, 1, 4, 4, p=1, te=0, s=100, s0=100), J(2, 0, 2, 3, 3, p=1, te=4, s=100, s0=100)]
    ((*_, starts),) = twin.schedules(0, 1, 10, 1, [0])
    assert starts == {1: 0, 2: start}


PROCESSORS = 4
JOBS = st.lists(
    st.tuples(st.integers(1, PROCESSORS), st.integers(1, 12), st.integers(0, 40), st.sampled_from([0.05, 0.2, 0.6])),
    min_size=2,
    max_size=5,
)


def insert(jobs, newcomer, heuristic: str, permutations: int) -> float:
    """The price of the cheapest schedule for a newcomer; the others are due at their earliest fits."""
    size, length, slack, priority = (np.array(column) for column in zip(*jobs, strict=True))
    due, estimate = np.empty(len(jobs)), length.astype(float)
    profile = Profile()
    profile.begin(0.0, 1)
    profile.free[0] = PROCESSORS
    for i in range(len(jobs)):
        due[i] = profile.earliest_fit(int(size[i]), float(estimate[i]))
        profile.change(float(due[i]), float(due[i] + estimate[i]), -int(size[i]))
    others = list(zip(size, estimate, strict=True))
    return insertion(others, (*newcomer, 1 / 6), due, slack, slack, priority, heuristic, permutations)[1]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(JOBS, st.tuples(st.integers(1, PROCESSORS), st.integers(1, 12)))
def test_no_heuristic_is_cheaper(jobs, newcomer) -> None:
    """No heuristic finds a cheaper schedule than the permutation search, whose price is that of any first order."""
    best = [insert(jobs, newcomer, heuristic, 7) for heuristic in HEURISTICS]
    assert np.ptp(best) <= 1e-9 * max(1.0, abs(best[0]))
    for heuristic, optimum in zip(HEURISTICS, best, strict=True):
        assert insert(jobs, newcomer, heuristic, 0) >= optimum - 1e-9 * max(1.0, abs(best[0]))
