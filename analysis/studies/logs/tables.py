"""The tables of the study of logs: its page, and the object of ``--json``."""

from collections.abc import Callable, Iterator
from dataclasses import asdict

from thinktime.analysis.statistics import Estimate
from thinktime.analysis.studies.logs.findings import findings
from thinktime.analysis.studies.logs.runs import Row
from thinktime.analysis.studies.logs.study import WHOLE, Evidence
from thinktime.analysis.study import NONE, Report, Table, cell, two_digits, verdicts

Cells = Callable[[Row], list[str]]


def report(found: Evidence) -> Report:
    """What logs say of their users, what that means for replays, and what has changed; all rows."""
    return Report(
        page=lambda: _page(found),
        values=lambda: {
            "logs": {
                name: row.as_object()
                | {"by_year": {str(year): each.as_object() for year, each in found.years(name).items()}}
                for name, row in found.whole().items()
            },
            "findings": list(map(asdict, findings(found))),
        },
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    waits = Table("Do users come back when they see results?", "log", whole=True)
    waits.numbers("years", "proces-\nsors", "jobs", "jump", "if nobody\nreacted", "over ends that\nnobody saw")
    _fill(waits, found, _waits)
    yield waits
    yield ""
    modes = Table("What moves them, and how to replay the log", "log", whole=True)
    modes.numbers("clock\n(nats)", "wait\n(nats)", "if nobody\nreacted", "self-test")
    modes.texts("trust first")
    _fill(modes, found, _modes)
    yield modes
    yield ""
    fitted = Table("How users who are fitted to the log react", "log", whole=True)
    fitted.numbers("users\nwho react", "their\nbatches", "users\nwho wait", "hazard while\none is out", "after an end")
    fitted.numbers("slow over\nfast response", "slowdown", "nats for\neach batch")
    _fill(fitted, found, _fitted)
    yield fitted
    yield ""
    yield verdicts(findings(found), "Have users changed?")
    for (name, year), row in found.rows.items():
        for note in row.notes:
            yield f"{name if year == WHOLE else f'{name}, {year}'}: {note}."
    yield (
        "Intervals are 95 %, of fitted users 80 %. Between logs, each log counts once: machine, site and years change "
        "together, so a slope is no effect of time alone. Factors of hazards: while batches are outstanding, over the "
        "same had they been over at once; in the first minutes after an end, over the same were the batch still "
        "outstanding, of users who do not wait for it; with long response times or slowdowns, over short ones. – where "
        "the log does not ask for the effect, or was not fitted."
    )


def _fill(shown: Table, found: Evidence, cells: Cells) -> None:
    for name, row in found.whole().items():
        shown.row(name, *cells(row))
        for year, each in found.years(name).items():
            shown.row(f"  {year}", *cells(each))


def _waits(row: Row) -> list[str]:
    first, last = row.years
    years = NONE if not first else str(first) if first == last else f"{first}–{last % 100:02}"
    size = f"{row.processors:,}" if row.processors else NONE
    numbers = [_interval(row.jump), cell(row.null, ".2f"), _interval(row.over_placebo, "+")]
    return [years, size, f"{row.jobs:,}", *numbers]


def _modes(row: Row) -> list[str]:
    gains = [_interval(each, digits=3) for each in (row.clock_gain, row.wait_gain)]
    return [
        *gains,
        cell(row.wait_gain_null.value, ".3f"),
        _interval(row.self_test),
        row.trust[0] if row.trust else "not said" if row.measured else NONE,
    ]


def _fitted(row: Row) -> list[str]:
    found = row.reactions
    factors = (found.outstanding, found.after_end, found.by_response, found.by_slowdown)
    shares = (found.reacting_users, found.reacting_batches, found.waiting_users)
    return [*(cell(each, ".0%") for each in shares), *map(_factor, factors), cell(found.reaction_gain, "+.2f")]


def _factor(estimate: Estimate) -> str:
    if estimate.value != estimate.value:
        return NONE
    value, low, high = map(two_digits, estimate)
    return f"{value} [{low}, {high}]"


def _interval(estimate: Estimate, sign: str = "", digits: int = 2) -> str:
    if estimate.value != estimate.value:
        return NONE
    value = f"{estimate.value:{sign}.{digits}f}"
    if estimate.low != estimate.low:
        return value
    return f"{value} [{estimate.low:{sign}.{digits}f}, {estimate.high:{sign}.{digits}f}]"
