"""How far predictions are from the truth: over worlds, never over jobs or cases.

An error is the logarithm of predicted over true. The *typical factor* of a world is the exponential of its mean
absolute error over the cases, and the *bias* that of its mean error. Both come with the 95 % t-interval over worlds,
computed for the logarithms; a typical factor is never below 1, nor is its interval. Cases of one world share its users,
so they do not count as independent.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from thinktime.analysis.statistics import mean
from thinktime.analysis.studies.prediction.cases import APART, LUCKY, POLICIES, SAME, changes
from thinktime.analysis.studies.prediction.predictors import LUCK
from thinktime.analysis.studies.prediction.runs import TRUTH, Answer
from thinktime.analysis.studies.prediction.scores import NAMES

FAR = 0.1
"""Policies differ if their true mean waits do by more than this share of the smaller."""
MOVED = 0.02
"""The throughput changes if it does by more than this share."""
JOBS_A_DAY = "jobs_a_day"


class Factor(NamedTuple):
    """A factor with the ends of its interval, and how many worlds are behind it."""

    factor: float
    low: float
    high: float
    n: int


class Quality(NamedTuple):
    """What a mode is worth in a family."""

    typical: Factor
    bias: Factor
    pairs_right: float
    """The share of the pairs of policies whose true mean waits differ by 10 % or more that it orders rightly."""
    throughput_right: float
    """The share of the cases in which throughput changes by more than 2 % of which it has the direction."""
    spearman: float
    """The rank correlation of predicted and true mean waits of the policies, mean over worlds."""
    regret: float
    """By how much the mean wait under the policy that it picks is longer than under the best one; mean over worlds."""
    users: float
    """The median over persons of the factor by which their mean response is missed; geometric mean over worlds."""


def quality(answers: Sequence[Answer], mode: str, metric: str = "wait") -> Quality:
    """What a mode is worth, over the worlds of a family."""
    errors = [error for each in answers if len(error := log_errors(each, mode, metric))]
    typical = factor([np.abs(each).mean() for each in errors])
    return Quality(
        typical=typical._replace(low=max(1.0, typical.low)),
        bias=factor([each.mean() for each in errors]),
        pairs_right=known_mean(ordered(each, mode) for each in answers),
        throughput_right=known_mean(directed(each, mode) for each in answers),
        spearman=known_mean(_ranked(each, mode) for each in answers),
        regret=known_mean(_regret(each, mode) for each in answers),
        users=float(np.exp(known_mean(_users(each, mode) for each in answers))),
    )


def apart(answers: Sequence[Answer], mode: str) -> dict[str, Factor]:
    """The typical factors in the cases that are told `APART`."""
    found = {}
    for name, cases in APART.items():
        errors = [
            known_mean(abs(log_error(each, case, mode)) for case in cases if case in each.found) for each in answers
        ]
        of = factor(errors)
        found[name] = of._replace(low=max(1.0, of.low))
    return found


def log_errors(answer: Answer, mode: str, metric: str = "wait") -> NDArray[np.float64]:
    """The logarithm of predicted over true in each case with a change; of luck, in the cases that have it."""
    cases = LUCKY if mode == LUCK else changes(tuple(answer.found))
    found = [log_error(answer, case, mode, metric) for case in cases if case in answer.found]
    return np.array([each for each in found if np.isfinite(each)])


def log_error(answer: Answer, case: str, mode: str, metric: str = "wait") -> float:
    """The logarithm of predicted over true in one case; NaN where either is missing."""
    modes = answer.found[case]
    if mode not in modes:
        return float("nan")
    place = NAMES.index(metric)
    predicted, true = modes[mode][place], modes[TRUTH][place]
    return float(np.log(predicted / true)) if predicted > 0 and true > 0 else float("nan")


def factor(logs: Iterable[float]) -> Factor:
    """The exponential of a mean of logarithms, with its interval over worlds."""
    known = np.array([each for each in logs if np.isfinite(each)])
    if not len(known):
        return Factor(np.nan, np.nan, np.nan, 0)
    found = mean(known)
    middle, low, high = np.exp([found.mean, found.low, found.high]).tolist()
    return Factor(middle, low, high, len(known))


def ordered(answer: Answer, mode: str) -> float:
    """The share of the pairs of policies that differ which a mode orders rightly; NaN without such pairs."""
    right = []
    for one, other in combinations(_policies(answer, mode), 2):
        true, predicted = (_of(answer, kind, (one, other), "wait") for kind in (TRUTH, mode))
        if max(true) > (1 + FAR) * min(true):
            right.append((predicted[0] < predicted[1]) == (true[0] < true[1]) and predicted[0] != predicted[1])
    return float(np.mean(right)) if right else float("nan")


def directed(answer: Answer, mode: str) -> float:
    """The share of true changes of throughput of which a mode has the direction; NaN without such changes."""
    right = []
    for case in changes(tuple(answer.found)):
        if mode in answer.found[case] and mode in answer.found[SAME]:
            true, predicted = (_change(answer, kind, case) for kind in (TRUTH, mode))
            if abs(true) > np.log1p(MOVED):
                right.append(predicted * true > 0)
    return float(np.mean(right)) if right else float("nan")


def _change(answer: Answer, mode: str, case: str) -> float:
    """The logarithm of the throughput in a case over that in no change, both in one mode."""
    after, before = _of(answer, mode, (case, SAME), JOBS_A_DAY)
    return float(np.log(after / before)) if after > 0 and before > 0 else float("nan")


def _policies(answer: Answer, mode: str) -> list[str]:
    return [case for case in POLICIES if case in answer.found and mode in answer.found[case]]


def _of(answer: Answer, mode: str, cases: Iterable[str], metric: str) -> list[float]:
    return [answer.found[case][mode][NAMES.index(metric)] for case in cases]


def _ranked(answer: Answer, mode: str) -> float:
    policies = _policies(answer, mode)
    true, predicted = (_of(answer, kind, policies, "wait") for kind in (TRUTH, mode))
    if len(policies) < 3 or len(set(predicted)) < 2 or len(set(true)) < 2:
        return float("nan")
    return float(stats.spearmanr(true, predicted).statistic)


def _regret(answer: Answer, mode: str) -> float:
    policies = _policies(answer, mode)
    if len(policies) < 3:
        return float("nan")
    true, predicted = (_of(answer, kind, policies, "wait") for kind in (TRUTH, mode))
    return true[int(np.argmin(predicted))] / min(true) - 1.0


def _users(answer: Answer, mode: str) -> float:
    return known_mean(
        modes.get(mode, np.nan) for case, modes in answer.users.items() if case in changes(tuple(answer.users))
    )


def known_mean(values: Iterable[float]) -> float:
    """The mean of the values that are finite; NaN if none is."""
    known = [each for each in values if np.isfinite(each)]
    return float(np.mean(known)) if known else float("nan")


def by_size(
    answers: Sequence[Answer], mode: str, metric: str = "wait", borders: Sequence[float] = (1.2, 2.0)
) -> list[Factor]:
    """The typical factor where the true wait changes by less than each border, and beyond the last."""

    def within(answer: Answer, low: float, high: float) -> float:
        same = _of(answer, TRUTH, (SAME,), metric)[0]
        found = [
            abs(log_error(answer, case, mode, metric))
            for case in changes(tuple(answer.found))
            if low <= np.exp(abs(np.log(_of(answer, TRUTH, (case,), metric)[0] / same))) < high
        ]
        return known_mean(found)

    edges = [1.0, *borders, np.inf]
    return [factor(within(each, low, high) for each in answers) for low, high in pairwise(edges)]
