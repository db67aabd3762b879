"""How far predictions of calibrated users are from the truth, and how often their intervals hold it.

An error is the logarithm of predicted over true mean wait; a typical factor is as in
`thinktime.analysis.studies.prediction.errors`.

An interval is that of 80 % for one more draw (`thinktime.analysis.statistics.deciles`).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thinktime.analysis.statistics import deciles, mean
from thinktime.analysis.studies.calibrated.runs import CALIBRATED, Answer
from thinktime.analysis.studies.prediction.cases import SAME
from thinktime.analysis.studies.prediction.errors import Factor, factor
from thinktime.analysis.studies.prediction.runs import TRUTH

AIMS = {
    "campaign": 1.05, "linear": 1.08, "session": 1.08, "hours": 1.08, "rhythm": 1.08, "pipeline": 1.12,
    "deadline": 1.03, "patience": 1.15, "mix": 1.10, "clock 1/4": 1.10, "clock 1/2": 1.10,
}  # fmt: skip
"""The typical factor to reach, by family."""
WORST = 1.15
"""The same for all other families."""


class Share(NamedTuple):
    """A share with the ends of its 95 % interval, over worlds."""

    share: float
    low: float
    high: float


def aim(family: str) -> float:
    """The typical factor to reach."""
    return AIMS.get(family, WORST)


def typical(answers: Sequence[Answer], mode: str = CALIBRATED, metric: int = 0) -> Factor:
    """The typical factor over worlds, by which a mode misses a number (0: the mean wait) where something is changed."""
    errors = []
    for each in answers:
        of = [_error(each, case, mode, metric) for case in each.found if case != SAME]
        known = [abs(error) for error in of if np.isfinite(error)]
        if known:
            errors.append(float(np.mean(known)))
    found = factor(errors)
    return found._replace(low=max(1.0, found.low))


def same(answers: Sequence[Answer], mode: str = CALIBRATED) -> Factor:
    """The same where nothing is changed."""
    return factor(abs(_error(each, SAME, mode, 0)) for each in answers)


def held(answers: Sequence[Answer]) -> Share:
    """How often intervals of the mean wait hold the truth where something is changed."""
    return _share(
        [_inside(each.found[case][TRUTH][0], of) for case, of in each.draws.items() if case != SAME] for each in answers
    )


def differences_held(answers: Sequence[Answer]) -> Share:
    """How often intervals of the difference of mean waits between two changes, the first one and another, hold it.

    The difference to the log's own case is as certain as the mean wait itself.
    """
    return _share(_differences(each) for each in answers)


def _differences(answer: Answer) -> list[bool]:
    first, *others = [case for case in answer.draws if case != SAME]
    true = {case: answer.found[case][TRUTH][0] for case in answer.draws}
    return [_inside(true[each] - true[first], np.subtract(answer.draws[each], answer.draws[first])) for each in others]


def _error(answer: Answer, case: str, mode: str, metric: int) -> float:
    predicted, true = answer.found[case][mode][metric], answer.found[case][TRUTH][metric]
    return float(np.log(predicted / true)) if predicted > 0 and true > 0 else float("nan")


def _inside(truth: float, draws: Sequence[float] | NDArray[np.float64]) -> bool:
    """Whether the interval of some draws holds the truth; all of one world are equal if nothing is uncertain."""
    low, high = deciles(draws)
    slack = 1e-9 * max(abs(truth), 1.0)
    return bool(low - slack <= truth <= high + slack)


def _share(worlds: Iterable[Sequence[bool]]) -> Share:
    shares = [float(np.mean(each)) for each in worlds if len(each)]
    if not shares:
        return Share(float("nan"), float("nan"), float("nan"))
    found = mean(shares)
    return Share(found.mean, max(0.0, found.low), min(1.0, found.high))
