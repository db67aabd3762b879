"""How well each mode foretells the other halves of logs: a row for each log and mode, and what they say together.

The typical factor of a log is exp of the mean size of the errors of its weeks; over logs it is their geometric mean,
with a 95 % interval by t.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thinktime.analysis.statistics import deciles
from thinktime.analysis.studies.calibrated.halves import FORETOLD, SHORTEST, WAYS, Answer
from thinktime.analysis.studies.prediction.errors import Factor, factor
from thinktime.analysis.studies.prediction.predictors import CALIBRATED
from thinktime.analysis.study import NONE, Table, cell

KEPT = Path(__file__).with_name("kept-logs.csv")
DIGITS = 4
LEGEND = (
    "Of the other half of a log, modes know which batches each user submits, and when the first of these comes; no "
    "change and generative know nothing of it, and told, which is no forecast, all submissions. corrected: times the "
    "mean wait of the first half over what the mode says of that. With 95 % intervals by t over logs."
)
"""What the tables of logs show."""


class Row(NamedTuple):
    """What a mode is worth on a log."""

    log: str
    mode: str
    jobs: int
    weeks: int
    error: float
    """The mean size of the errors of the weeks."""
    corrected: float
    """The same of corrected forecasts."""
    bias: float
    """The mean of their errors."""
    held: float
    """The share of weeks in which the interval of 80 % of the corrected draws holds the recorded mean wait."""

    def values(self) -> dict[str, str | float]:
        """The cells of the row, by heading."""
        return {name: round(each, DIGITS) if isinstance(each, float) else each for name, each in self._asdict().items()}


def row_of(log: str, mode: str, answer: Answer) -> Row:
    """The row of a log and a mode."""
    true = np.maximum(answer.recorded, SHORTEST)
    draws = np.asarray(answer.draws)
    better = draws * (max(answer.before, SHORTEST) / max(answer.said_before, SHORTEST))
    errors = [np.log(np.maximum(of.mean(axis=0), SHORTEST) / true) for of in (draws, better)]
    ends = [deciles(of) for of in better.T] if len(draws) > 1 else []
    held = [low <= wait <= high for (low, high), wait in zip(ends, answer.recorded, strict=False)]
    error, corrected = (float(np.abs(each).mean()) for each in errors)
    share = float(np.mean(held)) if held else float("nan")
    return Row(log, mode, answer.jobs, len(true), error, corrected, float(errors[1].mean()), share)


def read(file: Path = KEPT) -> list[Row]:
    """The rows of a file."""
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            Row(
                each["log"], each["mode"], int(each["jobs"]), int(each["weeks"]),
                *(float(each[name] or "nan") for name in Row._fields[4:]),
            )
            for each in csv.DictReader(lines)
        ]  # fmt: skip


def over_logs(rows: Sequence[Row], mode: str, corrected: bool = True) -> Factor:
    """The typical factor of a mode over logs."""
    found = factor(each.corrected if corrected else each.error for each in rows if each.mode == mode)
    return found._replace(low=max(1.0, found.low))


def beside(rows: Sequence[Row], mode: str) -> Factor:
    """The typical factor of calibrated users over that of a mode, over logs, both corrected."""
    own = {each.log: each.corrected for each in rows if each.mode == CALIBRATED}
    return factor(own[each.log] - each.corrected for each in rows if each.mode == mode and each.log in own)


def nearest(rows: Sequence[Row]) -> dict[str, str]:
    """By log, the mode that foretells it best, corrected."""
    found = {}
    for log in dict.fromkeys(each.log for each in rows):
        of = {each.mode: each.corrected for each in rows if each.log == log and each.mode in FORETOLD}
        found[log] = min(of, key=of.__getitem__)
    return found


def tables(rows: Sequence[Row]) -> Iterable[Table]:
    """What each mode is worth over logs, and on each of them."""
    best, ways = list(nearest(rows).values()), [way for way in WAYS if any(each.mode == way for each in rows)]
    logs = {each.log: each for each in rows}
    shown = Table(f"Typical factor by which weekly mean waits of other halves are missed, {len(logs)} logs", "mode")
    shown.numbers("as said", "corrected", "95 % interval", "calibrated\nover it", "95 % interval ")
    shown.numbers("nearest on", "80 % intervals\nhold")
    for way in ways:
        raw, found, apart = over_logs(rows, way, corrected=False), over_logs(rows, way), beside(rows, way)
        held = [each.held for each in rows if each.mode == way and each.held == each.held]
        shown.row(
            way, cell(raw.factor, ".2f"), cell(found.factor, ".2f"), _ends(found),
            NONE if way == CALIBRATED else cell(apart.factor, ".2f"), NONE if way == CALIBRATED else _ends(apart),
            str(best.count(way)) if way in FORETOLD else NONE, cell(float(np.mean(held)), ".0%") if held else NONE,
        )  # fmt: skip
    yield shown
    shown = Table("The same for each log, corrected", "log", whole=True)
    shown.numbers("jobs", "weeks", *(way.replace(" ", "\n").replace("-", "-\n") for way in ways))
    for log, of in logs.items():
        by = {each.mode: each.corrected for each in rows if each.log == log}
        factors = (cell(float(np.exp(by[way])), ".2f") if way in by else NONE for way in ways)
        shown.row(log, f"{of.jobs:,}", str(of.weeks), *factors)
    yield shown


def _ends(found: Factor) -> str:
    return NONE if found.low != found.low else f"[{found.low:.2f}, {found.high:.2f}]"
