"""What can be looked into: folders, files and logs that thinktime writes, under names that differ."""

from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from thinktime.analysis.experiments.remade import remade
from thinktime.analysis.view.reading import opened
from thinktime.models.results.result import Result
from thinktime.workloads.sacct.name_file import write_names

SCENARIO = """
name = "two"
policies = ["fcfs", "easy"]
seeds = [3, 4]
horizon = "9 h"
metrics = ["mean_wait"]
[machine]
processors = 8
[users.u]
count = 2
runtime = {distribution = "expon", scale = "10 min"}
processors = 5
jobs = 4
think_time = "1 h"
[sweep.grid]
"users.u.count" = [2]
"""


def saved(result: Result, folder: Path) -> None:
    """Write a result as the commands do."""
    folder.mkdir(parents=True)
    result.save(folder / "result.npz")


def test_folders_of_policies_and_modes(odd: Result, tmp_path: Path) -> None:
    """A folder, one policy of it, or the policies of several modes; equal names get their folder's."""
    for name in ("open/easy", "open/fcfs", "feedback/easy"):
        saved(odd, tmp_path / name)
    assert list(opened([tmp_path])) == ["feedback/easy", "open/easy", "open/fcfs"]
    assert list(opened([tmp_path / "open"])) == ["easy", "fcfs"]
    both = opened([tmp_path / "open" / "easy", tmp_path / "feedback" / "easy", tmp_path / "open" / "easy"])
    assert list(both) == ["easy", "feedback/easy", "open/easy"]
    np.testing.assert_array_equal(both["easy"]["start"], odd["start"])


def test_files_and_logs(odd: Result, tmp_path: Path) -> None:
    """A saved result has the name of its file, and a log is the schedule of its site."""
    odd.save(tmp_path / "mine.npz")
    odd.to_swf(tmp_path / "log.swf.gz")
    found = opened([tmp_path / "mine.npz", tmp_path / "log.swf.gz"])
    assert list(found) == ["mine", "log"]
    assert found["log"]["start"].tolist() == [0.0, 10.0, 5.0, 20.0]


def test_runs_of_a_sweep_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All policies at one point and seed, with the numbers that are stored; not if something has changed."""
    (tmp_path / "s.toml").write_text(SCENARIO)
    sweep = tt.sweep(tt.Scenario.read(tmp_path / "s.toml"), tmp_path / "r", processes=1)
    key = "policy=easy users.u.count=2 seed=00004"
    found = opened([tmp_path / "r"], key)
    table = sweep.table.set_index("key")["mean_wait"]
    assert list(found) == ["fcfs", "easy"]
    for policy, result in found.items():
        assert result.summary()["mean_wait"] == table[key.replace("easy", policy)]
        assert "reason" in result.columns
    with pytest.raises(ValueError, match="has no finished run 'policy=easy'; "):
        remade(sweep, "policy=easy")
    monkeypatch.setattr(type(sweep), "digests", lambda self: {key: "another"})
    with pytest.raises(ValueError, match="cannot be made again: its log, its scripts or its settings have changed"):
        remade(sweep)


def test_what_is_no_result_is_one_sentence(tmp_path: Path) -> None:
    """The sentence says what would be right."""
    (tmp_path / "x").write_text("")
    for path, run, complaint in (
        (tmp_path / "nothing", None, "there is no .*nothing; `thinktime replay LOG --out DIR` writes"),
        (tmp_path, None, "has no result.npz, neither itself nor in a folder of a policy"),
        (tmp_path / "x", None, "x is not a result that thinktime has written"),
        (tmp_path, "key", "--run names a run of a sweep, but .* is not a folder of `thinktime run`"),
    ):
        with pytest.raises(ValueError, match=complaint):
            opened([path], run)


def test_users_of_a_log_have_the_names_of_the_file_beside_it(tmp_path: Path) -> None:
    """As in the other commands; without such a file they are numbers."""
    log = tt.Trace({"submit": [0, 1], "runtime": [5, 5], "allocated": [1, 1], "wait": [0, 0], "user": [1, 2]})
    tt.write_swf(log.with_header(log.header.set("MaxProcs", 2)), tmp_path / "site.swf")
    [result] = opened([tmp_path / "site.swf"]).values()
    assert [str(label) for label in result.labels("user")] == ["1", "2"]
    write_names({"user": {1: "ann", 2: "bob"}}, tmp_path / "site.names.csv")
    [result] = opened([tmp_path / "site.swf"]).values()
    assert result.labels("user").tolist() == ["ann", "bob"]
