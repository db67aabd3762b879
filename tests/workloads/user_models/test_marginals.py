"""Users as truncated distributions."""

import numpy as np
import pytest
from scipy import stats

from tests.workloads.user_models.logs import log
from thinktime.workloads.user_models import delimit, fit_marginals, fit_users
from thinktime.workloads.user_models.marginal_fits import ENOUGH


def fitted(jobs):
    """The distributions of each user of a log of (user, submit, end)."""
    trace = log(jobs)
    return fit_marginals(fit_users(trace, delimit(trace)))


def chain(user, runtimes, thinks, at=0.0):
    """Jobs that follow each other, each a think time after the end of the one before."""
    jobs = []
    for run, think in zip(runtimes, thinks, strict=True):
        jobs.append((user, at, at + run))
        at += run + think
    return jobs


def lognormal(count, scale, seed):
    """Whole seconds above 0."""
    return np.maximum(np.rint(stats.lognorm(1.0, scale=scale).rvs(count, random_state=seed)), 1)


@pytest.fixture(name="busy", scope="module")
def fit_busy():
    """A user of 300 jobs and their run times and think times, and the user's distributions."""
    runs, thinks = lognormal(300, 200, 1), lognormal(300, 100, 2).clip(max=3000)
    return runs, thinks[:-1], fitted(chain(1, runs, thinks))[0]


def test_what_is_drawn_follows_the_truncated_distribution(busy):
    """KS of 5,000 draws against (F(x) - F(low)) / (F(high) - F(low)), all within what was seen."""
    runs, thinks, of = busy
    for seen, marginal in ((runs, of.runtimes), (thinks, of.think_times)):
        assert not marginal.pooled
        drawn = marginal.draw(np.random.default_rng(3).random(5000))
        low, high = seen.min(), seen.max()
        assert drawn.min() >= low
        assert drawn.max() <= high
        cdf = marginal.above.fit.distribution.cdf
        begin, end = cdf(low), cdf(high)
        test = stats.kstest(drawn, lambda x, cdf=cdf, a=begin, b=end: (cdf(x) - a) / (b - a))
        assert test.pvalue > 0.01
        assert stats.kstest(drawn, 1.3 * drawn).pvalue < 0.001  # the test can fail
        assert stats.ks_2samp(drawn, seen).statistic < 0.08


def test_the_best_family_by_aic_is_taken(busy):
    """The best of the candidates of `fit` on the user's own values."""
    from thinktime.workloads.user_models import fit

    runs, _, of = busy
    assert of.runtimes.above.fit.aic == fit(runs)[0].aic


def test_zeros_come_as_often_as_in_the_log():
    """Of 40 batches 10 have a second job in the same second: gaps 0 with certainty, batch sizes 1 or 2."""
    jobs = []
    for day in range(40):
        at = 90_000.0 * day
        jobs += [(1, at, at + 60 + day)] * (2 if day % 4 == 0 else 1)
    (of,) = fitted(jobs)
    assert of.gaps.zeros == 1
    assert of.more_jobs.zeros == pytest.approx(0.75)
    drawn = of.more_jobs.draw(np.random.default_rng(1).random(4000))
    assert set(drawn) == {0.0, 1.0}
    assert drawn.mean() == pytest.approx(0.25, abs=0.03)


def test_batch_sizes_are_whole_and_of_the_right_mean():
    """Batches of 1 to some 20 jobs: drawn sizes are whole numbers of that range, their mean within 10 %."""
    more = np.random.default_rng(5).geometric(0.25, 400)
    jobs = [(1, 90_000.0 * day, 90_000.0 * day + 60) for day, n in enumerate(more) for _ in range(n + 1)]
    (of,) = fitted(jobs)
    drawn = of.more_jobs.draw(np.random.default_rng(1).random(20_000))
    assert np.array_equal(drawn, np.rint(drawn))
    assert (drawn.min(), drawn.max()) == (more.min(), more.max())
    assert drawn.mean() == pytest.approx(more.mean(), rel=0.1)


def test_who_did_little_takes_what_all_users_did(busy):
    """Users of one to three jobs have the shape of all users' run times and a mean of their own."""
    runs, thinks, alone = busy
    few = [chain(user, [50] * (user - 1), [60] * (user - 1)) for user in (2, 3, 4)]
    found = fitted([*chain(1, runs, [*thinks, 0]), *few[0], *few[1], *few[2]])
    assert found[0].runtimes.above.fit.parameters == alone.runtimes.above.fit.parameters
    for user in found[1:]:
        assert user.runtimes.pooled
        assert user.runtimes.above.fit is found[1].runtimes.above.fit
        assert user.runtimes.above.fit.values == len(runs) + 6
        drawn = user.runtimes.draw((np.arange(2000) + 0.5) / 2000)
        assert drawn.mean() == pytest.approx(50, rel=0.15)
        assert drawn.min() >= runs.min()
        assert drawn.max() <= runs.max()
    assert len(runs) >= ENOUGH


def test_a_log_of_one_job_is_a_constant():
    """There is nothing to fit to: the run time is what it was, no user thinks, and no session follows."""
    (of,) = fitted([(1, 0, 50)])
    half = np.array([0.5])
    assert of.runtimes.draw(half) == [50]
    assert of.think_times.draw(half) == [0]
    assert of.more_jobs.draw(half) == [0]
    assert of.breaks.draw(half) == [np.inf]
