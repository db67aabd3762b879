"""Shapes of jobs: their sizes, their rates, their texts, and bad input."""

from typing import Any

import numpy as np
import pytest

import thinktime as tt
from thinktime.workloads.shapes.shape import Shape


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("4-7", [4, 5, 6, 7]), ("4-64*2", [4, 8, 16, 32, 64]), ("3-20*2", [3, 6, 12]), ("4-12+4", [4, 8, 12]),
        ("64 4 16 4", [4, 16, 64]), ("4,16", [4, 16]), ("8", [8]), (" 4 - 6 ", [4, 5, 6]),
    ],
)  # fmt: skip
def test_sizes(text: str, sizes: list[int]) -> None:
    """All between, factors, equal distances, or a list; the preferred size is the largest unless it is given."""
    shape = Shape(text)
    assert shape.every.tolist() == sizes
    assert shape.preferred == shape.reference == sizes[-1]


def test_rates_are_relative_to_the_reference() -> None:
    """100 s of work on 1, with a fifth serial, take 40 s on 4; its user believes that they take 25 s."""
    shape = Shape("1 4", preferred=4, reference=1, speedup="amdahl(0.2)", believes="linear")
    assert (100 / shape.rate(np.array([1, 4]))).tolist() == [100, 40]
    assert (100 / shape.believed(np.array([1, 4]))).tolist() == [100, 25]


@pytest.mark.parametrize(
    "text",
    [
        "4-64*2 preferred=16 speedup=amdahl(0.1) kind=moldable",
        "2-8 preferred=8 speedup=linear kind=malleable cost=10s gap=1min notice=2min",
        "4 8 preferred=4 speedup=table(2:2 4:3.5 8:6) kind=malleable reference=2 believes=table(2:2 4:4 8:8)",
    ],
)
def test_texts_are_read_back(text: str) -> None:
    """All that differs from the usual stands in the text."""
    shape = Shape.parse(text)
    assert str(shape) == text
    assert Shape.parse(str(shape)) == shape


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("", "sizes are such as 4-64, 4-64*2, 4-64+4, or 4 16 64, not ''"),
        ("0-4", "sizes are such as 4-64, 4-64*2, 4-64+4, or 4 16 64, not '0-4'"),
        ("64-4", "sizes are from the least to the most, so '64-4' has none: 64 is above 4"),
        ("4-64*1", "sizes that are multiplied need a factor of at least 2, not '4-64*1'"),
        ("4-64+0", "sizes at equal distances need a step of at least 1, such as 4-64+4, not '4-64+0'"),
        ("1-99999999", "'1-99999999' are more than 1,048,576 sizes; give a larger step, such as 4-64+4"),
        ("4-8 preferred=9", "the preferred size must be one of the sizes 4-8, not 9"),
        ("4-8 preferred=x", "preferred must be a number of processors, not 'x'"),
        ("4-8 reference=0", "reference must be a number of processors, not 0"),
        ("4-8 speed=linear", "a shape has no 'speed'; did you mean 'speedup'?"),
        ("4-8 colour=red", "a shape has no 'colour'; its keys are sizes, preferred, speedup, kind, reference, "
                           "believes, cost, gap, notice, asks, data, bandwidth"),
        ("4-8 kind=maleable", "kind cannot be 'maleable'; did you mean 'malleable'?"),
        ("4-8 cost=1x", "cost must be seconds of at least 0, such as 60 or 1m, not '1x'"),
        ("4-8 gap=-1", "gap must be seconds of at least 0, such as 60 or 1m, not '-1'"),
        ("4-8 believes=lin", "there is no speed-up 'lin'; did you mean 'linear'?"),
        ("4-8 speedup=table(8:8)", "table(8:8) has no value for size 4, only for 8"),
        ("4 8 reference=2 speedup=table(4:4 8:8)", "table(4:4 8:8) has no value for the reference size 2, by which "
                                                   "run times are known"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(given: str, sentence: str) -> None:
    """What is wrong, and what would be right."""
    with pytest.raises(ValueError) as error:
        Shape.parse(given)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"processors": (4, 8)}, "processors must be a number, or three: the least, the preferred and the largest, "
                                 "not (4, 8)"),
        ({"processors": (4, 2, 8)}, "of the sizes 4, 2, 8, the least comes first, and the largest last"),
        ({"processors": (0, 1, 2)}, "the least size must be at least 1, not 0"),
        ({"processors": 4, "speedup": "amdal(0.1)"}, "there is no speed-up 'amdal'; did you mean 'amdahl'?"),
        ({"processors": 4, "shape": "2-8"}, "the shape of the job prefers 8 processors, not 4"),
        ({"speedup": "constant", "shape": "2-8"}, "a shape says the sizes and the speed-up of a job; give no others"),
    ],
)  # fmt: skip
def test_bad_jobs_get_a_sentence(given: dict[str, Any], sentence: str) -> None:
    """Three sizes, or a shape, but not both."""
    with pytest.raises(ValueError) as error:
        tt.Job(runtime=10, **given)
    assert str(error.value) == sentence


def test_jobs_say_their_shape_in_two_ways() -> None:
    """Three sizes and a speed-up are a malleable job; the processors are the preferred ones."""
    short = tt.Job(runtime=10, processors=(4, 16, 64), speedup="amdahl(0.1)")
    assert short.processors == 16
    assert short.shape == Shape.parse("4-64 preferred=16 speedup=amdahl(0.1)")
    assert tt.Job(runtime=10, shape="4-64*2 preferred=16 kind=moldable").processors == 16


def test_data_take_time_to_move() -> None:
    """5 s and 4 GB at 1 GB/s are 9 s, and a shape with them is read back."""
    shape = Shape("4-8", cost=5, data="4gb", bandwidth="1gb")
    assert shape.standstill == 9 and Shape.parse(str(shape)) == shape
    for given, sentence in (
        (
            {"data": "4gb"},
            "data take time to move with a bandwidth; give bandwidth, such as 1gb (in a second), as well",
        ),
        ({"bandwidth": 0}, "bandwidth must be bytes, such as 1e9 or 4gb, not 0"),
    ):
        with pytest.raises(ValueError) as error:
            Shape("4-8", **given)
        assert str(error.value) == sentence
