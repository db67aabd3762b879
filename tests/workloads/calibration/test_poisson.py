"""The penalised regression, against general minimisers, differences, and integrals by brute force."""

import numpy as np
import pytest
from scipy import optimize, special

from tests.how_many import few_or_many
from thinktime.workloads.calibration import poisson
from thinktime.workloads.calibration.fit import _alike
from thinktime.workloads.calibration.penalty_matrices import chained, inverse, log_determinant
from thinktime.workloads.calibration.poisson import Data, Factor, Penalties

KNOWN = Penalties({"hour": 2.0, "wait": 0.7}, np.array([1.5, 4.0]))


def cells(seed, rows=60, groups=5, events=3.0):
    """Rows of two factors and some groups of two kinds, with about so many events each."""
    rng = np.random.default_rng(seed)
    factors = {
        "hour": Factor(rng.integers(0, 4, rows), 4, chained(4, circle=4)),
        "wait": Factor(rng.integers(0, 6, rows), 6, chained(6, 2, alone=0.5)),
    }
    group, kind = rng.integers(0, groups, rows), np.arange(groups) % 2
    exposure = rng.exponential(1000.0, rows)
    found = rng.poisson(exposure / 1000.0 * events * np.exp(rng.normal(0.0, 0.5, groups))[group])
    return Data(exposure, found.astype(float), group, kind, factors)


def objective(data, penalties, point):
    """The penalised likelihood as its definition says, at a mean, the values of each factor, and the groups."""
    mean, rest = point[0], point[1:]
    eta, found = np.full(len(data.exposure), mean), 0.0
    for name, each in data.factors.items():
        values, rest = rest[: each.size], rest[each.size :]
        eta = eta + values[each.level]
        found -= penalties.factors[name] * values @ each.penalty @ values / 2
    eta = eta + rest[data.group]
    found -= penalties.groups[data.kind] @ rest**2 / 2
    return found + data.events @ eta - data.exposure @ np.exp(eta)


def differences(of, point, step=1e-4):
    """The gradient of a function, by central differences."""
    return np.array([(of(point + each) - of(point - each)) / (2 * step) for each in step * np.eye(len(point))])


def whole(model):
    """Values and groups as one."""
    return np.concatenate([model.values, model.groups])


@pytest.mark.parametrize("seed", range(4))
def test_the_maximum_is_that_of_a_general_minimiser(seed):
    """Within what its own convergence allows; and no step from it is uphill."""
    data = cells(seed)
    found = whole(poisson.fit(data, KNOWN))

    def loss(point):
        return -objective(data, KNOWN, point)

    start = np.zeros(len(found))
    start[0] = np.log(data.events.sum() / data.exposure.sum())
    other = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-6})
    assert found == pytest.approx(other.x, abs=2e-3)
    assert loss(found) <= other.fun + 1e-6
    assert np.abs(differences(loss, found)).max() < 1e-2


@pytest.mark.parametrize("seed", range(2))
def test_the_covariance_is_that_of_the_second_derivatives(seed):
    """Of the values, with groups integrated out; and draws have it, with that of the groups beside."""
    data = cells(seed)
    model = poisson.fit(data, KNOWN)
    point = whole(model)

    def slope(at):
        return -differences(lambda there: objective(data, KNOWN, there), at)

    expected = np.linalg.inv(differences(slope, point, 1e-3))
    size = len(model.values)
    assert model.covariance == pytest.approx(expected[:size, :size], abs=1e-3 * np.abs(expected).max())
    assert model.own == pytest.approx(np.diag(np.linalg.inv(expected))[size:], rel=1e-3)
    beside = -(model.covariance @ model.across) / model.own
    assert beside == pytest.approx(expected[:size, size:], abs=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(3))
def test_evidence_is_the_integral(seed):
    """Over the mean and an effect of two levels, on a grid; there are enough events for Laplace's approximation."""
    rng = np.random.default_rng(seed)
    exposure = rng.exponential(1000.0, 12)
    events = rng.poisson(0.02 * exposure).astype(float)
    level, penalty = np.arange(12) % 2, np.diag([1.0, 1e6])  # the second level is all but fixed
    data = Data(exposure, events, np.zeros(12, int), np.zeros(1, int), {"of": Factor(level, 2, penalty)})
    penalties = Penalties({"of": 3.0}, np.array([1e9]))
    model = poisson.fit(data, penalties)
    mean, effect = (np.linspace(at - 1.0, at + 1.0, 401) for at in model.values[:2])
    eta = mean[:, None, None] + effect[None, :, None] * (level == 0)
    log = (events * eta - exposure * np.exp(eta)).sum(axis=2) - 1.5 * effect**2 + np.log(3.0 / (2 * np.pi)) / 2
    step = (mean[1] - mean[0]) * (effect[1] - effect[0])
    integral = special.logsumexp(log) + np.log(step)
    assert model.evidence(data) == pytest.approx(integral - np.log(2 * np.pi) / 2, abs=5e-3)


def test_evidence_of_a_group_is_the_integral():
    """Over its level, with the mean known from others: what a group adds."""
    exposure, events = np.array([1e7, 1000.0]), np.array([1e5, 18.0])
    kind, group = np.array([0, 1]), np.array([0, 1])
    model = poisson.fit(Data(exposure, events, group, kind, {}), Penalties({}, np.array([1e9, 2.0])))
    alone = Data(exposure[:1], events[:1], group[:1], kind[:1], {})
    one = poisson.fit(alone, Penalties({}, np.array([1e9])))
    level = np.linspace(-3.0, 3.0, 6001)
    eta = np.log(0.01) + level
    log = 18.0 * eta - 1000.0 * np.exp(eta) - level**2 + np.log(2.0 / (2 * np.pi)) / 2
    gain = model.evidence(Data(exposure, events, group, kind, {})) - one.evidence(alone)
    assert gain == pytest.approx(special.logsumexp(log) + np.log(level[1] - level[0]), abs=0.01)


def test_levels_that_no_row_has():
    """They are as their penalty has them: what is tied to nothing is 0, as uncertain as before; others are between."""
    data = cells(1, rows=200)
    first = data.factors["wait"].level % 3
    first[first == 1] = 0
    factors = dict(data.factors) | {"wait": Factor(first, 6, data.factors["wait"].penalty)}
    data = Data(data.exposure, data.events, data.group, data.kind, factors)
    model = poisson.fit(data, KNOWN)
    values = model.values[data.places()["wait"]]
    assert (values[3:] == 0.0).all() and (values[[0, 2]] != 0.0).all()
    assert (data.factors["wait"].penalty @ values)[1] == pytest.approx(0.0, abs=1e-6)
    place = data.places()["wait"]
    prior = np.linalg.inv(KNOWN.factors["wait"] * data.factors["wait"].penalty)
    assert model.covariance[place, place][3:, 3:] == pytest.approx(prior[3:, 3:])
    everything = whole(model)
    assert np.abs(differences(lambda at: objective(data, KNOWN, at), everything)).max() < 1e-2
    assert model.freedom(data)["wait"] == pytest.approx(data.factors["wait"].size - np.sum(
        model.covariance[place, place] * KNOWN.factors["wait"] * data.factors["wait"].penalty
    ))  # fmt: skip
    assert model.freedom(data)["wait"] < 3.0


def test_penalties_become_those_of_the_most_probable_data():
    """The evidence is as large, within a tenth, as with any other penalty of the effect, or of the groups."""
    data = cells(7, rows=200, groups=30)
    model = poisson.fit(data, Penalties({"hour": 1.0, "wait": 1.0}, np.ones(2)), rounds=40)
    best, found = model.evidence(data), model.penalties
    assert best > poisson.fit(data, Penalties({"hour": 1.0, "wait": 1.0}, np.ones(2))).evidence(data) + 1.0
    for factor in (0.25, 0.5, 2.0, 4.0):
        for name in data.factors:
            other = Penalties(dict(found.factors) | {name: found.factors[name] * factor}, found.groups)
            assert poisson.fit(data, other).evidence(data) < best + 0.1
        other = Penalties(found.factors, found.groups * np.array([factor, 1.0]))
        assert poisson.fit(data, other).evidence(data) < best + 0.1


def test_an_effect_that_is_not_there_is_drawn_to_0():
    """Its penalty grows, and it has hardly any freedom; one that is there is kept."""
    rng = np.random.default_rng(3)
    rows, level, none = 400, np.arange(400) % 4, rng.integers(0, 4, 400)
    exposure = np.full(rows, 1000.0)
    events = rng.poisson(0.01 * exposure * np.exp(np.array([-1.0, 0.5, 1.0, -0.5])[level])).astype(float)
    factors = {"there": Factor(level, 4, chained(4)), "none": Factor(none, 4, chained(4))}
    data = Data(exposure, events, np.zeros(rows, int), np.zeros(1, int), factors)
    model = poisson.fit(data, Penalties({"there": 1.0, "none": 1.0}, np.ones(1)), rounds=40)
    free = model.freedom(data)
    assert free["there"] > 2.8 and free["none"] < 1.0
    found = model.values[data.places()["there"]]
    assert found - found.mean() == pytest.approx([-1.0, 0.5, 1.0, -0.5], abs=0.1)


def test_where_the_search_begins_does_not_matter():
    """From the values of a model of other effects, too."""
    data = cells(2)
    model = poisson.fit(data, KNOWN)
    rng = np.random.default_rng(0)
    start = poisson.Start(-20.0, {"hour": rng.normal(0.0, 5.0, 4)}, rng.normal(0.0, 3.0, 5))
    assert whole(poisson.fit(data, KNOWN, start)) == pytest.approx(whole(model), abs=1e-3)


def test_no_groups_and_no_rows(capfd):
    """A model of nothing is the one that its penalties want, and no library prints anything about it."""
    nothing = np.empty(0)
    data = Data(nothing, nothing, nothing.astype(int), nothing.astype(int), {})
    model = poisson.fit(data, Penalties({}, np.array([1.0])), rounds=2)
    assert len(model.groups) == 0
    assert np.isfinite(model.values).all()
    assert tuple(capfd.readouterr()) == ("", "")


def test_no_events():
    """The mean is as low as its own penalty allows, and everything is a number."""
    data = cells(2)
    data = Data(data.exposure, np.zeros(len(data.events)), data.group, data.kind, data.factors)
    model = poisson.fit(data, KNOWN, rounds=3)
    assert np.isfinite(whole(model)).all() and np.isfinite(model.evidence(data))
    assert model.values[0] < np.log(1 / data.exposure.sum())


@pytest.mark.parametrize(
    ("size", "blocks", "circle", "ties"),
    [
        (4, 1, 0, {(0, 1), (1, 2), (2, 3)}),
        (4, 2, 0, {(0, 1), (2, 3)}),
        (6, 2, 3, {(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)}),
    ],
)  # fmt: skip
def test_chains(size, blocks, circle, ties):
    """Neighbours are tied within a block, and round a circle."""
    matrix = chained(size, blocks, circle, alone=0.25)
    values = np.random.default_rng(0).normal(size=size)
    expected = 0.25 * values @ values + sum((values[one] - values[other]) ** 2 for one, other in ties)
    assert values @ matrix @ values == pytest.approx(expected)


@pytest.mark.parametrize("size", [3, 2**30])
def test_rows_that_a_model_does_not_tell_apart_are_one(size):
    """However many levels there may be: with several factors of so many, no whole number has one for each kind."""
    rng = np.random.default_rng(1)
    group, levels = rng.integers(0, 4, 300), [size - 1 - rng.integers(0, 3, 300) for _ in range(4)]
    factors = {str(place): Factor(level, size, np.empty((0, 0))) for place, level in enumerate(levels)}
    data = Data(rng.uniform(1, 9, 300), rng.integers(0, 3, 300).astype(float), group, np.zeros(4, np.int64), factors)
    found = _alike(data)
    rows = {}
    for place, key in enumerate(zip(group, *levels, strict=True)):
        sums = rows.setdefault(key, np.zeros(2))
        sums += data.exposure[place], data.events[place]
    keys = list(zip(found.group, *(each.level for each in found.factors.values()), strict=True))
    assert len(keys) == len(set(keys)) == len(rows) < 300
    for key, *sums in zip(keys, found.exposure, found.events, strict=True):
        assert sums == pytest.approx(rows[key])


@pytest.mark.parametrize("seed", few_or_many(0, 1))
def test_means_are_those_of_the_posterior(seed):
    """Of a log of few events, by importance sampling: within an eighth of how far they are from the maximum."""
    rng = np.random.default_rng(seed)
    level, group = np.array([0, 1, 0, 1, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2, 3])
    exposure, events = rng.uniform(200.0, 800.0, 7), np.array([4.0, 9.0, 2.0, 7.0, 5.0, 1.0, 3.0])
    data = Data(exposure, events, group, np.zeros(4, int), {"hour": Factor(level, 2, np.eye(2))})
    penalties = Penalties({"hour": 2.0}, np.array([1.5]))
    model = poisson.fit(data, penalties)
    columns = np.hstack([np.ones((7, 1)), np.eye(2)[level], np.eye(4)[group]])
    point, precision = whole(model), np.diag([1e-6, 2.0, 2.0, 1.5, 1.5, 1.5, 1.5])
    wide = 1.2 * np.linalg.inv(columns.T @ ((exposure * np.exp(columns @ point))[:, None] * columns) + precision)
    normal = rng.standard_normal((200_000, 7))
    beside = normal @ np.linalg.cholesky(wide).T
    eta = (point + beside) @ columns.T
    log = (events * eta - exposure * np.exp(eta)).sum(axis=1) + (normal**2).sum(axis=1) / 2
    log -= ((point + beside) ** 2 @ np.diag(precision)) / 2
    weight = np.exp(log - log.max())
    expected = weight @ beside / weight.sum()
    found = np.concatenate(model.means(data))
    assert found == pytest.approx(expected, abs=np.abs(expected).max() / 8)
    assert np.abs(expected).max() > 0.05


def test_the_mean_of_many_groups_of_few_events():
    """Its maximum is more than a standard deviation beside it on average, and its mean is not."""
    rng, beside = np.random.default_rng(0), []
    for _ in range(30):
        group = np.arange(150)
        events = rng.poisson(2.0 * np.exp(0.7 * rng.standard_normal(150))).astype(float)
        data = Data(np.full(150, 2.0), events, group, np.zeros(150, int), {})
        model = poisson.fit(data, Penalties({}, np.array([1 / 0.7**2])))
        spread = np.sqrt(model.covariance[0, 0])
        beside.append([model.values[0] / spread, (model.values[0] + model.means(data)[0][0]) / spread])
    maximum, mean = np.mean(beside, axis=0)
    assert maximum > 0.7
    assert abs(mean) < 0.4


def test_what_is_kept_of_matrices():
    """Inverses and determinants that are kept are those of the matrix; nobody can write to them."""
    matrix = chained(6, 2, alone=0.5)
    assert inverse(matrix) @ matrix == pytest.approx(np.eye(6), abs=1e-12)
    assert log_determinant(3.0, matrix) == pytest.approx(np.linalg.slogdet(3.0 * matrix)[1])
    with pytest.raises(ValueError, match="read-only"):
        inverse(matrix)[0, 0] = 1.0
