"""The diagnosis of a log as a table and lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING

from rich.table import Table

from thinktime.cli.layout import NONE, counted, duration, number, percentage, titled

if TYPE_CHECKING:
    from thinktime.analysis.diagnosis.diagnose import Diagnosis
    from thinktime.analysis.statistics.bootstrap import Estimate

ROWS = {
    "jump": ("jump at the end of jobs", 2),
    "clock_gain": ("clock (nats)", 3),
    "job_gain": ("run time, size (nats)", 3),
    "wait_gain": ("wait beyond these (nats)", 3),
    "wait_crps_gain": ("the same (CRPS)", 3),
    "overlaps": ("overlaps", 2),
    "mean_jobs_per_batch": ("jobs per batch", 2),
}
"""The title and the decimals of each number."""


def table(found: Diagnosis) -> Table:
    """The numbers of the log, of worlds in which nobody reacts, and of the placebo."""
    columns = ("log [95 %]", "nobody reacts", "other ends")
    shown = titled("Do users react? The log, and what would be seen if nobody did", "", *columns)
    shown.columns[0].no_wrap = True
    sides = found.value, found.null, found.with_placebo
    for name, (title, digits) in ROWS.items():
        shown.add_row(title, *(_cell(side(name), digits) for side in sides))
    shown.add_row("mean wait", *(duration(_known(side("mean_wait").value)) for side in sides))
    return shown


def lines(found: Diagnosis) -> Iterator[str]:
    """What the numbers are."""
    jump, withdrawn, tested = found.log.jump, found.withdrawals, found.self_test
    if jump.windows:
        yield (
            f"Jump: of the 10 minutes before and after the end of a job ({number(jump.windows)} jobs of 20 min and "
            f"more, {counted(jump.users, 'user')}), the share with submissions only after it; 0.5 is chance, so "
            f"{percentage(jump.excess)} of them are excess."
        )
    if found.log.gains.scored:
        yield (
            f"Clock, run time, wait: how much they help to foretell the next batch, fitted on the first half and "
            f"scored on {number(found.log.gains.scored)} gaps of the second. Of the wait, only what exceeds that of "
            f"worlds in which nobody reacts is a sign of reaction."
        )
    if found.worlds:
        yield (
            f"Nobody reacts: {counted(len(found.worlds), 'world')} of the same users and jobs under EASY, whose "
            f"submissions look at no result, and where another one would lie; other ends: the log's submissions with "
            f"the ends of SJF-EASY."
        )
    if isfinite(found.excess.value):
        yield (
            f"Among jobs that SJF-EASY would have ended at another time, the jump at their own ends is by "
            f"{_cell(found.excess, 2)} larger than at those, which nobody saw."
        )
    if isfinite(tested.ratio.value):
        yield (
            f"Self-test: with run times moved by up to 1 %, feedback under EASY has {_cell(tested.ratio, 2)} of the "
            f"mean wait that it has without (moved {len(tested.ratios)} times; 1 keeps the log)."
        )
    if isfinite(withdrawn.jobs.value):
        yield (
            f"{percentage(withdrawn.jobs.value)} of the jobs ({percentage(_known(withdrawn.work))} of the requested "
            f"work) were cancelled without a run."
        )
    yield from (f"{note[0].upper()}{note[1:]}." for note in found.notes)


def _cell(estimate: Estimate, digits: int) -> str:
    if not isfinite(estimate.value):
        return NONE
    ends = f" [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]" if isfinite(estimate.low) else ""
    return f"{estimate.value:.{digits}f}{ends}"


def _known(value: float) -> float | None:
    return value if isfinite(value) else None
