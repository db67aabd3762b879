"""Columns that sacct has renamed or added since Slurm 22.05."""

from __future__ import annotations

from pathlib import Path

import pytest

from thinktime.workloads.sacct import ConversionOptions, Converted, convert


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


def test_jobs_that_share_their_nodes_with_nobody(tmp_path: Path) -> None:
    """Exclusive=NODE (from 26.05 on) is part of the request for nodes; other values are not."""
    rows = "".join(f"{k}|COMPLETED|100|100|160|4|2|{how}\n" for k, how in enumerate(("NODE", "NO", "USER", ""), 1))
    found = converted(tmp_path, f"JobID|State|Submit|Start|End|AllocCPUS|NNodes|Exclusive\n{rows}", requests=True)
    assert found.trace.extra == ("- - 2:ppn=2#excl", *3 * ("- - 2:ppn=2",))


def test_columns_that_mean_nothing_here(tmp_path: Path) -> None:
    """Others of newer versions change nothing, and a job that is looked at for an expedited requeue has not ended."""
    columns = "JobID|State|Submit|Start|End|AllocCPUS|SLUID|OriginalSLUID|QOSREQ|SegmentSize|ReqReservation|FailedNode"
    found = converted(tmp_path, f"{columns}\n1|EXPEDITING|100|100|160|4|sABC|sABC|a,b|0|r1,r2|n7\n")
    assert found.trace.columns["status"].tolist() == [-1] and found.trace.columns["runtime"].tolist() == [60]
