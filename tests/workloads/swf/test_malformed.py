"""Malformed lines: found, named, or skipped and counted."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinktime.workloads import SWFError, read_swf
from thinktime.workloads.swf.records import fault

Line = Callable[..., str]
Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"runtime": "abc"}, "field 4 (run time): found 'abc', expected a number"),
        ({"runtime": "nan"}, "field 4 (run time): found 'nan', expected a number"),
        ({"wait": "inf"}, "field 3 (wait time): found 'inf', expected a number"),
        ({"submit": "1e999"}, "field 2 (submit time): found '1e999', expected a number"),
        ({"user": "2.5"}, "field 12 (user ID): found '2.5', expected a whole number"),
        ({"id": "1e30"}, "field 1 (job number): found '1e30', expected a whole number below 9,007,199,254,740,992"),
        ({"user": "9007199254740992"}, "field 12 (user ID): found '9007199254740992', expected a whole number below"),
        ({"runtime": "1e13"}, "field 4 (run time): found '1e13', expected a time below 8,796,093,022,208 s"),
        ({"allocated": "1_0"}, "field 5 (number of allocated processors): found '1_0', expected a whole"),
        ({"status": "#"}, "field 11 (status): found '#', expected a whole number"),
    ],
)
def test_bad_fields(write_log: Write, job_line: Line, fields: dict[str, str], complaint: str) -> None:
    """A field that holds no fitting number is named with file, line, number, name, the text and what fits."""
    log = write_log("; MaxProcs: 8", job_line(1), "", job_line(2) + " extra", job_line(**{"id": 3, **fields}))
    with pytest.raises(SWFError, match=re.escape(f"{log}, line 5, {complaint}")):
        read_swf(log)


def test_short_lines(write_log: Write, job_line: Line) -> None:
    """A line that ends early is named with the first field that it lacks."""
    log = write_log(job_line(1), "2 0 0 60 1")
    complaint = "line 2, field 6 (average CPU time used): the line ends after '1', expected 18 numbers"
    with pytest.raises(SWFError, match=re.escape(complaint)):
        read_swf(log)


def test_lines_that_even_out(write_log: Write, job_line: Line) -> None:
    """A short line is found also where another one is longer."""
    log = write_log(job_line(1) + " 9", " ".join(job_line(2).split()[:-1]))
    with pytest.raises(SWFError, match=r"line 2, field 18 \(think time\)"):
        read_swf(log)


def test_error_is_a_value_error(write_log: Write, job_line: Line) -> None:
    """SWFError is a ValueError."""
    with pytest.raises(ValueError, match="field 1"):
        read_swf(write_log(job_line("x"), job_line(1)))


def test_skipping(write_log: Write, job_line: Line) -> None:
    """Malformed lines are dropped and counted on request, the others read as usual."""
    log = write_log(job_line(1), job_line("x"), job_line(2) + " more", "1 2 3", job_line(3))
    trace = read_swf(log, on_error="skip")
    assert trace.id.tolist() == [1, 2, 3]
    assert trace.extra == (None, "more", None)
    assert trace.report.dropped == {"malformed line": 2}
    assert trace.report.entries[0].line == 2
    assert (trace.report.records, trace.report.jobs) == (5, 3)


@pytest.mark.parametrize("on_error", ["raise", "skip"])
@pytest.mark.parametrize("text", [b"<html>\n<p>Not found</p>\n", b"\x89PNG\r\n\x1a\n\x00\x00", b"1,2,3\n4,5,6\n"])
def test_other_files(tmp_path: Path, text: bytes, on_error: str) -> None:
    """A file of which no line is a record is no log: that is said of the file, not of its first line."""
    path = tmp_path / "page.swf"
    path.write_bytes(text)
    with pytest.raises(SWFError, match=r"page\.swf is not in the Standard Workload Format.*begins with"):
        read_swf(path, on_error=on_error)  # type: ignore[arg-type]


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_all_job_numbers_are_too_large(write_log: Write, job_line: Line, on_error: str) -> None:
    """A file of records whose job numbers no column can hold is a log: the number is said, not its format."""
    log = write_log(*(job_line(2**53 + number) for number in range(3)))
    with pytest.raises(
        SWFError, match=r"line 1, field 1 \(job number\): found '9007199254740992', expected .* below 9,007"
    ):
        read_swf(log, on_error=on_error)  # type: ignore[arg-type]


@given(st.lists(st.floats().map(repr) | st.text(max_size=3), max_size=20))
def test_fault_never_breaks(fields: list[str]) -> None:
    """Whatever a line holds, it is either well-formed or has a complaint of one line."""
    complaint = fault(" ".join(["1", *fields]).encode("utf-8", "replace"))
    assert complaint is None or (complaint.startswith(", field ") and "expected" in complaint)


def test_far_down(write_log: Write, job_line: Line) -> None:
    """A fault is found and named wherever it stands in a long log."""
    lines = [job_line(number) for number in range(1, 5001)]
    lines[3210] = "x"
    with pytest.raises(SWFError, match="line 3211, field 1"):
        read_swf(write_log(*lines))
    trace = read_swf(write_log(*lines), on_error="skip")
    assert (len(trace), trace.report.entries[0].line) == (4999, 3211)
