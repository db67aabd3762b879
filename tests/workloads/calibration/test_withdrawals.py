"""The hazard that a waiting job is taken back: its integral, when it is reached, and what a fit finds of it."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

import thinktime as tt
from thinktime.workloads.calibration.tables import AGES
from thinktime.workloads.calibration.withdrawals import FEWEST, Withdrawals, fit_withdrawals
from thinktime.workloads.units import HOUR, MINUTE

BINS = np.linspace(-9.0, -7.0, len(AGES))
MADE = Withdrawals(BINS, np.array([0.0, 1.0, -1.0]), 50)


def log_of(patience, seed=0, users=3):
    """A log in which jobs wait for as long as they are drawn to, or until they are taken back."""
    rng, jobs = np.random.default_rng(seed), len(patience)
    would = np.ceil(rng.exponential(HOUR, jobs))
    gone = patience < would
    columns = {
        "id": np.arange(1, jobs + 1), "submit": 100.0 * np.arange(jobs), "wait": np.where(gone, patience, would),
        "runtime": np.where(gone, 0.0, 300.0), "status": np.where(gone, 5, 1), "user": np.arange(jobs) % users,
        "allocated": np.ones(jobs, int), "requested_time": np.full(jobs, 600.0),
    }  # fmt: skip
    return tt.Trace(columns)


def hazard(user, time):
    """By its definition."""
    return np.exp(MADE.level[user] + BINS[np.searchsorted(AGES, time, "right") - 1])


def integral(user, wait):
    """By quadrature, from border to border."""
    borders = [*AGES[wait > AGES].tolist(), wait]
    return sum(integrate.quad(lambda time: hazard(user, time), *pair)[0] for pair in pairwise(borders))


def test_patience_is_where_the_integral_reaches_the_luck():
    """A job's luck is exponential with mean 1, beyond the integral of what it has waited."""
    log = log_of(np.full(600, np.inf))
    owner = log.user
    for kept in (True, False):
        patience = MADE.patience(log, owner, 4, kept)
        assert (patience * 1024 == np.round(patience * 1024)).all()
        luck = [
            integral(user, time) - (integral(user, wait) if kept else 0.0)
            for user, time, wait in zip(
                owner[:300].tolist(), patience[:300].tolist(), log.wait[:300].tolist(), strict=True
            )
        ]
        assert stats.kstest(luck, "expon").pvalue > 1e-3
        assert stats.kstest(np.multiply(luck, 1.3), "expon").pvalue < 1e-3  # so it would be seen
    assert (MADE.patience(log, owner, 4) > log.wait).all()
    assert (MADE.patience(log, owner, 4) == MADE.patience(log, owner, 4)).all()
    assert (MADE.patience(log, owner, 5) != MADE.patience(log, owner, 4)).all()


def test_who_was_taken_back_is_so_again():
    """After the same wait; the others have more patience than they needed."""
    log = log_of(np.where(np.arange(200) % 4 == 0, 777.0, np.inf))
    assert log.withdrawn.sum() > 20
    patience = MADE.patience(log, log.user, 1)
    assert (patience[log.withdrawn] == log.wait[log.withdrawn]).all()
    assert (patience[~log.withdrawn] >= log.wait[~log.withdrawn] + 1.0).all()


def test_hazards_of_0():
    """From 64 min on nobody is taken back, and who has waited for so long never is."""
    bins = np.where(AGES >= 64 * MINUTE, -np.inf, -9.0)
    log = log_of(np.full(900, np.inf), seed=2)
    patience = Withdrawals(bins, np.zeros(3), 50).patience(log, log.user, 1)
    assert not np.isnan(patience).any()
    assert np.isinf(patience[log.wait >= 64 * MINUTE]).all() and (log.wait >= 64 * MINUTE).any()
    share = np.isinf(patience[log.wait < 60.0]).mean()
    assert share == pytest.approx(np.exp(-64 * MINUTE * np.exp(-9.0)), abs=0.15)
    assert (patience[np.isfinite(patience)] <= np.maximum(64 * MINUTE, log.wait[np.isfinite(patience)] + 1.0)).all()


def test_the_fit_finds_the_hazard():
    """The rate of some 2,000 withdrawals within four standard errors, by the time waited; and users' levels."""
    rng = np.random.default_rng(3)
    rate = 1 / (2 * HOUR) * np.array([1.0, 3.0, 1.0])
    log = log_of(np.ceil(rng.exponential(1 / rate[np.arange(6000) % 3])))
    found = fit_withdrawals(log, 3)
    assert found.withdrawn == log.withdrawn.sum() > 1500
    rates = np.exp(found.level[:, None] + found.waited)
    known = (AGES >= 2 * MINUTE) & (AGES < 2 * HOUR)
    assert rates[:, known].mean(axis=1) == pytest.approx(rate, rel=0.12)
    spread = np.log(rates[:, known]) - np.log(rate)[:, None]
    assert np.abs(spread).max() < 0.4


def test_hardly_any_withdrawals():
    """They are no hazard."""
    few = np.where(np.arange(100) < FEWEST - 1, 1.0, np.inf)
    assert fit_withdrawals(log_of(few), 3) is None
    assert fit_withdrawals(log_of(np.where(np.arange(100) < FEWEST, 1.0, np.inf)), 3).withdrawn == FEWEST


def test_the_log_comes_back():
    """Under the recorded schedule: submissions, and who is taken back when."""
    rng = np.random.default_rng(4)
    log = log_of(np.ceil(rng.exponential(2 * HOUR, 200)))
    users = tt.calibrate(log, score=False)
    assert users.withdrawals.withdrawn == log.withdrawn.sum() > 30
    result = tt.run(tt.MachineSpec(500, policy="recorded"), tt.sources.calibrated(log, users))
    assert result["submit"].tolist() == log.submit.tolist()
    gone = result["state"] == tt.State.WITHDRAWN
    assert gone.tolist() == log.withdrawn.tolist()
    assert (result["end"] - result["submit"])[gone].tolist() == log.wait[gone].tolist()


def test_what_a_fit_does_not_depend_on():
    """Jobs that are the same in another order of users' numbers have the same hazard."""
    rng = np.random.default_rng(5)
    log = log_of(np.ceil(rng.exponential(HOUR, 900)))
    one, other = fit_withdrawals(log, 3), fit_withdrawals(log.with_columns(user=2 - log.user), 3)
    assert other.level[::-1] == pytest.approx(one.level, abs=1e-6)
    assert replace(other, level=one.level).waited == pytest.approx(one.waited, abs=1e-6)
