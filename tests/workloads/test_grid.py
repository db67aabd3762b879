"""The grid of time: exact sums, nearest and next points."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.workloads.grid import LIMIT, TICK, ceil_to_grid, to_grid

times = st.floats(min_value=-1e9, max_value=1e9)


@given(times)
def test_nearest_point(t: float) -> None:
    """A rounded time is a multiple of the tick, at most half a tick away."""
    rounded = to_grid(t)
    assert (rounded / TICK).is_integer()
    assert abs(rounded - t) <= TICK / 2


@given(times)
def test_next_point(t: float) -> None:
    """The ceiling is a multiple of the tick, at or after the time and less than a tick later."""
    point = ceil_to_grid(t)
    assert (point / TICK).is_integer()
    assert point - TICK < t <= point


@given(st.floats(min_value=0, max_value=1e9), st.floats(min_value=0, max_value=1e9))
def test_sums_are_exact(a: float, b: float) -> None:
    """On the grid, now + (t - now) is t."""
    now, t = to_grid(a), to_grid(b)
    assert now + (t - now) == t


@given(st.lists(st.floats(), min_size=1, max_size=5))
def test_arrays_as_scalars(values: list[float]) -> None:
    """An array is rounded as its elements are, whatever floats it holds."""
    assert np.array_equal(to_grid(np.array(values)), [to_grid(v) for v in values], equal_nan=True)


@given(times)
def test_idempotent(t: float) -> None:
    """Rounding again, up or to nearest, changes nothing."""
    assert to_grid(to_grid(t)) == ceil_to_grid(to_grid(t)) == to_grid(t)


def test_special_values() -> None:
    """NaN, infinities and times too large for the grid are kept."""
    for round_ in (to_grid, ceil_to_grid):
        assert math.isnan(round_(math.nan))
        assert [round_(x) for x in (math.inf, -math.inf, 1e300)] == [math.inf, -math.inf, 1e300]
        assert round_(LIMIT) == LIMIT


@pytest.mark.parametrize("x", [3, np.float64(3.0), np.int64(3)])
def test_plain_floats(x: float) -> None:
    """A scalar of any number type gives a plain Python float."""
    assert type(to_grid(x)) is float
    assert type(ceil_to_grid(x)) is float


def test_input_untouched() -> None:
    """Rounding an array leaves the array as it was, and takes integers."""
    values = np.array([0.1, np.nan])
    to_grid(values)
    assert values[0] == 0.1
    assert to_grid(np.array([1, 2])).dtype == np.float64
