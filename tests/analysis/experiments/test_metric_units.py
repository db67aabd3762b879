"""Units and digits in which people read numbers."""

import math

import pytest

from thinktime.analysis.experiments.metric_units import percentage, plain, unit_of, words
from thinktime.analysis.experiments.metrics import DEFAULT, metric, unit
from thinktime.analysis.statistics import Interval


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mean_wait", "s"), ("p99.9_response_time", "s"), ("makespan", "s"), ("fair_start_miss", "s"),
        ("max_user_max_campaign_response_time", "s"), ("km_p90_wait", "s"),
        ("mean_wait@short", "s"), ("utilization", "fraction"), ("share_wait_above_3600", "fraction"),
        ("km_share_wait_above_3600", "fraction"), ("share_stretch_below_2@long", "fraction"),
        ("mean_bounded_slowdown_10", "1"), ("finished", "jobs"), ("lost_work", "processor-seconds"),
        ("mine.py:lost_wait.py", "1"), ("mine.py:longest_wait", "s"), ("wait", "s"), ("score", "1"),
    ],
)  # fmt: skip
def test_units(name: str, expected: str) -> None:
    """A statistic has the unit of its measure, a share is a fraction; one's own is a time if it ends like one."""
    assert unit(name) == expected


def test_every_default_metric_has_words() -> None:
    """Every default metric has a name in words."""
    assert all("_" not in words(name) for name in DEFAULT if metric(name))
    assert words("p2_wait") == "2nd percentile of wait" and words("p11_wait") == "11th percentile of wait"
    assert words("mine.py:lost_jobs") == "mine.py:lost_jobs"


def test_times_are_shown_in_the_unit_of_most() -> None:
    """All numbers of a metric share the unit that fits their median."""
    unit = unit_of("mean_wait", [30.0, 7200.0, 4000.0, 900_000.0, math.nan])
    assert unit.name == "h" and unit.show(5400) == "1.500"
    assert unit.show_interval(Interval(5400, 360)) == "1.50 ± 0.10"
    assert unit_of("utilization", [0.5]).show_interval(Interval(0.5, 0.031)) == "50.0 ± 3.1"
    assert unit_of("killed", [3]).show_interval(Interval(3, math.nan)) == "3"
    units = {"deviation": "processor-hours", "percent_unfair": "%", "lost_processor_hours": "", "mean_slowdown": ""}
    assert {name: unit_of(name, [3.0]).name for name in units} == units
    assert unit_of("mean_wait", []).name == "s" and unit_of("mean_wait", [0.0]).show(0) == "0"


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (12345.678, 340, "12,346"), (12.3456, 3.4, "12.3"), (12.3456, 0.034, "12.346"), (0.0, math.nan, "0"),
        (-1.5, math.nan, "−1.500"), (2.0, 0.0, "2"), (math.nan, math.nan, "–"), (1e-12, math.nan, "0.00000000"),
    ],
)  # fmt: skip
def test_digits(value: float, half: float, text: str) -> None:
    """A number shows two digits of its half width, or four of its own."""
    assert plain(value, half) == text


def test_percentages() -> None:
    """Relative differences have a sign and digits by size, and a missing one is a dash."""
    assert [percentage(x) for x in (0.5, -0.034, 0.0, math.nan)] == ["+50 %", "−3.4 %", "+0 %", "–"]
