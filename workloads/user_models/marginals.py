"""Users as distributions: what each user of a log does, as frozen ``scipy.stats`` fits to draw from.

A `Marginal` describes one quantity of one user: with what probability it is 0 (jobs of a batch are often
submitted in the same second), and a distribution for values above 0: of the candidates of `fit` the best by
AIC, truncated to the range of the values that it was fitted to, so that the tail of a distribution never
gives what nobody did. A user with fewer than `ENOUGH` values takes the share of zeros of all users, and one with
fewer than `ENOUGH` values above 0 the distribution of all users, scaled to the user's own mean where there is one (our
decision: five families on a handful of values say nothing; and most values are those of the busiest users, as
whom a rare guest would come back far too often). Where all values are the same they are a constant.

The number of further jobs of a batch is whole: the distribution is fitted to each value less 1/2, and what
is drawn from it is rounded up.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.generators.quantities import between
from thinktime.workloads.user_models.fits import Fit, fit
from thinktime.workloads.user_models.population import Population, UserModel

Real = NDArray[np.float64]

ENOUGH = 30
"""So many values of a user are needed for a fit of the user's own."""


@dataclass(frozen=True, slots=True)
class Above:
    """Values above 0: a distribution truncated to ``[low, high]``, or the constant ``low``."""

    low: float
    high: float
    fit: Fit | None = None
    """None where all values are the same."""
    whole: bool = False
    scale: float = 1.0
    """By which draws are multiplied, before they are clipped to the range."""

    def draw(self, uniform: Real) -> Real:
        """The quantiles of some numbers from 0 to 1."""
        if self.fit is None:
            return np.full(len(uniform), self.low)
        return between(self.fit.distribution, self.low, self.high, uniform, self.whole, self.scale)


@dataclass(frozen=True, slots=True)
class Marginal:
    """One quantity of one user: 0 with probability ``zeros``, else from ``above``."""

    zeros: float
    above: Above
    pooled: bool
    """Whether ``above`` is that of all users, with a scale of the user's own."""

    def draw(self, uniform: Real) -> Real:
        """The quantiles of some numbers from 0 to 1: one number each, so that draws come in step."""
        found = np.zeros(len(uniform))
        some = uniform >= self.zeros
        found[some] = self.above.draw((uniform[some] - self.zeros) / (1.0 - self.zeros))
        return found


@dataclass(frozen=True, slots=True)
class Marginals:
    """The distributions of one user; times in s."""

    think_times: Marginal
    """Within sessions."""
    breaks: Marginal
    """Between sessions, active time."""
    more_jobs: Marginal
    """Jobs of a batch beyond its first."""
    gaps: Marginal
    """Between submissions of jobs that follow each other in a batch."""
    runtimes: Marginal


def fit_marginals(population: Population) -> tuple[Marginals, ...]:
    """The distributions of each user of a population, in its order."""
    samples = [_samples(population, user) for user in population.users]
    columns = [
        _fitted([each[name] for each in samples], name == "more_jobs", np.inf if name == "breaks" else 0.0)
        for name in (field.name for field in fields(Marginals))
    ]
    return tuple(Marginals(*row) for row in zip(*columns, strict=True))


def _samples(population: Population, user: UserModel) -> dict[str, Real]:
    """What one user did; the user's own breaks, of which a user with one session has none."""
    inside = np.ones(len(user.rows), dtype=bool)
    inside[user.border[:-1]] = False
    return {
        "think_times": user.think_times,
        "breaks": user.breaks[: len(user.batches_per_session) - 1],
        "more_jobs": np.diff(user.border) - 1.0,
        "gaps": np.diff(user.offset, prepend=0.0)[inside],
        "runtimes": population.trace.runtime[user.rows],
    }


def _fitted(samples: Sequence[Real], whole: bool, missing: float) -> list[Marginal]:
    """A quantity of every user; ``missing`` is what it is where nobody shows any."""
    pool = np.concatenate(samples) if samples else np.empty(0)
    everybody = _later(lambda: _above(pool, whole, missing))
    found = []
    for sample in samples:
        positive = int((sample > 0).sum())
        seen = sample if len(sample) >= ENOUGH else pool
        zeros = float((seen <= 0).mean()) if len(seen) else 0.0
        pooled = positive < ENOUGH
        if not pooled:
            above = _above(sample, whole, missing)
        elif positive:
            above = replace(everybody(), scale=float(sample[sample > 0].mean() / pool[pool > 0].mean()))
        else:
            above = everybody()
        found.append(Marginal(zeros, above, pooled))
    return found


def _later(make: Callable[[], Above]) -> Callable[[], Above]:
    """Make something when it is first asked for, and keep it."""
    kept: list[Above] = []

    def give() -> Above:
        if not kept:
            kept.append(make())
        return kept[0]

    return give


def _above(sample: Real, whole: bool, missing: float) -> Above:
    values = sample[sample > 0]
    if not len(values):
        return Above(missing, missing)
    low, high = float(values.min()), float(values.max())
    if low == high:
        return Above(low, high)
    with warnings.catch_warnings():  # scipy tells of shapes that it tries on its way
        warnings.simplefilter("ignore", RuntimeWarning)
        fits = fit(values - whole / 2)
    return Above(low, high, next(each for each in fits if _covers(each, low - whole, high)), whole)


def _covers(found: Fit, low: float, high: float) -> bool:
    """Whether a distribution has any weight in a range; one that the search lost its way with has none."""
    begin, end = found.distribution.cdf([low, high])
    return bool(end - begin > 0.01)
