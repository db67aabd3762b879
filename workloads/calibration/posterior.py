"""A class of users: its hazard, and how sure it is (Laplace's approximation)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from thinktime.workloads.arrays import Flags, Floats
from thinktime.workloads.calibration.effects import OUTSTANDING, REACTING, SEEN, Structure
from thinktime.workloads.calibration.tables import HazardTables


@dataclass(frozen=True, eq=False)
class UserClass:
    """A class of users: its hazard with the uncertainty of it (Laplace's approximation)."""

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
        moved = self._root @ rng.standard_normal(len(self.values))
        levels = self.levels - (moved @ self.across).reshape(self.levels.shape) / self.level_precision
        levels = levels + rng.standard_normal(levels.shape) / np.sqrt(self.level_precision)
        leak = np.log(rng.exponential(size=len(self.zero)) / np.maximum(self.expected, 1.0))
        values = self.values + moved
        values[1:] = np.where(self.zero, leak, values[1:])
        return values, levels

    @cached_property
    def _root(self) -> Floats:
        """The symmetric root of the covariance, which rounding does not turn."""
        spread, turn = np.linalg.eigh(self.covariance)
        found: Floats = turn * np.sqrt(np.maximum(spread, 0.0)) @ turn.T
        return found

    def tables(self, values: Floats | None = None) -> HazardTables:
        """Its tables."""
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
