"""Fits the distributions of each user of a log (`marginals`) to what the user did.

A user with fewer than `ENOUGH` values takes the share of zeros of all users, and one with
fewer than `ENOUGH` values above 0 the distribution of all users, scaled to the user's own mean where there is one (our
decision: five families on a handful of values say nothing; and most values are those of the busiest users, as
whom a rare guest would come back far too often). Where all values are the same they are a constant.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.user_models.fits import Fit, fit
from thinktime.workloads.user_models.marginals import Above, Marginal, UserMarginals
from thinktime.workloads.user_models.population import Population, UserModel

Real = NDArray[np.float64]

ENOUGH = 30
"""So many values of a user are needed for a fit of the user's own."""


def fit_marginals(population: Population) -> tuple[UserMarginals, ...]:
    """The distributions of each user of a population, in its order."""
    samples = [_samples(population, user) for user in population.users]
    columns = [
        _fitted([each[name] for each in samples], name == "more_jobs", np.inf if name == "breaks" else 0.0)
        for name in (field.name for field in fields(UserMarginals))
    ]
    return tuple(UserMarginals(*row) for row in zip(*columns, strict=True))


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
