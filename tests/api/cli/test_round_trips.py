"""What the package writes it reads back exactly: every format, with large times on the grid."""

import csv
import dataclasses
import json
import sqlite3
import string
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from thinktime.analysis.experiments.measured_run import parquet
from thinktime.analysis.experiments.store import dumps
from thinktime.analysis.report import Report
from thinktime.models.policies import from_spec
from thinktime.models.results.result import Result
from thinktime.workloads.conditions import JobConditions, LogConditions
from thinktime.workloads.grid import LIMIT
from thinktime.workloads.sacct.name_file import read_names, write_names
from thinktime.workloads.units import as_text, plain, seconds

LAST = (int(LIMIT) - 1) * 2**9
"""The last tick of 2^-10 s of half the largest time, so that sums stay below it."""
ticks = st.integers(0, LAST).map(lambda tick: tick / 2**10)
early = st.one_of(ticks, st.sampled_from([0.0, 2.0**-10, 1_728_003.0, 1234567.0009765625, 1e6 + 3, 2.0**41 + 2**-10]))
lengths = early.filter(lambda each: each > 0)
names = st.text(string.ascii_letters + "Åé.-_", min_size=1, max_size=8)
texts = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8)
CASES = settings(max_examples=25, deadline=None)


@pytest.fixture(scope="module")
def folder() -> Any:
    """A folder for all cases."""
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


def back(write: Callable[[Path], Any], read: Callable[[Path], Any], path: Path) -> Any:
    """What is read after it was written."""
    write(path)
    return read(path)


@given(early)
@CASES
def test_a_duration_as_text(time: float) -> None:
    """Both texts for durations are exact."""
    assert seconds(as_text(time)) == time == float(plain(time))


@given(st.dictionaries(st.integers(1, 2**40), texts.filter(bool), max_size=4))
@CASES
def test_names(folder: Path, labels: dict[int, str]) -> None:
    """The names beside a log."""
    read = back(lambda path: write_names({"user": labels}, path), read_names, folder / "log.names.csv")
    assert read["user"] == labels


conditions = st.builds(
    JobConditions,
    st.integers(1, 2**40),
    st.sampled_from(["", "afterok:12:13", "after:14+5", "singleton"]),
    early,
    early,
    at_most=st.sampled_from([-1, 1, 10**12]),
)


@given(st.lists(conditions, unique_by=lambda each: each.job, max_size=4))
@CASES
def test_conditions(folder: Path, each: list[JobConditions]) -> None:
    """What jobs of a log wait for."""
    given = LogConditions.of(each)
    assert back(given.write, LogConditions.read, folder / "log.conditions.csv") == given


@given(names, early, st.floats(1e-9, 1e9), lengths)
@CASES
def test_a_machine_and_a_site(folder: Path, name: str, age: float, weight: float, wall: float) -> None:
    """A machine in TOML, and the file of a site."""
    changes = tt.Changes(windows=[tt.Window(age, age + wall, 2)], checkpoint=wall)
    spec = tt.MachineSpec(processors=4, policy=f"easy:order=fairshare,factor={min(weight, 1.0)!r}", changes=changes)
    assert tt.MachineSpec.from_toml(spec.to_toml()) == spec
    site = tt.Site(name=name, nodes=tt.Nodes.uniform(2, 4))
    site = dataclasses.replace(site, priority=dataclasses.replace(site.priority, age=int(weight), max_age=wall))
    assert back(site.write, tt.Site.read, folder / "site.toml") == site


@given(texts, lengths, st.floats(1e-6, 1e6), lengths)
@CASES
def test_a_scenario(text: str, horizon: float, load: float, think: float) -> None:
    """A scenario made of values, as the TOML beside its results."""
    user = {"count": 2, "runtime": think, "processors": 1, "jobs": 3, "think_time": think}
    given: dict[str, Any] = {"name": text, "horizon": horizon, "machine": {"processors": 4}, "users": {"u": user}}
    scenario = tt.Scenario.from_tables(given | {"sweep": {"grid": {"users.u.think_time": [load, think]}}})
    assert tt.Scenario.from_text(scenario.text) == scenario


@given(st.floats(1e-9, 1 - 1e-9), st.floats(1e-3, 1e9))
@CASES
def test_a_policy_as_text(share: float, weight: float) -> None:
    """The text of a policy is the policy, with all digits of its options."""
    for text in (f"easy:order=fairshare,factor={share!r}", f"relshare:weights=ada*{weight!r}"):
        once = str(from_spec(text))
        assert str(from_spec(once)) == once
    assert f"={plain(share)}" in str(from_spec(f"easy:order=fairshare,factor={share!r}"))
    assert plain(weight) in str(from_spec(f"relshare:weights=ada*{weight!r}"))


def result_of(rows: list[tuple[float, float, float, int]]) -> Result:
    """A result with these submissions, waits, run times and sizes."""
    submit, wait, runtime, width = (np.array(column) for column in zip(*rows, strict=True))
    start = submit + wait
    columns = {"submit": submit, "start": start, "end": start + runtime, "processors": width.astype(np.int64)}
    users = {"user": ["ann", 7]}
    return Result.from_columns(columns | {"user": np.arange(len(submit)) % 2}, 99, names=users)


results = st.lists(
    st.tuples(*(st.integers(0, LAST // 4).map(lambda tick: tick / 2**10),) * 3, st.integers(1, 99)),
    min_size=1,
    max_size=4,
).map(result_of)


@given(results)
@CASES
def test_a_result(folder: Path, result: Result) -> None:
    """A result as an archive, as a log, as tables and as Parquet."""
    assert_same(back(result.save, Result.load, folder / "result.npz").columns, result.columns)
    log = back(result.to_swf, tt.read_swf, folder / "schedule.swf")
    order = np.lexsort((result["id"], result["submit"]))
    np.testing.assert_array_equal(log.submit + log.wait, result["start"][order])
    np.testing.assert_array_equal(log.runtime, (result["end"] - result["start"])[order])
    table = back(result.to_csv, exact, folder / "jobs.csv")
    np.testing.assert_array_equal(table["starting_time"], result["start"])
    np.testing.assert_array_equal(table["finish_time"], result["end"])
    runs = exact(written(result.runs, folder / "runs.csv"))
    np.testing.assert_array_equal(runs["end"], result.runs["end"])
    (folder / "jobs.parquet").write_bytes(parquet(result))
    jobs = pd.read_parquet(folder / "jobs.parquet")
    for name in ("submit", "start", "end", "wait"):
        np.testing.assert_array_equal(jobs[name], result.jobs[name])


def written(table: pd.DataFrame, path: Path) -> Path:
    """A table as the command writes it."""
    table.to_csv(path, index=False, lineterminator="\n")
    return path


def exact(path: Path) -> pd.DataFrame:
    """The times of a table with all digits."""
    table = pd.read_csv(path, dtype=str)
    times = [name for name in table if name.endswith(("time", "start", "end"))]
    return table[times].astype(float)


def assert_same(one: Any, other: Any) -> None:
    """All columns are equal."""
    assert list(one) == list(other)
    for name, column in one.items():
        np.testing.assert_array_equal(column, other[name], name)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=5))
@CASES
def test_json(values: list[float]) -> None:
    """The numbers of ``--json`` and of a sweep's tables."""
    assert json.loads(Report(tuple, lambda: values).json) == values == json.loads(dumps(values))


def test_the_folder_of_a_sweep(folder: Path) -> None:
    """results.csv has the numbers of the database, and these are those of the run."""
    user = {"count": 2, "runtime": "10.3 min", "processors": 3, "jobs": 4, "think_time": 1000.123}
    tables = {"name": "x", "policies": ["easy"], "horizon": "9 h", "machine": {"processors": 8}, "users": {"u": user}}
    scenario = tt.Scenario.from_tables({**tables, "replications": 2, "metrics": ["mean_wait", "utilization"]})
    sweep = tt.sweep(scenario, folder / "sweep", processes=1)
    with (folder / "sweep" / "results.csv").open() as file:
        rows = {each["key"]: float(each["utilization"]) for each in csv.DictReader(file)}
    with sqlite3.connect(folder / "sweep" / "results.sqlite") as kept:
        stored = {key: json.loads(text)["utilization"] for key, text in kept.execute("SELECT key, metrics FROM runs")}
    assert rows == stored == sweep.table.set_index("key")["utilization"].to_dict()
    assert sweep.scenario == scenario
