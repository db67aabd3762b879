"""Distributions, lines and curves fitted to what a log shows."""

import numpy as np
import pytest
from scipy import stats

from tests.workloads.user_models.logs import log
from thinktime.workloads.units import HOUR, MINUTE
from thinktime.workloads.user_models import continuation, delimit, fit, fit_think_time


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("lognorm", {"s": 1.2, "scale": 300.0}), ("expon", {"scale": 50.0}), ("weibull_min", {"c": 0.6, "scale": 900.0})],
)
def test_what_a_sample_was_drawn_from_is_found(name, parameters):
    """Of 4,000 values, the true family comes first or within 2 of the best AIC, with its parameters within 8 %."""
    sample = getattr(stats, name)(**parameters).rvs(4000, random_state=np.random.default_rng(1))
    fits = fit(sample)
    found = next(each for each in fits if each.name == name)
    assert found.aic - fits[0].aic < 2
    for key, value in parameters.items():
        assert found.parameters[key] == pytest.approx(value, rel=0.08)
    assert found.ks < 0.03
    assert found.distribution.mean() == pytest.approx(getattr(stats, name)(**parameters).mean(), rel=0.15)


def test_aic_and_ks_are_those_of_the_definitions():
    """For an exponential with the sample's mean: log L = -n (1 + log mean); D by hand from both sides of each step."""
    sample = np.array([1.0, 2.0, 3.0, 10.0])
    (found,) = fit([*sample, 0.0, -5.0, np.nan], ["expon"])
    assert found.parameters == pytest.approx({"scale": 4.0})
    assert found.log_likelihood == pytest.approx(-4 * (1 + np.log(4)))
    assert found.aic == pytest.approx(2 - 2 * found.log_likelihood)
    cdf = 1 - np.exp(-sample / 4)
    assert found.ks == pytest.approx(max(np.max(np.arange(1, 5) / 4 - cdf), np.max(cdf - np.arange(4) / 4)))
    assert (found.values, found.left_out) == (4, 3)


def test_a_large_sample_is_fitted_through_its_order_statistics():
    """Half a million values: likelihood and D are of all, the parameters as good."""
    sample = stats.lognorm(1.0, scale=60).rvs(500_000, random_state=np.random.default_rng(2))
    (found,) = fit(sample, ["lognorm"])
    assert found.values == 500_000
    assert found.parameters["s"] == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize(("sample", "candidates"), [([0, -1], ["expon"]), ([5, 5], ["expon"]), ([1, 2], ["poisson"])])
def test_what_cannot_be_fitted_is_refused(sample, candidates):
    """No positive values, one value, no continuous distribution."""
    with pytest.raises(ValueError, match=r"two distinct values|not a continuous"):
        fit(sample, candidates)


def line_log(pairs):
    """One user whose batches have these response times, and then these think times."""
    jobs, at = [], 0.0
    for response, think in pairs:
        jobs.append((1, at, at + response))
        at += response + think
    return log([*jobs, (1, at, at + 1)])


def test_think_time_is_a_line_of_response_time():
    """TT = 0.5 R + 100 s exactly; pairs beyond 8 h on either side are left out."""
    pairs = [(r, 0.5 * r + 100) for r in (10, 60, 600, 3600, 7200, 20_000)]
    far = [(9 * HOUR, 60), (60, 9 * HOUR)]
    found = fit_think_time(line_log([*pairs, *far]))
    assert (found.slope, found.intercept) == pytest.approx((0.5, 100))
    assert found.pairs == 6
    assert found.r_squared == pytest.approx(1)
    assert fit_think_time(line_log([*pairs, *far]), max=10 * HOUR).pairs == 8
    assert found.medians[0] == pytest.approx(105 + 25 / 2)  # R = 10 and 60 s


def test_too_few_pairs_are_no_line():
    """Three pairs are needed."""
    with pytest.raises(ValueError, match="three pairs"):
        fit_think_time(line_log([(10, 5), (20, 9)]))


def test_continuation_counts_batches_after_which_the_user_goes_on():
    """After 30 s all go on; after 90 s one of two; after 3 min none, one of them being the user's last batch."""
    pairs = [(30, 60), (30, 600), (90, 60), (90, 2000), (150, 5000)]
    found = continuation(delimit(line_log(pairs), "last"))
    by_class = dict(zip((found.centres / MINUTE).round(1).tolist(), found.shares.tolist(), strict=True))
    assert by_class == {0.5: pytest.approx(2 / 3), 1.4: 0.5, 2.8: 0.0}  # the last batch (1 s) stops
    assert found.batches.tolist() == [3, 2, 1]


def test_no_user_waited_for_what_the_next_batch_overlaps():
    """A job of ten hours runs on while the next session begins: it says nothing about going on."""
    found = continuation(delimit(log([(1, 0, 36_000), (1, 7200, 7230), (1, 7300, 7330)]), "arrival"))
    assert found.shares.tolist() == [0.5]
    assert found.batches.tolist() == [2]


def test_the_curve_is_found_again():
    """Users who go on with probability 0.8 / (0.05 R + 1): the parameters come back within 10 %."""
    rng = np.random.default_rng(4)
    response = np.exp(rng.uniform(np.log(20), np.log(40_000), 8000)).round()
    stays = rng.random(8000) < 0.8 / (0.05 * response / 60 + 1)
    found = continuation(delimit(line_log(zip(response, np.where(stays, 60, 7200), strict=True)), "last"))
    assert (found.level, found.decay) == pytest.approx((0.8, 0.05), rel=0.1)
