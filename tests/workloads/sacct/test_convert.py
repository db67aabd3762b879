"""From sacct's lines to a log."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from thinktime.workloads import Trace, read_swf, write_swf
from thinktime.workloads.sacct import Converted, convert

from .samples import SITE, Make, small


def jobs(found: Converted, *columns: str) -> list[tuple[float, ...]]:
    """Some columns of all jobs; −1 for what is missing."""
    arrays = [np.nan_to_num(found.trace.columns[name].astype(float), nan=-1) for name in columns]
    return list(zip(*(array.tolist() for array in arrays), strict=True))


def test_a_sites_day(made: Make) -> None:
    """A day with one job of every kind gives the fields worked out by hand."""
    found = made(SITE, zone="Europe/Berlin", processors=512)
    fields = ("id", "submit", "wait", "runtime", "allocated", "requested_processors", "requested_time", "status")
    assert jobs(found, *fields) == [
        (1000, 0, 600, 7200, 64, 64, 14400, 1), (1001, 300, -1, -1, -1, 1, 3600, -1),
        (1002, 300, 30, 30, 2, 1, 3600, 0), (1003, 300, 40, 600, 2, 1, 3600, 0),
        (1010, 3600, 1800, 86420, 128, 128, 86400, 0), (1011, 4200, 1800, -1, -1, 8, -1, 5),
        (1012, 4800, 10, 1800, 8, 8, -1, 5), (1013, 7200, 5, 1200, 4, 4, 7200, 0),
        (1023, 8406, 300, 3600, 4, 4, 7200, 1), (1020, 10800, 1, 18000, 16, 16, 43200, -1),
        (1021, 14400, 60, 60, 2, 2, 600, 1), (1022, 14400, 60, 60, 3, 3, 600, 1),
    ]  # fmt: skip
    assert found.report.records == 17 and found.report.jobs == 12
    assert found.report.repaired == {"step merged into its job": 5} and not found.report.dropped


def test_memory_and_cpu_time(made: Make) -> None:
    """Memory per job, node or CPU becomes memory per processor, and CPU time is shared out."""
    found = made(SITE)
    by_id = {int(row[0]): row[1:] for row in jobs(found, "id", "requested_memory", "used_memory", "cpu_time")}
    assert by_id[1000] == (2 * 2**20, 1.5 * 2**20, 7200)  # 128G of 64; 1.5G of each of 64 tasks; 5-08:00:00 of 64
    assert by_id[1002] == (4 * 2**20, 50 * 1024, 14.0625)  # 4Gc; 100M of 2
    assert by_id[1010][0] == 2000 * 1024 * 4 / 128  # 2000Mn on 4 nodes
    assert by_id[1011] == (-1, -1, -1)


def test_names_are_numbered_by_first_submission(made: Make) -> None:
    """Users, accounts, names, QOS and partitions are numbered by first submission."""
    found = made(SITE)
    assert jobs(found, "user", "group", "executable", "queue", "partition")[7:9] == [(4, -1, 6, 1, 2)] * 2
    assert found.names.by_kind["user"] == ["ann", "bob", "cid", "dee"]
    assert found.names.by_kind["executable"][4] == "a|b"
    assert {number: name for number, name in found.names.jobs.items() if "_" not in name and "+" not in name} == {
        1023: "1013"
    }
    assert [found.names.jobs[number] for number in (1002, 1003, 1021)] == ["1001_1", "1001_2", "1021+0"]
    assert found.names.to_csv().splitlines()[:3] == ["kind,number,name", "user,1,ann", "user,2,bob"]


def test_a_requeued_job_depends_on_its_first_attempt(made: Make) -> None:
    """Both attempts ran and are jobs; the second follows the first after the time between them."""
    found = made(SITE)
    assert jobs(found, "id", "preceding", "think_time")[8] == (1023, 1013, 1)
    assert (found.trace.preceding >= 0).sum() == 1


def test_attempts_with_one_submission(made: Make) -> None:
    """Where Slurm kept the first submission, the second attempt is submitted when the first one ends."""
    found = made(
        small("""
5|ann|PREEMPTED|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T00:11:00|00:10:00|01:00:00|4|4
5|ann|REQUEUED|2024-01-01T00:00:00|Unknown|2024-01-01T00:12:00|00:00:00|01:00:00|4|0
5|ann|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:20:00|2024-01-01T01:00:00|00:40:00|01:00:00|4|4
""")
    )
    assert jobs(found, "id", "submit", "wait", "runtime", "preceding", "think_time") == [
        (5, 0, 60, 600, -1, -1),
        (6, 660, 540, 2400, 5, 0),
    ]
    assert found.report.dropped == {"superseded by a later line of the same job": 1}


def test_attempts_that_never_ran(made: Make) -> None:
    """An attempt that was requeued before it ran is left out, but the last one stays."""
    found = made(
        small("""
5|ann|REQUEUED|100|None|150|00:00|05:00|4|0
5|ann|NODE_FAIL|200|210|220|00:10|05:00|4|4
5|ann|CANCELLED|300|None|350|00:00|05:00|4|0
""")
    )
    assert jobs(found, "id", "submit", "wait", "runtime", "preceding", "think_time") == [
        (5, 0, 10, 10, -1, -1),
        (6, 100, 50, -1, 5, 80),
    ]
    assert found.report.dropped == {"attempt of a requeued job that never ran": 1}


def test_overlapping_dumps(made: Make) -> None:
    """A job in two dumps is taken once, from the later one."""
    january = small("""
7|ann|COMPLETED|2024-01-31T10:00:00|2024-01-31T10:00:00|2024-01-31T11:00:00|01:00:00|02:00:00|1|1
8|ann|RUNNING|2024-01-31T23:00:00|2024-01-31T23:10:00|Unknown|00:50:00|02:00:00|1|1
9|bob|PENDING|2024-01-31T23:30:00|Unknown|Unknown|00:00:00|02:00:00|1|0
""")
    february = small("""
8|ann|COMPLETED|2024-01-31T23:00:00|2024-01-31T23:10:00|2024-02-01T00:10:00|01:00:00|02:00:00|1|1
9|bob|COMPLETED|2024-01-31T23:30:00|2024-02-01T01:00:00|2024-02-01T01:30:00|00:30:00|02:00:00|1|1
""")
    wanted = [(7, 0, 3600, 1), (8, 46800, 3600, 1), (9, 48600, 1800, 1)]
    for found in (made(january, february), made(january + february)):
        assert jobs(found, "id", "submit", "runtime", "status") == wanted
        assert found.report.dropped == {"superseded by a later line of the same job": 2}
        assert found.report.records == 5


def test_clocks_that_are_put_back(made: Make) -> None:
    """In the repeated hour, start and end agree with submission and run time."""
    found = made(
        small("""
1|ann|COMPLETED|2024-10-27T01:50:00|2024-10-27T02:30:00|2024-10-27T02:10:00|00:40:00|02:00:00|1|1
2|ann|COMPLETED|2024-10-27T01:55:00|2024-10-27T02:20:00|2024-10-27T03:20:00|01:00:00|02:00:00|1|1
3|ann|COMPLETED|2024-10-27T02:15:00|2024-10-27T02:20:00|2024-10-27T02:25:00|00:05:00|02:00:00|1|1
"""),
        zone="Europe/Berlin",
    )
    assert jobs(found, "wait", "runtime") == [(2400, 2400), (5100, 3600), (300, 300)]
    assert found.report.noted["submitted in the hour that clocks repeat: taken as the first pass"] == 1


def test_few_columns(made: Make) -> None:
    """A number and a submission are enough for a log."""
    found = made("Submit|JobIDRaw\n2024-01-01T00:00:10|12\n2024-01-01T00:00:00|11\n")
    assert jobs(found, "id", "submit", "runtime", "user", "status") == [(11, 0, -1, -1, -1), (12, 10, -1, -1, -1)]
    tagged = made("jobid|SUBMIT|Start|End|AllocTRES\n4|1700000000|1700000060|1700000100|cpu=12,node=3\n")
    assert jobs(tagged, "wait", "runtime", "allocated") == [(60, 40, 12)] and tagged.trace.header.max_nodes == 3


def test_tasks_without_raw_numbers_are_counted(made: Make) -> None:
    """Without Slurm's own numbers jobs are numbered by submission, as the side file says."""
    rows = "3_1|ann|COMPLETED|100|110|120|00:10|05:00|1|1\n3_2|ann|COMPLETED|100|110|130|00:20|05:00|1|1"
    found = made(small(rows))
    assert found.trace.id.tolist() == [1, 2] and found.names.jobs == {1: "3_1", 2: "3_2"}


def test_two_clusters_keep_their_jobs_apart(made: Make) -> None:
    """One number on two clusters is two jobs."""
    found = made("JobID|Cluster|Submit|Elapsed|Start|AllocCPUS\n1|a|10|00:05|10|1\n1|b|20|00:05|20|1\n")
    assert len(found.trace) == 2 and found.names.jobs == {1: "a:1", 2: "b:1"}


def test_malformed_lines_are_left_out_and_told(made: Make) -> None:
    """Malformed lines and stray steps are left out and reported."""
    found = made(
        small("""
1|ann|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:10:00|00:10:00|01:00:00|1|1
2|ann|COMPLETED|2024-01-01T00:00:00|yesterday|2024-01-01T00:10:00|00:10:00|01:00:00|1|1
3|ann|COMPLETED
4|ann|COMPLETED|Unknown|2024-01-01T00:00:00|2024-01-01T00:10:00|00:10:00|01:00:00|1|1
4.batch|ann|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:10:00|00:10:00||1|1
8|ann|FROZEN|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:10:00|00:10:00|01:00:00|1|1
""")
    )
    assert found.trace.id.tolist() == [1, 8] and found.report.records == 6
    assert found.report.dropped == {
        "malformed line: 'yesterday' is not a time such as 2024-05-31T08:30:00": 1,
        "malformed line: wrong number of values": 1,
        "no submit time": 1,
        "step without its job": 1,
    }
    assert found.report.noted["unknown state FROZEN"] == 1


def test_options_about_what_lines_do_not_tell(made: Make) -> None:
    """Options set the default limit, whole nodes, the eligible time and the machine."""
    found = made(
        SITE, zone="UTC", limit=7 * 86400.0, allocated=True, eligible=True, processors=256, nodes=8, computer="X"
    )
    by_id = {
        int(row[0]): row[1:] for row in jobs(found, "id", "submit", "wait", "requested_processors", "requested_time")
    }
    assert by_id[1010] == (5400, 0, 128, 86400)
    assert by_id[1002][2] == 2 and by_id[1012][3] == 604800
    header = found.trace.header
    assert (header.max_procs, header.max_nodes, header["Computer"]) == (256, 8, "X")
    assert header.unix_start_time == 1714636800 and header.time_zone_string == "UTC"


def test_the_machine_is_at_least_what_was_in_use(made: Make) -> None:
    """Without a size the machine is as large as the most in use at once."""
    found = made(
        small("""
1|ann|COMPLETED|0|0|100|01:40|05:00|4|4
2|ann|COMPLETED|0|100|200|01:40|05:00|6|6
3|ann|COMPLETED|0|150|160|00:10|05:00|3|3
4|ann|CANCELLED by 3|0|None|160|00:00|05:00|9999|0
""")
    )
    assert found.trace.header.max_procs == 9
    assert any("lower bound" in note for note in found.trace.header.all("Note"))


def test_reading_the_log_again_gives_the_same(made: Make, tmp_path: Path) -> None:
    """Written as SWF and read, all jobs that ran are there as they were."""
    found = made(SITE, zone="Europe/Berlin")
    write_swf(found.trace, tmp_path / "log.swf")
    again = read_swf(tmp_path / "log.swf")
    ran = found.trace.select(np.isfinite(found.trace.runtime))
    assert again.equals(Trace(ran.columns, ran.header, ran.extra)) and sum(again.report.dropped.values()) == 2


def test_compressed_and_with_trailing_separators(tmp_path: Path, made: Make) -> None:
    """Compressed dumps, trailing separators and other separators are read."""
    rows = "1|ann|COMPLETED|0|0|100|01:40|05:00|4|4"
    plain = made(small(rows))
    parsable = "".join(line + "|\n" for line in small(rows).splitlines())
    (tmp_path / "p.gz").write_bytes(gzip.compress(parsable.encode()))
    assert convert([tmp_path / "p.gz"]).trace.equals(plain.trace)
    assert made(small(rows).replace("|", "\t"), separator="\t").trace.equals(plain.trace)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty; it must be the output of `sacct -P`"),
        ("1|ann|COMPLETED\n", "there is no column JobID"),
        ("JobID|State\n1|COMPLETED\n", "no column Submit"),
        ("JobID|Submit\n", "none of the 0 lines is a job"),
        ("JobID|Submit\n1|Unknown\n", "none of the 1 lines is a job"),
    ],
)
def test_files_that_are_none(made: Make, text: str, complaint: str) -> None:
    """A file that is not sacct's is an error that says what it should be."""
    with pytest.raises(ValueError, match=complaint):
        made(text)


def test_an_unknown_zone(made: Make) -> None:
    """A zone must be one that there is: falling back to UTC would shift every day."""
    with pytest.raises(ValueError, match="no time zone 'Berlin'"):
        made(SITE, zone="Berlin")
