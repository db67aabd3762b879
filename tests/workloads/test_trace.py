"""Traces: order, derived columns, selections and changes."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.workloads import Header, Trace
from thinktime.workloads.columns import COLUMNS


@pytest.fixture
def trace() -> Trace:
    """Four jobs of three users, given out of order."""
    columns: dict[str, Any] = {
        "id": [4, 2, 1, 3], "submit": [30, 10, 0, 10], "runtime": [5, 6, 7, 0], "user": [1, 2, 3, 1],
        "queue": [0, 0, 1, 2], "allocated": [8, 8, 8, 8], "requested_processors": [4, -1, 0, 2],
        "requested_time": [50, -1, 0.5, np.nan],
    }  # fmt: skip
    return Trace(columns, Header.build(MaxProcs=64), ["d", None, "", " c "])


def test_order(trace: Trace) -> None:
    """Rows are in order of (submit, id), extra texts with them."""
    assert trace.id.tolist() == [1, 2, 3, 4]
    assert trace.extra == (None, None, "c", "d")


def test_ties_keep_their_order() -> None:
    """Rows equal in submit time and number stay in the order given."""
    trace = Trace({"submit": [1, 1, 0], "id": [5, 5, 5], "runtime": [1, 2, 3]})
    assert trace.runtime.tolist() == [3, 1, 2]


def test_derived_columns(trace: Trace) -> None:
    """Processors are requested, else allocated; estimates requested, else the run time, at least 1 s."""
    assert trace.processors.tolist() == [8, 8, 2, 4]
    assert trace.estimate.tolist() == [1, 6, 1, 50]


def test_missing_columns() -> None:
    """A column left out is −1, or NaN for times; jobs are numbered from 1 in order of submission."""
    trace = Trace({"submit": [5, 3]})
    assert trace.id.tolist() == [1, 2]
    assert trace.user.tolist() == [-1, -1]
    assert trace.used_memory.tolist() == [-1, -1]
    assert np.isnan(trace.runtime).all()
    assert {name: array.dtype.kind for name, array in trace.columns.items()} == {
        column.name: "i" if column.kind == "whole" else "f" for column in COLUMNS
    }


def test_jobs_without_a_number_get_one() -> None:
    """It is above all others, in order of submission; if no job has one, numbers begin at 1."""
    trace = Trace({"submit": [7, 5, 5, 3, 5], "id": [-1, -1, 9, 2, -7]})
    assert trace.id.tolist() == [2, 9, 10, 11, 12] and trace.submit.tolist() == [3, 5, 5, 5, 7]
    assert Trace({"submit": [5, 3], "id": [-1, -1]}).id.tolist() == [1, 2]


def test_grid() -> None:
    """Times enter on the grid; memory is kept as it is."""
    trace = Trace({"submit": [0.1], "runtime": [0.1], "used_memory": [0.1]})
    assert (trace.submit[0], trace.runtime[0], trace.used_memory[0]) == (102 / 1024, 102 / 1024, 0.1)


def test_read_only(trace: Trace) -> None:
    """No column can be written to, also not after pickling."""
    for copy in (trace, pickle.loads(pickle.dumps(trace))):
        for array in [*copy.columns.values(), copy.processors, copy.estimate]:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    assert pickle.loads(pickle.dumps(trace)).equals(trace)


def test_input_untouched() -> None:
    """The arrays given stay the caller's: writable, and not shared."""
    submit = np.array([0.0, 1.0])
    trace = Trace({"submit": submit})
    submit[0] = 9
    assert trace.submit.tolist() == [0, 1]


def test_between_is_half_open(trace: Trace) -> None:
    """A window holds what is submitted from its start on and before its end."""
    assert trace.between(10, 30).id.tolist() == [2, 3]
    assert trace.between(end=10).id.tolist() == [1]
    assert trace.between("10").id.tolist() == [2, 3, 4]
    assert len(trace.between(11, 12)) == 0


def test_window_the_wrong_way_round(trace: Trace) -> None:
    """An end before the start is a mistake, not an empty log."""
    with pytest.raises(ValueError, match=r"end \(5\) must not be before start \(10\)"):
        trace.between(10, 5)


def test_selections(trace: Trace) -> None:
    """Users, queues and masks select rows; header and extra go along."""
    assert trace.users(1).id.tolist() == [3, 4]
    assert trace.users(1, 3).extra == (None, "c", "d")
    assert trace.queues(0).id.tolist() == [2, 4]
    assert trace.users(99).header is trace.header
    assert trace.select(trace.processors > 4).id.tolist() == [1, 2]


@pytest.mark.parametrize("mask", [[0, 1], [True], [1, 0, 1, 0]])
def test_masks_are_truth_values(trace: Trace, mask: Any) -> None:
    """A mask that is not one boolean per job is refused."""
    with pytest.raises(ValueError, match="mask must have one boolean per job"):
        trace.select(mask)


def test_scale_load() -> None:
    """Twice the load is half the time between submissions, measured from the first job."""
    trace = Trace({"submit": [100, 110, 130]})
    assert trace.scale_load(2).submit.tolist() == [100, 105, 115]
    assert trace.scale_load(0.5).submit.tolist() == [100, 120, 160]
    assert len(Trace({"submit": []}).scale_load(2)) == 0


@pytest.mark.parametrize("factor", [0, -1, float("inf"), float("nan")])
def test_impossible_loads(factor: float) -> None:
    """A load factor is finite and above 0."""
    with pytest.raises(ValueError, match="factor must be a finite number above 0"):
        Trace({"submit": [0]}).scale_load(factor)


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=20), st.sampled_from([0.5, 1.0, 2.0, 4.0]))
def test_load_is_multiplied(submits: list[int], factor: float) -> None:
    """The span of the submissions is divided by the factor; no job is lost and the order stays."""
    trace = Trace({"submit": submits})
    scaled = trace.scale_load(factor)
    assert np.ptp(scaled.submit) == np.ptp(trace.submit) / factor
    assert scaled.id.tolist() == trace.id.tolist()


def test_with_columns(trace: Trace) -> None:
    """Replaced columns are given in the trace's order, and the result is sorted anew."""
    turned = trace.with_columns(submit=[3, 2, 1, 0])
    assert turned.id.tolist() == [4, 3, 2, 1]
    assert turned.extra == ("d", "c", None, None)
    assert trace.id.tolist() == [1, 2, 3, 4]


def test_with_header(trace: Trace) -> None:
    """Another header changes what it says, and no job: the columns are shared."""
    changed = trace.with_header(trace.header.set("MaxProcs", 32))
    assert all(changed.columns[name] is values for name, values in trace.columns.items())
    assert (changed.machine_size, trace.machine_size) == (32, 64)
    assert changed.id.tolist() == trace.id.tolist()
    assert not changed.equals(trace)


@pytest.mark.parametrize(("labels", "size"), [({"MaxProcs": 8, "MaxNodes": 2}, 8), ({"MaxNodes": 2}, 2), ({}, None)])
def test_machine_size(labels: dict[str, int], size: int | None) -> None:
    """The machine has MaxProcs processors, else MaxNodes, else it is unknown."""
    assert Trace({"submit": [0]}, Header.build(**labels)).machine_size == size


def test_repr() -> None:
    """A trace introduces itself in one line."""
    trace = Trace({"submit": [0, 86400], "user": [1, 2]})
    assert repr(trace) == "<Trace: 2 jobs of 2 users submitted over 1.0 days>"
    assert repr(Trace({"submit": []})) == "<Trace: no jobs>"


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"runtime": [1]}, "needs the column 'submit'"),
        ({"submit": [1], "run_time": [1]}, "no column 'run_time'"),
        ({"submit": [1, 2], "user": [1]}, "column 'user' has 1 rows, 'submit' has 2"),
        ({"submit": [0, np.nan]}, "row 1 of column 'submit' has no time"),
        ({"submit": [0, 1], "user": [1, 1.5]}, "row 1 of column 'user' is 1.5, but must be a whole number"),
        ({"submit": [0, 1], "user": [1, "ada"]}, "row 0 of column 'user' is '1', but must be a number"),
        ({"submit": [[0]]}, "column 'submit' must have one dimension, not 2"),
        ({"submit": [True]}, "row 0 of column 'submit' is True"),
    ],
)
def test_bad_columns(columns: dict[str, Any], complaint: str) -> None:
    """A column that is missing, unknown, too short or of the wrong kind is refused by name and row."""
    with pytest.raises(ValueError, match=complaint):
        Trace(columns)


def test_extra_has_one_text_per_job() -> None:
    """Extra texts are counted."""
    with pytest.raises(ValueError, match="extra has 1 texts for 2 jobs"):
        Trace({"submit": [0, 1]}, extra=["x"])
