"""Bootstrap over clusters."""

import numpy as np

from thinktime.analysis.statistics import bootstrap


def test_clusters_of_one_are_a_plain_bootstrap():
    """With a cluster for each value the interval is nearly the normal one."""
    values = np.random.default_rng(1).normal(3.0, 2.0, 400)
    found = bootstrap.mean(values, [np.arange(400)])
    half = 1.96 * values.std() / 20
    np.testing.assert_allclose(found, [values.mean(), values.mean() - half, values.mean() + half], atol=0.05)


def test_values_that_agree_within_clusters_say_less():
    """Repeating each value tenfold in its cluster leaves the interval as it was."""
    values = np.random.default_rng(1).normal(size=40)
    once = bootstrap.mean(values, [np.arange(40)])
    often = bootstrap.mean(np.repeat(values, 10), [np.repeat(np.arange(40), 10)])
    np.testing.assert_allclose(once, often)


def test_the_wider_interval_counts():
    """Of two kinds of clusters the one with the wider interval is taken, whatever the order."""
    values = np.repeat([0.0, 1.0] * 5, 10)
    coarse, fine = np.repeat(np.arange(10), 10), np.arange(100)
    widths = [bootstrap.mean(values, kinds).width for kinds in ([fine], [coarse], [fine, coarse], [coarse, fine])]
    assert widths[0] < widths[1]
    np.testing.assert_allclose(widths[2:], widths[1], rtol=0.2)


def test_too_little_data():
    """No values have no mean, and one cluster has no interval."""
    assert np.isnan(bootstrap.mean(np.empty(0), [np.empty(0, int)])).all()
    found = bootstrap.mean(np.array([1.0, 2.0]), [np.zeros(2, int)])
    assert found.value == 1.5 and np.isnan(found.low)
    assert not found.above(0)
