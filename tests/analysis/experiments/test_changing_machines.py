"""Scenarios on machines that change: the same as in Python, every key swept, files that count, and errors."""

from pathlib import Path

import pytest

import thinktime as tt
from thinktime.analysis.experiments import Scenario, sweep
from thinktime.analysis.experiments.measured_run import simulate
from thinktime.analysis.experiments.metrics import DEFAULT
from thinktime.analysis.experiments.plan import runs
from thinktime.analysis.reports.page import html
from thinktime.cli.sweep_table import report
from thinktime.workloads.changes import repeat

OFFICE = """
policies = ["easy", "conservative"]
metrics = ["mean_wait", "finished", "lost_jobs"]
seeds = [3]
horizon = "5 d"
machine.processors = 8
[machine.changes]
events = "events.csv"
windows = [{ start = "20 h", end = "22 h", processors = 6, every = "1 d", until = "5 d" }]
failures = "mtbf=2d,mttr=1h"
checkpoint = "1h,cost=30s"
restart = "2 min"
repairs = "told"
[users.calm]
count = 4
runtime = "3 h"
jobs = 3
think_time = "20 min"
processors = 2
behaviours.discouraged = { after = 2 }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of events."""
    (tmp_path / "events.csv").write_text("kind,start,end,processors\noutage,100,2000,1-2\nwindow,40000,inf,1\n")
    return tmp_path


def scenario(folder: Path, more: str = "", text: str = OFFICE) -> Scenario:
    return Scenario.from_text(text + more, "my.toml", folder)


def test_a_scenario_is_the_script_that_says_the_same(folder: Path) -> None:
    """The table is what the same words say in Python, with the scenario's seed for the failures."""
    changes = tt.Changes(
        windows=[*repeat(tt.Window(72_000, 79_200, 6), "1d", 5 * tt.DAY), tt.Window(40_000, float("inf"), 1)],
        outages=tt.Outages.of([(100, 2000, "1-2")]),
        failures=tt.Failures("2d", "1h", seed=3),
        checkpoint="1h",
        cost=30,
        restart=120,
        repairs="told",
    )
    lost = 0
    for policy in ("easy", "conservative"):
        found = simulate(scenario(folder), policy, 3)
        behaviours = [tt.behaviours.Discouraged(after=2)]
        calm = tt.Profile(runtime=10_800, jobs=3, think_time=1200, processors=2, behaviours=behaviours)
        users = {f"calm {k}": calm for k in (1, 2, 3, 4)}
        spec = tt.MachineSpec(8, policy, changes=changes)
        assert found.jobs.equals(tt.run(spec, tt.sources.campaigns(users, 3), until=5 * tt.DAY).jobs)
        lost += len(found.lost)
        assert simulate(scenario(folder), policy, 4).runs.shape != found.runs.shape
    assert lost


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("failures", '["none", "mtbf=2d,mttr=1h", "mtbf=6h,mttr=1h"]'),
        ("checkpoint", '["none", "10min", "2h,cost=5min"]'),
        ("restart", '[0, "1 h"]'),
        ("repairs", '["told", "unknown"]'),
        ("on_failure", '["requeue", "cancel"]'),
        ("requeue_at", '["original", "now"]'),
        ("max_restarts", '[0, "none"]'),
        ("events", '["none", "events.csv"]'),
        ("windows", "[[], [{ start = 0, end = 86400, processors = 7 }]]"),
        ("outages", '[[], [{ start = 0, end = 86400, processors = "0-6" }]]'),
    ],
)
def test_every_key_can_be_swept(folder: Path, key: str, values: str) -> None:
    """Each key of the table may vary, and the values make a difference."""
    text = (
        OFFICE.replace('failures = "mtbf=2d,mttr=1h"', 'failures = "mtbf=12h,mttr=1h"')
        .replace(', "conservative"', "")
        .replace('"5 d"', '"2 d"')
    )
    text = text.replace("processors = 2\n", "processors = { values = [1, 4, 7] }\n")
    grid = f'[sweep.grid]\n"machine.changes.{key}" = {values}\n'
    table = sweep(scenario(folder, grid, text), folder / "out", processes=1).table
    waits = table.mean_wait.tolist()
    assert len(set(waits)) == len(waits) >= 2, waits


def test_parts_of_failures_can_be_swept(folder: Path) -> None:
    """As a table, failures have keys of their own."""
    text = OFFICE.replace('"mtbf=2d,mttr=1h"', '{ mtbf = "2 d", mttr = "1 h" }')
    points = list(scenario(folder, '[sweep.grid]\n"machine.changes.failures.shape" = [0.7, 1]\n', text).points())
    assert [each["machine.changes.failures.shape"] for each in points] == [0.7, 1]


def test_failures_are_random(folder: Path) -> None:
    """A log on a machine with random failures has as many seeds as anything random."""
    text = 'trace.file = "log.swf"\nmachine.processors = 8\n'
    assert len(scenario(folder, text=text).all_seeds) == 1
    assert len(scenario(folder, text=text + 'machine.changes.failures = "mtbf=1d,mttr=1h"').all_seeds) == 5


def test_the_file_of_events_counts(folder: Path) -> None:
    """A scenario whose file of events has changed is another one."""
    before = [run.digest for run in runs(scenario(folder))]
    (folder / "events.csv").write_text("kind,start,end,processors\n")
    assert not {run.digest for run in runs(scenario(folder))} & set(before)


def test_dates_are_on_the_logs_clock(folder: Path) -> None:
    """Windows of a machine with a log may be given as dates."""
    jobs = "".join(f"{k} {k * 10} 0 500 1 -1 -1 1 600 -1 1 1 1 -1 1 -1 -1 -1\n" for k in range(1, 9))
    (folder / "log.swf").write_text(f"; UnixStartTime: 1000000000\n; MaxProcs: 8\n{jobs}")
    window = "{ start = 2001-09-09T01:46:50, end = 2001-09-09T03:00:00, processors = 8 }"
    text = f'policies = ["fcfs"]\ntrace.file = "log.swf"\nmachine.changes.windows = [{window}]\n'
    assert simulate(scenario(folder, text=text), "fcfs", 1)["start"].min() == 4400.0


def test_a_machine_that_changes_has_further_metrics(folder: Path) -> None:
    """They are added to the default metrics at all points of a sweep, if jobs may be interrupted at any of them."""
    log = 'trace.file = "log.swf"\nmachine.processors = 8\n'
    further = ("goodput", "utilization_of_available", "availability", "interruptions", "lost_work", "mtti")
    failing = 'machine.changes.failures = "mtbf=1d,mttr=1h"'
    assert scenario(folder, text=log).all_metrics == DEFAULT
    assert scenario(folder, text=log + failing).all_metrics == (*DEFAULT, *further)
    preempting = 'policies = ["easy", "easy:preempt=requeue,ranks=urgent:1"]\n'
    assert scenario(folder, text=preempting + log).all_metrics == (*DEFAULT, *further)
    own = 'metrics = ["mean_wait"]\n'
    assert scenario(folder, text=own + log + failing).all_metrics == ("mean_wait",)
    points = '[sweep]\npoints = [{}, { "machine.changes.failures" = "mtbf=1d,mttr=1h" }]\n'
    swept = scenario(folder, points, log)
    assert [swept.resolved(point).all_metrics for point in swept.points()] == [(*DEFAULT, *further)] * 2


def test_reports_name_the_changes(folder: Path) -> None:
    """The page of a report and the object of a sweep say in words what changes."""
    jobs = "".join(f"{k} {k * 10} 0 500 1 -1 -1 1 600 -1 1 1 1 -1 1 -1 -1 -1\n" for k in range(1, 9))
    (folder / "log.swf").write_text(f"; MaxProcs: 8\n{jobs}")
    changes = 'machine.changes = { events = "events.csv", checkpoint = "1h,cost=30s", failures = "mtbf=9d,mttr=1h" }'
    small = 'policies = ["easy"]\nmetrics = ["mean_wait"]\ntrace.file = "log.swf"\n'
    made = scenario(folder, text=f"{small}seeds = [1]\n{changes}\n")
    words = "the events of events.csv, failures mtbf=9d,mttr=1h, checkpoint 1h, cost 30s"
    found = sweep(made, folder / "out", processes=1)
    assert report(found).values()["changes"] == words
    assert f"<dt>changes</dt><dd>{words}" in html(found).replace("<wbr />", "")
    found = sweep(scenario(folder, text=small), folder / "calm", processes=1)
    assert "changes" not in report(found).values()
    assert "<dt>changes</dt>" not in html(found)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'events = "events.csv"',
            'evnts = "x"',
            r"line 7: machine\.changes: changes have no key 'evnts'; did you mean",
        ),
        (
            "processors = 6",
            "processors = 60",
            r"line .*: machine: window 1: it takes 60 processors, but the machine has 8",
        ),
        ("processors = 6, every", "every", r"machine\.changes: window 1 needs processors"),
        ("mtbf=2d,", "", r"machine\.changes: failures need mtbf"),
        ('"1h,cost=30s"', '"1x"', r"machine\.changes: checkpoint must be a duration"),
        ('"told"', '"maybe"', r"machine\.changes: repairs cannot be 'maybe'"),
        ("processors = 8\n", "processors = 8\nmachine.overrun = 'until_needed'\n", r"cannot be combined with overrun"),
        ("after = 2", "after = 0", r"discouraged: after must be a whole number of at least 1"),
    ],
)
def test_wrong_values_are_named(folder: Path, old: str, new: str, message: str) -> None:
    """What is wrong in the table is said in one sentence, with the line."""
    with pytest.raises(ValueError, match=message):
        scenario(folder, text=OFFICE.replace(old, new))


def test_a_missing_file_is_named_before_anything_runs(folder: Path) -> None:
    """A file of events that is nowhere is an error, with the places searched."""
    with pytest.raises(ValueError, match=r"machine\.changes\.events: there is no file no\.csv beside the scenario"):
        list(runs(scenario(folder, text=OFFICE.replace("events.csv", "no.csv"))))
