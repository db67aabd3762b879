"""Jobs in bursts: lines that share a job number."""

from collections.abc import Callable
from pathlib import Path

import pytest

from thinktime.workloads import Trace, read_swf

Line = Callable[..., str]
Write = Callable[..., Path]


def summary(trace: Trace) -> list[tuple[float, ...]]:
    rows = zip(trace.id, trace.submit, trace.wait, trace.runtime, trace.status, strict=True)
    return [tuple(float(value) for value in row) for row in rows]


@pytest.mark.parametrize(("last", "status"), [(3, 1), (4, 0), (2, 2)])
def test_merged(write_log: Write, job_line: Line, last: int, status: int) -> None:
    """Bursts become one job: submit and wait of the first, run times added, completed (3) or failed (4)."""
    trace = read_swf(
        write_log(
            job_line(1, submit=5, wait=7, runtime=10, cpu_time=8, status=2),
            job_line(2, submit=6, wait=0),
            job_line(1, submit=-1, wait=100, runtime=20, cpu_time=-1, status=2),
            job_line(1, submit=-1, wait=50, runtime=30, cpu_time=20, status=last),
        )
    )
    assert summary(trace) == [(1, 5, 7, 60, status), (2, 6, 0, 60, 1)]
    assert trace.cpu_time[0] == 28
    assert trace.report.repaired == {"burst line merged into its job": 2}
    assert trace.report.dropped == {}
    assert trace.report.records == trace.report.jobs + 2


@pytest.mark.parametrize("status", [0, 1, 5])
def test_total_line(write_log: Write, job_line: Line, status: int) -> None:
    """Where a job has a line for the whole, that one is the job and its bursts are left out."""
    trace = read_swf(
        write_log(
            job_line(1, submit=5, wait=7, runtime=35, status=status),
            job_line(1, submit=5, wait=7, runtime=10, status=2),
            job_line(1, submit=-1, wait=100, runtime=20, status=3),
        )
    )
    assert summary(trace) == [(1, 5, 7, 35, status)]
    assert trace.report.repaired == {"burst line replaced by its total line": 2}
    assert trace.report.dropped == {}
    assert trace.report.noted == {}


def test_single_bursts(write_log: Write, job_line: Line) -> None:
    """A burst with no other of its job is left as it is, whether or not other jobs are merged."""
    lone = [job_line(1, status=4), job_line(1, status=-1)]
    others = [job_line(2, status=2), job_line(2, submit=-1, status=3)]
    assert read_swf(write_log(*lone)).status.tolist() == [4, -1]
    assert read_swf(write_log(*lone, *others)).status.tolist() == [4, -1, 1]


def test_unique_numbers(write_log: Write, job_line: Line) -> None:
    """Codes 2, 3, 4 on a job number of its own are no bursts: kept as they are, and noted."""
    trace = read_swf(write_log(*(job_line(code, status=code) for code in (2, 3, 4))))
    assert trace.status.tolist() == [2, 3, 4]
    assert trace.report.noted == {"unknown status": 3}
    assert trace.report.repaired == {}


def test_shared_numbers_without_bursts(write_log: Write, job_line: Line) -> None:
    """Lines that share a number with no burst among them are different jobs, and noted."""
    trace = read_swf(write_log(job_line(1, status=1), job_line(1, status=0, submit=9)))
    assert len(trace) == 2
    assert trace.report.noted == {"job number used twice": 1}


def test_missing_numbers(write_log: Write, job_line: Line) -> None:
    """Lines without a job number share none."""
    trace = read_swf(write_log(job_line(-1, status=2), job_line(-1, status=3)))
    assert len(trace) == 2


def test_first_by_submit_time(write_log: Write, job_line: Line) -> None:
    """The first burst is the one with a submit time, wherever it stands."""
    lines = [job_line(1, submit=-1, wait=9, status=2), job_line(1, submit=4, wait=2, status=2)]
    trace = read_swf(write_log(*lines, job_line(1, submit=-1, status=3)))
    assert summary(trace) == [(1, 4, 2, 180, 1)]


def test_extra_of_the_first(write_log: Write, job_line: Line) -> None:
    """A merged job keeps the extra text of its first burst."""
    lines = [job_line(1, status=2) + " a", job_line(1, submit=-1, status=3) + " b"]
    assert read_swf(write_log(*lines)).extra == ("a",)


def test_merging_comes_before_dropping(write_log: Write, job_line: Line) -> None:
    """Later bursts have no submit time and are not dropped for it; a merged job may still be dropped."""
    lines = [job_line(1, runtime=-1, status=2), job_line(1, submit=-1, runtime=-1, status=4)]
    trace = read_swf(write_log(*lines))
    assert trace.report.dropped == {"run time missing or negative": 1}
