"""One decision: the hand-checked case, and random ones against all n! schedules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.policies.goal import plain
from tests.models.policies.standing import standing
from thinktime.models.engine.codes import search as codes
from thinktime.models.engine.codes.trials import FAR
from thinktime.models.policies.search import search
from thinktime.models.policies.search.tradeoff import COMPARISONS, Tradeoff

SEQUENCES = [("lds", "left"), ("lds", "top"), ("dds", "left")]


def found_by(decision, algorithm="dds", lds_order="left", comparison="relative", bound=3, tau=2, **more):
    """What the package finds, with the jobs as they are as the heuristic's order."""
    jobs, running, processors, now = decision
    view = standing(processors, [(job["submit"], job["n"], job["est"]) for job in jobs], running, now)
    given = {"limit": None, "weights": (1, 1)} | more
    policy = Tradeoff(
        "fcfs", algorithm, comparison=comparison, bound=float(bound), tau=float(tau), lds_order=lds_order, **given
    )
    policy.select(view, float(now))
    return policy.last


# -- by hand ------------------------------------------------------------------------------------------------

JOBS = [{"submit": 0, "n": n, "est": est} for n, est in ((4, 10), (2, 4), (2, 6))]  # a, b, c
BY_HAND = {"abc": 29, "acb": 29, "bac": 18, "cab": 22, "bca": 12, "cba": 10}


DECISION = JOBS, [(3, 2)], 4, 0


def by_hand(algorithm="dds", comparison="relative", limit=None, **more):
    """P = 4, now 0; n = 2 runs until 3; tau = 1 s; the longest wait is 0."""
    return found_by(DECISION, algorithm, "left", comparison, 0, 1, limit=limit, **more)


@pytest.mark.parametrize("algorithm", ["lds", "dds"])
@pytest.mark.parametrize("comparison", ["hierarchical", "relative", "product"])
def test_the_hand_checked_decision(algorithm, comparison):
    """All rules take cba: c at 0, b at 3, a at 7; only c starts now."""
    found = by_hand(algorithm, comparison)
    assert found.start.tolist() == [7, 3, 0]
    assert found.values.tolist() == [10, pytest.approx((1 + 1.75 + 1.7) / 3)]
    assert found.leaves == 6


@pytest.mark.parametrize(
    ("algorithm", "order"), [("lds", "abc acb bac cab bca cba"), ("dds", "abc bac cab acb bca cba")]
)
def test_the_hand_checked_values_leaf_by_leaf(algorithm, order):
    """Every leaf has the total excessive wait worked out by hand, in the order of the search."""
    seen = []

    def note(plan):
        seen.append(plan.start.sum())
        return 1.0

    by_hand(algorithm, "hierarchical", goals=note, weights=None)
    assert seen == [BY_HAND[word] for word in order.split()]


def test_few_nodes_leave_the_first_path():
    """With a limit of 1 to 3 nodes the incumbent is abc, in which nothing starts now."""
    for limit in (1, 2, 3):
        found = by_hand(limit=limit)
        assert found.start.tolist() == [3, 13, 13]
        assert (found.leaves, found.improvements) == (1, 1)


def test_no_job_fits_now():
    """Where no order lets any job start, nothing is searched."""
    assert found_by((JOBS, [(3, 4)], 4, 0)) is None


def test_a_job_that_never_fits_counts_as_far_away():
    """A job that never fits counts as far away, and the others are weighed as usual."""
    jobs = [{"submit": 0, "n": n, "est": 5} for n in (4, 1, 2)]
    found = found_by((jobs, [(np.inf, 2)], 4, 0), bound=0, tau=1)
    assert found.leaves == len(jobs) * 2
    assert found.start.tolist() == [FAR, 0, 5]


# -- against all schedules ----------------------------------------------------------------------------------


@st.composite
def decisions(draw, most=5):
    """A small decision: up to ``most`` jobs, a busy machine, ties and simultaneous ends included."""
    processors = draw(st.integers(1, 6))
    now = draw(st.integers(0, 20))
    idle = draw(st.integers(1, processors))
    running = []
    while processors - idle > sum(n for _, n in running):
        left = processors - idle - sum(n for _, n in running)
        running.append((now + draw(st.integers(1, 12)), draw(st.integers(1, left))))
    job = st.fixed_dictionaries(
        {"submit": st.integers(0, now), "n": st.integers(1, processors), "est": st.integers(1, 12)}
    )
    return draw(st.lists(job, min_size=1, max_size=most)), running, processors, now


@given(decisions(), st.sampled_from(SEQUENCES), st.sampled_from(["hierarchical", "relative", "product"]))
@settings(max_examples=120)
def test_search_equals_all_schedules(decision, sequence, comparison):
    """With room for all leaves, a transitive rule finds what is best among all n! schedules."""
    found = found_by(decision, *sequence, comparison)
    jobs, running, processors, now = decision
    every = plain.everything(jobs, running, processors, now, 3, 2)
    if found is None:
        assert all(job["n"] > processors - sum(n for _, n in running) for job in jobs) or not any(
            now in plain.schedule(jobs, order, running, processors, now)
            for it in plain.sequence(len(jobs), "dds")
            for order in it
        )
        return
    best = every[0]
    for each in every:
        best = each if plain.wins(each, best, comparison) else best
    assert [float(each) for each in best] == pytest.approx(found.values.tolist(), rel=1e-9, abs=1e-9)
    assert not any(plain.wins(each, best, comparison) for each in every)


def test_six_jobs_against_all_720_schedules():
    """For six jobs, the search finds the best of all 720 schedules."""
    rng = np.random.default_rng(5)
    for number in range(6):
        jobs = [
            {"submit": int(rng.integers(0, 10)), "n": int(rng.integers(1, 5)), "est": int(rng.integers(1, 15))}
            for _ in range(6)
        ]
        decision = jobs, [(13, 2)], 4, 10
        comparison = ["hierarchical", "relative", "product"][number % 3]
        found = found_by(decision, *SEQUENCES[number % 2 * 2], comparison)
        every = plain.everything(*decision, 3, 2)
        got = min(every, key=lambda each: sum(abs(float(x) - y) for x, y in zip(each, found.values, strict=True)))
        assert [float(x) for x in got] == pytest.approx(found.values.tolist())
        assert not any(plain.wins(each, got, comparison) for each in every)


@given(decisions(4), st.sampled_from(SEQUENCES), st.sampled_from([(2, 1), (1, 3), (5, 2)]))
@settings(max_examples=80)
def test_unequal_weights_equal_the_fold(decision, sequence, weights):
    """With unequal weights the outcome is the fold over the sequence, since the rule has cycles."""
    found = found_by(decision, *sequence, "relative", weights=weights)
    if found is None:
        return
    algorithm, lds_order = sequence
    (expected, starts), _ = plain.fold(decision, algorithm, "relative", 3, 2, weights, top=lds_order == "top")
    assert found.values.tolist() == pytest.approx([float(each) for each in expected])
    assert plain.values(decision[0], found.start.tolist(), 3, 2) == plain.values(decision[0], starts, 3, 2)


def test_unequal_weights_have_cycles():
    """With weights 2 and 1: (2, 10) beats (4, 1) beats (3, 3) beats (2, 10)."""
    ring = [np.array(each, float) for each in ((2, 10), (4, 1), (3, 3))]
    weights = np.array([2.0, 1.0])
    for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
        assert search.better(codes.RELATIVE, a, b, weights)
        assert not search.better(codes.RELATIVE, b, a, weights)


def test_the_relative_rule_weighs_gains_against_losses():
    """(80, 11) replaces (100, 10), (95, 11) does not; hierarchical would take both."""
    old, weights = np.array([100.0, 10.0]), np.ones(2)
    for new, taken in (([80.0, 11.0], True), ([95.0, 11.0], False)):
        assert search.better(codes.RELATIVE, np.array(new), old, weights) == taken
        assert search.better(codes.HIERARCHICAL, np.array(new), old, weights)


def test_two_goals_of_one_weight_compare_by_their_product():
    """Relative with equal weights, pair by pair, is the smaller product; a goal at 0 counts first."""
    levels = [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 24.0, 30.0, 100.0, 1e6]
    values = [np.array([e, x]) for e in levels for x in levels[1:]]
    weights = np.ones(2)
    for a in values:
        for b in values:
            relative = search.better(codes.RELATIVE, a, b, weights)
            assert relative == search.better(codes.PRODUCT, a, b, weights)
            assert relative == plain.wins(tuple(a), tuple(b), "product")


def test_a_product_that_is_smaller_by_rounding_alone_does_not_replace():
    """A tie but for one unit in the last place keeps the earlier schedule, whatever the weights."""
    for values in ([0.1, 0.7], [3.3, 1e6, 7.1], [5.0, 0.0]):
        new, old = np.array(values), np.array(values)
        new[0] = np.nextafter(new[0], 0)
        for weights in (np.ones(len(values)), np.arange(1.0, len(values) + 1)):
            assert not search.better(codes.PRODUCT, new, old, weights)
            assert search.better(codes.PRODUCT, np.array([values[0] * (1 - 1e-9), *values[1:]]), old, weights)


def test_two_orders_that_are_worth_the_same_keep_the_first():
    """Two like jobs that change places add up to the same: the search stays with the order that it saw first.

    In floating point the sums differ by one unit in the last place.
    """
    jobs = [{"submit": s, "n": n, "est": e} for s, n, e in ((2, 4, 8), (4, 1, 9), (1, 4, 8))]
    found = found_by((jobs, [(10, 2)], 4, 4), "dds", "left", "product")
    assert found.start.tolist() == [13, 4, 21]
    swapped = plain.values(jobs, [21, 4, 13], 3, 2)
    assert swapped == plain.values(jobs, [13, 4, 21], 3, 2)


# -- more effort --------------------------------------------------------------------------------------------


@given(decisions(), st.sampled_from(SEQUENCES), st.sampled_from(["hierarchical", "relative", "product"]))
@settings(max_examples=40)
def test_more_nodes_are_never_worse(decision, sequence, comparison):
    """Under a transitive rule the incumbent of a greater limit never loses to that of a smaller one."""
    weights, before = np.ones(2), None
    for limit in (1, 7, 15, 40, 80, 160, None):
        found = found_by(decision, *sequence, comparison, limit=limit)
        if found is None:
            return
        if before is not None:
            assert not search.better(COMPARISONS[comparison], before, found.values, weights)
        before = found.values


@given(decisions(), st.sampled_from(SEQUENCES), st.sampled_from(["hierarchical", "relative", "product"]))
@settings(max_examples=60)
def test_the_limit_cuts_the_fold(decision, sequence, comparison):
    """Under a node limit the outcome is the fold over the leaves that the limit lets in."""
    jobs = decision[0]
    algorithm, lds_order = sequence
    until = plain.nodes_until(len(jobs), algorithm, lds_order == "top")
    _, history = plain.fold(decision, algorithm, comparison, 3, 2, top=lds_order == "top")
    for limit in (6, 12, 25, 60):
        found = found_by(decision, *sequence, comparison, limit=limit)
        if found is None:
            return
        seen = plain.leaves_within(limit, until)
        assert found.leaves == seen
        assert found.values.tolist() == pytest.approx([float(each) for each in history[seen - 1]])


@given(decisions(), st.sampled_from(SEQUENCES), st.sampled_from(["hierarchical", "relative", "product"]))
@settings(max_examples=60)
def test_pruning_changes_nothing_but_the_effort(decision, sequence, comparison):
    """With room for all, pruning finds the same schedule with no more nodes; also where the rule has cycles."""
    for weights in ((1, 1), (3, 1)):
        whole = found_by(decision, *sequence, comparison, weights=weights)
        pruned = found_by(decision, *sequence, comparison, weights=weights, prune=True)
        if whole is None:
            assert pruned is None
            return
        assert pruned.start.tolist() == whole.start.tolist()
        assert pruned.nodes <= whole.nodes and pruned.leaves <= whole.leaves


def test_pruning_saves_effort():
    """On a queue of seven, most leaves are cut, and a quarter of all nodes."""
    rng = np.random.default_rng(2)
    jobs = [{"submit": 0, "n": int(rng.integers(1, 5)), "est": int(rng.integers(1, 30))} for _ in range(7)]
    whole, pruned = (
        found_by((jobs, [(4, 2)], 4, 0), "dds", "left", "relative", bound=0, prune=prune) for prune in (False, True)
    )
    assert pruned.values.tolist() == whole.values.tolist()
    assert pruned.leaves < whole.leaves / 100
    assert pruned.nodes < 0.75 * whole.nodes


def test_a_time_limit_ends_the_search_and_keeps_the_first_path():
    """A search of 20 jobs has no end; with a time limit of no length it has its first path at least."""
    rng = np.random.default_rng(3)
    jobs = [{"submit": 0, "n": int(rng.integers(1, 5)), "est": int(rng.integers(1, 30))} for _ in range(20)]
    decision = jobs, [(4, 2)], 4, 0
    first = found_by(decision, "dds", "left", "relative", limit=1)
    for seconds in (0.0, 0.02):
        found = found_by(decision, "dds", "left", "relative", time_limit=seconds)
        assert found.leaves >= 1
        assert not search.better(codes.RELATIVE, first.values, found.values, np.ones(2))


def test_a_goal_of_ones_own_stops_at_every_leaf():
    """A goal in Python beside a compiled one gives the search of two compiled ones."""
    decision = [{"submit": 0, "n": n, "est": e} for n, e in ((4, 10), (2, 4), (2, 6), (1, 9))], [(3, 2)], 4, 0
    compiled = found_by(decision, "lds", bound=0, tau=1)
    mixed = found_by(decision, "lds", bound=0, tau=1, goals=[lambda plan: float(plan.start.sum()), "slowdown"])
    assert mixed.start.tolist() == compiled.start.tolist()
    assert mixed.values.tolist() == compiled.values.tolist()
    assert (mixed.nodes, mixed.improvements) == (compiled.nodes, compiled.improvements)
