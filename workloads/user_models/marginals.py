"""Users as distributions: what each user of a log does, as frozen ``scipy.stats`` fits to draw from.

A `Marginal` describes one quantity of one user: with what probability it is 0 (jobs of a batch are often
submitted in the same second), and a distribution for values above 0: of the candidates of `fit` the best by
AIC, truncated to the range of the values that it was fitted to, so that the tail of a distribution never
gives what nobody did.

The number of further jobs of a batch is whole: the distribution is fitted to each value less 1/2, and what
is drawn from it is rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.user_models.fits import Fit, quantiles_between

Real = NDArray[np.float64]


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
        return quantiles_between(self.fit.distribution, self.low, self.high, uniform, self.whole, self.scale)


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
class UserMarginals:
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
