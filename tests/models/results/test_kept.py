"""Results in files, and back."""

import dataclasses
import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.models.results.result import Result

JOBS = tt.Trace({"submit": [0, 1, 2], "runtime": [10, 20, 5], "allocated": [2, 1, 2], "user": [3, 4, 3]})


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, in arrays and values of our classes, too."""
    if isinstance(one, np.ndarray):
        floats = one.dtype.kind == "f"
        return one.dtype == other.dtype and bool(np.array_equal(one, other, equal_nan=floats))
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in dataclasses.fields(one))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(each, other[name]) for name, each in one.items())
    if isinstance(one, tt.Outages):
        return all(same(getattr(one, name), getattr(other, name)) for name in ("start", "end", "index"))
    if isinstance(other, datetime.tzinfo):
        return bool(one == str(other))
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def shaped(**machines: Any) -> Result:
    """Of a malleable job, which grows at once, and shrinks for a rigid one."""
    what = machines or {"processors": 4}
    machine = tt.Machine(env := simpy.Environment(), policy="shapes:expand=oldest,shrink=latest", **what)
    machine.submit(tt.Job(runtime=100, processors=(1, 2, 4), speedup="amdahl(0.1)"))
    env.run(until=10)
    machine.submit(tt.Job(runtime=10, processors=2))
    env.run()
    return machine.result()


def test_a_result_says_the_shapes_of_jobs() -> None:
    """As texts, and nothing of rigid jobs; a processor that a job has grown by is in the same range as its others."""
    result = shaped()
    assert result.labels("shape").tolist() == ["1-4 preferred=2 speedup=amdahl(0.1) kind=malleable", None]
    assert list(result.runs[["processors", "indices", "how"]].itertuples(index=False, name=None)) == [
        (4, "0-3", "resized"), (2, "0-1", "resized"), (4, "0-3", "finished"), (2, "2-3", "finished"),
    ]  # fmt: skip


@pytest.mark.parametrize("what", ["pool", "nodes", "changes", "shapes", "shapes on nodes"])
def test_a_result_comes_back_as_it_was(what: str, tmp_path: Path) -> None:
    """All columns, labels and conditions, nodes, runs, windows and outages, shapes and sizes."""
    how: dict[str, Any] = {
        "pool": {"processors": 4, "reasons": True},
        "nodes": {"nodes": tt.Nodes([tt.Cluster("a", 2, {"processors": 2})])},
        "shapes": {"processors": 4},
        "shapes on nodes": {"nodes": tt.Nodes([tt.Cluster("a", 2, {"processors": 2})])},
        "changes": {
            "processors": 4,
            "changes": tt.Changes(
                windows=[tt.Window(3, 6, 2), tt.Window(40, 50, 1, users=[4])], outages=tt.Outages.of([(4, 8, "0-1")])
            ),
        },
    }[what]
    rigid = "shapes" not in what
    result = tt.run(tt.MachineSpec(policy="easy", **how), tt.sources.log(JOBS)) if rigid else shaped(**how)
    path = result.save(tmp_path / "result.npz")
    assert same(Result.load(path), dataclasses.replace(result, simulation_seconds=None))
    assert [file.name for file in tmp_path.iterdir()] == ["result.npz"]


def test_labels_that_are_no_texts_become_texts(tmp_path: Path) -> None:
    """Numbers stay numbers."""
    columns: dict[str, Any] = {"submit": [0.0, 1.0], "start": [0.0, 1.0], "end": [1.0, 2.0], "processors": [1, 1]}
    result = Result.from_columns({**columns, "user": [0, 1]}, 4, names={"user": [np.int64(7), frozenset({1})]})
    assert Result.load(result.save(tmp_path / "r.npz")).names["user"] == [7, "frozenset({1})"]


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04 and no more"])
def test_another_file_is_refused_in_one_sentence(content: bytes, tmp_path: Path) -> None:
    """Whatever is in it."""
    path = tmp_path / "wrong.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"wrong\.npz is not a result that thinktime has written"):
        Result.load(path)


def test_archives_of_others_are_refused(tmp_path: Path) -> None:
    """Arrays that are no result, and arrays of objects, which could run code, are refused."""
    np.savez(tmp_path / "other.npz", x=np.arange(3))
    np.savez(tmp_path / "objects.npz", x=np.array([{}], object))
    for name in ("other", "objects"):
        with pytest.raises(ValueError, match=f"{name}.npz is not a result that thinktime has written"):
            Result.load(tmp_path / f"{name}.npz")
