"""The tables of the study of urgent jobs: its page, and the object of ``--json``."""

import math
from collections.abc import Iterator
from typing import Any

import thinktime as tt
from thinktime.analysis.studies.urgent.findings import findings, minutes
from thinktime.analysis.studies.urgent.runs import ARMS, COST, FAILURES, HOURLY, MODES, PATIENCE, RESERVED
from thinktime.analysis.studies.urgent.study import Evidence
from thinktime.analysis.study import Report, Table, cell, verdicts


def report(found: Evidence) -> Report:
    """A table for each share of urgent jobs, one of intervals, and what was looked for; all answers."""
    return Report(
        page=lambda: _page(found),
        values=lambda: {
            "source": found.source,
            "arms": [
                dict(zip(("share", "arm", "checkpoints", "mode"), key, strict=True)) | finite(answer)
                for key, answer in found.arms.items()
            ],
            "intervals": [
                {"preempted": key[0], "interval": key[1] if key[1] < math.inf else None} | finite(answer)
                for key, answer in found.intervals.items()
            ],
        },
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    for share in dict.fromkeys(key[0] for key in found.arms):
        yield arms_table(found, share)
        yield ""
    yield intervals_table(found)
    yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    yield (
        f"{found.source}. open: recorded submissions; users: they wait for their jobs, and give up a batch at "
        f"{PATIENCE} interruptions. urgent wait: mean, minutes; slowdown: mean bounded slowdown (10 s) of the other "
        "jobs that finished; lost: % of used processor time that has to be done again or belonged to jobs that were "
        f"cancelled; gone: % of batches with a cancelled job. Reservation: {100 * RESERVED:g} % of the processors on "
        f"weekdays from 8 to 18 h. +: checkpoints after each hour of work ({HOURLY.cost:g} s). A restart takes "
        f"{HOURLY.restart:g} s. A processor that fails does so after {FAILURES.mean_up / tt.DAY:g} days on average."
    )


def arms_table(found: Evidence, share: float) -> Table:
    """How urgent jobs and the others fare."""
    shown = Table(f"{100 * share:g} % of the jobs are urgent", "urgent jobs have", whole=True)
    for heading in ("urgent wait", "others' slowdown", "lost (%)", "gone (%)", "jobs a day"):
        shown.numbers(f"{heading}\nopen", "\nusers")
    for name in ARMS:
        for checkpoints in (False, True):
            of = [found.arms[share, name, checkpoints, mode] for mode in MODES]
            shown.row(
                name + " +" * checkpoints,
                *(f"{each.urgent_wait / tt.MINUTE:,.1f}" for each in of),
                *(f"{each.others_slowdown:,.1f}" for each in of),
                *(f"{100 * each.lost:.2f}" for each in of),
                *(f"{100 * each.abandoned:.1f}" for each in of),
                *(f"{each.jobs_a_day:,.0f}" for each in of),
            )
    return shown


def intervals_table(found: Evidence) -> Table:
    """The waste at each interval, and the intervals of Young and Daly."""
    shown = Table(
        f"How often to write checkpoints of {COST:g} s: processor time lost or spent on them, % of what is used",
        "interval", "failures", "failures and preemption",
    )  # fmt: skip
    for interval in dict.fromkeys(key[1] for key in found.intervals):
        shown.row(minutes(interval), *(cell(100 * found.waste(kind, interval), ".2f") for kind in (False, True)))
    shown.row("least waste at", *(minutes(found.best(kind)) for kind in (False, True)))
    for place, name in enumerate(("Young", "Daly")):
        shown.row(name, *(minutes(found.formulas(kind)[place]) for kind in (False, True)))
    shown.row("between interruptions", *(f"{found.between(kind) / tt.HOUR:,.1f} h" for kind in (False, True)))
    return shown


def finite(answer: Any) -> dict[str, Any]:
    """An answer as a table, with None for what is infinite."""
    return {name: None if value == math.inf else value for name, value in answer._asdict().items()}
