"""Distributions fitted to each user of a log, to draw from.

A `Marginal` describes one quantity of one user: the probability that it is 0 (jobs of a batch are often submitted in
the same second), and a distribution of the values above 0. That is the candidate of `fit` with the best AIC,
truncated to the observed range, so that its tail never produces unobserved values.

The number of further jobs of a batch is whole, so the distribution is fitted to each value minus 1/2, and draws are
rounded up.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.user_models.fits import Fit, quantiles_between


@dataclass(frozen=True, slots=True)
class Above:
    """Values above 0: a distribution truncated to ``[low, high]``, or the constant ``low``."""

    low: float
    high: float
    fit: Fit | None = None
    """None if all values are equal."""
    whole: bool = False
    scale: float = 1.0
    """A factor on draws, before they are clipped to the range."""

    def draw(self, uniform: Floats) -> Floats:
        """The quantiles at `uniform`, numbers from 0 to 1."""
        if self.fit is None:
            return np.full(len(uniform), self.low)
        return quantiles_between(self.fit.distribution, self.low, self.high, uniform, self.whole, self.scale)


@dataclass(frozen=True, slots=True)
class Marginal:
    """One quantity of one user: 0 with probability ``zeros``, else from ``above``."""

    zeros: float
    above: Above
    pooled: bool
    """Whether ``above`` is that of all users, scaled to this user."""

    def draw(self, uniform: Floats) -> Floats:
        """The quantiles at `uniform`, numbers from 0 to 1, one per draw, so that draws stay in step."""
        found = np.zeros(len(uniform))
        some = uniform >= self.zeros
        found[some] = self.above.draw((uniform[some] - self.zeros) / (1.0 - self.zeros))
        return found


@dataclass(frozen=True, slots=True)
class UserMarginals:
    """The distributions of one user; times in s."""

    think_times: Marginal
    """From the end of a batch to the next one of its session."""
    breaks: Marginal
    """Between sessions, active time."""
    more_jobs: Marginal
    """Jobs of a batch after its first."""
    gaps: Marginal
    """Between successive submissions within a batch."""
    runtimes: Marginal
