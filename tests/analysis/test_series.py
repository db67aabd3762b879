"""Step functions of a result over time."""

from collections.abc import Callable

import numpy as np
import pytest

from thinktime.analysis import series
from thinktime.models.results import measures
from thinktime.models.results.result import Result


def test_processors_in_use_and_queued(worked: Result) -> None:
    """Steps change where jobs start, end or arrive, once for each time."""
    times, values = series.processors_in_use(worked)
    assert (times.tolist(), values.tolist()) == ([0, 10, 12, 13], [3, 4, 2, 0])
    times, values = series.processors_queued(worked)
    assert (times.tolist(), values.tolist()) == ([0, 1, 2, 10], [0, 2, 4, 0])


def test_values_at_times(worked: Result) -> None:
    """A series has the value of its latest step, and 0 before the first and after the last."""
    assert series.processors_queued(worked).at([0, 1, 2, 9.9, 10]).tolist() == [0, 2, 4, 4, 0]
    assert series.processors_in_use(worked).at([-1, 0, 11, 12, 13]).tolist() == [0, 3, 4, 2, 0]


def test_unfinished_jobs_count_up_to_the_horizon() -> None:
    """A running job holds its processors, and a waiting one its place, until the horizon."""
    columns = {"submit": [0, 1], "start": [0, np.nan], "end": [np.nan, np.nan], "processors": [3, 2]}
    result = Result.from_columns(columns, 4, now=10)
    assert series.processors_in_use(result).at([0, 9, 10]).tolist() == [3, 3, 0]
    assert series.processors_queued(result).at([0, 9, 10]).tolist() == [0, 2, 0]


def test_the_mean_of_a_bin_weighs_by_time(worked: Result) -> None:
    """The mean over a bin is the integral over it, divided by its width; outside it is 0."""
    assert series.processors_in_use(worked).mean([-10, 0, 13, 20]).tolist() == [0, 40 / 13, 0]


def test_the_mean_over_the_window_is_the_utilization(schedule: Callable[..., Result]) -> None:
    """One bin over the whole window gives the utilization."""
    result = schedule(seed=5)
    mean = series.processors_in_use(result).mean(measures.window(result))
    assert mean[0] / result.processors == pytest.approx(measures.utilization(result))


def test_bins_have_widths_that_people_can_name() -> None:
    """Bins cover the interval with the smallest round width that gives few enough of them."""
    edges = series.bins(100, 86_400 * 30, at_most=200)
    assert edges[0] == 0
    assert edges[-1] >= 86_400 * 30
    assert set(np.diff(edges)) == {6 * 3600}


def test_bins_of_an_instant() -> None:
    """An interval without length still has one bin."""
    assert series.bins(5, 5).tolist() == [5, 6]
    with pytest.raises(ValueError, match="first <= last"):
        series.bins(5, 4)


def test_series_of_nothing() -> None:
    """A result without jobs has series that are 0 everywhere."""
    empty = Result.from_columns({"submit": [], "start": [], "end": [], "processors": []}, 4)
    assert series.processors_in_use(empty).mean([0, 1, 2]).tolist() == [0, 0]
    assert series.processors_queued(empty).at(3) == 0
