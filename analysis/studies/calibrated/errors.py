"""How far predictions of calibrated users are from the truth, and how often their intervals hold it, over worlds.

A typical factor is as in `thinktime.analysis.studies.prediction.errors`. What is said of several families is over
families, of which each counts as one.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from thinktime.analysis.statistics import mean
from thinktime.analysis.studies.calibrated.rows import Row
from thinktime.analysis.studies.calibrated.runs import CALIBRATED
from thinktime.analysis.studies.prediction.errors import Factor, factor

AIMS = {
    "campaign": 1.05, "linear": 1.08, "session": 1.08, "hours": 1.08, "rhythm": 1.08, "pipeline": 1.12,
    "deadline": 1.03, "patience": 1.15, "mix": 1.10, "clock 1/4": 1.10, "clock 1/2": 1.10,
}  # fmt: skip
"""The typical factor to reach, by family."""
WORST = 1.15
"""The same for all other families."""
NOMINAL = (0.72, 0.88)
"""How often intervals of 80 % should hold the truth."""


class Share(NamedTuple):
    """A share with the ends of its 95 % interval, over worlds or families."""

    share: float
    low: float
    high: float

    @property
    def met(self) -> bool:
        """Whether it is as asked of intervals of 80 %."""
        return NOMINAL[0] <= self.share <= NOMINAL[1]


def aim(family: str) -> float:
    """The typical factor to reach."""
    return AIMS.get(family, WORST)


def typical(rows: Sequence[Row], mode: str = CALIBRATED) -> Factor:
    """The typical factor over worlds, by which a mode misses the mean wait where something is changed."""
    return _at_least_1(factor(each.changed[mode] for each in rows))


def same(rows: Sequence[Row], mode: str = CALIBRATED) -> Factor:
    """The same where nothing is changed."""
    return factor(each.unchanged[mode] for each in rows)


def over_families(families: Iterable[Sequence[Row]], mode: str = CALIBRATED) -> Factor:
    """The typical factor over families."""
    return _at_least_1(factor(float(np.log(typical(each, mode).factor)) for each in families))


def held(rows: Sequence[Row]) -> Share:
    """How often intervals of the mean wait hold the truth where something is changed."""
    return _share(each.held for each in rows)


def differences_held(rows: Sequence[Row]) -> Share:
    """How often intervals of the difference of mean waits between two changes hold it."""
    return _share(each.differences for each in rows)


def all_held(families: Iterable[Sequence[Row]], differences: bool = False) -> Share:
    """How often intervals hold the truth, over families."""
    of = differences_held if differences else held
    return _share(of(each).share for each in families)


def lacking(rows: Sequence[Row]) -> Share:
    """In how many worlds the log shows of its users what the model does not explain, of those that were looked at."""
    return _share(float(bool(each.lacks)) for each in rows if each.lacks is not None)


def _at_least_1(found: Factor) -> Factor:
    return found._replace(low=max(1.0, found.low))


def _share(shares: Iterable[float]) -> Share:
    known = [each for each in shares if np.isfinite(each)]
    if not known:
        return Share(float("nan"), float("nan"), float("nan"))
    found = mean(known)
    return Share(found.mean, max(0.0, found.low), min(1.0, found.high))
