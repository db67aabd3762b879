"""The nearest points: against all distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.users.nearest import NearPoints


@given(
    points=st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=40),
    count=st.integers(1, 50),
    along=st.integers(0, 2),
    place=st.tuples(*[st.integers(-4, 4)] * 3),
)
def test_no_point_that_is_left_out_is_nearer(
    points: list[tuple[int, int, int]], count: int, along: int, place: tuple[int, int, int]
) -> None:
    rows, here = np.array(points, float), np.array(place, float)
    near = NearPoints(rows, count, along)
    for _ in range(2):  # what was found before leaves no trace
        found = near.of(here)
        away = ((rows - here) ** 2).sum(axis=1)
        assert len(set(found.tolist())) == len(found) == min(count, len(rows))
        assert sorted(away[found].tolist()) == sorted(away.tolist())[: len(found)]
        near.of(-here)


@pytest.mark.compiled
def test_many_points() -> None:
    rng = np.random.default_rng(3)
    rows = np.column_stack([rng.normal(size=(5000, 3)), rng.random((5000, 2)) < 0.3]).astype(float)
    near = NearPoints(rows, 50, 2)
    for here in rng.normal(size=(20, 5)):
        away = ((rows - here) ** 2).sum(axis=1)
        assert set(near.of(here).tolist()) == set(np.argsort(away)[:50].tolist())
