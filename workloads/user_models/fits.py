"""Fits: frozen ``scipy.stats`` distributions for what a log shows of its users, and how good they are.

Several candidates are fitted by maximum likelihood, with location 0, to the positive values of a sample, and
come in order of AIC = 2 k - 2 log L (k parameters), the best first. The Kolmogorov-Smirnov distance D is the
largest between the sample's and the candidate's distribution functions; with parameters fitted to the same
sample its p-value is too large, and on thousands of values every model is rejected, so D says more than p.

Think time against response time follows K. Schlagkamp (JSSPP 2015): a line TT = a R + b over pairs of up to
8 h, by least squares. `continuation` is how often a user goes on after a response time, and the curve
level / (decay R + 1), R in minutes, of E. Shmueli and D. Feitelson.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thinktime.workloads.trace import Trace
from thinktime.workloads.units import HOUR, MINUTE
from thinktime.workloads.user_models.sessions import Sessions, delimit

Real = NDArray[np.float64]

CANDIDATES = ("lognorm", "weibull_min", "gamma", "lomax", "expon")
"""Names in ``scipy.stats``; lomax is the Pareto distribution from 0 on."""

SAMPLE = 10_000
"""Values that a fit looks at; of more, evenly spaced order statistics (likelihood and D take all)."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A distribution that was fitted to a sample."""

    name: str
    distribution: Any
    """Frozen: ``rvs``, ``cdf``, ``mean``, … as every distribution of ``scipy.stats``."""
    parameters: dict[str, float]
    values: int
    """Positive values that it was fitted to."""
    left_out: int
    """Values of 0 or less, and missing ones."""
    log_likelihood: float
    aic: float
    ks: float
    p: float


def fit(sample: ArrayLike, candidates: Sequence[str] = CANDIDATES) -> list[Fit]:
    """The candidates fitted to the positive values of a sample, best AIC first.

    ``ValueError`` for fewer than two different positive values, or a name that ``scipy.stats`` does not have.
    """
    from scipy import stats

    given = np.asarray(sample, dtype=np.float64).reshape(-1)
    values = np.sort(given[np.isfinite(given) & (given > 0)])
    if len(values) < 2 or values[0] == values[-1]:
        raise ValueError(
            f"a fit needs two different values above 0, and this sample has {len(np.unique(values))}"
        )
    few = values
    if len(values) > SAMPLE:
        few = values[np.linspace(0, len(values) - 1, SAMPLE).round().astype(np.int64)]
    fits = []
    for name in candidates:
        family: Any = getattr(stats, name, None)
        if not isinstance(family, stats.rv_continuous):
            raise ValueError(f"{name!r} is no continuous distribution of scipy.stats")
        *shapes, _, scale = (float(each) for each in family.fit(few, floc=0))
        names = [each.strip() for each in (family.shapes or "").split(",") if each.strip()]
        frozen = family(*shapes, loc=0.0, scale=scale)
        likelihood = float(frozen.logpdf(values).sum())
        test: Any = stats.kstest(values, frozen.cdf)
        parameters = dict(zip([*names, "scale"], [*shapes, scale], strict=True))
        aic = 2 * len(parameters) - 2 * likelihood
        left_out = len(given) - len(values)
        fits.append(
            Fit(
                name,
                frozen,
                parameters,
                len(values),
                left_out,
                likelihood,
                aic,
                float(test.statistic),
                float(test.pvalue),
            )
        )
    return sorted(fits, key=lambda each: (np.isnan(each.aic), each.aic))


@dataclass(frozen=True, slots=True)
class ThinkTimeFit:
    """Think time as a line of response time, TT = slope R + intercept (s), and the pairs that it is from."""

    slope: float
    intercept: float
    slope_error: float
    """Standard error of the slope."""
    r_squared: float
    pairs: int
    most: float
    """Pairs with a think time or a response time above this (s) were left out."""
    centres: Real
    """Response times (s) in the middle of classes, each of which doubles the one before."""
    medians: Real
    means: Real
    """Think times (s) of the pairs in each class; NaN for an empty one."""


def fit_think_time(log: Trace | Sessions, max: float = 8.0 * HOUR) -> ThinkTimeFit:
    """A line through the think times of batches over the response times of the batches before them.

    Pairs count whose think time lies in [0, ``max``] and whose response time in (0, ``max``] (s).
    ``ValueError`` for fewer than three pairs, or if all response times are equal.
    """
    from scipy import stats

    sessions = delimit(log) if isinstance(log, Trace) else log
    think, response = sessions.think_time, sessions.response_before
    chosen = (think >= 0) & (think <= max) & (response > 0) & (response <= max)
    x, y = response[chosen], think[chosen]
    if len(x) < 3 or x.min() == x.max():
        raise ValueError(
            f"a line needs three pairs of think and response times up to {max:g} s, and there are {len(x)}"
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
    """How often a user goes on after a batch, by the batch's response time; and a curve of it."""

    centres: Real
    """Response times in the middle of classes, s."""
    shares: Real
    batches: NDArray[np.int64]
    level: float
    decay: float
    """P(continue | R) = level / (decay R + 1), R in minutes; NaN where there are fewer than three classes."""


def continuation(sessions: Sessions, within: float = 20.0 * MINUTE) -> ContinuationCurve:
    """The shares of batches after which the user goes on, and Shmueli and Feitelson's curve.

    A user goes on if the next batch comes at most ``within`` s after the end of this one, whatever the
    delimitation of sessions: with ``arrival``, no session goes on after a response of more than its threshold,
    by definition. Batches that the next one overlaps are left out: nobody waited for their response. The last
    batch of every user counts as one after which the user stopped. The curve is fitted to the shares by least
    squares with weights sqrt(n).
    """
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
    of: Any, low: float, high: float, shares: Real, whole: bool = False, scale: float = 1.0
) -> Real:
    """Quantiles of a distribution within ``[low, high]``, multiplied by a scale; whole numbers are rounded up."""
    begin, end = of.cdf([low - whole, high])
    found = scale * of.ppf(begin + shares * (end - begin))
    return np.asarray((np.ceil(found) if whole else found).clip(low, high), dtype=np.float64)
