"""The tables of the prediction study: its page, and the object of ``--json``."""

import math
from collections.abc import Iterator
from typing import Any

import thinktime as tt
from thinktime.analysis.studies.prediction import logs, ross
from thinktime.analysis.studies.prediction.cases import APART, changes
from thinktime.analysis.studies.prediction.errors import Factor
from thinktime.analysis.studies.prediction.findings import findings
from thinktime.analysis.studies.prediction.predictors import (
    CALIBRATED,
    CORRECTED,
    FEEDBACK,
    LUCK,
    MODES,
    NO_CHANGE,
    OPEN,
    PARTLY_OPEN,
    REACTING,
)
from thinktime.analysis.studies.prediction.scores import NAMES
from thinktime.analysis.studies.prediction.study import Evidence
from thinktime.analysis.studies.prediction.summary import Summary, factor_of
from thinktime.analysis.study import NONE, Report, Table, cell, verdicts

TIMES = "\N{MULTIPLICATION SIGN}"
SIZES = ("below 1.2", "1.2 to 2", "above 2")
ALWAYS = {
    OPEN: "right if always\nopen",
    FEEDBACK: "\nfeedback",
    REACTING: "\nreacting",
    PARTLY_OPEN: "\npartly-open",
    CORRECTED: "\ncorrected",
}
"""Modes that one might always trust, and what they are called in a heading."""
CLOSED = tuple(mode for mode in MODES if mode not in (NO_CHANGE, LUCK))


def report(found: Evidence) -> Report:
    """Typical factors and biases by family, what else each mode is worth, worlds, and what was looked for."""
    return Report(
        page=lambda: _page(found), values=lambda: dict(found.summary), frames=lambda: {"worlds": _worlds(found)}
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    summary = found.summary
    shown = [factors, biases, loads]
    if all(name in summary["cases"] for names in APART.values() for name in names):
        shown[-1:-1] = [other_users, from_fcfs]
    for table in shown:
        yield table(summary)
        yield ""
    if summary["advice"]:
        yield advised(summary)
        yield ""
    if summary["ross"]:
        yield of_ross(summary)
        yield ""
    if summary["logs"]:
        yield logs.table(summary["logs"])
        yield from (f"{name}: {each['sentence']}" for name, each in summary["logs"].items())
        yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    yield legend(summary)


def legend(summary: Summary) -> str:
    """What the numbers are."""
    asked = changes(tuple(summary["cases"]))
    fewer = ""
    if all(CALIBRATED in of for of in summary["families"].values()):
        worlds = sum(of[CALIBRATED]["n"] for of in summary["families"].values())
        fewer = f", {CALIBRATED} in {worlds} of them" if worlds < summary["worlds"] else ""
    return (
        f"{summary['worlds']} worlds{fewer}, seed {summary['seed']}; {len(asked)} changes in each: {', '.join(asked)}. "
        "Typical factor: exp of the mean |ln| of predicted over true mean wait, bias: exp of the mean ln; with 95 % "
        "intervals by t over worlds. luck: the truth with other dice, under FCFS and EASY alone."
    )


def factors(summary: Summary) -> Table:
    """The typical factor by which the mean wait is missed."""
    return _by_mode(summary, "Typical factor by which the mean wait is missed (1 is exact)", "typical", MODES)


def biases(summary: Summary) -> Table:
    """The factor by which the mean wait is wrong on average."""
    return _by_mode(summary, "Bias of the mean wait (above 1: predicted too long)", "bias", CLOSED)


def other_users(summary: Summary) -> Table:
    """The typical factor for other numbers of users, of whom other persons are a part."""
    return _by_mode(
        summary, "Typical factor with 20 % fewer or more users, who are other persons", "other_users", CLOSED
    )


def from_fcfs(summary: Summary) -> Table:
    """The typical factor for EASY from a log under FCFS."""
    return _by_mode(summary, "Typical factor for EASY from a log under FCFS", "from_fcfs", CLOSED)


def _by_mode(summary: Summary, title: str, what: str, modes: tuple[str, ...]) -> Table:
    """A row for each mode; typical factors have their intervals, which the object has of all."""
    families = summary["families"]
    shown = Table(title, "mode", *families, whole=True)
    for mode in (each for each in modes if all(each in of for of in families.values())):
        each = (factor_of(of[mode], what) for of in families.values())
        shown.row(mode, *(_interval(of if what == "typical" else of._replace(low=math.nan)) for of in each))
    return shown


def loads(summary: Summary) -> Table:
    """What the worlds are: jobs and utilization at each load."""
    shown = Table("Worlds at each load: how many, mean jobs of the log, utilization under EASY", "family", whole=True)
    known = sorted({load for of in summary["loads"].values() for load in of}, key=float)
    for load in known:
        shown.numbers(f"{load}\nn", "\njobs", "\nuse")
    for family, of in summary["loads"].items():
        cells: list[str] = []
        for load in known:
            each = of.get(load, {"worlds": 0, "jobs": math.nan, "utilization": math.nan})
            cells += [str(each["worlds"]), cell(each["jobs"], ",.0f"), cell(each["utilization"], ".2f")]
        shown.row(family, *cells)
    return shown


def advised(summary: Summary) -> Table:
    """How often the rules of trust are right, and how often a mode would be that is always named first."""
    shown = Table(
        "How often the advice is right, and how often a mode would be that is always trusted", "family", whole=True
    )
    shown.numbers("n", "right", "wrong", "unsaid", "factor", "best", *ALWAYS.values())
    for family, of in summary["advice"].items():
        counts = [str(of[name]) for name in ("worlds", "right", "wrong", "unsaid")]
        factors = [_short(of[name]) if of[name] == of[name] else NONE for name in ("factor", "best_factor")]
        shown.row(family, *counts, *factors, *(str(of["always"][mode]["right"]) for mode in ALWAYS))
    every = summary["advice"].values()
    sums = [str(sum(of[name] for of in every)) for name in ("worlds", "right", "wrong", "unsaid")]
    shown.row("all", *sums, NONE, NONE, *(str(sum(of["always"][mode]["right"] for of in every)) for mode in ALWAYS))
    return shown


def of_ross(summary: Summary) -> Table:
    """Ross: predicted and real waits before and after."""
    shown = Table("Sandia Ross loses a third of its processors", "mode", whole=True)
    shown.numbers("wait (h)\nbefore", "\nafter", "factor", "jobs a day\nbefore", "\nafter")
    factors, weeks = summary["ross"], summary["ross_weeks"]
    rows = [(mode, mode, 1) for mode in ross.MODES if mode in weeks]
    rows += [("really", "really, weeks 38 to 45", 1), ("really, later", "really, weeks 48 to 66", 2)]
    for key, name, after in rows:
        each = weeks[key.partition(",")[0] if key.startswith("really") else key]
        waits = [f"{each['wait'][at] / tt.HOUR:,.2f}" for at in (0, after)]
        jobs = [f"{each['jobs_a_day'][at]:,.1f}" for at in (0, after)]
        shown.row(name, *waits, f"{TIMES}{factors[key]:,.1f}", *jobs)
    return shown


def _interval(each: Factor) -> str:
    if each.factor != each.factor:
        return NONE
    ends = "" if each.low != each.low else f" [{_short(each.low)}, {_short(each.high)}]"
    return f"{_short(each.factor)}{ends}"


def _short(factor: float) -> str:
    return f"{factor:,.2f}" if factor < 9.95 else f"{factor:,.1f}" if factor < 99.5 else f"{factor:,.0f}"


def _worlds(found: Evidence) -> list[dict[str, Any]]:
    """Every number of every world, case and mode."""
    return [
        {"family": family, "load": load, "world": number, "case": case, "mode": mode}
        | dict(zip(NAMES, values, strict=True))
        for (family, load, number), answer in found.worlds.items()
        for case, modes in answer.found.items()
        for mode, values in modes.items()
    ]
