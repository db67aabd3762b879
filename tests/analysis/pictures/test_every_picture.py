"""Every picture is drawn, says what it shows, and copes with odd results."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

import thinktime as tt
from tests.models.changes.case import Window
from tests.models.changes.engine import engine_result
from tests.models.changes.test_files_of_changes import AGAIN
from thinktime.analysis import pictures
from thinktime.analysis.pictures.gantt import busy_window
from thinktime.analysis.pictures.waits import class_label, exceedance, width_class
from thinktime.models.machine.power import Power
from thinktime.models.results.result import Result
from thinktime.models.site.charge import Term

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Picture = Callable[..., "Figure"]
COMPARING = [
    pictures.utilization_and_queue,
    pictures.power_over_time,
    pictures.wait_by_width,
    pictures.slowdown_distribution,
    pictures.user_comparison_chart,
    pictures.work_by_hour,
    pictures.who_pays,
]


def labelled(picture: Figure) -> bool:
    """Whether a figure can be drawn, has a title, and every axis that is not shared has a label."""
    picture.draw_without_rendering()
    bottom = picture.axes[-1]
    titles = any(axes.get_title(loc="left") for axes in picture.axes)
    return titles and bool(bottom.get_xlabel()) and all(axes.get_ylabel() for axes in picture.axes)


@pytest.mark.parametrize("draw", COMPARING)
def test_pictures_of_several_results_have_labels_and_a_legend(draw: Picture, schedule: Callable[..., Result]) -> None:
    """A comparison labels its axes and names its policies."""
    picture = draw({"fcfs": schedule(1), "easy": schedule(1, speed=1.5)})
    assert labelled(picture)
    names = [text.get_text().partition(" (n=")[0].partition(": ")[0] for text in picture.legends[0].get_texts()]
    assert names == ["fcfs", "easy"]


@pytest.mark.parametrize("draw", [*COMPARING, pictures.gantt])
def test_pictures_of_one_result_have_labels(draw: Picture, schedule: Callable[..., Result]) -> None:
    """A picture of one result has labels without a name."""
    assert labelled(draw(schedule(2)))


@pytest.mark.parametrize("draw", [*COMPARING, pictures.gantt])
def test_pictures_of_unfinished_runs(draw: Picture) -> None:
    """Jobs still running or waiting at the horizon do not stop a picture."""
    columns = {"submit": [0, 0, 1], "start": [0, 5, np.nan], "end": [5, np.nan, np.nan], "processors": [2, 1, 3]}
    assert labelled(draw(Result.from_columns(columns | {"user": [0, 0, -1]}, 4, names={"user": ["ann"]}, now=50)))


@pytest.mark.parametrize("draw", COMPARING)
def test_pictures_of_nothing(draw: Picture) -> None:
    """A result without jobs gives an empty picture, and no result at all is refused."""
    empty = Result.from_columns({"submit": [], "start": [], "end": [], "processors": []}, 4)
    assert labelled(draw(empty))
    with pytest.raises(ValueError, match="at least one result"):
        draw({})


def test_power_with_its_cap_and_a_signal(schedule: Callable[..., Result]) -> None:
    """Power is in kW, the legend has the cap, and a second panel has carbon, or the signal that is named."""
    made = schedule(1)
    signals = {
        "price": tt.Signal([0], [0.2], "price", "EUR/kWh"),
        "carbon": tt.Signal([0, 3600], [100, 200], "carbon", "g/kWh"),
    }
    columns = made.columns | {"power": np.full(len(made), 50.0)}
    result = dataclasses.replace(made, columns=columns, machine_power=Power(idle=10, cap=5000), signals=signals)
    picture = pictures.power_over_time(result)
    assert labelled(picture)
    assert [text.get_text() for text in picture.legends[0].get_texts()][-1] == "cap"
    assert picture.axes[1].get_ylabel() == "carbon (g/kWh)"
    assert pictures.power_over_time(result, "price").axes[1].get_ylabel() == "price (EUR/kWh)"


def test_work_by_the_hour_of_the_day() -> None:
    """Hours are those of the log's clock, means are over days, and a second panel has the signal."""
    columns = {"submit": [0, 0, 86_400], "start": [0, 3600, 86_400], "end": [3600, 5400, 90_000]}
    made = Result.from_columns(columns | {"processors": [2, 4, 4]}, 8)
    signals = {"price": tt.Signal([0, 3600], [1.0, 3.0], "price", "EUR/kWh")}
    result = dataclasses.replace(made, unix_start=1800.0, zone="UTC", signals=signals)
    picture = pictures.work_by_hour({"one": result, "other": made})
    one, other = (each.get_data().values for each in picture.axes[0].patches)
    # From half past midnight on two processors for an hour, then four for half an hour; the next day until the same.
    assert one[:3].tolist() == [1.0, 3.0, 0.0]
    assert other[:2].tolist() == [2.0, 2.0]
    assert picture.axes[1].get_ylabel() == "price (EUR/kWh)"


def test_who_pays_by_hand() -> None:
    """Two users with equal work, of whom one pays three quarters: fairness (3 + 1)² / (2 · (9 + 1)) = 0.8."""
    columns = {"submit": [0, 0], "start": [0, 0], "end": [3600, 3600], "processors": [1, 1], "user": [0, 1]}
    made = Result.from_columns(columns | {"power": [300.0, 100.0]}, 2, names={"user": ["ann", "bob"]})
    by_energy = tt.Charge([Term(1.0, "kWh")])
    result = dataclasses.replace(made, machine_power=Power(), charge=by_energy)
    picture = pictures.who_pays(result)
    assert picture.axes[0].lines[1].get_xydata() == pytest.approx(np.array([[50, 1.5], [50, 0.5]]))
    assert [text.get_text() for text in picture.legends[0].get_texts()] == [
        "recorded: fairness 0.80, 50 % pay less than the mean"
    ]


def test_a_gantt_chart_keeps_to_its_window(schedule: Callable[..., Result]) -> None:
    """The window that is asked for is the one that is drawn, coloured as asked for."""
    picture = pictures.gantt(schedule(1), start=3600, end=7200, colour="width")
    assert picture.axes[0].get_xlim() == (3600, 7200)
    with pytest.raises(ValueError, match="must end after it starts"):
        pictures.gantt(schedule(1), start=7200, end=3600)
    with pytest.raises(ValueError, match="'user' or 'width'"):
        pictures.gantt(schedule(1), colour="queue")


def test_the_busy_window_lies_within_the_run(schedule: Callable[..., Result]) -> None:
    """Of a long run, a part in which the machine works is chosen."""
    result = schedule(1, jobs=3000)
    first, last = busy_window(result)
    assert result["start"].min() <= first < last <= result["end"].max()
    with pytest.raises(ValueError, match="needs a job that ran"):
        busy_window(Result.from_columns({"submit": [0], "start": [0], "end": [0], "processors": [1]}, 4))


def test_classes_of_widths() -> None:
    """Widths are classed by powers of two."""
    assert width_class([1, 2, 3, 4, 5, 8, 9, 512, 513]).tolist() == [0, 1, 2, 2, 3, 3, 4, 9, 10]
    assert [class_label(k) for k in (0, 1, 2, 10)] == ["1", "2", "3\N{EN DASH}4", "513\N{EN DASH}1024"]


def test_the_share_above_each_value() -> None:
    """The share above each value is exact, but that above the largest is shown as of one value."""
    values, share = exceedance(np.array([1.0, 1.0, np.nan, 3.0, 5.0]))
    assert dict(zip(values.tolist(), share.tolist(), strict=True)) == {1.0: 0.5, 3.0: 0.25, 5.0: 0.25}


def test_the_chart_of_users_shows_the_busiest(schedule: Callable[..., Result]) -> None:
    """Only as many users as asked for have a row, and the title says so."""
    picture = pictures.user_comparison_chart(schedule(1), "mean_wait", at_most=3)
    assert len(picture.axes[0].get_yticklabels()) == 3
    assert "3 of 10 users" in picture.axes[0].get_title(loc="left")


def test_the_last_class_ends_with_the_machine() -> None:
    """No class has more processors than the machine."""
    labels = [class_label(k, most) for k, most in ((7, 100), (6, 100), (7, 65))]
    assert labels == ["65\N{EN DASH}100", "33\N{EN DASH}64", "65"]


def test_one_class_of_widths_has_the_room_of_one() -> None:
    """With one class the axis is as wide as with several."""
    columns = {"submit": [0, 0], "start": [0, 5], "end": [5, 9], "processors": [1, 1]}
    axes = pictures.wait_by_width(Result.from_columns(columns, 4)).axes[0]
    assert axes.get_xlim() == (-0.5, 0.5)


def test_time_axes_say_where_they_start(schedule: Callable[..., Result]) -> None:
    """Time is since the log's start where the result has one; a Gantt chart's title names its window."""
    result = schedule(1)
    dated = dataclasses.replace(result, unix_start=1e9)
    for draw in (pictures.utilization_and_queue, pictures.gantt):
        assert draw(result).axes[-1].get_xlabel().startswith("time (")
        assert draw(dated).axes[-1].get_xlabel().startswith("time since the log's start (")
    title = pictures.gantt(result, start=3600, end=7200).axes[0].get_title(loc="left")
    assert title == "Jobs of 1 h under fcfs, from 60 to 120 min"


def test_equal_dots_of_two_policies_can_both_be_seen(schedule: Callable[..., Result]) -> None:
    """Equal dots of two policies stand beside each other, and axis and title name scale and order."""
    result = schedule(1)
    axes = pictures.user_comparison_chart({"easy": result, "fcfs": result}).axes[0]
    first, second = axes.get_lines()
    assert 0 < np.abs(first.get_ydata() - second.get_ydata()).max() < 0.5
    assert axes.get_xlabel().endswith("(log scale)")
    assert "in the order of easy, the largest first" in axes.get_title(loc="left")


def test_pictures_of_a_machine_that_changes() -> None:
    """Windows and outages that are seen are in the legends; on a Gantt chart jobs stand on the processors they had."""
    window = Window(205, 209, 2, announced=205, rule="wait")
    result = engine_result(dataclasses.replace(AGAIN, windows=(window,)))
    chart = pictures.gantt(result, start=0, end=215)
    assert labelled(chart) and chart.axes[0].get_ylabel() == "processors"
    entries = [text.get_text() for text in chart.legends[0].get_texts()]
    assert entries[-3:] == ["window of any\nprocessors", "down", "interrupted"]
    jobs, down = ([path.get_extents().bounds for path in each.get_paths()] for each in chart.axes[0].collections[:2])
    assert down == [(20, 1, 180, 1), (160, 3, 30, 1)]
    assert {(0, 0, 20, 2), (0, 2, 50, 2), (50, 0, 100, 1), (50, 2, 100, 1)} <= set(jobs)
    assert [patch.get_bbox().bounds for patch in chart.axes[0].patches] == [(205, 2, 4, 2)]
    calm = pictures.gantt(result, start=192, end=204)
    assert not {"window of any\nprocessors", "interrupted"} & {text.get_text() for text in calm.legends[0].get_texts()}
    over_time = pictures.utilization_and_queue({"easy": result, "fcfs": result})
    assert [text.get_text() for text in over_time.legends[0].get_texts()] == ["easy", "fcfs", "window", "down"]


def test_reservations_look_different_from_windows_that_admit_no_job() -> None:
    """They have a pattern and an entry of their own, since jobs may run in them."""
    windows = [tt.Window(0, 20, 2), tt.Window(10, 30, 1, users=[1])]
    log = tt.Trace({"submit": [0.0], "runtime": [40.0], "allocated": [1], "user": [1]})
    result = tt.replay(log, "easy", 4, changes=tt.Changes(windows))
    for chart in (pictures.gantt(result), pictures.utilization_and_queue(result)):
        handles = chart.legends[0].get_patches()[-2:]
        assert len({patch.get_hatch() for patch in handles}) == 2
        words = [text.get_text().split()[0] for text in chart.legends[0].get_texts()]
        assert words[-2:] == ["window", "reservation"]
