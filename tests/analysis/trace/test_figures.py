"""Pictures of a log say what its columns say, and cope with odd logs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from thinktime.analysis.trace import figures as pictures
from thinktime.analysis.trace.figures import activity
from thinktime.analysis.trace.panels import arrival_rates, distribution, load_over_time, local_hours, width_classes
from thinktime.workloads import Trace
from thinktime.workloads.generators import offered_load
from thinktime.workloads.header import Header
from thinktime.workloads.units import DAY, HOUR, WEEK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FULL = Header.build(MaxProcs=64, UnixStartTime=1_000_000_000, TimeZoneString="Europe/Stockholm")


def log(jobs: int = 300, span: float = 20 * DAY, header: Header = FULL, **columns: object) -> Trace:
    """Random jobs; a column given as None is missing."""
    rng = np.random.default_rng(jobs)
    usual = {
        "submit": np.sort(np.floor(rng.random(jobs) * span)),
        "runtime": np.ceil(rng.lognormal(6, 2, jobs)),
        "allocated": rng.integers(1, 65, jobs),
        "requested_time": np.full(jobs, 86_400.0),
        "user": np.minimum(rng.zipf(1.5, jobs), 80),
    }
    chosen = usual | columns
    return Trace({name: column for name, column in chosen.items() if column is not None}, header)


ODD = {
    "usual": log(),
    "no users": log(user=None),
    "no estimates": log(requested_time=None),
    "one job": log(1),
    "no header": log(header=Header()),
    "bare": log(user=None, requested_time=None, header=Header()),
    "all at one time": log(5, submit=[7] * 5, runtime=[0] * 5),
    "tenths of seconds": log(400, span=30.0),
    "nonsense date": log(5, header=Header.build(UnixStartTime=10**15)),
    "decades": log(50, span=40 * 365 * DAY),
}


QUICK = ("bare", "nonsense date", "decades")
SHEETS = [pytest.param(name, "sheet", marks=[] if name in QUICK else [pytest.mark.thorough]) for name in ODD]
PANELS = [pytest.param(name, "panels", marks=pytest.mark.thorough) for name in ODD]


@pytest.mark.parametrize(("name", "saved"), SHEETS + PANELS)
def test_every_picture_of_odd_logs(name: str, saved: str) -> None:
    """The sheet of all panels, and each of them, can be drawn and saved; every axis has a name, and a panel a title."""
    trace = ODD[name]
    for draw in [pictures.trace_sheet] if saved == "sheet" else pictures.panels(trace).values():
        picture = draw(trace)
        picture.draw_without_rendering()
        assert all(axes.get_xlabel() or axes.get_label() == "<colorbar>" for axes in picture.axes)
        assert picture.axes[0].get_ylabel() and picture.axes[0].get_title(loc="left")


def title(draw: Callable[[Trace], Figure], trace: Trace) -> str:
    """The title of a picture's first axes."""
    return str(draw(trace).axes[0].get_title(loc="left"))


def test_titles_say_what_a_log_does_not_have() -> None:
    """Without start time, users or estimates, the title says so; without a size there is no load."""
    assert title(pictures.arrivals_by_hour, ODD["no header"]).endswith("hours counted from t = 0")
    assert title(pictures.user_activity, ODD["no users"]) == "Arrivals over time (the log names no users)"
    assert title(pictures.run_times, ODD["no estimates"]) == "Run times (the log has no estimates)"
    assert "load" not in pictures.panels(ODD["no header"])
    with pytest.raises(ValueError, match="size of the machine"):
        pictures.offered_load(ODD["no header"])


def test_nothing_is_no_picture() -> None:
    """A trace without jobs is refused."""
    with pytest.raises(ValueError, match="at least one job"):
        pictures.trace_sheet(log(0))


def test_hours_are_those_of_the_logs_zone() -> None:
    """Hours and weekdays are on the log's own clock, and follow its changes."""
    trace = log(2, submit=[0, 60 * DAY])
    assert (local_hours(trace) % 168).tolist() == [6 * 24 + 3, 3 * 24 + 2]


def test_rates_are_per_hour_that_the_log_covers() -> None:
    """One job an hour for nine days is one job per hour in every hour and on every weekday."""
    rates = arrival_rates(log(9 * 24, submit=np.arange(9 * 24) * HOUR, header=Header()))
    assert rates.by_hour.tolist() == [1.0] * 24 and rates.by_weekday.tolist() == [1.0] * 7
    short = arrival_rates(log(3, submit=[0, HOUR, HOUR], header=Header()))
    assert short.by_hour[:2].tolist() == [1.0, 2.0] and np.isnan(short.by_hour[2:]).all()


def test_distribution_is_the_share_up_to_each_value() -> None:
    """Ties count together, NaN does not count."""
    values, share = distribution(np.array([3.0, 1.0, 1.0, np.nan, 2.0]))
    assert values.tolist() == [1, 1, 2, 3] and share.tolist() == [0.5, 0.5, 0.75, 1]


def test_width_classes_add_up() -> None:
    """Widths 1, 2, 3 and 4 are in the classes 0, 1, 2, 2; three of them are powers of two."""
    trace = log(4, allocated=[1, 2, 3, 4], runtime=[10, 10, 10, 10])
    classes, jobs, exact, work = (column.tolist() for column in width_classes(trace))
    assert (classes, jobs, exact, work) == ([0, 1, 2], [1, 1, 2], [1, 1, 1], [10, 20, 70])


@pytest.mark.parametrize(("span", "width"), [(1.3 * DAY, HOUR), (20.7 * DAY, DAY), (333 * DAY, WEEK)])
def test_the_mean_over_time_is_the_offered_load(span: float, width: int) -> None:
    """Bins cover the log exactly, so their weighted mean is the load of all."""
    trace = log(500, span=span)
    edges, load, found = load_over_time(trace)
    assert found == width
    assert (load * np.diff(edges)).sum() / (edges[-1] - edges[0]) == pytest.approx(offered_load(trace))


def test_activity_counts_every_job_once() -> None:
    """The strips of the users shown hold exactly their jobs."""
    seen = activity(log(2000), at_most=10)
    assert seen.counts.sum(axis=1).tolist() == seen.jobs.tolist() == sorted(seen.jobs, reverse=True)
    assert len(seen.users) == 10 and seen.share == pytest.approx(seen.jobs.sum() / 2000)


def test_the_same_log_gives_the_same_bytes(tmp_path: Path) -> None:
    """A picture that is drawn and saved twice is the same file."""
    files = [pictures.save(pictures.user_activity(ODD["usual"]), tmp_path / f"{name}.png") for name in "ab"]
    assert files[0].read_bytes() == files[1].read_bytes()
