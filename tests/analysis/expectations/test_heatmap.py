"""Heatmaps of violated EETs, the use of resources below, and pictures."""

from itertools import pairwise

import numpy as np
import pytest

from tests.analysis.expectations.test_evaluate import fixed, schedule
from thinktime.analysis.evaluation import box_plots, heatmap_picture, job_metrics
from thinktime.analysis.expectations.evaluate import evaluate, measures_of
from thinktime.analysis.expectations.heatmap import heatmap, usage


def late_by(seconds, submit=600.0, runtime=300.0):
    """One job whose EET is violated by so much."""
    rows = [("a", submit, submit + seconds, submit + seconds + runtime, 1)]
    return evaluate(schedule(rows, 2), fixed(2))


@pytest.mark.parametrize(
    ("seconds", "cells"), [(120, [10, 11]), (60, [10]), (59, []), (179, [10, 11]), (0, []), (180, [10, 11, 12])]
)
def test_a_tardiness_of_two_minutes_is_two_cells(seconds, cells):
    """Cells from floor(x / 60) up to, but not including, floor((x + T) / 60); x = EET - run time."""
    found = heatmap(late_by(seconds), since=0.0)
    assert np.flatnonzero(found.counts[0]).tolist() == cells
    assert found.counts.sum() == len(cells)


def test_any_two_minutes_are_two_cells():
    """A tardiness of two minutes covers two cells wherever in a minute the latest start lies."""
    for shift in range(61):
        assert heatmap(late_by(120, submit=600.0 + shift)).counts.sum() == 2


def test_options():
    """Options shade at least one cell, the time after the end, cells of other lengths, or from the first submission."""
    after = heatmap(late_by(120), mode="after-end", since=0.0)
    assert np.flatnonzero(after.counts[0]).tolist() == [15, 16]
    assert heatmap(late_by(30), at_least_one=True, since=0.0).counts[0, 10] == 1
    assert np.flatnonzero(heatmap(late_by(120), cell=30.0, since=0.0).counts[0]).tolist() == [20, 21, 22, 23]
    found = heatmap(late_by(120, submit=1.36e9))
    assert np.flatnonzero(found.counts[0])[0] == 0 or found.counts.shape[1] < 20
    with pytest.raises(ValueError, match="mode is 'odd'"):
        heatmap(late_by(120), mode="odd")


def test_cells_against_a_count_one_by_one():
    """On random schedules every cell holds the number of jobs that cover it."""
    random = np.random.default_rng(4)
    for _ in range(40):
        rows = []
        for _ in range(int(random.integers(1, 30))):
            submit = int(random.integers(0, 900))
            start = submit + int(random.integers(0, 700))
            rows.append((f"u{random.integers(3)}", submit, start, start + int(random.integers(0, 400)), 1))
        jobs = evaluate(schedule(rows, 9), fixed(2))
        found = heatmap(jobs, since=0.0)
        for u, user in enumerate(found.users):
            for c in range(found.counts.shape[1]):
                count = 0
                for j in range(len(jobs)):
                    x = jobs.eet[j] - jobs.runtime[j]
                    inside = x // 60 <= c < (x + jobs.tardiness[j]) // 60
                    count += jobs.user[j] == user and bool(jobs.violated[j]) and inside
                assert found.counts[u, c] == count


def test_coarser_cells_lose_no_violation():
    """A joined cell has the largest count of its parts."""
    found = heatmap(late_by(600), since=0.0)
    coarse = heatmap(late_by(600), since=0.0, most=5)
    assert coarse.counts.shape[1] <= 5
    assert coarse.counts.max() == found.counts.max() == 1
    assert coarse.edges[0] == found.edges[0]


def test_use_below():
    """The panel below shows the mean processors and bytes in use in each interval."""
    rows = [("a", 0, 0, 10, 2), ("b", 0, 5, 20, 1)]
    jobs = evaluate(schedule(rows, 4, memory=[100.0, np.nan]), fixed(4))
    found = usage(jobs, np.array([0.0, 10.0, 20.0, 30.0]))
    assert found["processors"].tolist() == [2.5, 1.0, 0.0]
    assert found["memory"].tolist() == [200.0, 0.0, 0.0]


def months(jobs=17_250, users=70, days=150):
    """As many jobs as the paper's log has."""
    random = np.random.default_rng(6)
    submit = np.sort(random.uniform(0, days * 86_400, jobs)).round()
    start = submit + random.exponential(40_000, jobs).round()
    runs = np.minimum(random.exponential(20_000, jobs).round() + 1, 30 * 86_400)
    user = random.integers(0, users, jobs)
    rows = zip(user.tolist(), submit.tolist(), start.tolist(), (start + runs).tolist(), [1] * jobs, strict=True)
    return evaluate(schedule(list(rows), 560), fixed(8))


def test_five_months_of_seventy_users():
    """Minute cells of 70 users over 5 months are counted, and two pictures of them share their colours."""
    jobs = months()
    assert heatmap(jobs).counts.shape[1] > 150 * 24 * 60
    both = heatmap_picture({"fcfs": jobs, "easy": jobs.only(users=range(30))})
    limits = {axes.collections[0].get_clim() for axes in both.axes if axes.get_title("left") in ("fcfs", "easy")}
    assert len(limits) == 1
    rows = {axes.get_ylim() for axes in both.axes if axes.get_title("left") in ("fcfs", "easy")}
    assert rows == {(70.0, 0.0)}


def test_job_metrics_and_boxes():
    """The table has plain and processor-weighted means, and the box plots show users."""
    rows = [("a", 0, 0, 100, 1), ("b", 0, 100, 200, 3)]
    jobs = evaluate(schedule(rows, 3), fixed(3))
    found = measures_of(jobs)
    assert found["wait"] == 50 and found["weighted wait"] == 75
    assert found["slowdown"] == 1.5 and found["weighted response time"] == 175
    assert len(job_metrics({"fcfs": jobs, "easy": jobs}).axes) == 4
    assert box_plots({"fcfs": jobs}).axes[0].get_ylim()[1] > 100
    assert box_plots({"fcfs": jobs}, "weighted_tardiness").axes[0].get_yscale() == "symlog"


def test_every_user_has_a_label():
    """Figure 7 labels all of sixty users in every heatmap, and no label covers the next."""
    rows = [(f"user{u}", 10 * u, 10 * u + 700, 10 * u + 900, 1) for u in range(60)]
    picture = heatmap_picture({name: evaluate(schedule(rows, 3), fixed(1)) for name in ("one", "two")})
    picture.canvas.draw()
    for axes in (picture.axes[0], picture.axes[2]):
        labels = axes.get_yticklabels()
        assert sorted(label.get_text() for label in labels) == sorted(f"user{u}" for u in range(60))
        boxes = sorted((label.get_window_extent() for label in labels), key=lambda box: box.y0)
        middles = [(box.y0 + box.y1) / 2 for box in boxes]
        letter = labels[0].get_fontsize() / 72 * picture.dpi
        assert min(b - a for a, b in pairwise(middles)) > 0.9 * letter
