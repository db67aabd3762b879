"""Traces as pandas tables."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from thinktime.workloads import Header, Trace
from thinktime.workloads.columns import BY_NAME


def test_three_columns_are_enough() -> None:
    """Submit and run times and processors make a trace; the rest is missing."""
    frame = pd.DataFrame({"submit": [10, 0], "runtime": [1.5, 2], "processors": [4, 1]})
    trace = Trace.from_frame(frame, Header.build(MaxProcs=8))
    assert trace.processors.tolist() == [1, 4]
    assert trace.estimate.tolist() == [2, 1.5]
    assert trace.machine_size == 8


def test_there_and_back() -> None:
    """A table made of a trace makes the same trace, extra texts included."""
    columns: dict[str, Any] = {"submit": [0, 5], "runtime": [1, 2], "allocated": [1, 1], "wait": [np.nan, 3]}
    trace = Trace(columns, extra=[None, "x"])
    frame = trace.to_frame()
    assert list(frame.columns) == [*BY_NAME, "extra"]
    assert Trace.from_frame(frame).equals(trace)


def test_table_is_a_copy() -> None:
    """The table may be changed; the trace does not follow."""
    trace = Trace({"submit": [0]})
    frame = trace.to_frame()
    frame.loc[0, "submit"] = 9
    assert trace.submit[0] == 0


def test_pandas_marks_for_missing() -> None:
    """Nullable columns are read, their NA as missing."""
    frame = pd.DataFrame({"submit": [0, 1], "runtime": [1, 2], "processors": [1, 1]}).convert_dtypes()
    frame["user"] = pd.array([None, 7], dtype="Int64")
    frame["estimate"] = pd.array([60, None], dtype="Float64")
    trace = Trace.from_frame(frame)
    assert trace.user.tolist() == [-1, 7]
    assert trace.estimate.tolist() == [60, 2]


def test_index_does_not_matter() -> None:
    """Rows count by position, whatever the table's index."""
    frame = pd.DataFrame({"submit": [5, 0], "runtime": [1, 1], "processors": [1, 2]}, index=[7, 7])
    assert Trace.from_frame(frame).processors.tolist() == [2, 1]


USUAL: dict[str, list[Any]] = {"submit": [0, 1], "runtime": [1, 2], "processors": [1, 1]}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"submit": [0, None]}, "row 1 of column 'submit' is nan, but must be a time of at least 0 s"),
        ({"runtime": [-1, 2]}, "row 0 of column 'runtime' is -1.0, but must be a time"),
        ({"runtime": [1, np.inf]}, "row 1 of column 'runtime' is inf, but must be a time"),
        ({"processors": [1, 0]}, "row 1 of column 'requested_processors' is 0, but must be at least 1 processor"),
        ({"processors": [1, 1.5]}, "row 1 of column 'requested_processors' is 1.5, but must be a whole number"),
        ({"user": ["ada", "bob"]}, "row 0 of column 'user' is 'ada', but must be a number"),
        ({"user_id": [1, 2]}, "no column 'user_id', so rename or drop it; did you mean 'user'\\?"),
        ({"requested_processors": [1, 1]}, "'requested_processors' mean the same"),
    ],
)
def test_bad_tables(change: dict[str, list[Any]], complaint: str) -> None:
    """A table that makes no trace is refused by column and first bad row."""
    with pytest.raises(ValueError, match=complaint):
        Trace.from_frame(pd.DataFrame(USUAL | change))


@pytest.mark.parametrize("name", USUAL)
def test_needed_columns(name: str) -> None:
    """A needed column that is not there is named."""
    with pytest.raises(ValueError, match=f"the table has no column '{name}'; it has"):
        Trace.from_frame(pd.DataFrame(USUAL).drop(columns=name))
