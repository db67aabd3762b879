"""Metrics by name, against the same numbers computed job by job in plain Python."""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median, stdev

import numpy as np
import pytest

import thinktime as tt
from thinktime.analysis.experiments import Scenario, sweep
from thinktime.analysis.experiments.measured_run import mser5_start, simulate, window
from thinktime.analysis.experiments.metrics import DEFAULT, metric
from thinktime.analysis.experiments.window import Measured
from thinktime.models.results.result import Result

# (user, submit, start, end, processors) on 4 processors, two users with names as a scenario gives them
JOBS = [
    ("short 1", 0, 0, 10, 4), ("short 2", 2, 10, 14, 2), ("long 1", 4, 10, 70, 2), ("short 1", 20, 20, 25, 1),
    ("long 1", 30, 70, 100, 4), ("short 2", 90, 100, 101, 3),
]  # fmt: skip


@pytest.fixture(scope="module")
def result() -> Result:
    names = list(dict.fromkeys(user for user, *_ in JOBS))
    columns = {
        "user": [names.index(user) for user, *_ in JOBS],
        **{name: [row[i] for row in JOBS] for i, name in ((1, "submit"), (2, "start"), (3, "end"))},
        "processors": [row[4] for row in JOBS],
    }
    return Result.from_columns(columns, 4, names={"user": names})


def waits(chosen: Callable[[tuple[str, int, int, int, int]], bool] = lambda row: True) -> list[int]:
    return [row[2] - row[1] for row in JOBS if chosen(row)]


def percentile(values: list[float], p: float) -> float:
    """Linear between the two nearest values."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * p / 100
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def bounded(row: tuple[str, int, int, int, int], floor: float) -> float:
    _, submit, start, end, _ = row
    return max(1.0, (end - submit) / max(end - start, floor))


EXPECTED = {
    "mean_wait": fmean(waits()),
    "median_wait": median(waits()),
    "min_wait": 0,
    "max_wait": 40,
    "std_wait": stdev(waits()),
    "total_wait": sum(waits()),
    "p95_wait": percentile([float(each) for each in waits()], 95),
    "p12.5_wait": percentile([float(each) for each in waits()], 12.5),
    "mean_response_time": fmean(row[3] - row[1] for row in JOBS),
    "max_runtime": 60,
    "mean_slowdown": fmean((row[3] - row[1]) / (row[3] - row[2]) for row in JOBS),
    "mean_bounded_slowdown_10": fmean(bounded(row, 10) for row in JOBS),
    "max_bounded_slowdown_2.5": max(bounded(row, 2.5) for row in JOBS),
    "mean_floored_slowdown_60": fmean(
        (row[2] - row[1] + max(row[3] - row[2], 60)) / max(row[3] - row[2], 60) for row in JOBS
    ),
    "share_wait_above_8": 2 / 6,
    "share_wait_below_8": 3 / 6,
    "mean_wait@short": fmean(waits(lambda row: row[0].startswith("short"))),
    "mean_wait@long 1": fmean(waits(lambda row: row[0] == "long 1")),
    "mean_user_max_wait": fmean([0, 10, 40]),
    "max_user_mean_wait": fmean([6, 40]),
    "mean_user_max_wait@short": fmean([0, 10]),
    "jobs": 6,
    "users": 3,
    "finished": 6,
    "unfinished": 0,
    "makespan": 101,
    "utilization": sum(n * (end - start) for _, _, start, end, n in JOBS) / (4 * 101),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_metrics(result: Result, name: str) -> None:
    """A metric is what its name says, over the jobs that ended after having started."""
    assert metric(name)(Measured(result)) == pytest.approx(EXPECTED[name], rel=1e-12)


def test_without_warm_up_it_is_the_summary(result: Result) -> None:
    """Without a window, the metrics are those of `Result.summary`, to the last bit."""
    summary = result.summary()
    for name in DEFAULT:
        assert metric(name)(Measured(result)) == summary[name]


def brute_force(first: int, last: int) -> tuple[float, float]:
    """Utilization and loss of capacity second by second (all times are whole)."""
    used = lost = 0
    for t in range(first, last):
        in_use = sum(n for _, _, start, end, n in JOBS if start <= t < end)
        queued = sum(n for _, submit, start, _, n in JOBS if submit <= t < start)
        used, lost = used + in_use, lost + min(queued, 4 - in_use)
    return used / (4 * (last - first)), lost / (4 * (last - first))


@pytest.mark.parametrize(("first", "last"), [(2, 30), (3, 95), (0, 101), (10, 91)])
def test_the_window(result: Result, first: int, last: int) -> None:
    """Jobs count if submitted in [first, last), and the machine is measured over that time."""
    measured = Measured(result, first, last)
    inside = waits(lambda row: first <= row[1] < last)
    assert metric("mean_wait")(measured) == pytest.approx(fmean(inside))
    assert metric("jobs")(measured) == len(inside)
    utilization, lost = brute_force(first, last)
    assert metric("utilization")(measured) == pytest.approx(utilization)
    assert metric("loss_of_capacity")(measured) == pytest.approx(lost)


def test_what_is_not_defined(result: Result) -> None:
    """A metric without a value, such as a spread of one job, is None."""
    assert metric("mean_wait")(Measured(result, 1000, 2000)) is None
    assert metric("std_wait")(Measured(result, 90, 91)) is None
    assert metric("jobs")(Measured(result, 1000, 2000)) == 0
    with pytest.raises(ValueError, match="no user is called 'nobody'; there are long, short"):
        metric("mean_wait@nobody")(Measured(result))


@pytest.mark.parametrize(
    "name", ["mean_wiat", "p101_wait", "mean_bounded_slowdown", "mean_bounded_slowdown_0", "wait", "", "mean_wait@"]
)
def test_no_such_metric(name: str) -> None:
    """A name that is no metric is refused."""
    with pytest.raises(ValueError, match="metric"):
        metric(name)


def test_campaigns_of_the_ostrich_example() -> None:
    """Stretches and response times of campaigns are those of `analysis.stretch`."""
    text = 'horizon = "12 h"\nmachine.processors = 8\n[users.short]\nprofile = "short"\ncount = 3\nthink_time = 600'
    found = simulate(Scenario.from_text(text), "ostrich", 3)
    table = tt.analysis.stretch.campaign_table(found)
    known = table["stretch"].dropna()
    assert len(known) > 5
    assert metric("mean_stretch")(Measured(found)) == pytest.approx(known.mean())
    assert metric("max_campaign_response_time")(Measured(found)) == table["response_time"].max()
    by_user = table.dropna().groupby("user")["stretch"].max()
    assert metric("mean_user_max_stretch")(Measured(found)) == pytest.approx(by_user.mean())


def test_warm_up_and_cool_down_of_a_scenario() -> None:
    """Warm-up counts from a log's first submission or from 0, cool-down back from the horizon."""
    users = 'horizon = "6 h"\nwarm_up = "1 h"\ncool_down = "2 h"\nmachine.processors = 8\n'
    users += '[users.short]\nprofile = "short"'
    scenario = Scenario.from_text(users)
    measured = window(scenario, simulate(scenario, "easy", 1))
    assert (measured.first, measured.last) == (3600, 4 * 3600)
    jobs = Scenario.from_text("warm_up = 50\nmachine.processors = 8\n[workload]\njobs = 30")
    found = simulate(jobs, "easy", 1)
    assert window(jobs, found).first == found["submit"].min() + 50


def test_mser5_finds_the_warm_up() -> None:
    """MSER-5 drops the waits up to where they settle."""
    submit = np.arange(400.0)
    wait = np.where(submit < 100, 500.0 - 5 * submit, 3.0 + submit % 2)
    columns = {"submit": submit, "start": submit + wait, "end": submit + wait + 1, "processors": np.ones(400)}
    assert mser5_start(Result.from_columns(columns, 10_000)) == pytest.approx(100, abs=5)
    text = 'warm_up = "mser5"\nmetrics = ["warm_up", "jobs"]\nmachine.processors = 8\n[workload]\njobs = 60'
    assert Scenario.from_text(text).warm_up == "mser5"


def test_a_metric_of_ones_own(tmp_path: Path) -> None:
    """A metric may be a function in a script, whose text is part of the runs' digest."""
    (tmp_path / "mine.py").write_text("def twice(result):\n    return 2 * len(result)\n")
    text = 'policies = ["easy"]\nmetrics = ["mine.py:twice", "jobs"]\nreplications = 1\n'
    scenario = Scenario.from_text(f"{text}machine.processors = 8\n[workload]\njobs = 30", folder=tmp_path)
    table = sweep(scenario, tmp_path / "out", processes=1).table
    assert table["mine.py:twice"].tolist() == [60.0]


def test_jobs_and_curves(tmp_path: Path) -> None:
    """Runs keep their curves by default and their jobs as Parquet on request, and the two agree."""
    pytest.importorskip("pyarrow")
    text = 'policies = ["easy"]\nreplications = 2\noutputs.jobs = true\nmachine.processors = 8\n[workload]\njobs = 30'
    found = sweep(Scenario.from_text(text), tmp_path / "out", processes=1)
    key = found.table["key"][1]
    jobs, curves = found.jobs(key), found.series(key)
    assert len(jobs) == 30 and len(list((tmp_path / "out" / "jobs").iterdir())) == 2
    assert curves["quantiles"][-1] == 1.0
    assert curves["wait"][-1] == pytest.approx((jobs["start"] - jobs["submit"]).max(), rel=1e-5)
    widths = np.diff(curves["time"])
    area = (np.array(curves["utilization"]) * widths).sum() * 8
    assert area == pytest.approx(((jobs["end"] - jobs["start"]) * jobs["processors"]).sum(), rel=1e-4)
    without = Scenario.from_text(text.replace("true", "false"))
    with pytest.raises(ValueError, match=r"outputs\.jobs = true"):
        sweep(without, tmp_path / "none", processes=1).jobs(key)


def test_the_papers_metrics(result: Result) -> None:
    """Metrics of fairness and expectations are bit for bit those of the modules that define them."""
    from thinktime.analysis.deviation import deviation
    from thinktime.analysis.expectations.evaluate import evaluate
    from thinktime.analysis.fairness import hybrid_fst, resource_equality, unfairness

    text = 'horizon = "2 d"\nmachine.processors = 16\n[users.short]\nprofile = "short"\ncount = 5\nthink_time = 600'
    found = simulate(Scenario.from_text(text), "easy", 2)
    measured = Measured(found)
    fair = unfairness(found, hybrid_fst(found))
    assert metric("percent_unfair")(measured) == fair.percent_unfair > 0
    assert metric("fair_start_miss")(measured) == fair.average_miss > 0
    assert metric("resource_inequality")(measured) == resource_equality(found).mean
    users = evaluate(found).users()
    assert metric("violated_expectations")(measured) == pytest.approx(users["veet"].mean())
    assert metric("weighted_tardiness")(measured) == pytest.approx(users["weighted_tardiness"].sum() / 3600)
    start, end = measured.time()
    days = [day * tt.DAY for day in range(3) if start <= day * tt.DAY <= end]
    assert metric("deviation")(measured) == deviation(found, days).sum_abs
    late = Measured(found, first=1.0 * tt.DAY)
    miss = np.maximum(found["start"] - hybrid_fst(found), 0)[found["submit"] >= tt.DAY]
    assert metric("fair_start_miss")(late) == pytest.approx(np.nanmean(miss))
    with pytest.raises(ValueError, match="is defined for the whole run only"):
        metric("percent_unfair@short")


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request for Parquet files without pyarrow is refused before anything runs."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    text = 'policies = ["easy"]\noutputs.jobs = true\nmachine.processors = 8\n[workload]\njobs = 30'
    with pytest.raises(ValueError, match=r"needs pyarrow: pip install 'thinktime\[parquet\]'"):
        sweep(Scenario.from_text(text), tmp_path / "out", processes=1)
    assert not (tmp_path / "out").exists()
