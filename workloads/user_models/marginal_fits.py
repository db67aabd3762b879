"""Fit the distributions of each user of a log (`marginals`) to the user's samples.

A user with fewer than `ENOUGH` values gets the share of zeros of all users. One with fewer than `ENOUGH` values above
0 gets the distribution of all users, scaled to the user's own mean if there is one. (Our choice: a fit to a handful
of values means nothing, and unscaled, occasional users would behave like the busiest ones, who have most values.) If
all values are equal, the distribution is a constant.
"""

import functools
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.user_models.fits import Fit, fit
from thinktime.workloads.user_models.marginals import Above, Marginal, UserMarginals
from thinktime.workloads.user_models.population import Population, UserModel

ENOUGH = 30
"""How many values a user needs for an own fit."""


def fit_marginals(population: Population) -> tuple[UserMarginals, ...]:
    """The distributions of each user of a population, in its order."""
    samples = [_samples(population, user) for user in population.users]
    columns = [
        _fitted([each[name] for each in samples], name == "more_jobs", np.inf if name == "breaks" else 0.0)
        for name in (field.name for field in fields(UserMarginals))
    ]
    return tuple(UserMarginals(*row) for row in zip(*columns, strict=True))


def _samples(population: Population, user: UserModel) -> dict[str, Floats]:
    """The samples of one user, with own breaks only (none for a user with one session)."""
    inside = np.ones(len(user.rows), dtype=bool)
    inside[user.bounds[:-1]] = False
    return {
        "think_times": user.think_times,
        "breaks": user.breaks[: len(user.batches_per_session) - 1],
        "more_jobs": np.diff(user.bounds) - 1.0,
        "gaps": np.diff(user.offset, prepend=0.0)[inside],
        "runtimes": population.trace.runtime[user.rows],
    }


def _fitted(samples: Sequence[Floats], whole: bool, missing: float) -> list[Marginal]:
    """Fit a quantity for every user; ``missing`` is its value if no user has any."""
    every = np.concatenate(samples) if samples else np.empty(0)
    everybody = functools.cache(lambda: _above(every, whole, missing))
    found = []
    for sample in samples:
        positive = int((sample > 0).sum())
        seen = sample if len(sample) >= ENOUGH else every
        zeros = float((seen <= 0).mean()) if len(seen) else 0.0
        pooled = positive < ENOUGH
        if not pooled:
            above = _above(sample, whole, missing)
        elif positive:
            above = replace(everybody(), scale=float(sample[sample > 0].mean() / every[every > 0].mean()))
        else:
            above = everybody()
        found.append(Marginal(zeros, above, pooled))
    return found


def _above(sample: Floats, whole: bool, missing: float) -> Above:
    values = sample[sample > 0]
    if not len(values):
        return Above(missing, missing)
    low, high = float(values.min()), float(values.max())
    if low == high:
        return Above(low, high)
    fits = fit(values - whole / 2)
    return Above(low, high, next(each for each in fits if _covers(each, low - whole, high)), whole)


def _covers(found: Fit, low: float, high: float) -> bool:
    """Whether a distribution has weight in a range; one from a diverged fit has none."""
    begin, end = found.distribution.cdf([low, high])
    return bool(end - begin > 0.01)
