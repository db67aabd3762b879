"""A class of users: its hazard, and how sure it is.

What a log says of effects is nearly a normal distribution (Laplace's approximation), whose means lie a little beside
the maximum. What it says of the level of a user with few submissions is not: given the effects, and n submissions
where exp(l) times so many are expected, its density is as exp(n l - expected exp(l) - prior l² / 2), and is drawn from
as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from thinktime.workloads.arrays import Flags, Floats
from thinktime.workloads.calibration.effects import OUTSTANDING, REACTING, SEEN, Structure
from thinktime.workloads.calibration.tables import HazardTables

NEWTON = 30
"""The steps to the most probable level, each at most 1."""
REACH, POINTS = 8.0, 129
"""How far around it levels are drawn from, in standard deviations, and at how many points their density is known."""

OTHERWISE = 1e-3, 10.0
"""By what a prior may be another one, at most."""


@dataclass(frozen=True, eq=False)
class UserClass:
    """A class of users: its hazard, with the uncertainty of it."""

    structure: Structure
    effects: tuple[str, ...]
    sizes: tuple[int, ...]
    """How many values each effect has."""
    values: Floats
    """The mean, then the values of each effect."""
    covariance: Floats
    levels: Floats
    """By user and kind of regime."""
    level_precision: Floats
    """1 / variance of each level, were the values known; as `levels`."""
    across: Floats
    """By value, and user and kind: by what the two depend on each other."""
    moved: Floats
    """By how much the mean of each value is beside it (`poisson.Model.means`)."""
    levels_moved: Floats
    """The same of levels."""
    level_prior: Floats
    """1 / variance of the levels of each kind, before the log was seen."""
    zero: Flags
    """The values at which the hazard is 0; without the mean."""
    expected: Floats
    """How many submissions were expected at each value without it."""
    prior: Floats
    """1 / variance of the values of each effect, before the log was seen."""

    @cached_property
    def places(self) -> dict[str, slice]:
        """Where the values of each effect are."""
        bounds = np.cumsum([1, *self.sizes]).tolist()
        return {name: slice(*bounds[at : at + 2]) for at, name in enumerate(self.effects)}

    def drawn(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Values and levels from the posterior; where nothing ever happened, the hazard that may still be there.

        Of a hazard with no event where n were expected, 1/n times the expected one is the mean, and 3/n times it the
        bound that 95 % are below (the rule of three).
        """
        factors, level_prior = self._priors(rng)
        beside = self.moved + self._beside(factors, level_prior, rng)
        levels = self._levels(beside, level_prior, rng.random(self.levels.shape))
        leak = np.log(rng.exponential(size=len(self.zero)) / np.maximum(self.expected, 1.0))
        values = self.values + beside
        values[1:] = np.where(self.zero, leak, values[1:])
        return values, levels

    def _priors(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """By how much 1 / variance of each effect's values, and of the levels of each kind, may be another one.

        One that n free values tell is as a chi-square of n + 1 degrees of freedom over that number.
        """
        free = np.concatenate([self._free_values, self._free_levels]) + 1.0
        drawn = np.clip(rng.chisquare(free) / free, *OTHERWISE)
        return drawn[: len(self.prior)], self.level_prior * drawn[len(self.prior) :]

    def _beside(self, factors: Floats, level_prior: Floats, rng: np.random.Generator) -> Floats:
        """How far values are beside the maximum, with other priors, and drawn (normal)."""
        from scipy import linalg

        own, other = self.level_precision.ravel(), (self._spent + level_prior).ravel()
        precision: Floats = self._precision + (self.across * (1 / own - 1 / other)) @ self.across.T
        slope = self.across @ (((level_prior - self.level_prior) * self.levels).ravel() / other)
        for (effect, place), prior, factor in zip(self.places.items(), self.prior, factors, strict=True):
            more = (factor - 1.0) * prior * self.structure.penalty(effect)
            precision[place, place] += more
            slope[place] -= more @ self.values[place]
        root = linalg.cholesky(precision)
        found: Floats = linalg.cho_solve((root, False), slope)
        found += linalg.solve_triangular(root, rng.standard_normal(len(slope)))
        return found

    def _levels(self, beside: Floats, level_prior: Floats, chance: Floats) -> Floats:
        """So probable quantiles of levels, given how far values are beside those that were found."""
        prior, spent = np.broadcast_to(level_prior, self.levels.shape), self._spent
        events = np.maximum(spent + self.level_prior * self.levels, 0.0)
        expected = np.log(spent) - self.levels + self._more + self._shifted(beside) / spent
        middle = self.levels.copy()
        for _ in range(NEWTON):
            there = np.exp(expected + middle)
            middle += np.clip((events - there - prior * middle) / (there + prior), -1.0, 1.0)
        step = REACH / np.sqrt(np.exp(expected + middle) + prior)
        level = middle[..., None] + step[..., None] * np.linspace(-1.0, 1.0, POINTS)
        with np.errstate(over="ignore"):
            density = events[..., None] * level - np.exp(expected[..., None] + level) - prior[..., None] * level**2 / 2
        density = np.exp(density - density.max(axis=-1, keepdims=True))
        below = np.cumsum((density[..., 1:] + density[..., :-1]) / 2, axis=-1)
        below = np.concatenate([np.zeros_like(below[..., :1]), below / below[..., -1:]], axis=-1)
        place = np.clip((below <= chance[..., None]).sum(axis=-1), 1, POINTS - 1)[..., None]
        low, high = (np.take_along_axis(below, each, -1)[..., 0] for each in (place - 1, place))
        one, other = (np.take_along_axis(level, each, -1)[..., 0] for each in (place - 1, place))
        found: Floats = one + (other - one) * (chance - low) / (high - low)
        return found

    @cached_property
    def _spent(self) -> Floats:
        """How many submissions are expected of each user, in each kind of regimes."""
        found: Floats = np.maximum(self.level_precision - self.level_prior, 1e-100)
        return found

    def _shifted(self, beside: Floats) -> Floats:
        """How many more submissions are expected of each user, to first order."""
        found: Floats = (beside @ self.across).reshape(self.levels.shape)
        return found

    @cached_property
    def _more(self) -> Floats:
        """What the logarithm of what is expected has to be beside first order, so that levels have their means."""
        own, spent = self.level_precision, self._spent
        by_skewness = -(spent / own**2) / 2 * (1 + self.level_prior**2 / own * self._uncertain / spent**2)
        found: Floats = own / spent * (by_skewness - self._shifted(self.moved) / own - self.levels_moved)
        return np.where(spent > 1e-6, found, 0.0)

    @cached_property
    def _uncertain(self) -> Floats:
        """How uncertain values make what is expected of each user, in each kind of regimes."""
        found: Floats = ((self.covariance @ self.across) * self.across).sum(axis=0).reshape(self.levels.shape)
        return found

    @cached_property
    def _free_levels(self) -> Floats:
        """How many levels of each kind are free."""
        spread = 1 / self.level_precision + self._uncertain / self.level_precision**2
        found: Floats = np.maximum(len(spread) - self.level_prior * spread.sum(axis=0), 0.0)
        return found

    @cached_property
    def _free_values(self) -> Floats:
        """How many values of each effect are free."""
        bound = [
            prior * np.sum(self.covariance[place, place] * self.structure.penalty(effect))
            for (effect, place), prior in zip(self.places.items(), self.prior, strict=True)
        ]
        found: Floats = np.maximum(np.array(self.sizes) - bound, 0.0)
        return found

    @cached_property
    def _precision(self) -> Floats:
        """The inverse of the covariance."""
        found = np.linalg.inv(self.covariance)
        precision: Floats = (found + found.T) / 2
        return precision

    def tables(self, values: Floats | None = None) -> HazardTables:
        """The tables of hazards with these values, or with the fitted ones."""
        if values is None:
            values = self.values.copy()
            values[1:][self.zero] = -np.inf
        return self.structure.tables(values.item(0), {name: values[place] for name, place in self.places.items()})

    def free(self, effect: str) -> float:
        """The share of an effect's values that the log determines: 0 where it says nothing, 1 where it says all."""
        place = self.places[effect]
        known = 1.0 - np.diag(self.covariance)[place] * self.prior[self.effects.index(effect)]
        return float(np.clip(known, 0.0, 1.0).mean())

    def level(self, waits: Flags, levels: Floats | None = None) -> Floats:
        """The level of each user in each regime, with -inf for those who wait (`Users.waits`)."""
        found: Floats = (self.levels if levels is None else levels)[:, self.structure.kind].copy()
        if self.structure is REACTING:
            for regimes, who in zip(OUTSTANDING, waits.T, strict=True):
                found[np.ix_(who, regimes)] = -np.inf
        return found


def stacked(tables: Sequence[HazardTables]) -> HazardTables:
    """The tables of several classes as one."""
    counts = [each.clock.shape[1] for each in tables]
    first = [0, *accumulate(counts)][:-1]
    made = HazardTables.flat(
        1.0, regime=np.concatenate([each.regime + at for each, at in zip(tables, first, strict=True)])
    )
    for place, (each, at, count) in enumerate(zip(tables, first, counts, strict=True)):
        made.base[place] = each.base[0]
        for name in ("clock", *SEEN):
            getattr(made, name)[place, at : at + count] = getattr(each, name)[0]
    return made
