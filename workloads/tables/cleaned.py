"""Which rows of a data set are jobs: what is dropped, repaired and noted, each with its count.

A row is dropped for the first of these reasons that applies: no submit time; it still waited; it was cancelled without
a run, unless such jobs are asked for; it never started; its end is not known; it ended before it started; no nodes,
cores or GPUs; wider than the machine; the same job as one before. A run that is some seconds longer than its limit is
kept. A submission after the start is moved to it, as in accounting data of Slurm.
"""

from collections.abc import Callable

import numpy as np

from thinktime.workloads.arrays import AnyArray, Flags
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.swf.read import WITHDRAWN
from thinktime.workloads.tables.machine import Widths
from thinktime.workloads.tables.rows import CODES, Jobs
from thinktime.workloads.trace import CANCELLED

MOST_CLOCK = 2.0**42
"""The latest time, in s since 1970."""


def withdrawn(columns: dict[str, AnyArray]) -> Flags:
    """Which jobs were cancelled before they ran."""
    if "state" not in columns:
        return np.zeros(len(columns["submit"]), np.bool_)
    ran: Flags = columns["end"] > columns["start"]
    left: Flags = (columns["state"] == CANCELLED) & ~ran
    return left


def dropped(jobs: Jobs, wide: Widths, wider: Flags, keep_withdrawn: bool, report: CleaningReport) -> Flags:
    """Which rows are left, and why others are not."""
    columns = jobs.columns
    submit, start, end = (columns[name] for name in ("submit", "start", "end"))
    state = columns.get("state", np.full(len(submit), -1, np.int8))
    left_queue = withdrawn(columns)
    asleep = left_queue & keep_withdrawn & np.isfinite(end)
    reasons: dict[str, Callable[[], Flags]] = {
        "no submit time": lambda: ~(np.abs(submit) < MOST_CLOCK),
        "still waiting": lambda: state == CODES["waiting"],
        WITHDRAWN: lambda: left_queue & ~asleep,
        "never started": lambda: ~(np.abs(start) < MOST_CLOCK) & ~asleep,
        "end not known": lambda: ~(np.abs(end) < MOST_CLOCK),
        "ended before it started": lambda: (end < start) & ~asleep,
        "no processors": lambda: np.maximum(wide.asked, wide.allocated) <= 0,
        "wider than the machine": lambda: wider,
        "the same job as a row before": lambda: _again(columns, kept),
    }
    kept = np.ones(len(submit), np.bool_)
    for reason, holds in reasons.items():
        hit = kept & holds()
        report.add("dropped", reason, int(hit.sum()))
        if reason == WITHDRAWN and hit.any():
            limit = columns.get("limit", np.zeros(len(submit)))[hit]
            report.withdrawn_work = float((wide.asked[hit] * np.where(np.isfinite(limit), limit, 0)).sum())
        kept &= ~hit
    return kept


def _again(columns: dict[str, AnyArray], kept: Flags) -> Flags:
    """Rows with the number, the submission, the start and the end of a row before."""
    again = np.zeros(len(kept), np.bool_)
    if "job" not in columns or (np.diff(columns["job"]) > 0).all():
        return again
    rows = np.flatnonzero(kept & (columns["job"] >= 0))
    number = columns["job"][rows]
    order = np.argsort(number, kind="stable")
    sorted_rows = rows[order]
    same = np.ones(max(len(rows) - 1, 0), np.bool_)
    for name in ("job", "submit", "start", "end"):
        values = columns[name][sorted_rows]
        same &= values[1:] == values[:-1]
    again[sorted_rows[1:][same]] = True
    return again


def repair(jobs: Jobs, report: CleaningReport) -> None:
    """Move submissions after the start to it."""
    columns = jobs.columns
    ahead = (columns["start"] < columns["submit"]) & (columns["end"] >= columns["start"])
    report.add("repaired", "start before submission: submission moved to the start", int(ahead.sum()))
    if ahead.any():
        columns["submit"] = np.where(ahead, columns["start"], columns["submit"])
