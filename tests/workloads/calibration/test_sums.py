"""Sums over rows by the levels of factors, against sums row by row."""

import numpy as np
import pytest

from thinktime.workloads.calibration import sums
from thinktime.workloads.calibration.sums import Pairs, Sums

SIZES = (4, 3, 5, 2)
SETS = [[(0,), (1,), (2,), (3,)], [(0, 1), (2, 3)], [(3, 1, 0), (2,)], [(0, 1, 2, 3)]]


def rows(seed, count=50, groups=6):
    """Levels of four factors, of which the second follows from the first, and a group."""
    rng = np.random.default_rng(seed)
    levels = [rng.integers(0, size, count) for size in SIZES]
    levels[1] = levels[0] % 3
    return levels, rng.integers(0, groups, count), groups, rng.normal(0.0, 1.0, count)


def columns(levels, group, groups):
    """One column for all rows, one for each level, and one for each group: 1 where a row has it."""
    found = [np.ones((len(group), 1)), *(np.eye(size)[each] for each, size in zip(levels, SIZES, strict=True))]
    return np.hstack(found), np.eye(groups)[group]


@pytest.mark.parametrize("dense", [sums.DENSE, 0])
@pytest.mark.parametrize("sets", SETS)
def test_sums_are_products_of_columns(sets, dense, monkeypatch):
    """Whatever factors are in one set, and whether codes are counted or sorted; products of two levels are exact."""
    monkeypatch.setattr(sums, "DENSE", dense)
    levels, group, groups, of = rows(len(sets))
    one, other = columns(levels, group, groups)
    found = Sums(levels, SIZES, sets, group, groups)
    by_value, by_group = found.single(of)
    assert by_value == pytest.approx(one.T @ of) and by_group == pytest.approx(other.T @ of)
    inner, across, own = found.double(of)
    assert inner == pytest.approx((one.T * of) @ one) and across == pytest.approx((one.T * of) @ other)
    assert own == pytest.approx(other.T @ of)
    values, effects = np.arange(1.0, 1 + one.shape[1]), np.arange(float(groups))
    assert found.spread(values, effects) == pytest.approx(one @ values + other @ effects)


def test_without_factors_there_are_sums_by_group():
    """And one over all rows."""
    _, group, groups, of = rows(1)
    found = Sums([], [], [], group, groups)
    assert found.single(of)[0] == pytest.approx([of.sum()])
    assert found.double(of)[0] == pytest.approx(np.array([[of.sum()]]))
    assert found.double(of)[1] == pytest.approx(np.bincount(group, of, groups)[None])


def test_pairs_are_those_that_occur():
    """Each row has the code of its own."""
    one, other = np.array([2, 0, 2, 1]), np.array([1, 1, 1, 0])
    found = Pairs.of(one, other, (3, 2))
    assert found.one[found.code].tolist() == one.tolist() and found.other[found.code].tolist() == other.tolist()
    assert len(found.one) == 3
