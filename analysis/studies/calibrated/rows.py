"""What each world comes to, as a row of text: rows of several runs add up to one table.

The package keeps the rows of the worlds that were run so far in ``kept.csv``. ``--out`` writes those of a run as
``worlds.csv``, with the same columns, so they can be put below. Only in rows of the seeds 52817 and 60411 may fitted
users be drawn in by queues.

An error is the logarithm of predicted over true mean wait. An interval is that of 80 % for one more draw
(`thinktime.analysis.statistics.deciles`).
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thinktime.analysis.statistics import deciles
from thinktime.analysis.studies.calibrated.runs import KINDS, MODES, Answer
from thinktime.analysis.studies.prediction.cases import SAME
from thinktime.analysis.studies.prediction.errors import known_mean
from thinktime.analysis.studies.prediction.runs import TRUTH

KEPT = Path(__file__).with_name("kept.csv")
DIGITS = 4
LACKS, NOTHING = "beyond the model", "nothing"
UNCHANGED = "unchanged, "
"""Before the name of a mode, in the heading of its error where nothing is changed."""


class Row(NamedTuple):
    """What a world comes to."""

    family: str
    load: float
    world: int
    """Its number among those of its family and load."""
    seed: int
    jobs: int
    changed: Mapping[str, float]
    """By mode, the mean over changes of the size of the error."""
    unchanged: Mapping[str, float]
    """By mode, the size of the error where nothing is changed."""
    held: float
    """The share of changes in which the interval of the mean wait holds the truth."""
    differences: float
    """The same of the difference of mean waits between two changes, the first one and another.

    The difference to the log's own case is as certain as the mean wait itself.
    """
    users: Mapping[str, int]
    """How many users are of each of `KINDS`."""
    lacks: tuple[str, ...] | None = None
    """What the log shows of them that the model does not explain; None: nobody has looked."""

    def values(self) -> dict[str, str | float]:
        """The cells of the row, by heading."""
        numbers = {mode: self.changed[mode] for mode in MODES}
        numbers |= {f"{UNCHANGED}{mode}": self.unchanged[mode] for mode in MODES}
        numbers |= {"held": self.held, "differences held": self.differences}
        rounded = {name: round(each, DIGITS) for name, each in numbers.items()}
        of: dict[str, str | float] = dict(zip(self._fields, self[:5], strict=False))
        lacks = "" if self.lacks is None else " ".join(self.lacks) or NOTHING
        return of | rounded | {kind: self.users[kind] for kind in KINDS} | {LACKS: lacks}


def row_of(key: tuple[str, float, int], seed: int, answer: Answer) -> Row:
    """The row of a world, by its family, load and number."""
    changes = [case for case in answer.found if case != SAME]
    drawn = [case for case in answer.draws if case != SAME]
    return Row(
        *key,
        seed,
        answer.jobs,
        {mode: known_mean([_missed(answer, case, mode) for case in changes]) for mode in MODES},
        {mode: _missed(answer, SAME, mode) for mode in MODES},
        known_mean([_inside(answer.found[case][TRUTH][0], answer.draws[case]) for case in drawn]),
        known_mean(_differences(answer, drawn)),
        answer.classes,
        answer.lacks,
    )


def read(file: Path = KEPT) -> list[Row]:
    """The rows of a file."""
    with file.open(encoding="utf-8", newline="") as lines:
        return [_read(each) for each in csv.DictReader(lines)]


def _read(of: Mapping[str, str]) -> Row:
    def number(name: str) -> float:
        return float(of[name] or "nan")

    return Row(
        of["family"],
        number("load"),
        int(of["world"]),
        int(of["seed"]),
        int(of["jobs"]),
        {mode: number(mode) for mode in MODES},
        {mode: number(f"{UNCHANGED}{mode}") for mode in MODES},
        number("held"),
        number("differences held"),
        {kind: int(of[kind]) for kind in KINDS},
        None if not (told := of.get(LACKS) or "") else tuple(told.split()) if told != NOTHING else (),
    )


def _missed(answer: Answer, case: str, mode: str) -> float:
    predicted, true = answer.found[case][mode][0], answer.found[case][TRUTH][0]
    return abs(float(np.log(predicted / true))) if predicted > 0 and true > 0 else float("nan")


def _differences(answer: Answer, drawn: Sequence[str]) -> Iterator[bool]:
    first, *others = drawn
    true = {case: answer.found[case][TRUTH][0] for case in drawn}
    for each in others:
        yield _inside(true[each] - true[first], np.subtract(answer.draws[each], answer.draws[first]))


def _inside(truth: float, draws: Sequence[float] | NDArray[np.float64]) -> bool:
    """Whether the interval of some draws holds the truth; all of one world are equal if nothing is uncertain."""
    low, high = deciles(draws)
    slack = 1e-9 * max(abs(truth), 1.0)
    return bool(low - slack <= truth <= high + slack)
