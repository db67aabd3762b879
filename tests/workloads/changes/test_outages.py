"""Outages: tables of intervals, their union, and binding them to a machine."""

import itertools
import math
import pickle
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.interval_sets import LARGEST, indices_of, interval_set, is_interval_set

INTERVALS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6), st.integers(0, 3)), max_size=12)

NAMED = Outages.of([(0, 9, [0])]).named(["n7"])


def rows(outages: Outages) -> list[tuple[float, float, int]]:
    return list(zip(outages.start.tolist(), outages.end.tolist(), outages.index.tolist(), strict=True))


@given(INTERVALS)
def test_every_outage_is_kept(intervals: list[tuple[int, int, int]]) -> None:
    """Outages that overlap, or are equal, stay rows of their own, in order of start, index and end."""
    outages = Outages.of([(start, start + length, [index]) for start, length, index in intervals])
    wanted = sorted((start, index, start + length) for start, length, index in intervals)
    assert [(start, index, end) for start, end, index in rows(outages)] == wanted


@given(INTERVALS)
def test_the_union_counts(intervals: list[tuple[int, int, int]]) -> None:
    """At any time those processors are down that are in an interval; the union has disjoint rows, in order."""
    union = Outages.of([(start, start + length, [index]) for start, length, index in intervals]).union()
    for t in range(20):
        down = {index for start, length, index in intervals if start <= t < start + length}
        assert {index for start, end, index in rows(union) if start <= t < end} == down
    assert rows(union) == sorted(rows(union), key=lambda row: (row[0], row[2]))
    for index in range(4):
        own = [row for row in rows(union) if row[2] == index]
        assert all(before[1] < after[0] for before, after in itertools.pairwise(own))


@given(INTERVALS, INTERVALS)
def test_tables_are_joined(one: list[tuple[int, int, int]], other: list[tuple[int, int, int]]) -> None:
    """Two tables joined are the table of all their outages."""
    first, second, both = (
        Outages.of([(start, start + length, [index]) for start, length, index in each])
        for each in (one, other, one + other)
    )
    assert first | second == both


def test_outages_that_overlap_stay_two() -> None:
    """Each outage of a processor is an event of its own; what is down is their union."""
    outages = Outages.of([(10, 12, [0]), (11, 15, [0]), (15, 18, [0]), (10, math.inf, [1])])
    assert rows(outages) == [(10, 12, 0), (10, math.inf, 1), (11, 15, 0), (15, 18, 0)]
    assert rows(outages.union()) == [(10, 18, 0), (10, math.inf, 1)]


def test_nodes_are_found_by_name() -> None:
    """Outages that name nodes get their numbers from the machine."""
    outages = Outages.of([(5, 9, [0, 1]), (7, 12, [0])]).named(["n2", "n1"])
    assert rows(outages.bound({"n1": 0, "n2": 1})) == [(5, 9, 0), (5, 9, 1), (7, 12, 1)]


@pytest.mark.parametrize(
    ("outages", "machine", "message"),
    [
        (Outages.of([(0, 9, [4])]), 4, "an outage of processor 4 is beyond the machine's 4 (0 to 3)"),
        (Outages.of([(0, 9, [2])]), {"n1": 0}, "an outage of node 2 is beyond the machine's 1 (0 to 0)"),
        (NAMED, {"n1": 0, "n2": 1}, "an outage of an unknown node 'n7'; the nodes are n1, n2"),
        (NAMED, 4, "an outage names the node 'n7', but the machine is a pool: give indices"),
    ],
)  # fmt: skip
def test_outages_beyond_the_machine_are_refused(outages: Outages, machine: Any, message: str) -> None:
    """Processors and nodes that the machine does not have are named."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        outages.bound(machine)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((10, 10, [0]), "end must be after start (10 s), not 10"),
        ((10, 5, [0]), "end must be after start (10 s), not 5"),
        ((10, math.nan, [0]), "end must be a time from 0 to 8,796,093,022,208 s, not nan"),
        ((10, 9e12, [0]), "end must be a time from 0 to 8,796,093,022,208 s, not 9000000000000.0"),
        ((-1, 5, [0]), "start must be a time from 0 to 8,796,093,022,208 s, not -1.0"),
        ((0, 5, [-1]), "an index must be at least 0, not -1"),
        ((0, 5, "3-1"), "the interval 3-1 goes backwards; write 1-3"),
        ((0, 5, "a"), "'a' in 'a' is not an index such as 7, or an interval of indices such as 0-3"),
        ((0, 5, " "), "an interval set such as '0-3 7' must not be empty"),
        ((0, 5, "0-99999999"), f"'0-99999999' has an index that is not below {LARGEST:,}"),
    ],
)  # fmt: skip
def test_an_impossible_outage_is_refused(row: Any, message: str) -> None:
    """A row is refused with what is wrong and what would be right."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Outages.of([(0, 5, [0]), row])


def test_outages_are_values() -> None:
    """Tables with the same rows are equal and hash alike, can be sent to workers, and cannot be changed."""
    one, other = Outages.of([(5, 9, "0-1")]), Outages.of([(5, 9, [1]), (5, 9, [0])])
    assert one == other == pickle.loads(pickle.dumps(one)) and hash(one) == hash(other)
    assert one != other.named(["n1", "n2"])
    with pytest.raises(ValueError, match=r"^an outage has the index 1, beyond the 1 names$"):
        one.named(["n1"])
    with pytest.raises(ValueError, match="read-only"):
        one.start[0] = 3


@given(st.sets(st.integers(0, 60)))
def test_interval_sets_are_read_back(indices: set[int]) -> None:
    """What is written as an interval set is read back as the same indices."""
    text = interval_set(sorted(indices))
    assert is_interval_set(text)
    assert (indices_of(text).tolist() if text else []) == sorted(indices)
