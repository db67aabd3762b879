"""Outages: the union of intervals, their events in order, and binding them to a machine."""

import itertools
import math
import pickle
import re
from typing import Any

import numpy as np
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
def test_the_union_counts(intervals: list[tuple[int, int, int]]) -> None:
    """At any time those processors are down that are in an interval; the rows of one are disjoint and in order."""
    outages = Outages.of([(start, start + length, [index]) for start, length, index in intervals])
    for t in range(20):
        down = {index for start, length, index in intervals if start <= t < start + length}
        assert {index for start, end, index in rows(outages) if start <= t < end} == down
    assert rows(outages) == sorted(rows(outages), key=lambda row: (row[0], row[2]))
    for index in range(4):
        own = [row for row in rows(outages) if row[2] == index]
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(own))


@given(INTERVALS, INTERVALS)
def test_tables_are_joined(one: list[tuple[int, int, int]], other: list[tuple[int, int, int]]) -> None:
    """The union of two tables is the table of all their intervals."""
    first, second, both = (
        Outages.of([(start, start + length, [index]) for start, length, index in each])
        for each in (one, other, one + other)
    )
    assert first | second == both


def test_touching_outages_stay_two() -> None:
    """A processor that is repaired and fails again at one time has two outages; overlapping ones are one."""
    assert rows(Outages.of([(10, 12, [0]), (12, 15, [0])])) == [(10, 12, 0), (12, 15, 0)]
    assert rows(Outages.of([(10, 12, [0]), (11, 15, [0]), (10, math.inf, [1])])) == [(10, 15, 0), (10, math.inf, 1)]


@given(INTERVALS, st.lists(st.integers(0, 20), min_size=2, max_size=5))
def test_events_come_in_pieces(intervals: list[tuple[int, int, int]], cuts: list[int]) -> None:
    """Events of consecutive ranges are those of the whole range: by time, repairs before failures, then by index."""
    outages = Outages.of([(start, start + length, [index]) for start, length, index in intervals])
    cuts = sorted(cuts)
    pieces = [outages.events(since, until) for since, until in itertools.pairwise(cuts)]
    whole = outages.events(cuts[0], cuts[-1])
    for name in ("time", "index", "down"):
        assert np.concatenate([getattr(piece, name) for piece in pieces]).tolist() == getattr(whole, name).tolist()
    listed = list(zip(whole.time.tolist(), whole.index.tolist(), whole.down.tolist(), strict=True))
    assert listed == sorted(listed, key=lambda event: (event[0], event[2], event[1]))


def test_an_endless_outage_has_no_repair() -> None:
    """Of an outage without end there is a failure, and no repair."""
    found = Outages.of([(10, math.inf, [3]), (5, 10, [1])]).events()
    assert (found.time.tolist(), found.index.tolist(), found.down.tolist()) == (
        [5, 10, 10],
        [1, 1, 3],
        [True, False, True],
    )


def test_nodes_are_found_by_name() -> None:
    """Outages that name nodes get their numbers from the machine."""
    outages = Outages.of([(5, 9, [0, 1]), (7, 12, [0])]).named(["n2", "n1"])
    assert rows(outages.bound({"n1": 0, "n2": 1})) == [(5, 9, 0), (5, 12, 1)]


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
