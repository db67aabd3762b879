"""The sequences in which orders are tried, list by list (our decision: the non-revisiting forms)."""

from math import factorial

import numpy as np
import pytest

from tests.models.policies.goal.plain import leaves_within, nodes_until, sequence
from tests.models.policies.standing import standing
from thinktime.models.policies.search.tradeoff import Tradeoff

LISTS = {
    ("lds", "left"): """abcd | abdc acbd adbc bacd cabd dabc
        | acdb adcb badc bcad bdac cadb cbad cdab dacb dbac dcab | bcda bdca cbda cdba dbca dcba""",
    ("dds", "left"): """abcd | bacd cabd dabc | acbd adbc bcad bdac cbad cdab dbac dcab
        | abdc acdb adcb badc bcda bdca cadb cbda cdba dacb dbca dcba""",
    ("lds", "top"): """abcd | bacd cabd dabc acbd adbc abdc
        | bcad bdac badc cbad cdab cadb dbac dcab dacb acdb adcb | bcda bdca cbda cdba dbca dcba""",
}
LEAVES = {"lds": [1, 10, 35, 50, 24], "dds": [1, 4, 15, 40, 60]}
SEQUENCES = [("lds", "left"), ("lds", "top"), ("dds", "left")]


def visited(n, algorithm, lds_order="left", limit=None, **more):
    """The orders that a search of n jobs of one processor each on one processor sees, and what it found."""
    seen = []

    def note(plan):
        seen.append(tuple(np.argsort(plan.start).tolist()))
        return 1.0

    policy = Tradeoff("fcfs", algorithm, note, comparison="hierarchical", limit=limit, lds_order=lds_order, **more)
    policy.select(standing(1, [(0, 1, 1)] * n), 0.0)
    return seen, policy.last


@pytest.mark.parametrize(("algorithm", "lds_order"), SEQUENCES)
def test_four_jobs_are_tried_in_the_order_of_the_list(algorithm, lds_order):
    """Four jobs are tried in the order of the lists LDS0, LDS1, … and DDS0, DDS1, …."""
    expected = [word for word in LISTS[algorithm, lds_order].split() if word != "|"]
    assert ["".join("abcd"[j] for j in order) for order in visited(4, algorithm, lds_order)[0]] == expected


@pytest.mark.parametrize("algorithm", ["lds", "dds"])
def test_five_jobs_have_so_many_leaves_in_each_iteration(algorithm):
    """Five jobs have 1, 10, 35, 50 and 24 leaves by iteration of LDS, and 1, 4, 15, 40 and 60 of DDS."""
    seen, _ = visited(5, algorithm)
    iterations = sequence(5, algorithm)
    assert [len(each) for each in iterations] == LEAVES[algorithm]
    assert seen == [order for each in iterations for order in each]


@pytest.mark.parametrize(("algorithm", "lds_order"), SEQUENCES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_every_order_is_tried_once(n, algorithm, lds_order):
    """All n! orders are tried once, in the plain sequence, with shared prefixes placed once."""
    seen, found = visited(n, algorithm, lds_order)
    assert len(seen) == len(set(seen)) == factorial(n) == found.leaves
    assert seen == [order for each in sequence(n, algorithm, lds_order == "top") for order in each]
    assert found.nodes == nodes_until(n, algorithm, lds_order == "top")[-1]


@pytest.mark.parametrize(("algorithm", "lds_order"), SEQUENCES)
def test_the_node_limit_counts_placements(algorithm, lds_order):
    """The node limit counts placements, but the first path is always completed."""
    until = nodes_until(4, algorithm, lds_order == "top")
    for limit in range(1, until[-1] + 3):
        seen, found = visited(4, algorithm, lds_order, limit)
        assert found.nodes == max(min(limit, until[-1]), 4)
        assert len(seen) == leaves_within(limit, until)


@pytest.mark.parametrize(("algorithm", "lds_order", "nodes"), [("dds", "left", 18), ("lds", "left", 17)])
def test_the_last_node_of_the_limit_completes_an_order(algorithm, lds_order, nodes):
    """An order that the last node completes is seen."""
    assert len(visited(3, algorithm, lds_order, nodes)[0]) == 6
    assert len(visited(3, algorithm, lds_order, nodes - 1)[0]) == 5


@pytest.mark.parametrize(("algorithm", "lds_order"), SEQUENCES)
def test_a_time_limit_looks_at_the_clock_between_placements(algorithm, lds_order, monkeypatch):
    """However often the search looks at the clock, it sees the same orders if there is time for all."""
    whole = visited(4, algorithm, lds_order)
    for glance in (1, 2, 3):
        monkeypatch.setattr("thinktime.models.policies.search.tradeoff.GLANCE", glance)
        seen, found = visited(4, algorithm, lds_order, time_limit=1e6)
        assert (seen, found.nodes) == (whole[0], whole[1].nodes)
