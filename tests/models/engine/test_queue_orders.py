"""Compiled numbers are those that NumPy computes, bit for bit."""

import numpy as np
import pytest

import thinktime as tt
from thinktime.models.engine.codes.starvation import ABOVE_MEAN, ABOVE_QUANTILE
from thinktime.models.engine.queue_orders import in_order
from thinktime.models.engine.spare import Spare
from thinktime.models.jobs.pool import Pool
from thinktime.models.orders.named_orders import ORDERS
from thinktime.models.policies.cplant.starvation import heavy_line

JOBS = 20_000
NOW = 2.0**20


def pool():
    """Jobs of many sizes and ages, some of them with infinite estimates, and many of them alike."""
    rng = np.random.default_rng(3)
    pool = Pool(1 << 20)
    estimate = rng.choice([1.0, 7.125, 3600, 1e9, np.inf], JOBS) * rng.choice([1, 1.5, np.pi], JOBS)
    pool.append(
        JOBS,
        1.0,
        id=np.arange(JOBS),
        submit=np.sort(rng.integers(0, NOW, JOBS) // 64 * 64),
        processors=np.where(rng.random(JOBS) < 0.3, 1, rng.integers(1, 1 << 20, JOBS)),
        estimate=estimate,
    )
    return pool


def formula(name, n, r, w):
    """The keys as the catalogue of orders says them."""
    if name == "lxf":
        r = np.minimum(r, 2.0**60)
        return -((w + r) / r)
    if name == "wfp3":
        return -((w / r) * (w / r) * (w / r) * n)
    return -(w / (np.log2(np.maximum(n, 1 + 2.0**-40)) * r))


@pytest.mark.parametrize("name", ["lxf", "wfp3", "unicef"])
def test_kernels_sort_by_the_formula(name):
    """An order sorts as its formula does in NumPy, and equal keys stay in order of arrival."""
    machine = pool()
    jobs, rows = machine.requests, np.arange(JOBS)
    keys = formula(name, jobs.processors[:JOBS], jobs.estimate[:JOBS], NOW - jobs.submit[:JOBS])
    structure = ORDERS[name].as_structure({}, machine.processors, 0, 0.0)
    assert len(np.unique(keys)) < JOBS
    assert np.array_equal(in_order(machine.state, structure, NOW, rows), np.argsort(keys, kind="stable"))


def test_keys_of_a_view_are_the_same_numbers():
    """A policy of one's own sees the keys of the formulas."""
    seen = []

    def select(view, now):
        columns = view.columns(view.waiting)
        for name in ("lxf", "wfp3", "unicef"):
            keys = formula(name, columns.processors, columns.estimate, now - columns.submit)
            seen.append(np.array_equal(ORDERS[name].keys(columns, now), keys))
        return view.waiting[:1] if view.free == view.capacity else None

    trace = tt.Trace({"submit": range(9), "runtime": [5] * 9, "requested_processors": [1, 2, 3] * 3})
    tt.replay(trace, select, 4)
    assert len(seen) > 20
    assert all(seen)


def test_heavy_users_are_above_the_mean_or_a_quantile():
    """The line between heavy and other users is the mean, or the quantile, of all usages above 0."""
    rng = np.random.default_rng(1)
    assert heavy_line(Spare(), np.zeros(3), ABOVE_MEAN, 0.0) == np.inf
    for n in range(1, 600):
        usage = rng.exponential(1e6, n) * rng.choice([1, 1e-5], n) * (rng.random(n) < 0.8)
        usage[0] = 1.0
        used = usage[usage > 0]
        quantile = float(rng.choice([0, 0.5, 0.7, 1, rng.random()]))
        assert heavy_line(Spare(), usage, ABOVE_MEAN, 0.0) == used.mean()
        assert heavy_line(Spare(), usage, ABOVE_QUANTILE, quantile) == np.quantile(used, quantile)
