"""Writing logs: the same trace comes back."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.workloads import Header, Trace, read_swf, write_swf
from thinktime.workloads.columns import COLUMNS, Column

comments = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=30)
words = st.from_regex(r"[!-~]{1,8}( [!-~]{1,8})?", fullmatch=True)


def values(column: Column) -> st.SearchStrategy[Any]:
    """Values that a usable job may have in a column."""
    if column.name in ("submit", "runtime"):
        return st.floats(0, 2.0**42)
    if column.name in ("allocated", "requested_processors"):
        return st.integers(1, 10**6)
    if column.name == "status":
        return st.sampled_from([-1, 0, 1, 300])
    if column.kind == "whole":
        return st.integers(-1, 2**53 - 1)
    if column.kind == "time":
        return st.just(np.nan) | st.floats(0, 2.0**42)
    return st.just(-1.0) | st.floats(0, 1e18)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Traces of up to five usable jobs, with any header and extra texts."""
    rows = draw(st.integers(0, 5))
    columns = {c.name: draw(st.lists(values(c), min_size=rows, max_size=rows)) for c in COLUMNS}
    extra = draw(st.none() | st.lists(st.none() | words, min_size=rows, max_size=rows))
    return Trace(columns, Header(f";{text}" for text in draw(st.lists(comments, max_size=3))), extra)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz"])
@given(trace=traces())
def test_round_trip(folder: Path, name: str, trace: Trace) -> None:
    """A trace that is written and read again is the same: columns, missing values, header and extra texts."""
    write_swf(trace, folder / name)
    again = read_swf(folder / name, processors=10**6)
    assert again.equals(trace)
    assert (again.report.dropped, again.report.repaired) == ({}, {})


def test_the_text(tmp_path: Path) -> None:
    """Whole numbers are written as such, others with all their digits, what is missing as −1."""
    columns: dict[str, Any] = {"submit": [0, 0.5], "runtime": [3, 4], "used_memory": [0.1, 2], "allocated": [1, 1]}
    write_swf(Trace(columns, Header.build(MaxProcs=8), [None, "a b"]), tmp_path / "log.swf")
    assert (tmp_path / "log.swf").read_text().split("\n") == [
        "; MaxProcs: 8",
        "1 0 -1 3 1 -1 0.1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1",
        "2 0.5 -1 4 1 -1 2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 a b",
        "",
    ]


def test_same_trace_same_bytes(tmp_path: Path) -> None:
    """A compressed log carries neither its name nor the time: equal traces are equal files."""
    trace = Trace({"submit": [0], "runtime": [1], "allocated": [1]})
    for name in ("a.swf.gz", "b.swf.gz"):
        write_swf(trace, tmp_path / name)
    packed = (tmp_path / "a.swf.gz").read_bytes()
    assert packed == (tmp_path / "b.swf.gz").read_bytes()
    assert packed[3:8] == bytes(5)  # no flags (so no name) and a time stamp of 0: RFC 1952, section 2.3
    assert gzip.decompress(packed).startswith(b"1 0 -1 1 1 ")


def test_blocks(tmp_path: Path) -> None:
    """A log longer than a block of text is written whole, and in order."""
    rows = 45_000
    trace = Trace({"submit": range(rows), "runtime": [1] * rows, "allocated": [1] * rows}, extra=["x"] * rows)
    write_swf(trace, tmp_path / "log.swf")
    assert read_swf(tmp_path / "log.swf").equals(trace)


def test_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails leaves the old file as it was, and nothing beside it."""
    path = tmp_path / "log.swf"
    path.write_text("; old\n")
    trace = Trace({"submit": [0]})
    monkeypatch.setattr("thinktime.workloads.swf.write._BLOCK", 0)
    with pytest.raises(ValueError, match="must not be zero"):
        write_swf(trace, path)
    assert path.read_text() == "; old\n"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folder(tmp_path: Path) -> None:
    """Writing into a folder that is not there says so."""
    with pytest.raises(FileNotFoundError):
        write_swf(Trace({"submit": [0]}), tmp_path / "nowhere" / "log.swf")
