"""The only run of a point: batches of its jobs, kept, resumed, and compared."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.commands import stdout_of
from thinktime.analysis.experiments import Scenario, Sweep, sweep
from thinktime.analysis.experiments.measured_run import simulate
from thinktime.analysis.experiments.metrics import metric
from thinktime.analysis.reports import compared, report
from thinktime.models.results import measures

from .conftest import content

JOBS, BATCHES = 621, 26
"""621 = 27 x 23: 26 batches of 23 jobs, and none is left over."""

LOG = """
name = "One log"
policies = ["fcfs", "easy", "sjf"]
metrics = ["mean_wait", "mean_bounded_slowdown_60", "share_wait_above_100", "median_wait", "utilization"]
[machine]
processors = 8
[trace]
file = "made.swf"
"""


@pytest.fixture(scope="module")
def log_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up log of 621 jobs by 9 users, with waits (field 3), so that it can be run with feedback."""
    folder = tmp_path_factory.mktemp("log")
    rng = np.random.default_rng(7)
    submit = np.cumsum(rng.exponential(70.0, JOBS)).round().astype(int)
    lines = ["; MaxProcs: 8", "; UnixStartTime: 0"]
    for k, at in enumerate(submit.tolist()):
        run, size = int(rng.integers(10, 200)), int(rng.integers(1, 6))
        lines.append(f"{k + 1} {at} 20 {run} {size} -1 -1 {size} {2 * run} -1 1 {k % 9 + 1} 1 1 1 1 -1 -1")
    (folder / "made.swf").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def scenario(log_folder: Path) -> Scenario:
    """Three policies on the log."""
    return Scenario.from_text(LOG, folder=log_folder)


@pytest.fixture(scope="module")
def found(scenario: Scenario, tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """The sweep, run."""
    return sweep(scenario, tmp_path_factory.mktemp("found") / "out", processes=1)


def by_hand(scenario: Scenario, policy: str) -> np.ndarray:
    """The batches' mean waits, by plain loops."""
    result = simulate(scenario, policy, 1)
    rows = sorted(zip(result["submit"], result["id"], measures.wait(result), strict=True))
    waits = [wait for *_, wait in rows]
    assert len(waits) == JOBS
    return np.array([sum(waits[23 * k : 23 * (k + 1)]) / 23 for k in range(1, BATCHES + 1)])


def test_intervals_and_paired_differences(scenario: Scenario, found: Sweep) -> None:
    """Half widths, differences and p-values of plain batches are scipy's, around the run's own mean."""
    waits = {policy: by_hand(scenario, policy) for policy in scenario.policies}
    cells = {policy: compared(found).measured[0].cells[0, policy] for policy in scenario.policies}
    table = found.table.set_index("policy")
    p = []
    for policy, cell in cells.items():
        low, high = stats.t.interval(0.95, BATCHES - 1, waits[policy].mean(), stats.sem(waits[policy]))
        assert cell.interval.half == pytest.approx((high - low) / 2) and cell.batches == BATCHES
        assert cell.interval.mean == table.loc[policy, "mean_wait"]
        if policy != "fcfs":
            d = waits[policy] - waits["fcfs"]
            assert cell.difference is not None and cell.difference.paired
            assert cell.difference.interval.mean == pytest.approx(d.mean())
            assert cell.relative == pytest.approx(d.mean() / waits["fcfs"].mean())
            p.append(float(stats.ttest_rel(waits[policy], waits["fcfs"]).pvalue))
    assert cells["easy"].adjusted == pytest.approx(min(1, max(p[0] * (1 + (p[0] <= p[1])), p[1] * 2 * (p[1] < p[0]))))
    assert cells["easy"].verdict == "lower"


def test_what_is_no_mean_over_jobs_has_none(found: Sweep) -> None:
    """Medians and utilization have no batches, but a share of jobs is a mean over them."""
    measured = {each.metric: each for each in compared(found).measured}
    for name in ("median_wait", "utilization"):
        cell = measured[name].cells[0, "easy"]
        assert np.isnan(cell.interval.half) and not cell.batches and not cell.mark
    assert measured["share_wait_above_100"].cells[0, "easy"].interval.half > 0


@pytest.mark.parametrize("name", ["mean_wait", "mean_response_time", "mean_slowdown", "mean_bounded_slowdown_10",
                                  "mean_floored_slowdown_60", "share_wait_below_50", "mean_wait@user 3"])  # fmt: skip
def test_values_of_jobs_have_the_metric_as_their_mean(scenario: Scenario, name: str) -> None:
    """The values that are cut into batches have the metric as their mean."""
    from thinktime.analysis.experiments.measured_run import window

    measured = window(scenario.resolved({"warm_up": 3600.0}), simulate(scenario, "easy", 1))
    if "@" in name:
        name = f"mean_wait@{measured.result.names['user'][3]}"
    one = metric(name)
    assert one.per_job is not None
    _, values = one.per_job(measured)
    assert float(np.nanmean(values)) == pytest.approx(one(measured))


@pytest.mark.parametrize("name", ["p95_wait", "mean_stretch", "mean_user_mean_wait", "makespan", "total_wait"])
def test_other_metrics_have_no_values_of_jobs(name: str) -> None:
    """Metrics that are not means over jobs have no values of single jobs."""
    assert metric(name).per_job is None


def test_the_same_bytes_resumed(scenario: Scenario, found: Sweep, tmp_path: Path) -> None:
    """Running one policy first and the others later, by two threads, leaves the same bytes."""
    from concurrent.futures import ThreadPoolExecutor

    sweep(Scenario.from_text(LOG.replace(', "easy", "sjf"', ""), folder=scenario.folder), tmp_path, processes=1)
    with ThreadPoolExecutor(2) as threads:
        again = sweep(scenario, tmp_path, executor=threads)
    assert content(tmp_path)["results.sqlite"] == content(found.folder)["results.sqlite"]
    assert len(again.batches()) == 3


def test_other_jobs_are_not_paired(scenario: Scenario, tmp_path: Path) -> None:
    """With feedback, jobs differ between policies, so batches are compared by Welch's test."""
    looped = scenario.resolved({"trace.mode": "feedback"})
    own = sweep(looped, tmp_path, processes=1)
    cell = compared(own).measured[0].cells[0, "easy"]
    means = [own.batches()[f"policy={policy} seed=00001"]["mean_wait"].cut.means for policy in ("easy", "fcfs")]
    assert cell.difference is not None and not cell.difference.paired
    assert cell.difference.p == pytest.approx(stats.ttest_ind(*means, equal_var=False).pvalue)


def test_seeds_have_no_batches(small: Scenario, tmp_path: Path) -> None:
    """Where something is random, intervals are made of seeds."""
    assert sweep(small, tmp_path, processes=1).batches() == {}


def test_both_kinds_beside_each_other(scenario: Scenario, tmp_path: Path) -> None:
    """A recorded log at one point and resampled logs at another have each their own kind of interval."""
    text = LOG + '[sweep.grid]\n"trace.resample" = [false, true]\n'
    text = text.replace('"easy", "sjf"', '"easy"').replace("[machine]", "replications = 3\n[machine]", 1)
    both = compared(sweep(Scenario.from_text(text, folder=scenario.folder), tmp_path, processes=1))
    counts = {(cell.runs, cell.batches) for cell in both.measured[0].cells.values()}
    assert counts == {(1, BATCHES), (3, 0)}
    assert both.ways == ["over 3 replications", "by batch means within the one run"]
    assert both.tests == "paired by seed, paired by batch of the same jobs"


def test_a_folder_without_batches_is_read(scenario: Scenario, tmp_path: Path) -> None:
    """A folder written by an earlier version, without batches, is read as numbers of single runs."""
    old = sweep(scenario, tmp_path, processes=1)
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as connection:
        connection.execute("DROP TABLE batches")
        connection.commit()
    cell = compared(old).measured[0].cells[0, "easy"]
    assert old.batches() == {} and np.isnan(cell.interval.half) and not cell.mark


def test_few_jobs(log_folder: Path, tmp_path: Path) -> None:
    """A run of 100 jobs has an interval that is marked as doubtful, and a run of 20 jobs has none."""
    few = Scenario.from_text(re.sub("metrics = .*", 'metrics = ["mean_wait"]', LOG), folder=log_folder)
    for jobs, doubtful in ((100, True), (20, False)):
        short = "\n".join((log_folder / "made.swf").read_text().splitlines()[: jobs + 2]) + "\n"
        (log_folder / f"{jobs}.swf").write_text(short)
        cut = sweep(few.resolved({"trace.file": f"{jobs}.swf"}), tmp_path / str(jobs), processes=1)
        cell = compared(cut).measured[0].cells[0, "fcfs"]
        assert cell.doubtful is doubtful and (cell.interval.half > 0) is doubtful
        page = report(cut).read_text()
        assert ("not to be trusted" in page) is doubtful


def test_tables_and_page_say_what_kind(found: Sweep, log_folder: Path, tmp_path: Path) -> None:
    """The command's footer, its JSON and the report say that intervals are of batch means."""
    (log_folder / "one.toml").write_text(LOG)
    order = ["run", str(log_folder / "one.toml"), "--out", str(tmp_path / "out"), "--workers", "1", "--quiet"]
    text = " ".join(stdout_of(*order).split())
    assert "by batch means within the one run (up to 26 batches" in text and " ± " in text
    assert "t-tests paired by batch of the same jobs (Holm)" in text and "***" in text
    wait = json.loads(stdout_of(*order, "--json"))["results"][0]["metrics"]["mean_wait"]
    assert wait["batches"] == BATCHES and wait["half_width"] > 0 and wait["n"] == 1
    page = report(found, tmp_path / "page.html").read_text()
    assert "by batch means within the one run" in page and "paired by batch of the same jobs" in page
    assert "nothing can be said about significance" not in page
    assert "one run of each, with intervals by batch means for means over jobs" in page
    assert "bars are 95 % intervals by batch means within the one run" in page
    assert "by batch means within the one run" in compared(found)._repr_html_()
