"""Random quantities: drawn in blocks, each from its own stream."""

import itertools

import numpy as np
import pytest
from scipy import stats

from thinktime.users import draws


def first(row, n=600):
    return list(itertools.islice(row, n))


def test_a_number_is_always_the_same():
    """A number as a quantity is the same in every draw."""
    assert first(draws(3, np.random.default_rng(1)), 3) == [3.0, 3.0, 3.0]


@pytest.mark.parametrize(
    "quantity", [stats.expon(scale=5), stats.geom(0.1), stats.rv_discrete(values=([1, 2], [0.5, 0.5]))]
)
def test_a_distribution_is_drawn_from_its_generator(quantity):
    """Equal generators give equal rows, across the borders of blocks, as plain floats."""
    rows = [first(draws(quantity, np.random.default_rng(seed))) for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]
    assert {type(number) for number in rows[0]} == {float}
    assert abs(np.mean(rows[0]) - quantity.mean()) < 5 * quantity.std() / np.sqrt(600)


def test_a_function_is_called_once_for_each_number():
    """A function gets the generator, and may keep a memory of its own."""
    calls = []

    def count(rng):
        calls.append(rng)
        return len(calls)

    rng = np.random.default_rng(1)
    assert first(draws(count, rng), 4) == [1, 2, 3, 4]
    assert calls == [rng] * 4


def test_an_error_names_the_quantity():
    """A text is refused as a quantity, by name."""
    with pytest.raises(TypeError, match="think_time must be a number"):
        draws("5", np.random.default_rng(1), "think_time")
