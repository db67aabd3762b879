"""The nearest pauses: against a sort of all distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.users.nearest import NearPauses, features, place_of
from thinktime.workloads.units import DAY, HOUR, WEEK

TIMES = st.integers(0, 28).map(lambda sixths: sixths * 6 * HOUR) | st.floats(0, 2 * WEEK)
RESPONSES = st.sampled_from([0.0, 60.0, 3600.0]) | st.floats(0, 1e6)
BEGUN = st.tuples(TIMES, RESPONSES)


def sorted_out(pauses: list[tuple[float, float]], place: tuple[float, float], count: int) -> list[int]:
    """The numbers of the nearest pauses, by (distance, number)."""
    wall, response = np.array(pauses, float).T
    away = ((features(wall, response) - place_of(*place)) ** 2).tolist()
    far = [sum(each) for each in away]  # in the order of the coordinates, as the kernel does
    return sorted(sorted(range(len(pauses)), key=lambda number: (far[number], number))[:count])


@given(pauses=st.lists(BEGUN, min_size=1, max_size=40), count=st.integers(1, 50), place=BEGUN, other=BEGUN)
def test_the_nearest_are_those_of_a_sort(
    pauses: list[tuple[float, float]], count: int, place: tuple[float, float], other: tuple[float, float]
) -> None:
    """As many are found as are asked for, of equally near ones the first, whatever was asked before."""
    near = NearPauses(*np.array(pauses, float).T, count)
    for each in (place, other, place):
        assert sorted(near.of(*each).tolist()) == sorted_out(pauses, each, count)


def test_points_of_one_pause_and_of_many_are_the_same() -> None:
    """Sines and logarithms of single numbers differ from those of arrays in the last digit at most."""
    wall, response = np.linspace(0, 2 * WEEK, 500), np.geomspace(1, 1e6, 500)
    one = [place_of(*each) for each in zip(wall.tolist(), response.tolist(), strict=True)]
    np.testing.assert_allclose(features(wall, response), one, rtol=0, atol=1e-11)


@pytest.mark.compiled
def test_many_pauses() -> None:
    """Of 5,000 pauses the 50 nearest are those of a sort of all distances."""
    rng = np.random.default_rng(3)
    pauses = list(zip(rng.uniform(0, 50 * DAY, 5000).tolist(), rng.lognormal(7, 2, 5000).tolist(), strict=True))
    near = NearPauses(*np.array(pauses).T, 50)
    for place in zip(rng.uniform(0, 50 * DAY, 20).tolist(), rng.lognormal(7, 3, 20).tolist(), strict=True):
        assert sorted(near.of(*place).tolist()) == sorted_out(pauses, place, 50)
