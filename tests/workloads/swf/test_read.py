"""Reading logs: what is kept, dropped, repaired and noted."""

import gzip
import math
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from thinktime.workloads import SWFError, read_swf

Line = Callable[..., str]
Write = Callable[..., Path]


def test_all_fields(write_log: Write) -> None:
    """Each of the eighteen fields lands in its column."""
    trace = read_swf(write_log("1 2 3 4 5 6.5 7.25 8 9 10 1 12 13 14 15 16 17 18"))
    assert [array.tolist()[0] for array in trace.columns.values()] == [
        *(1, 2, 3, 4, 5, 6.5, 7.25, 8, 9, 10, 1, 12, 13, 14, 15, 16, 17, 18)
    ]
    assert (trace.report.records, trace.report.jobs, trace.report.entries) == (1, 1, [])


def test_missing_fields(write_log: Write, job_line: Line) -> None:
    """A field of −1 is NaN in times, and stays −1 elsewhere."""
    trace = read_swf(write_log(job_line(wait=-1, think_time=-1)))
    assert math.isnan(trace.wait[0])
    assert math.isnan(trace.think_time[0])
    assert (trace.user[0], trace.used_memory[0], trace.preceding[0]) == (-1, -1, -1)


def test_fractions_of_seconds(write_log: Write, job_line: Line) -> None:
    """Times may be floats, with exponents too, and come on the grid."""
    trace = read_swf(write_log(job_line(submit="1e1", runtime="0.3", cpu_time="142.00")))
    assert (trace.submit[0], trace.runtime[0], trace.cpu_time[0]) == (10, 307 / 1024, 142)


def test_comments_anywhere(write_log: Write, job_line: Line) -> None:
    """Comments and blank lines may stand anywhere; every comment is kept in the header."""
    lines = ["; Version: 2.2", "", job_line(1), "  ", "; Note: half time", job_line(2), ""]
    trace = read_swf(write_log(*lines))
    assert (len(trace), trace.report.records) == (2, 2)
    assert trace.header["Note"] == "half time"


def test_carriage_returns(tmp_path: Path, job_line: Line) -> None:
    """Lines may end as on Windows."""
    path = tmp_path / "log.swf"
    path.write_bytes(f"; MaxProcs: 8\r\n{job_line(1)}\r\n\r\n{job_line(2)} x y\r\n".encode())
    trace = read_swf(path)
    assert trace.header.lines == ("; MaxProcs: 8",)
    assert trace.extra == (None, "x y")


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_ends_of_lines(tmp_path: Path, job_line: Line, end: str) -> None:
    """A line ends with CR alone just as well: four records are four jobs, and a fault is found in its line."""
    path = tmp_path / "log.swf"
    lines = ["; MaxProcs: 8", *(job_line(number) for number in range(1, 5))]
    path.write_bytes(end.join(lines).encode())
    trace = read_swf(path)
    assert (trace.id.tolist(), trace.report.records, trace.machine_size) == ([1, 2, 3, 4], 4, 8)
    path.write_bytes(end.join([*lines, "", "x"]).encode())
    with pytest.raises(SWFError, match="line 7, field 1"):
        read_swf(path)


@pytest.mark.parametrize("size", range(2**20 - 70, 2**20 + 70, 7))
def test_ends_of_lines_anywhere(tmp_path: Path, job_line: Line, size: int) -> None:
    """However a file is cut into pieces while it is read, its lines and their numbers are the same."""
    path = tmp_path / "log.swf"
    start = ("; " + "x" * 998 + "\r\n") * (size // 1002)
    start += ";" + "x" * (size - len(start) - 1)
    path.write_bytes(f"{start}\r\r\n{job_line(1)}\r\nx\r\n".encode())
    with pytest.raises(SWFError, match=f"line {size // 1002 + 4:d}, field 1"):
        read_swf(path)


def test_compressed_by_content(tmp_path: Path, job_line: Line) -> None:
    """A compressed log is known by its content, whatever its name."""
    path = tmp_path / "log.swf"
    path.write_bytes(gzip.compress(job_line().encode()))
    assert len(read_swf(path)) == 1


def test_byte_order_mark(tmp_path: Path, job_line: Line) -> None:
    """The mark that some editors put before a text is no part of the log."""
    path = tmp_path / "log.swf"
    path.write_text(f"; MaxProcs: 8\n{job_line()}\n", encoding="utf-8-sig")
    assert read_swf(path).machine_size == 8


def test_old_letters(tmp_path: Path, job_line: Line) -> None:
    """A header in Latin-1 is read as that."""
    path = tmp_path / "log.swf"
    path.write_bytes("; Acknowledge: Bj\xf6rn\n".encode("latin-1") + job_line().encode())
    assert read_swf(path).header["Acknowledge"] == "Björn"


def test_extra_columns(write_log: Write, job_line: Line) -> None:
    """What stands behind field 18 is kept as text, on lines that have any."""
    trace = read_swf(write_log(job_line(1) + " {1,1} q_1d 1:ppn=4", job_line(2)))
    assert trace.extra == ("{1,1} q_1d 1:ppn=4", None)


def test_extra_numbers(write_log: Write, job_line: Line) -> None:
    """Extra columns of numbers are text as well."""
    assert read_swf(write_log(job_line(1) + " 1 2", job_line(2) + " 3 4")).extra == ("1 2", "3 4")


def test_unsorted_lines(write_log: Write, job_line: Line) -> None:
    """Lines out of order are sorted by (submit, id) and counted."""
    lines = [job_line(1, submit=5), job_line(3, submit=9), job_line(2, submit=9), job_line(4, submit=1)]
    trace = read_swf(write_log(*lines))
    assert trace.id.tolist() == [4, 1, 2, 3]
    assert trace.report.repaired == {"line out of order": 2}
    assert trace.report.entries[0].line == 3


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"submit": -1}, "no submit time"),
        ({"status": 5, "runtime": 0}, "cancelled without a run"),
        ({"status": 5, "runtime": -1}, "cancelled without a run"),
        ({"runtime": -1}, "run time missing or negative"),
        ({"runtime": -1.36e9}, "run time missing or negative"),
        ({"requested_processors": -1}, "no processors"),
        ({"requested_processors": 0, "allocated": 0}, "no processors"),
        ({"requested_processors": 9}, "wider than the machine"),
        ({"requested_processors": -1, "allocated": 9}, "wider than the machine"),
        # Of several reasons the first counts.
        ({"submit": -1, "status": 5, "runtime": -1}, "no submit time"),
        ({"runtime": -1, "requested_processors": 0}, "run time missing or negative"),
    ],
)
def test_dropped(write_log: Write, job_line: Line, fields: dict[str, object], reason: str) -> None:
    """A job that cannot be simulated is dropped and counted once, for the first reason that holds."""
    trace = read_swf(write_log("; MaxProcs: 8", job_line(1), job_line(2, **fields)))
    assert trace.id.tolist() == [1]
    assert trace.report.dropped == {reason: 1}
    assert [entry.line for entry in trace.report.entries if entry.kind == "dropped"] == [3]
    assert (trace.report.records, trace.report.jobs) == (2, 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"status": 5, "runtime": 1},
        {"status": 0},
        {"requested_processors": 8},
        {"requested_processors": 4, "allocated": 9},
        {"requested_processors": -1, "allocated": 8},
    ],
)
def test_kept(write_log: Write, job_line: Line, fields: dict[str, object]) -> None:
    """Short, failed, cancelled and machine-wide jobs are kept; the processors requested decide the width."""
    trace = read_swf(write_log("; MaxProcs: 8", job_line(1, **fields)))
    assert len(trace) == 1
    assert trace.report.entries == []


@pytest.mark.parametrize(
    ("header", "processors", "kept"),
    [("; MaxProcs: 8", 16, 1), ("; MaxProcs: 16", 8, 0), ("; MaxNodes: 8", None, 0), ("; free", None, 1)],
)
def test_width(write_log: Write, job_line: Line, header: str, processors: int | None, kept: int) -> None:
    """The machine's size is the one given, else MaxProcs, else MaxNodes; without one every width is kept."""
    log = write_log(header, job_line(requested_processors=9))
    assert len(read_swf(log, processors=processors)) == kept


def test_notes(write_log: Write, job_line: Line) -> None:
    """Oddities that leave a job usable are counted among the jobs kept, and change nothing."""
    trace = read_swf(
        write_log(
            job_line(1, requested_time=-1), job_line(2, requested_time=0), job_line(3, requested_time=59),
            job_line(3, status=265), job_line(5, status=3), job_line(-1), job_line(6, requested_time=0.5, runtime=1),
            job_line(7, status=-1), job_line(8, runtime=-1, status=265), job_line(9, runtime=0),
        )
    )  # fmt: skip
    assert trace.report.noted == {
        "estimate missing, run time used instead": 2, "run time above the estimate": 1, "unknown status": 2,
        "job number used twice": 1, "job number missing, given one": 1, "run time of 0 s": 1,
    }  # fmt: skip
    assert trace.report.dropped == {"run time missing or negative": 1}
    assert sorted(trace.status.tolist()) == [-1, 1, 1, 1, 1, 1, 1, 3, 265]


def test_negative_times(write_log: Write, job_line: Line) -> None:
    """A negative time other than −1 is taken for missing, and that is said."""
    trace = read_swf(write_log(job_line(1, wait=-7, think_time=-3), job_line(2, wait=-1)))
    assert math.isnan(trace.wait[0])
    assert trace.report.repaired == {"negative time treated as missing": 1}


def test_empty_logs(write_log: Write) -> None:
    """A log without jobs, or without anything, is an empty trace."""
    for lines in ((), ("; MaxProcs: 8",)):
        trace = read_swf(write_log(*lines))
        assert (len(trace), trace.report.records) == (0, 0)


def test_everything_dropped(write_log: Write, job_line: Line) -> None:
    """A log whose jobs are all unusable is an empty trace with a full report."""
    trace = read_swf(write_log(job_line(runtime=-1)))
    assert len(trace) == 0
    assert sum(trace.report.dropped.values()) == 1


def test_report_in_words(write_log: Write, job_line: Line) -> None:
    """A printed report says file, jobs and lines, then what was dropped, repaired and noted."""
    log = write_log(job_line(2, submit=9), job_line(1, requested_time=-1), job_line(3, runtime=-1))
    assert str(read_swf(log).report).split("\n") == [
        "log.swf: 2 jobs from 3 lines",
        "  dropped          1  run time missing or negative, first in line 3",
        "  repaired         1  line out of order, first in line 2",
        "  noted            1  estimate missing, run time used instead, first in line 2",
    ]


@pytest.mark.compiled
def test_memory(write_log: Write, job_line: Line) -> None:
    """Reading a log takes little memory beyond the columns: the lines are never held, nor all columns twice."""
    read_swf(write_log(job_line()))
    log = write_log(*(job_line(number, submit=number, user=7) for number in range(100_000)))
    tracemalloc.start()
    trace = read_swf(log)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * sum(values.nbytes for values in trace.columns.values()) + 2e6


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there is said to be not there."""
    with pytest.raises(FileNotFoundError, match=r"there is no log at .*nowhere\.swf"):
        read_swf(tmp_path / "nowhere.swf")


def test_folder(tmp_path: Path) -> None:
    """A folder is no log."""
    with pytest.raises(OSError, match="cannot be read"):
        read_swf(tmp_path)


def test_damaged_archive(tmp_path: Path, job_line: Line) -> None:
    """A compressed file that breaks off is refused as a whole."""
    path = tmp_path / "log.swf.gz"
    path.write_bytes(gzip.compress(job_line().encode())[:-12])
    with pytest.raises(SWFError, match=r"log\.swf\.gz is a damaged gzip file"):
        read_swf(path)


@pytest.mark.parametrize("arguments", [{"on_error": "ignore"}, {"processors": 0}])
def test_arguments(write_log: Write, job_line: Line, arguments: dict[str, object]) -> None:
    """An argument out of range is refused by name."""
    with pytest.raises(ValueError, match=f"{next(iter(arguments))} must be"):
        read_swf(write_log(job_line()), **arguments)  # type: ignore[arg-type]
