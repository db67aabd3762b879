"""The pictures of campaigns: what they show, and that they cope with odd input."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest

from thinktime.analysis.papers.ostrich.figures import PROCESSORS, example
from thinktime.analysis.pictures import stretches as pictures
from thinktime.models.results.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def drawn(picture: Figure) -> Figure:
    picture.savefig(io.BytesIO(), format="png", dpi=40)
    return picture


def test_bands_fill_the_virtual_schedule() -> None:
    """In the example nine bands cover 6 processors for 14 s without overlaps."""
    bands = pictures.bands(example())
    areas = (bands.right - bands.left) * (bands.high - bands.low)
    assert areas.sum() == pytest.approx(PROCESSORS * 14)
    for t in np.arange(0.25, 14, 0.5).tolist():
        now = np.flatnonzero((bands.left <= t) & (t < bands.right))
        order = now[np.argsort(bands.low[now])]
        assert bands.low[order].tolist() == [0.0, *bands.high[order][:-1].tolist()]
        assert bands.high[order][-1] == pytest.approx(PROCESSORS)
    assert len(areas) == 9, "no slices at events of others"


def test_placed_jobs_are_those_of_the_result() -> None:
    """Every job is a rectangle of its campaign."""
    result = example()
    real = pictures.placed(result)
    assert ((real.right - real.left) * (real.high - real.low)).sum() == result["runtime"].sum()
    assert np.bincount(real.campaign).tolist() == np.bincount(result["campaign"]).tolist()


def test_both_schedules_share_their_axes() -> None:
    """The virtual schedule is above the real one, over the same times; all campaigns are named."""
    picture = drawn(pictures.virtual_and_real(example()))
    above, below = picture.axes
    assert above.get_xlim() == below.get_xlim() == (0, 15)
    assert "time (s)" in below.get_xlabel() and "processors" in above.get_ylabel()
    assert [text.get_text() for text in picture.legends[0].get_texts()] == ["user 1", "user 2", "user 3"]
    assert sorted(text.get_text() for text in above.texts) == ["1", "1", "1", "2"]


def test_a_window_of_both_schedules() -> None:
    """A window of both schedules may be drawn, but must have a length."""
    picture = drawn(pictures.virtual_and_real(example(), start=2, end=8))
    assert picture.axes[0].get_xlim() == (2, 8)
    with pytest.raises(ValueError, match="must end after it starts"):
        pictures.virtual_and_real(example(), start=8, end=2)


def test_many_users_and_unfinished_jobs() -> None:
    """More users than colours share one; jobs that still run or wait do not stop the picture."""
    n = 12
    end = np.where(np.arange(n) < 6, np.arange(n) + 5.0, np.nan)
    start = np.where(np.arange(n) < 8, np.arange(n), np.nan)
    columns = {"submit": np.arange(n), "start": start, "end": end, "processors": [1] * n, "user": np.arange(n)}
    result = Result.from_columns(columns, 16, names={"user": [f"u{k}" for k in range(n)]}, now=30.0)
    picture = drawn(pictures.virtual_and_real(result))
    assert picture.legends[0].get_texts()[-1].get_text() == "5 others"


def test_nothing_to_draw() -> None:
    """A schedule without a job is refused, and so is a comparison of nothing."""
    empty = Result.from_columns({"submit": [], "start": [], "end": [], "processors": []}, 4)
    with pytest.raises(ValueError, match="a job that ran"):
        pictures.virtual_and_real(empty)
    with pytest.raises(ValueError, match="at least one policy"):
        pictures.stretch_histogram({})
    with pytest.raises(ValueError, match="at least one policy"):
        pictures.worst_stretches({})


def test_bins_of_stretches() -> None:
    """Bins include their lower ends, the last one is open, and shares add up to 1."""
    share = pictures.binned(np.array([1.0, 1.99, 2.0, 20.0, 20.01, 500.0, np.nan]))
    assert len(share) == 20
    assert (share * 6).round(6).tolist() == [2, 1, *[0] * 16, 1, 2]
    assert not pictures.binned(np.empty(0)).any()


def test_the_histogram_shows_printed_numbers() -> None:
    """The paper's printed shares are marked as such."""
    rng = np.random.default_rng(1)
    stretches = {"fcfs": 1 + rng.exponential(20, 500), "ostrich": 1 + rng.exponential(3, 500)}
    picture = drawn(pictures.stretch_histogram(stretches, {"fcfs": 0.423, "ostrich": 0.013}))
    assert {text.get_text() for text in picture.axes[0].texts} == {"42.3", "1.3"}
    legend = [text.get_text() for text in picture.legends[0].get_texts()]
    assert set(legend) == {"fcfs (n=500)", "ostrich (n=500)", "printed in the paper"}


def test_worst_stretches_on_a_logarithmic_axis() -> None:
    """A bar per policy and profile from 1 up; a profile without users has none."""
    maxima = {
        "fcfs": {"short": (80.8, 27.0), "long": (6.1, 0.3)},
        "ostrich": {"short": (14.8, np.nan), "long": (np.nan, np.nan)},
    }
    picture = drawn(pictures.worst_stretches(maxima, {"fcfs": {"short": "> 50", "long": 6.3}}))
    axes = picture.axes[0]
    assert axes.get_yscale() == "log" and axes.get_ylim()[0] == 1
    assert {"80.8", "6.1", "14.8"} <= {text.get_text() for text in axes.texts}
    names = [text.get_text() for text in picture.legends[0].get_texts()]
    colours = [patch.get_facecolor() for patch in picture.legends[0].get_patches()]
    assert names == ["printed in the paper", "fcfs", "ostrich"]
    assert colours[0] == axes.patches[0].get_facecolor() != colours[1]
