"""The tables of the study of incentives: its page, and the object of ``--json``."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import thinktime as tt
from thinktime.analysis.studies.incentives.assumptions import (
    ASSUMED,
    CONCLUSIONS,
    DEAR,
    ELASTICITIES,
    PATIENCES,
    carbon_per_work,
    energy_per_work,
    pays_less,
    shares,
    verdicts_of,
    words,
)
from thinktime.analysis.studies.incentives.findings import findings, percent
from thinktime.analysis.studies.incentives.runs import FROM, IDLE, LATE, MODES, SPREAD, TO, WATTS, Answer
from thinktime.analysis.studies.incentives.study import Evidence
from thinktime.analysis.study import NONE, Report, Table, cell, verdicts

Pairs = list[tuple[Answer, Answer]]
"""An answer and the usual one, in each mode."""
IN_WINDOWS = ("in windows (%)", "after (%)", "work (%)", "lost (%)", "delay (min)")


def report(found: Evidence) -> Report:
    """A table for each question, and what was looked for; all answers."""
    return Report(
        page=lambda: _page(found),
        values=lambda: {
            "source": found.source,
            "runs": [{"key": list(key)} | plain(answer) for key, answer in found.answers.items()],
            "bills": bills(found),
            "turns over": turned_over(found),
        },
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    yield asked_table(found)
    yield ""
    yield held_table(found)
    yield ""
    yield bills_table(found)
    yield ""
    yield budgets_table(found)
    yield ""
    yield assumptions_table()
    yield ""
    yield other_windows_table(found)
    yield ""
    yield other_costs_table(found)
    yield ""
    yield turned_table(found)
    yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    yield (
        f"{found.source}. open: recorded submissions; users: they wait for their jobs. Up to the last submission of "
        f"the log. Windows: {FROM / tt.HOUR:g} to {TO / tt.HOUR:g} h on weekdays; after: as long after each. Work: "
        "processor-hours of jobs that finished; lost: wanted work that was renounced or degraded away, % of all; late: "
        f"% of the submitted work that came in the last {100 * LATE:g} % of a period; pay less: % of the users who "
        "computed, against hours with the same revenue."
    )


def _change(value: float, of: float) -> str:
    change = percent(value, of) if of else math.nan
    return f"{change:+.1f}" if math.isfinite(change) else "–"


def _paying_less(name: str, answer: Answer) -> str:
    """Of a charge in kWh or kg, how many users pay less."""
    place = {"kWh": 1, "kg": 2}.get(name.partition(",")[0], 0)
    return f"{100 * pays_less(answer, place):.0f}" if place else NONE


COLUMNS: dict[str, Callable[[str, Answer, Answer], str]] = {
    "in windows (%)": lambda _, each, usual: _change(each.inside, usual.inside),
    "after (%)": lambda _, each, usual: _change(each.after, usual.after),
    "work (%)": lambda _, each, usual: _change(each.work, usual.work),
    "lost (%)": lambda _, each, usual: f"{100 * each.lost / usual.work:.1f}",
    "late (%)": lambda _, each, usual: cell(100 * each.late, ".1f"),
    "delay (min)": lambda _, each, usual: f"{each.delay / tt.MINUTE:,.0f}",
    "delay (h)": lambda _, each, usual: f"{each.delay / tt.HOUR:,.1f}",
    "wait (h)": lambda _, each, usual: f"{each.wait / tt.HOUR:,.2f}",
    "kg (%)": lambda _, each, usual: _change(each.carbon, usual.carbon),
    "kg per work (%)": lambda _, each, usual: _change(carbon_per_work(each), carbon_per_work(usual)),
    "kWh per work (%)": lambda _, each, usual: _change(energy_per_work(each), energy_per_work(usual)),
    "pay less (%)": lambda name, each, usual: _paying_less(name, each),
}
"""What is shown of a row's name, an answer, and the usual one."""


def _table(title: str, rows_are: str, headings: Sequence[str], rows: Iterable[tuple[str, Pairs]]) -> Table:
    """A row for each name, with columns in each mode."""
    shown = Table(title, rows_are, whole=True)
    for heading in headings:
        shown.numbers(f"{heading}\nopen", "\nusers")
    for name, pairs in rows:
        shown.row(name, *(COLUMNS[heading](name, *pair) for heading in headings for pair in pairs))
    return shown


def _answers(found: Evidence, question: str) -> Iterator[tuple[tuple[Any, ...], Pairs]]:
    """Each way to ask a question, with an answer and the usual one in each mode."""
    answers = found.of(question)
    for way in dict.fromkeys(key[:-1] for key in answers):
        yield way, [(answers[*way, mode], found.unasked(mode)) for mode in MODES]


def asked_table(found: Evidence) -> Table:
    """What windows of demand response save, and what users give up."""
    rows = ((f"{way}, {100 * share:g} %", pairs) for (way, share), pairs in _answers(found, "asked"))
    return _table("Windows of demand response, against nobody who answers", "users answer", IN_WINDOWS, rows)


def held_table(found: Evidence) -> Table:
    """What holding jobs back saves, and what it costs."""
    rows = (
        (policy.removeprefix("carbon:rule=").replace(",wait=", ", "), pairs)
        for (policy,), pairs in _answers(found, "held")
    )
    headings = ("kg per work (%)", "kg (%)", "work (%)", "wait (h)")
    return _table("Jobs held back for less carbon, against EASY", "policy", headings, rows)


def bills(found: Evidence) -> dict[str, dict[str, float]]:
    """For a charge in kWh and in kg: who pays less than for hours with the same revenue, and by what factors."""
    usual, told = found.unasked("open"), {}
    for place, name in ((1, "kWh"), (2, "kg")):
        low, high = np.quantile(shares(usual, place), (0.1, 0.9))
        told[name] = {"pay less": pays_less(usual, place), "10 %": float(low), "90 %": float(high)}
    return told


def bills_table(found: Evidence) -> Table:
    """Who gains if the same revenue is charged otherwise."""
    shown = Table("The same revenue in energy or carbon instead of hours, by user", "charged by", whole=True)
    shown.numbers("pay less (%)", "factor, 10 %", "90 %")
    for name, told in bills(found).items():
        shown.row(name, f"{100 * told['pay less']:.0f}", f"{told['10 %']:.2f}", f"{told['90 %']:.2f}")
    return shown


def budgets_table(found: Evidence) -> Table:
    """What budgets do to work and waits, by how much of their mean work users have."""
    rows = ((f"{arm}, {100 * part:g} %" if part else arm, pairs) for (arm, part), pairs in _answers(found, "budget"))
    headings = ("late (%)", "work (%)", "wait (h)", "delay (h)")
    return _table("Budgets, renewed each period", "budget, of the own mean work", headings, rows)


def assumptions_table() -> Table:
    """What no log says of users."""
    shown = Table("What is assumed of users", "", whole=True)
    shown.texts("is", "is varied", whole=False)
    elasticities = ", ".join(f"{each:g}" for each in ELASTICITIES)
    patiences = ", ".join(f"{each / tt.HOUR:g}" for each in PATIENCES)
    shown.row("power of their jobs", f"{WATTS:g} W per processor above {IDLE:g} W idle; log-normal, {SPREAD:g}", "no")
    shown.row("when they come back", "after what they waited for, as in the log", "open loop, users")
    shown.row("who answers in windows", "always, all of them", "10, 50, 100 % of the users")
    shown.row("elasticity e", f"gives way with 1 - cost^-e; a window costs {DEAR:g} times as much", elasticities)
    shown.row("patience (h)", "until the end of the window", patiences)
    shown.row("who leaves", "nobody", f"once, whoever has waited {patiences} h")
    return shown


def _of(found: Evidence, *questions: str) -> Iterator[tuple[str, Pairs]]:
    """Assumptions in words, with an answer and the usual one in each mode."""
    for what in ASSUMED:
        if what[0] in questions:
            name = f"{what[0]}, {what[1]}" if what[0] != "windows" else what[1]
            yield (
                ", ".join([name, *words(what)]),
                [(found.assumed[what, mode], found.unasked(mode)) for mode in MODES],
            )


def other_windows_table(found: Evidence) -> Table:
    """Windows of demand response, with users who weigh the price, and put off for so long."""
    return _table("Windows at twice the price", "of users", IN_WINDOWS, _of(found, "windows"))


def other_costs_table(found: Evidence) -> Table:
    """Carbon that is shown, jobs that are held back, and charges, with such users."""
    headings = ("kWh per work (%)", "kg per work (%)", "work (%)", "lost (%)", "pay less (%)")
    rows = _of(found, "carbon", "held", "kWh", "kg")
    return _table("Carbon shown, jobs held back, charges", "of users", headings, rows)


def turned_table(found: Evidence) -> Table:
    """Which conclusions turn over with other users."""
    shown = Table("What turns over with other users", "", whole=True)
    shown.numbers("holds", "unclear", "not")
    shown.texts("not with", whole=False)
    unasked = {mode: found.unasked(mode) for mode in MODES}
    for each in CONCLUSIONS:
        told = verdicts_of(each, found.assumed, unasked)
        where = [" ".join([*([] if each.way else [what[1]]), *words(what), mode]) for what, mode in told.turned]
        shown.row(each.says, *(str(len(part)) for part in told), "; ".join(where))
    return shown


def turned_over(found: Evidence) -> list[dict[str, Any]]:
    """Of each conclusion the assumptions, and modes, with which it holds, cannot be told, and does not hold."""
    unasked = {mode: found.unasked(mode) for mode in MODES}
    return [{"says": each.says} | verdicts_of(each, found.assumed, unasked)._asdict() for each in CONCLUSIONS]


def plain(answer: Answer) -> dict[str, Any]:
    """An answer as a table, with None for what is not there; bills are told apart."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in answer._asdict().items()
        if name != "bills"
    }
