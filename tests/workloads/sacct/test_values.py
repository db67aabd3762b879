"""Single values as Slurm writes them, newer versions included."""

import datetime
import zoneinfo
from pathlib import Path

import pytest

from thinktime.workloads.sacct import ConversionOptions, Converted, convert
from thinktime.workloads.sacct.values import (
    STATES,
    Memory,
    SiteClock,
    count,
    duration,
    job_and_step,
    memory,
    state,
    tres,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("00:00:00", 0), ("01:02:03", 3723), ("2-03:04:05", 183845), ("02:03.456", 123.456), ("59:59", 3599),
        ("1-00:00:00.250", 86400.25), ("3-12", 302400), ("1-02:30", 95400), ("100:00:00", 360000), ("86400", 86400),
        ("", None), ("Unknown", None), ("UNLIMITED", None), ("Partition_Limit", None), ("INVALID", None),
    ],
)  # fmt: skip
def test_durations(text: str, seconds: float | None) -> None:
    """Durations have days, hours, minutes, seconds and fractions, or are None."""
    assert duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "kilobytes", "per"),
    [
        ("4000M", 4096000, "job"), ("2.5Gn", 2621440, "node"), ("4Gc", 4194304, "cpu"), ("1T", 2**30, "job"),
        ("512K", 512, "job"), ("16", 16384, "job"), ("16GB", 16777216, "job"), ("8GiB", 8388608, "job"),
        ("4G?", 4194304, "job"),
    ],
)  # fmt: skip
def test_memory(text: str, kilobytes: float, per: str) -> None:
    """Amounts of memory have suffixes for their size and for what they are per."""
    assert memory(text) == Memory(kilobytes, per)


def test_memory_that_is_none() -> None:
    """A memory of 0 means all of a node, and a plain number is in the column's unit."""
    assert memory("0") is None and memory("0n") is None and memory("") is None
    assert memory("2048", "B") == Memory(2.0, "job")


@pytest.mark.parametrize("bad", ["12:xx:00", "soon", "-5", "1:2:3:4"])
def test_what_is_no_duration(bad: str) -> None:
    """Anything else is refused as a duration."""
    with pytest.raises(ValueError, match="not a duration"):
        duration(bad)


def test_other_values_that_are_none_of_theirs() -> None:
    """Memory, counts, job numbers and moments say what they cannot read."""
    for read, bad in ((memory, "lots"), (count, "few"), (job_and_step, "x1"), (SiteClock(datetime.UTC).moments, "May")):
        with pytest.raises(ValueError, match=bad):
            read(bad)


def test_counts() -> None:
    """A count of 0 is none, and large counts may be shortened."""
    assert [count(text) for text in ("64", "0", "", "1.5K", "2M")] == [64, None, None, 1500, 2_000_000]


def test_resources() -> None:
    """Resources are known by name, generic ones by their type."""
    assert tres("cpu=4,mem=16G,gres/gpu:a100=2") == {"cpu": "4", "mem": "16G", "gres/gpu:a100": "2"}
    assert tres("") == {}


def test_states() -> None:
    """All 24 states of the manual are known by their first word or short form."""
    assert state("CANCELLED by 1000") == "CANCELLED" and state("CANCELLED+") == "CANCELLED" and state("") == ""
    names = (
        "BOOT_FAIL CANCELLED COMPLETED CONFIGURING COMPLETING DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PENDING "
        "PREEMPTED RUNNING RESV_DEL_HOLD REQUEUE_FED REQUEUE_HOLD REQUEUED RESIZING REVOKED SIGNALING SPECIAL_EXIT "
        "STAGE_OUT STOPPED SUSPENDED TIMEOUT BF CA CD CF CG DL F NF OOM PD PR R RD RF RH RQ RS RV SI SE SO ST S TO"
    )
    for name in names.split():
        assert name in STATES, name


@pytest.mark.parametrize(
    ("text", "job", "step"),
    [
        ("123", "123", None), ("123.batch", "123", "batch"), ("123.extern", "123", "extern"), ("123.0", "123", "0"),
        ("123_4", "123_4", None), ("123_4.12", "123_4", "12"), ("123+1", "123+1", None), ("123+1.0", "123+1", "0"),
        ("123_[1-9%2]", "123_[1-9%2]", None), ("123_[1,3,5-...]", "123_[1,3,5-...]", None),
        ("123.interactive", "123", "interactive"), ("123_7+2.extern", "123_7+2", "extern"),
    ],
)  # fmt: skip
def test_job_numbers(text: str, job: str, step: str | None) -> None:
    """Plain jobs, array tasks and heterogeneous components may have a step."""
    assert job_and_step(text) == (job, step)


def test_local_times() -> None:
    """Local times are in the site's zone, and Unix times and offsets are taken as they are."""
    clock = SiteClock(zoneinfo.ZoneInfo("Europe/Berlin"))
    assert clock.moments("2024-05-02T08:00:00") == (1714629600,)
    assert clock.moments("2024-10-27T02:30:00") == (1729989000, 1729992600)
    assert clock.moments("1714629600") == (1714629600,)
    assert clock.moments("2024-05-02T08:00:00+00:00") == (1714636800,)
    assert clock.moments("Unknown") == clock.moments("None") == ()


def converted(folder: Path, text: str, **options: bool) -> Converted:
    """What becomes of a file."""
    (folder / "site.txt").write_text(text)
    return convert([folder / "site.txt"], ConversionOptions(**options))


@pytest.mark.parametrize("column", ["Reserved", "Planned"])
def test_planned_says_when_a_job_was_eligible(tmp_path: Path, column: str) -> None:
    """Where Eligible is missing, a job became eligible this long before its start (called Planned from 23.02 on)."""
    text = f"JobID|State|Submit|Start|End|AllocCPUS|{column}\n1|COMPLETED|100|1000|1060|4|00:05:00\n"
    assert converted(tmp_path, text).trace.columns["wait"].tolist() == [900]
    assert converted(tmp_path, text, eligible=True).trace.columns["wait"].tolist() == [300]


def test_eligible_is_better_than_planned(tmp_path: Path) -> None:
    """Where both are there, Eligible counts; Planned of a job that has not started says nothing."""
    text = (
        "JobID|State|Submit|Eligible|Start|End|AllocCPUS|Planned\n"
        "1|COMPLETED|100|400|1000|1060|4|00:05:00\n2|CANCELLED|100|Unknown|None|500|0|00:05:00\n"
    )
    found = converted(tmp_path, text, eligible=True)
    assert found.trace.columns["wait"].tolist() == [400, 600]
    assert found.trace.columns["submit"].tolist() == [0, 300]


def test_earlier_attempts_that_are_not_listed_are_noted(tmp_path: Path) -> None:
    """Restarts (from 24.11 on) tells of attempts that occupied processors, but need --duplicates to be printed."""
    text = "JobID|State|Submit|Start|End|AllocCPUS|Restarts\n7|COMPLETED|100|500|560|4|1\n8|COMPLETED|100|100|160|4|0\n"
    note = "restarted, but earlier attempts are not listed (sacct --duplicates)"
    assert converted(tmp_path, text).report.noted[note] == 1
    earlier = "7|PREEMPTED|100|110|300|4|0\n"
    assert note not in converted(tmp_path, text + earlier).report.noted


def test_jobs_that_share_their_nodes_with_no_other(tmp_path: Path) -> None:
    """Exclusive=NODE (from 26.05 on) is part of the request for nodes; other values are not."""
    rows = "".join(f"{k}|COMPLETED|100|100|160|4|2|{how}\n" for k, how in enumerate(("NODE", "NO", "USER", ""), 1))
    found = converted(tmp_path, f"JobID|State|Submit|Start|End|AllocCPUS|NNodes|Exclusive\n{rows}", requests=True)
    assert found.trace.extra == ("- - 2:ppn=2#excl", *3 * ("- - 2:ppn=2",))


def test_columns_that_mean_nothing_here(tmp_path: Path) -> None:
    """Others of newer versions change nothing, and a job that is looked at for an expedited requeue has not ended."""
    columns = "JobID|State|Submit|Start|End|AllocCPUS|SLUID|OriginalSLUID|QOSREQ|SegmentSize|ReqReservation|FailedNode"
    found = converted(tmp_path, f"{columns}\n1|EXPEDITING|100|100|160|4|sABC|sABC|a,b|0|r1,r2|n7\n")
    assert found.trace.columns["status"].tolist() == [-1] and found.trace.columns["runtime"].tolist() == [60]
