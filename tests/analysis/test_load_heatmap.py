"""Heatmaps of load and slowdown, and their differences."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from thinktime.analysis import pictures
from thinktime.analysis.load_heatmap import LOADS, SLOWDOWNS, LoadHeatmap, load_at_arrival
from thinktime.models.state import State


@st.composite
def results(draw: st.DrawFn) -> tt.Result:
    """Some jobs on 4 processors, one after the other or at once, some of which were never served."""
    times = [(draw(st.integers(0, 20)), draw(st.integers(0, 9)), draw(st.integers(0, 30))) for _ in range(6)]
    submit, wait, run = (np.array(column, float) for column in zip(*times, strict=True))
    gone = np.array([draw(st.booleans()) for _ in times])
    start, end = np.where(gone, np.nan, submit + wait), np.where(gone, np.nan, submit + wait + run)
    return tt.Result.from_columns({"submit": submit, "start": start, "end": end, "processors": [1] * 6}, 4)


@settings(max_examples=60, deadline=None)
@given(result=results(), window=st.sampled_from([(None, None), (5.0, 15.0)]))
def test_every_job_is_in_its_cell(result: tt.Result, window: tuple[float | None, float | None]) -> None:
    """The grid is that of a loop over jobs: those that ran right before a submission, and the slowdown's step."""
    jobs = list(zip(*(result[name].tolist() for name in ("submit", "start", "end", "state")), strict=True))
    counts = np.zeros((len(SLOWDOWNS) - 1, len(LOADS) - 1))
    for place, (submit, start, end, state) in enumerate(jobs):
        running = sum(begin < submit <= stop for _, begin, stop, _ in jobs)
        assert load_at_arrival(result)[place] == running / 4
        inside = window[0] is None or window[0] <= submit < window[1]
        if inside and state == State.FINISHED:
            slow = max(1.0, (end - submit) / max(end - start, 10.0))
            row = max(i for i, border in enumerate(SLOWDOWNS[:-1]) if border <= slow)
            column = max(i for i, border in enumerate(LOADS[:-1]) if border <= min(running / 4, 1) + 1e-12)
            counts[row, column] += 1
    found = LoadHeatmap.of(result, *window)
    assert found.jobs == counts.sum()
    assert (found.shares * max(found.jobs, 1)).round(9).tolist() == counts.tolist()


def test_the_difference_is_of_shares(schedule: Callable[..., tt.Result]) -> None:
    """Shares of both results add up to 1, so their differences to 0; a result has none from itself."""
    one, two = (LoadHeatmap.of(schedule(1, speed=speed)) for speed in (1.0, 0.7))
    assert one.shares.sum() == pytest.approx(1) and (two - one).sum() == pytest.approx(0)
    assert abs(two - one).max() > 0 and not (one - one).any()


def test_the_picture_has_a_panel_for_each_other_result(schedule: Callable[..., tt.Result]) -> None:
    """The first result is subtracted from all others, whether given as results or as heatmaps."""
    first, second = schedule(1), schedule(1, speed=0.7)
    picture = pictures.difference_heatmap({"easy": first, "fcfs": second, "own": LoadHeatmap.of(second)})
    titles = [axes.get_title(loc="left") for axes in picture.axes]
    assert titles[:2] == ["fcfs less easy", "own less easy"]
    drawn = [axes.collections[0].get_array() for axes in picture.axes[:2]]
    assert (drawn[0] == drawn[1]).all()
    wanted = 100 * (LoadHeatmap.of(second) - LoadHeatmap.of(first))
    assert np.asarray(drawn[0]).tolist() == wanted[: len(drawn[0])].tolist()
    with pytest.raises(ValueError, match="between two results"):
        pictures.difference_heatmap({"easy": first})


def test_results_without_jobs() -> None:
    """Nothing less nothing is a white picture."""
    empty = tt.Result.from_columns({"submit": [], "start": [], "end": [], "processors": []}, 4)
    picture = pictures.difference_heatmap({"a": empty, "b": empty})
    assert not np.asarray(picture.axes[0].collections[0].get_array()).any()
