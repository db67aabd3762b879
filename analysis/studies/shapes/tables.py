"""The tables of the study of shapes: its page, and the object of ``--json``."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import thinktime as tt
from thinktime.analysis.studies.shapes.findings import findings
from thinktime.analysis.studies.shapes.runs import FITTED, LEAST, MODES, MOST, RIGID, STEPS, USUAL, Answer
from thinktime.analysis.studies.shapes.study import BASE, Evidence
from thinktime.analysis.study import Report, Table, verdicts

SHOWN = {"wait": "wait", "response": "response", "work": "work", "malleable": "chosen", "rigid": "others"}
"""What is told against rigid jobs, %, by its heading."""
WHOLE = 3
"""The first ones: of all jobs. They have a table of their own where there are more than two modes."""
SHORT = ("wait", "work")
HEADINGS = {FITTED: "fitted"}
"""Modes whose names would make tables too wide."""


def report(found: Evidence) -> Report:
    """A table for each log, one for what is assumed, and what was looked for; all answers."""
    return Report(
        page=lambda: _page(found),
        values=lambda: {
            "jobs": dict(found.jobs),
            "shares": list(found.shares),
            "runs": [{"key": list(key)} | plain(answer) for key, answer in found.answers.items()],
        },
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    for log in found.jobs:
        headings = list(SHOWN)
        for part in (headings,) if len(found.modes) <= len(MODES) else (headings[:WHOLE], headings[WHOLE:]):
            yield log_table(found, log, part)
            yield ""
    if found.assumed:
        yield assumed_table(found)
        yield ""
    yield choices_table(found)
    yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    fitted = "; fitted: users who are fitted to the log (calibrated)" if FITTED in found.modes else ""
    yield (
        f"Against rigid jobs under EASY in the same mode. open: recorded submissions; users: they wait for their jobs"
        f"{fitted}. work: of jobs that finished by the last submission of the log, as the log has it; malleable, "
        f"rigid: mean response times of these jobs. Assumed: malleable jobs have {LEAST:g} to {MOST:g} times their "
        f"size ({STEPS}), speed-up {USUAL}, resizes that cost nothing, unless it is said otherwise."
    )


def _shown(value: float, what: str) -> str:
    return f"{value:+,.{int(what == 'work')}f}" if math.isfinite(value) else "–"


def log_table(found: Evidence, log: str, headings: Sequence[str]) -> Table:
    """Each strategy and share against rigid jobs."""
    rigid = [found.of(log, RIGID, 0.0, mode) for mode in found.modes]
    times = ", ".join(
        f"{mode} {each.wait / tt.HOUR:,.2f} and {each.response / tt.HOUR:,.2f} h"
        for mode, each in zip(found.modes, rigid, strict=True)
    )
    title = f"{log}, {found.jobs[log]:,} jobs; rigid: mean wait and response {times}; % against these"
    shown = Table(title, "sizes, malleable jobs", whole=True)
    for heading in headings:
        first, *others = (HEADINGS.get(mode, mode) for mode in found.modes)
        shown.numbers(f"{heading}\n{first}", *(f"\n{mode}" for mode in others))
    columns = [(SHOWN[heading], mode) for heading in headings for mode in found.modes]
    for strategy in found.strategies:
        for share in found.shares:
            pairs = [(found.change(what, log, strategy, share, mode), what) for what, mode in columns]
            shown.row(f"{strategy}, {100 * share:g} %", *(_shown(*pair) for pair in pairs))
    return shown


def assumed_table(found: Evidence) -> Table:
    """What becomes of it if something else is assumed."""
    log, share = next(iter(found.jobs)), found.shares[0]
    shown = Table(f"{log}, {BASE}, {100 * share:g} % malleable: what is assumed, %", "speed-up", whole=True)
    for heading in SHORT:
        first, *others = (HEADINGS.get(mode, mode) for mode in found.modes)
        shown.numbers(f"{heading}\n{first}", *(f"\n{mode}" for mode in others))
    shown.numbers("efficiency", "resizes")
    for words in found.assumed:
        of = found.of(log, words, share, found.modes[0])
        pairs = [(found.change(what, log, words, share, mode), what) for what in SHORT for mode in found.modes]
        shown.row(words, *(_shown(*pair) for pair in pairs), f"{of.efficiency:.2f}", f"{of.resizes:.1f}")
    return shown


def choices_table(found: Evidence) -> Table:
    """Who chooses the sizes of moldable jobs."""
    log = next(iter(found.jobs))
    shown = Table(f"{log}, its first jobs, all moldable, by load (1: as it is)", "who chooses", whole=True)
    for heading in ("response (h)", "wait (h)", "used (%)"):
        first, *others = found.loads
        shown.numbers(f"{heading}\n{first:g}", *(f"\n{load:g}" for load in others))
    for who in found.choices:
        of = [found.chosen_by(who, load) for load in found.loads]
        responses, waits = ([f"{getattr(each, name) / tt.HOUR:,.2f}" for each in of] for name in ("response", "wait"))
        shown.row(who, *responses, *waits, *(f"{100 * each.utilization:.0f}" for each in of))
    return shown


def plain(answer: Answer) -> dict[str, Any]:
    """An answer as a table, with None for what is not there."""
    return {name: _plain(value) for name, value in answer._asdict().items()}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value if math.isfinite(value) else None
