"""Logs of outages: CSV is read back, and event traces of the Failure Trace Archive are read."""

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workloads.changes.tables import FILES, STOCKHOLM, named, outages
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.changes import Outages, read_outages, write_outages
from thinktime.workloads.grid import TICK

TRACE = (
    "#event_id\tcomponent_id\tnode_id\tplatform_id\tnode_name\tevent_type\tevent_start_time\tevent_stop_time\tevent_end_reason\n"
    "0\t1\t20\t1\tn20\t1\t1000000000.0\t1000000100.0\t0\n"
    "1\t1\t20\t1\tn20\t0\t1000000100.0\t1000000200.5\t2\n"
    "2\t1\t5\t1\tn5\t0\t1000000050\t1000000150\t\\N\n"
    "3\t2\t5\t1\tn5\t0\t1000000140\t1000000160\t3\n"
    "4\t1\t5\t1\tn5\t2\t1000000300\t1000000400\t0\n"
    "5\t1\t7\t1\tn7\t1\t1000000000\t1000009000\t0\n"
    "6\t1\t5\t1\tn5\t0\t1000000500\t1000000500\t0\n"
)  # fmt: skip


def test_event_traces_may_be_aligned(tmp_path: Path) -> None:
    """Columns aligned by blanks and several tabs are read, and a header that is no comment."""
    row = "  0\t   0\t     655\t   3\t    10.0\t    0\t   \t\t500\t  \t\t900\t   \t80\n"
    (tmp_path / "event_trace.tab").write_text(f"event_id  component_id node_id\n{row}")
    assert named(read_outages(tmp_path / "event_trace.tab")) == [(0, 400, 0)]


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """A compressed log that is cut off is refused by its name."""
    path = tmp_path / "outages.csv.gz"
    path.write_bytes(gzip.compress(b"start,end,processors\n0,9,1\n")[:-9])
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} is a damaged gzip file: "):
        read_outages(path)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("machine", "start", "expected"),
    [
        (None, None, [(50, 150, 0), (100, 200.5, 2), (140, 160, 0), (500, 500 + TICK, 0)]),
        (3, 1_000_000_120, [(0, 30, 0), (0, 80.5, 2), (20, 40, 0), (380, 380 + TICK, 0)]),
        (3, 1_000_000_180, [(0, 20.5, 2), (320, 320 + TICK, 0)]),
        ({"n20": 0, "n5": 1, "n7": 2}, None, [(50, 150, 1), (100, 200.5, 0), (140, 160, 1), (500, 500 + TICK, 1)]),
    ],
)
def test_event_traces_of_the_archive(
    tmp_path: Path, machine: Any, start: int | None, packed: bool, expected: list[tuple[float, float, int]]
) -> None:
    """Events of type 0 are outages, by the node's place among the node_ids or by its name, from the log's start on.

    One that ends when it begins is one step of the grid long.
    """
    path = tmp_path / ("event_trace.tab.gz" if packed else "event_trace.tab")
    path.write_bytes(gzip.compress(TRACE.encode()) if packed else TRACE.encode())
    assert named(read_outages(path, machine, Calendar(start))) == expected


@pytest.mark.parametrize(
    ("text", "machine", "message"),
    [
        (TRACE + "7\t1\t5\n", None, ", line 9: 3 columns, but an event trace has nine, separated by tabs"),
        (
            TRACE + "7\t1\tx\t1\tn\t0\t1\t2\t0\n",
            None,
            ", line 9: node_id, event_start_time and event_end_time must be numbers, not 'x', '1', '2'",
        ),
        (TRACE + "7\t1\t5\t1\tn\t0\t3\t2\t0\n", None, ", line 9: the event must end after its start (3), not at 2"),
        (TRACE, 2, ": an outage of processor 2 is beyond the machine's 2 (0 to 1)"),
        (TRACE, {"n5": 0}, ": an outage of an unknown node 'n7'; the nodes are n5"),
        ("7\t1\t5\t1\tn\t0\t1\t2\t0\n", None, ": all its outages end before the log's start (Unix time 1000000000 s)"),
    ],
)
def test_wrong_event_traces_are_refused(tmp_path: Path, text: str, machine: Any, message: str) -> None:
    """A wrong line of an event trace is an error with its number; so are nodes beyond the machine."""
    path = tmp_path / "event_trace.tab"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}{message}')}$"):
        read_outages(path, machine, STOCKHOLM)


@FILES
@given(outages(), st.sampled_from(["outages.csv", "outages.csv.gz"]))
def test_outages_are_read_back(tmp_path: Path, table: Outages, name: str) -> None:
    """A log of outages is read back as it was written."""
    write_outages(tmp_path / name, table)
    assert named(read_outages(tmp_path / name)) == named(table)
