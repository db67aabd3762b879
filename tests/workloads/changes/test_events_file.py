"""Files of events: what is written is read back, and errors name file and line."""

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workloads.changes.tables import FILES, STOCKHOLM, TIMES, named, outages
from thinktime.workloads.changes import Outages, Window, read_events, repeat, write_events
from thinktime.workloads.changes.windows import CAP, KINDS, RULES

HEADER = "kind,start,end,processors,announced,users,jobs,rule\n"
NAMES = st.sampled_from(["n1", "n2", "gpu-7"])


@st.composite
def windows(draw: st.DrawFn) -> Window:
    start = draw(TIMES)
    if draw(st.booleans()):
        watts, rule = draw(st.integers(0, 2**40)) / 1024, draw(st.sampled_from(RULES))
        return Window(
            start, start + 60, announced=draw(st.sampled_from([None, start])), rule=rule, kind=CAP, watts=watts
        )
    users = draw(st.lists(st.sampled_from(["ann", 7, "x-1", "Åé_."]), max_size=2))
    jobs = draw(st.lists(st.integers(1, 99), max_size=2))
    return Window(
        start,
        draw(st.just(math.inf) | st.integers(1, 2**30).map(lambda ticks: start + ticks / 1024)),
        draw(st.integers(1, 99) | st.lists(NAMES, min_size=1, unique=True)),
        draw(st.none() | st.floats(0, 1).map(lambda share: share * start)),
        users,
        jobs,
        draw(st.sampled_from(RULES[:3])),
        draw(st.none() | st.sampled_from(KINDS[: 2 if users or jobs else 4])),
    )


@FILES
@given(st.lists(windows(), max_size=4), outages(), st.sampled_from(["events.csv", "events.csv.gz"]))
def test_events_are_read_back(tmp_path: Path, some: list[Window], table: Outages, name: str) -> None:
    """Windows and outages are read back as they were written, and the same events give the same bytes."""
    path = tmp_path / name
    write_events(path, some, table)
    content = path.read_bytes()
    found = read_events(path)
    assert found.windows == tuple(some)
    assert named(found.outages) == named(table)
    write_events(path, *found)
    assert path.read_bytes() == content or table.names is not None


def test_the_text(tmp_path: Path) -> None:
    """A row of a file has a window or the outages that begin and end together, in seconds."""
    weekly = repeat(Window(3600, 7200.5, 4, announced=0, rule="wait"), "7d", 700_000)
    course = Window(0, 60, ["n1", "n2"], users=["ann", 7], jobs=[3])
    grown = Window(0, math.inf, 8, kind="capacity")
    write_events(tmp_path / "e.csv", [*weekly, course, grown], Outages.of([(5, 9, "0-3 7"), (5, math.inf, "4")]))
    assert (tmp_path / "e.csv").read_text() == HEADER + (
        "window,3600,7200.5,4,0,,,wait\n"
        "window,608400,612000.5,4,604800,,,wait\n"
        "window,0,60,n1 n2,,ann 7,3,requeue\n"
        "capacity,0,inf,8,,,,requeue\n"
        "outage,5,9,0-3 7,,,,\n"
        "outage,5,inf,4,,,,\n"
    )


def test_users_are_names_or_numbers(tmp_path: Path) -> None:
    """A number is a user of a log; with zeros before it, it is a name. A name with a blank cannot be written."""
    window = Window(0, 9, 4, users=[7, "007"])
    write_events(tmp_path / "e.csv", [window])
    assert read_events(tmp_path / "e.csv").windows == (window,)
    with pytest.raises(ValueError, match=r"^the name 'Ann Lee' cannot be written, since blanks separate the names"):
        write_events(tmp_path / "f.csv", [Window(0, 9, 4, users=["Ann Lee"])])
    assert not (tmp_path / "f.csv").exists()


def test_columns_and_lines_may_be_left_out(tmp_path: Path) -> None:
    """Columns come in any order, optional ones may be missing, comments and blank lines are skipped."""
    (tmp_path / "e.csv").write_text("\ufeff# planned\n\nprocessors, end, start, kind\n# now\n4, 20, 10, window\n")
    assert read_events(tmp_path / "e.csv").windows == (Window(10, 20, 4),)


def test_dates_are_in_the_zone_of_the_log(tmp_path: Path) -> None:
    """Dates and times are local to the log; a date is its first instant."""
    text = "window,2001-09-09T04:00,2001-09-10,4,2001-09-09T03:46:40,,,\noutage,2001-09-09T02:00:00+00:00,80000,1,,,,\n"
    (tmp_path / "e.csv").write_text(HEADER + text)
    found = read_events(tmp_path / "e.csv", 8, STOCKHOLM)
    assert found.windows == (Window(800, 72_800, 4, announced=0),)
    assert named(found.outages) == [(800, 80_000, 1)]


def test_nodes_get_their_numbers(tmp_path: Path) -> None:
    """With the nodes of a machine, outages are of its numbers, and windows keep their names."""
    (tmp_path / "e.csv").write_text(HEADER + "outage,0,9,n2,,,,\nwindow,0,9,n1 n2,,,,\noutage,3,12,n2 n1,,,,\n")
    found = read_events(tmp_path / "e.csv", {"n1": 0, "n2": 1})
    assert named(found.outages) == [(0, 9, 1), (3, 12, 0), (3, 12, 1)]
    assert found.windows[0].processors == ("n1", "n2")


@pytest.mark.parametrize(
    ("row", "machine", "message"),
    [
        ("window,100,50,4,,,,", None, "end must be after start (100 s), not 50"),
        ("window,-5,50,4,,,,", None, "start is '-5', 5s before the log's start; it must be 0 or later"),
        ("window,2001-09-01,50,4,,,,", None,
         "start is '2001-09-01', 8d 3h before the log's start; it must be 0 or later"),
        ("window,10,50,4,20,,,", None, "announced must be at or before start (10 s), not 20"),
        ("window,10,50,4,-1,,,", None, "announced is '-1', 1s before the log's start; it must be 0 or later"),
        ("window,,50,4,,,,", None, "start is empty; it must be seconds since the log's start, or a date"),
        ("window,noon,50,4,,,,", None,
         "start: a time must be seconds since the log's start, a text such as '3 d', or a date like 2002-12-01 or "
         "2002-12-01T08:30, "
         "not 'noon'"),
        ("window,nan,50,4,,,,", None, "start: a time must be a number of seconds or a date, not NaN"),
        ("window,inf,inf,4,,,,", None, "start must be a time from 0 to 8,796,093,022,208 s, not inf"),
        ("window,10,50,0,,,,", None, "processors must be a whole number of at least 1, not 0"),
        ("window,10,50,,,,,", None, "a window has a number of processors, or the names of its nodes, not ''"),
        ("window,10,50,0-3 7,,,,", None,
         "a window has a number of processors, or the names of its nodes, not '0-3 7'"),
        ("window,10,50,11,,,,", 10, "it takes 11 processors, but the machine has 10"),
        ("window,1,6,9,,,,", 10, "at 5 s the open windows take 11 processors, but the machine has 10"),
        ("window,10,50,n1,,,,", 10, "it names the node 'n1', but the machine is a pool: give a number of processors"),
        ("window,10,50,n9,,,,", {"n1": 0}, "there is no node 'n9'; the nodes are n1"),
        ("window,10,50,4,,,x7,", None, "jobs must be job numbers, separated by blanks, not 'x7'"),
        ("window,10,50,4,,,,requeu", None, "rule cannot be 'requeu'; did you mean 'requeue'?"),
        ("windw,10,50,4,,,,", None, "kind cannot be 'windw'; did you mean 'window'?"),
        ("capacity,10,50,4,,ann,,", None, "a window of kind capacity admits nobody: leave out users and jobs"),
        ("window,10,50,4", None, "4 values for the 8 columns kind,start,end,processors,announced,users,jobs,rule"),
        ("outage,5,9e12,4,,,,", None, "end must be a time from 0 to 8,796,093,022,208 s, not 9000000000000.0"),
        ("outage,50,50,4,,,,", None, "end must be after start (50 s), not 50"),
        ("outage,-5,50,4,,,,", None, "start is '-5', 5s before the log's start; it must be 0 or later"),
        ("outage,10,50,4,0,,,", None, "an outage has no announced, but '0'; only windows are known ahead"),
        ("outage,10,50,3-1,,,,", None, "the interval 3-1 goes backwards; write 1-3"),
        ("outage,10,50,,,,,", None, "an interval set such as '0-3 7' must not be empty"),
        ("outage,10,50,9999999999999999999,,,,", None,
         "'9999999999999999999' has an index that is not below 16,777,216"),
        ("outage,10,50,8-12,,,,", 10, "an outage of processor 12 is beyond the machine's 10 (0 to 9)"),
        ("outage,10,50,n1,,,,", 10, "an outage names the node 'n1', but the machine is a pool: give indices"),
        ("outage,10,50,n9,,,,", {"n1": 0}, "an outage of an unknown node 'n9'; the nodes are n1"),
    ],
)  # fmt: skip
def test_wrong_events_are_refused(tmp_path: Path, row: str, machine: Any, message: str) -> None:
    """A wrong line is an error with file, line and what would be right."""
    first = "window,5,9,n1,,,,\n" if isinstance(machine, dict) else "window,5,9,2,,,,\n"
    path = tmp_path / "e.csv"
    path.write_text(f"{HEADER}{first}{row}\n")
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}, line 3: {message}')}$"):
        read_events(path, machine, STOCKHOLM)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", " is empty; its first line must be kind,start,end,processors"),
        ("start,end,processors\n",
         ", line 1: the column 'kind' is missing; the first line must name kind, start, end, processors"),
        ("kind,start,end,processor\n", ", line 1: there is no column 'processor'; did you mean 'processors'?"),
        ("kind,start,end,processors,end\n", ", line 1: the column 'end' occurs twice"),
        (f'{HEADER}"window"x,0,9,3,,,,\n', " is not a CSV file: ',' expected after '\"'"),
        (f"{HEADER}outage,0,9,3,,,,\noutage,0,9,n1,,,,\n",
         ", line 3: outages in one file must all have indices, or all names of nodes, unlike 'n1'"),
        (f"{HEADER}window,2001-09-10,2001-09-11,3,,,,\n",
         ", line 2: start: the date '2001-09-10' cannot be placed: the log's header has no UnixStartTime; "
         "give seconds since the log's start"),
    ],
)  # fmt: skip
def test_wrong_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    """A file without the right columns, or with dates for a log without a date, is refused."""
    path = tmp_path / "e.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}{message}')}$"):
        read_events(path)
    with pytest.raises(FileNotFoundError, match=r"there is no file .*none\.csv"):
        read_events(tmp_path / "none.csv")
