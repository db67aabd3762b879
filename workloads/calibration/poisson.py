"""Counts in cells: a penalised regression for hazards that are constant in pieces.

Row i has the exposure E_i and y_i events, one level of each *factor* (a table of so many values) and a group, which has
an effect of its own:

    eta_i = m + u[g_i] + sum of b_f[level of factor f in row i],        y_i ~ Poisson(E_i exp(eta_i))

which is the likelihood of hazards exp(eta). The penalised likelihood

    sum_i (y_i eta_i - E_i exp(eta_i)) - 1/2 sum_f r_f b_f' S_f b_f - 1/2 sum_g t_k(g) u_g²

is concave, and Newton's method finds its maximum; groups are eliminated first (Schur's complement). So are the effects'
variances 1/r_f and 1/t_k, for the kinds k of groups: each step of S. Wood and M. Fasiolo, A generalized Fellner-Schall
method for smoothing parameter optimization (Biometrics 73, 2017) makes the likelihood of the data, with the effects
integrated out by Laplace's approximation, larger. A factor about which the data say nothing is drawn to 0 that way.

Products of tables are sums over rows, by cell (`thinktime.workloads.calibration.sums`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.calibration.penalty_matrices import inverse, log_determinant
from thinktime.workloads.calibration.sums import Sums

STEPS = 40
CLOSE = 1e-8
"""Newton's method ends when a step would gain less than this per event."""
ROUGHLY = 1e-5
"""The same while penalties are still made better."""
LEAST, MOST = 1e-2, 1e6
"""The range of the penalties."""
ROUNDS = 10
"""How often penalties are made better, at most."""


@dataclass(frozen=True, eq=False, slots=True)
class Factor:
    """The level of each row, how many levels there are, and the matrix S of its penalty."""

    level: Whole
    size: int
    penalty: Floats


@dataclass(frozen=True, eq=False)
class Data:
    """Rows with their events."""

    exposure: Floats
    events: Floats
    group: Whole
    kind: Whole
    """Of each group."""
    factors: Mapping[str, Factor]
    sets: Sequence[Sequence[str]] = ()
    """Factors of whose levels few combinations occur; others are on their own."""

    @cached_property
    def bounds(self) -> Whole:
        """Where each factor's values are among all, after the mean."""
        return np.cumsum([1, *(each.size for each in self.factors.values())])

    def sums(self) -> Sums:
        """Sums over the rows."""
        names = list(self.factors)
        alone = [(each,) for each in names if not any(each in some for some in self.sets)]
        return Sums(
            [each.level for each in self.factors.values()],
            [each.size for each in self.factors.values()],
            [[names.index(each) for each in some if each in names] for some in (*self.sets, *alone)],
            self.group,
            len(self.kind),
        )

    def places(self) -> dict[str, slice]:
        """The same by name."""
        return {name: slice(*self.bounds[place : place + 2].tolist()) for place, name in enumerate(self.factors)}


@dataclass(frozen=True, eq=False)
class Penalties:
    """1 / variance by factor, and by kind of groups."""

    factors: Mapping[str, float]
    groups: Floats


class Start(NamedTuple):
    """Where the search for a model begins; effects that are not named are 0."""

    mean: float
    values: Mapping[str, Floats]
    groups: Floats


@dataclass(frozen=True, eq=False)
class Model:
    """A model that was fitted to counts: its values, and how well they are known."""

    values: Floats
    """The mean, then the values of each factor."""
    groups: Floats
    penalties: Penalties
    covariance: Floats = field(default_factory=lambda: np.empty((0, 0)))
    """Of the values (Laplace)."""
    volume: float = float("nan")
    """The logarithm of its determinant."""
    across: Floats = field(default_factory=lambda: np.empty((0, 0)))
    """By value and group, of the matrix of second derivatives."""
    own: Floats = field(default_factory=lambda: np.empty(0))
    """Of each group, the same."""

    def start(self, data: Data) -> Start:
        """Where the search for a model of the same data, with other effects, begins."""
        values = {name: self.values[place] for name, place in data.places().items()}
        return Start(self.values.item(0), values, self.groups)

    def eta(self, data: Data) -> Floats:
        """The logarithm of the hazard in each row."""
        return _eta(data, self.values, self.groups)

    def evidence(self, data: Data) -> float:
        """The logarithm of the probability of the data, with all effects integrated out (Laplace's approximation)."""
        found = float(log_likelihood(data, self.eta(data)).sum())
        found += (self.volume - float(np.log(self.own).sum())) / 2
        strength = self.penalties.groups[data.kind]
        found += float(np.log(strength).sum() - strength @ self.groups**2) / 2
        for name, place in data.places().items():
            times, penalty, values = self.penalties.factors[name], data.factors[name].penalty, self.values[place]
            found += (log_determinant(times, penalty) - times * float(values @ penalty @ values)) / 2
        return found

    @cached_property
    def _by_group(self) -> tuple[Floats, Floats]:
        """The covariance of values with groups, turned over, and how far values make each group uncertain."""
        beside = self.covariance @ self.across / self.own
        return beside, (beside * self.across).sum(axis=0) / self.own

    @property
    def spread(self) -> Floats:
        """The variance of each group's effect."""
        found: Floats = 1 / self.own + self._by_group[1]
        return found

    def means(self, data: Data) -> tuple[Floats, Floats]:
        """By how much the means of values and of groups lie beside the maximum, given the data.

        The likelihood falls more steeply above than below it, so eta is less in the mean, by half of its variance times
        the third derivative: D. Lindley, Approximate Bayesian methods (Trabajos de Estadistica 31, 1980). For one group
        that is little; for a mean over many groups of a few events each it is a third of a standard deviation.
        """
        mean, beside = data.exposure * np.exp(self.eta(data)), self._by_group[0]
        levels = [np.zeros(len(mean), np.int64)]
        levels += [
            place.start + each.level for place, each in zip(data.places().values(), data.factors.values(), strict=True)
        ]
        variance = self.spread[data.group]
        for number, one in enumerate(levels):
            variance += self.covariance[one, one] - 2 * beside[one, data.group]
            for other in levels[:number]:
                variance += 2 * self.covariance[one, other]
        slope, of_groups = data.sums().single(-mean * variance / 2)
        values = self.covariance @ (slope - self.across @ (of_groups / self.own))
        return values, (of_groups - values @ self.across) / self.own

    def needed(self, data: Data, name: str) -> float:
        """How much less probable (nats) the data are without a factor, with all else about as it is.

        J. Dickey, The weighted likelihood ratio (Annals of Mathematical Statistics 42, 1971), of a normal posterior.
        """
        place = data.places()[name]
        values, covariance = self.values[place], self.covariance[place, place]
        found = float(values @ np.linalg.solve(covariance, values) + np.linalg.slogdet(covariance)[1])
        return (found + log_determinant(self.penalties.factors[name], data.factors[name].penalty)) / 2

    def freedom(self, data: Data) -> dict[str, float]:
        """The effective number of free values of each factor: 0 if the data say nothing about it."""
        found = {}
        for name, place in data.places().items():
            matrix = self.penalties.factors[name] * data.factors[name].penalty
            found[name] = data.factors[name].size - float(np.sum(self.covariance[place, place] * matrix))
        return found


def fit(data: Data, penalties: Penalties, start: Start | None = None, rounds: int = 0) -> Model:
    """The model of the largest penalised likelihood; with ``rounds``, penalties are made better so often at most."""
    active, used, small = _active(data)
    values, groups = _begin(data)
    if start is not None:
        values[0] = start.mean
        for name, place in data.places().items():
            values[place] = start.values.get(name, 0.0)
        groups = start.groups if len(start.groups) == len(groups) else groups
    values, groups, rows = values[active], groups[used], _Rows(small)
    for _ in range(rounds):
        values, groups, own, across, root = _maximise(rows, penalties, values, groups, ROUGHLY)
        better = _better(small, Model(values, groups, penalties, _inverse(root), across=across, own=own))
        moved = np.log(np.array([*better.factors.values(), *better.groups]))
        moved -= np.log(np.array([*penalties.factors.values(), *penalties.groups]))
        penalties = better
        if np.abs(moved).max(initial=0.0) < 0.05:
            break
    values, groups, own, across, root = _maximise(rows, penalties, values, groups, CLOSE)
    volume = -2 * float(np.log(root.diagonal()).sum())
    model = Model(values, groups, penalties, _inverse(root), volume, across, own)
    return _whole(data, active, used, model)


def _active(data: Data) -> tuple[Whole, Whole, Data]:
    """The values and the groups that the data say anything about, and the data with these alone.

    The others depend on none of them: no row has their levels, or any that their penalty ties to them.
    """
    from scipy.sparse import csgraph

    active, factors = [np.zeros(1, np.int64)], {}
    for (name, each), first in zip(data.factors.items(), data.bounds[:-1].tolist(), strict=True):
        count, part = csgraph.connected_components(each.penalty != 0, directed=False)
        used = np.bincount(part[each.level], minlength=count) > 0
        kept = np.flatnonzero(used[part])
        place = np.full(each.size, -1)
        place[kept] = np.arange(len(kept))
        factors[name] = Factor(place[each.level], len(kept), each.penalty[np.ix_(kept, kept)])
        active.append(first + kept)
    there = np.bincount(data.group, minlength=len(data.kind)) > 0
    small = replace(data, group=(np.cumsum(there) - 1)[data.group], kind=data.kind[there], factors=factors)
    return np.concatenate(active), np.flatnonzero(there), small


def _whole(data: Data, active: Whole, used: Whole, model: Model) -> Model:
    """A model of some values and groups as one of all; the others are as their penalties have them."""
    size = data.bounds[-1]
    values, across = np.zeros(size), np.zeros((size, len(data.kind)))
    groups, own = np.zeros(len(data.kind)), model.penalties.groups[data.kind]
    values[active], across[np.ix_(active, used)] = model.values, model.across
    groups[used], own[used] = model.groups, model.own
    covariance, volume, others = np.zeros((size, size)), model.volume, np.ones(size, bool)
    others[active] = False
    for name, place in data.places().items():
        unknown = np.flatnonzero(others[place])
        if len(unknown):
            penalty, times = data.factors[name].penalty[np.ix_(unknown, unknown)], model.penalties.factors[name]
            volume -= log_determinant(times, penalty)
            covariance[np.ix_(place.start + unknown, place.start + unknown)] = inverse(penalty) / times
    covariance[np.ix_(active, active)] = model.covariance
    return replace(model, values=values, groups=groups, across=across, own=own, covariance=covariance, volume=volume)


def _inverse(root: Floats) -> Floats:
    """The inverse of a symmetric matrix whose root, an upper triangle, is given."""
    from scipy.linalg import lapack

    upper, _ = lapack.dpotri(root)  # what lies below the diagonal stays 0
    found: Floats = upper + upper.T
    found[np.diag_indices(len(found))] = upper.diagonal()
    return found


def _product(matrix: Floats) -> Floats:
    """The upper triangle of a matrix times its own transpose, in half of the time of all."""
    from scipy.linalg import blas

    if not matrix.shape[1]:  # the library would print that this is illegal
        return np.zeros((len(matrix), len(matrix)))
    found: Floats = blas.dsyrk(1.0, matrix.T, trans=1)
    return found


def log_likelihood(data: Data, eta: Floats) -> Floats:
    """The log likelihood of each row, nats."""
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(data.events > 0, data.events * eta, 0.0) - data.exposure * np.exp(eta)
    return found


def _begin(data: Data) -> tuple[Floats, Floats]:
    values = np.zeros(data.bounds[-1])
    values[0] = np.log(max(data.events.sum(), 0.5) / max(data.exposure.sum(), 1.0))
    return values, np.zeros(len(data.kind))


def _eta(data: Data, values: Floats, groups: Floats) -> Floats:
    eta: Floats = values[0] + groups[data.group]
    for place, each in zip(data.places().values(), data.factors.values(), strict=True):
        eta = eta + values[place][each.level]
    return eta


def _penalty(data: Data, penalties: Penalties) -> Floats:
    matrix = np.zeros((data.bounds[-1], data.bounds[-1]))
    matrix[0, 0] = 1e-6
    for name, place in data.places().items():
        matrix[place, place] = penalties.factors[name] * data.factors[name].penalty
    return matrix


class _Rows:
    """The rows of data, with what does not change while a model is looked for."""

    def __init__(self, data: Data) -> None:
        self.data, self.sums = data, data.sums()
        self.some = np.flatnonzero(data.events)
        self.events = data.events[self.some]
        self.by_value, self.by_group = self.sums.single(data.events)

    def at(self, values: Floats, groups: Floats) -> tuple[Floats, float]:
        """The expected events of each row, and the logarithm of the likelihood."""
        eta = self.sums.spread(values, groups)
        said = float(self.events @ eta[self.some])
        mean = np.exp(eta, out=eta)
        mean *= self.data.exposure
        return mean, said - float(mean.sum())


def _maximise(
    rows: _Rows, penalties: Penalties, values: Floats, groups: Floats, close: float
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """The values and groups, and the matrix of second derivatives there: of groups, across, of values after groups.

    The last one as its root, an upper triangle.
    """
    from scipy import linalg

    data = rows.data
    matrix, strength = _penalty(data, penalties), penalties.groups[data.kind]

    def objective(values: Floats, groups: Floats) -> tuple[Floats, float]:
        mean, said = rows.at(values, groups)
        return mean, said - float(values @ matrix @ values + strength @ groups**2) / 2

    mean, value = objective(values, groups)
    for _ in range(STEPS):
        inner, across, own = rows.sums.double(mean)
        slope_b = rows.by_value - inner.diagonal() - matrix @ values
        slope_u = rows.by_group - own - strength * groups
        own = own + strength
        inner = inner + matrix - _product(across / np.sqrt(own))
        root = linalg.cholesky(inner)
        step_b = linalg.cho_solve((root, False), slope_b - across @ (slope_u / own))
        step_u = (slope_u - step_b @ across) / own
        gain = float(slope_u @ step_u + slope_b @ step_b) / 2
        length = min(1.0, 4.0 / max(np.abs(step_b).max(initial=0.0), np.abs(step_u).max(initial=0.0), 1e-9))
        while length > 1e-6:
            there = values + length * step_b, groups + length * step_u
            mean_there, found = objective(*there)
            if found >= value - 1e-9 * abs(value):
                (values, groups), mean, value = there, mean_there, found
                break
            length /= 2
        if gain <= close * max(data.events.sum(), 1.0) or length <= 1e-6:
            break
    return values, groups, own, across, root


def _better(data: Data, model: Model) -> Penalties:
    """Penalties that make the data likelier."""
    factors = {}
    for name, place in data.places().items():
        now, matrix, values = model.penalties.factors[name], data.factors[name].penalty, model.values[place]
        free = len(matrix) - now * float(np.sum(model.covariance[place, place] * matrix))
        factors[name] = _within(max(free, 1e-9) / max(float(values @ matrix @ values), 1e-12), now)
    spread, groups = model.spread, np.empty(len(model.penalties.groups))
    for kind, now in enumerate(model.penalties.groups.tolist()):
        of = data.kind == kind
        free = of.sum() - now * spread[of].sum()
        groups[kind] = _within(max(free, 1e-9) / max(float(np.sum(model.groups[of] ** 2)), 1e-12), now)
    return Penalties(factors, groups)


def _within(wanted: float, now: float) -> float:
    """A penalty within bounds, and not too far from the last one."""
    return float(np.clip(np.clip(wanted, now / 30, 30 * now), LEAST, MOST))
