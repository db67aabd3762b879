"""The figures of a report."""

import re

import pytest

from thinktime.analysis.experiments import Sweep
from thinktime.analysis.pictures.style import looks_of
from thinktime.analysis.reports import compared
from thinktime.analysis.reports.pictures import ReportPicture, number_axis, pictures


@pytest.fixture(scope="module")
def drawn(simulated: Sweep) -> list[ReportPicture]:
    return list(pictures(simulated, compared(simulated)))


def test_every_metric_and_curve_has_one(drawn: list[ReportPicture]) -> None:
    """Every judged metric has a figure, and there are two distributions and one series."""
    names = [each.name for each in drawn]
    assert names == [f"metric-{n}" for n in range(1, 4)] + [
        "quantiles-wait",
        "quantiles-bounded-slowdown-10",
        "over-time",
    ]
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)


def test_axes_have_labels_with_units(drawn: list[ReportPicture]) -> None:
    """Each axis says what it shows; what has a unit names it."""
    for each in drawn:
        panels = each.figure.axes
        assert panels[-1].get_xlabel(), each.name
        assert all(panel.get_ylabel() for panel in panels), each.name
    labels = {each.name: each.figure.axes[0].get_ylabel() for each in drawn}
    assert re.fullmatch(r"mean wait \((s|min|h|d)\)", labels["metric-1"]) and "(%)" in labels["metric-2"]


def test_a_policy_has_one_colour_in_all_of_them(drawn: list[ReportPicture]) -> None:
    """A policy has its style's colour in every legend."""
    looks = looks_of(["fcfs", "easy", "conservative"])
    seen = 0
    for each in drawn:
        for legend in each.figure.legends:
            for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True):
                line = handle if hasattr(handle, "get_color") else None
                colour = line.get_color() if line is not None else handle.get_edgecolor()
                from matplotlib.colors import to_hex

                assert to_hex(colour).upper() == looks[text.get_text()].colour.upper(), each.name
                seen += 1
    assert seen >= 15


def test_points_without_numbers_become_rows(known: Sweep) -> None:
    """Without a swept number policies are rows, and differences have a figure of their own."""
    found = list(pictures(known, compared(known)))
    assert [each.name for each in found] == ["metric-1", "metric-2", "metric-3", "differences"]
    labels = [text.get_text() for text in found[0].figure.axes[0].get_yticklabels()]
    assert labels == ["fcfs", "easy", "sjf"] and found[0].figure.axes[0].get_xlabel() == "mean wait (h)"
    assert "difference from fcfs (%)" in found[-1].figure.axes[0].get_xlabel()


def test_the_axis_is_the_number_with_the_most_values(simulated: Sweep, known: Sweep) -> None:
    """The axis is the swept number with the most values, never a text or a constant."""
    assert number_axis(compared(simulated)) == "workload.load" and number_axis(compared(known)) is None
