"""Fit ``scipy.stats`` distributions and curves to the behaviour of a log's users.

Several candidates are fitted by maximum likelihood, with location 0, to the positive values of a sample, and sorted
by AIC = 2 k - 2 log L (k parameters). The Kolmogorov-Smirnov distance D is the largest between the sample's and the
candidate's distribution functions. Its p-value is too large if the parameters are fitted to the same sample, and
with thousands of values every model is rejected, so D is more informative than p.

Think time against response time follows S. Schlagkamp (JSSPP 2015): a line TT = a R + b through pairs of up to 8 h,
by least squares. `continuation` is the probability of continuing after a response time, with the curve
level / (decay R + 1), R in minutes, of E. Shmueli and D. Feitelson.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.names import quoted
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import HOUR, MINUTE, Duration, as_seconds
from thinktime.workloads.user_models.sessions import Sessions, delimit

CANDIDATES = ("lognorm", "weibull_min", "gamma", "lomax", "expon")
"""Names in ``scipy.stats``; lomax is the Pareto distribution starting at 0."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A distribution fitted to a sample."""

    name: str
    distribution: Any
    """A frozen distribution of ``scipy.stats``."""
    parameters: dict[str, float]
    values: int
    """The number of positive values it was fitted to."""
    left_out: int
    """The number of missing and non-positive values."""
    log_likelihood: float
    aic: float
    ks: float
    p: float


def fit(sample: ArrayLike, candidates: Sequence[str] = CANDIDATES, points: int = 10_000) -> list[Fit]:
    """Fit the candidates to the positive values of a sample, best AIC first.

    At most ``points`` evenly spaced order statistics are fitted; likelihood and D use all values. Raises ``ValueError``
    for fewer than two distinct positive values, or a name unknown to ``scipy.stats``.
    """
    from scipy import stats

    given = np.asarray(sample, dtype=np.float64).reshape(-1)
    values = np.sort(given[np.isfinite(given) & (given > 0)])
    if len(values) < 2 or values[0] == values[-1]:
        raise ValueError(f"a fit needs two distinct values above 0, but this sample has {len(np.unique(values))}")
    few = order_statistics(values, points)
    fits = []
    with warnings.catch_warnings():  # scipy warns of shapes it tries while fitting
        warnings.simplefilter("ignore", RuntimeWarning)
        for name in candidates:
            family: Any = getattr(stats, name, None)
            if not isinstance(family, stats.rv_continuous):
                raise ValueError(f"{quoted(name)} is not a continuous distribution of scipy.stats")
            *shapes, _, scale = (float(each) for each in family.fit(few, floc=0))
            names = [each.strip() for each in (family.shapes or "").split(",") if each.strip()]
            frozen = family(*shapes, loc=0.0, scale=scale)
            likelihood = float(frozen.logpdf(values).sum())
            test: Any = stats.kstest(values, frozen.cdf)
            parameters = dict(zip([*names, "scale"], [*shapes, scale], strict=True))
            numbers = len(values), len(given) - len(values), likelihood, 2 * len(parameters) - 2 * likelihood
            fits.append(Fit(name, frozen, parameters, *numbers, float(test.statistic), float(test.pvalue)))
    return sorted(fits, key=lambda each: (np.isnan(each.aic), each.aic))


def order_statistics(ascending: Floats, points: int) -> Floats:
    """At most ``points`` of some ascending values, evenly spaced by rank."""
    if len(ascending) <= points:
        return ascending
    return ascending[np.linspace(0, len(ascending) - 1, points).round().astype(np.int64)]


@dataclass(frozen=True, slots=True)
class ThinkTimeFit:
    """Think time as a linear function of response time, TT = slope R + intercept (s)."""

    slope: float
    intercept: float
    slope_error: float
    """Standard error of the slope."""
    r_squared: float
    pairs: int
    most: float
    """Pairs with a think time or response time above this (s) are excluded."""
    centres: Floats
    """Response times (s) at the centres of classes, each twice as wide as the previous one."""
    medians: Floats
    means: Floats
    """Think times (s) of the pairs in each class; NaN for an empty class."""


def fit_think_time(log: Trace | Sessions, max: Duration = 8.0 * HOUR) -> ThinkTimeFit:
    """Fit the think times of batches linearly to the response times of the batches before them.

    Used are pairs with a think time in [0, ``max``] and a response time in (0, ``max``] (s). Raises ``ValueError``
    for fewer than three pairs, or if all response times are equal.
    """
    max = as_seconds("max", max)
    from scipy import stats

    sessions = delimit(log) if isinstance(log, Trace) else log
    think, response = sessions.think_time, sessions.response_before
    chosen = (think >= 0) & (think <= max) & (response > 0) & (response <= max)
    x, y = response[chosen], think[chosen]
    if len(x) < 3 or x.min() == x.max():
        raise ValueError(
            f"a linear fit needs three pairs of think and response times up to {max:g} s, but there are {len(x)}"
        )
    line: Any = stats.linregress(x, y)
    edges = np.concatenate([[0.0], MINUTE * 2.0 ** np.arange(0, 1 + int(np.ceil(np.log2(max / MINUTE))))])
    place = np.searchsorted(edges, x, side="left") - 1
    groups = [y[place == k] for k in range(len(edges) - 1)]
    nan = float("nan")
    return ThinkTimeFit(
        slope=float(line.slope),
        intercept=float(line.intercept),
        slope_error=float(line.stderr),
        r_squared=float(line.rvalue) ** 2,
        pairs=len(x),
        most=max,
        centres=np.array([MINUTE / 2, *np.sqrt(edges[1:-1] * edges[2:])]),
        medians=np.array([float(np.median(group)) if len(group) else nan for group in groups]),
        means=np.array([float(group.mean()) if len(group) else nan for group in groups]),
    )


@dataclass(frozen=True, slots=True)
class ContinuationCurve:
    """How often a user continues after a batch, by the batch's response time, with a fitted curve."""

    centres: Floats
    """Response times at the centres of classes, s."""
    shares: Floats
    batches: Whole
    level: float
    decay: float
    """P(continue | R) = level / (decay R + 1), R in minutes; NaN for fewer than three classes."""


def continuation(sessions: Sessions, within: Duration = 20.0 * MINUTE) -> ContinuationCurve:
    """The shares of batches after which the user goes on, and Shmueli and Feitelson's curve.

    A user continues if the next batch comes at most ``within`` s after the end of this one, whatever the
    delimitation of sessions: with ``arrival``, by definition, no session continues after a response longer than its
    threshold. Batches that overlap with the next one are excluded, since no user waited for their response. After
    the last batch every user stops. The curve is fitted to the shares by least squares with weights sqrt(n).
    """
    within = as_seconds("within", within)
    following = np.append(sessions.think_time[1:], np.nan)[: len(sessions.batches)]
    waited = ~(following < 0)
    response, goes_on = sessions.batches.response[waited], following[waited] <= within
    edges = np.concatenate([[-1.0], MINUTE * 2.0 ** np.arange(12)])
    place = np.clip(np.searchsorted(edges, response, side="left") - 1, 0, len(edges) - 2)
    counts = np.bincount(place, minlength=len(edges) - 1)
    followed = np.bincount(place, weights=goes_on, minlength=len(edges) - 1)
    known = counts > 0
    centres = np.array([MINUTE / 2, *np.sqrt(edges[1:-1] * edges[2:])])[known]
    shares = followed[known] / counts[known]
    level, decay = np.nan, np.nan
    if len(shares) >= 3:
        from scipy.optimize import curve_fit

        found, _ = curve_fit(
            lambda r, a, b: a / (b * r + 1), centres / MINUTE, shares, p0=(0.8, 0.05),
            sigma=1 / np.sqrt(counts[known]), bounds=([0, 0], [1, np.inf]),
        )  # fmt: skip
        level, decay = (float(each) for each in found)
    return ContinuationCurve(centres, shares, counts[known], level, decay)


def quantiles_between(
    of: Any, low: float, high: float, shares: Floats, whole: bool = False, scale: float = 1.0
) -> Floats:
    """Quantiles of a distribution truncated to ``[low, high]``, times ``scale``, rounded up if ``whole``."""
    begin, end = of.cdf([low - whole, high])
    found = scale * of.ppf(begin + shares * (end - begin))
    return np.asarray((np.ceil(found) if whole else found).clip(low, high), dtype=np.float64)
