"""Draws of hazards as they may be as well: levels of users with few submissions, and priors."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats

import thinktime as tt
from tests.workloads.calibration.users_of_logs import waiting
from thinktime.workloads.calibration.effects import BLIND
from thinktime.workloads.calibration.fitted import LARGEST
from thinktime.workloads.calibration.posterior import UserClass

EVENTS = np.array([0.0, 1.0, 4.0, 60.0])
"""Submissions of each user, where the mean is known and as many are expected as the prior says, times this:"""
EXPOSED = np.array([2.0, 0.3, 9.0, 20.0])
PRIOR = 1.5


def level_density(events, exposed):
    """Of the level of a user, by its definition, as a distribution function."""
    level = np.linspace(-9.0, 5.0, 20_001)
    log = events * level - exposed * np.exp(level) - PRIOR * level**2 / 2
    below = integrate.cumulative_trapezoid(np.exp(log - log.max()), level, initial=0.0)
    return lambda at: np.interp(at, level, below / below[-1])


def users(known=True):
    """A class of users who are alike in each kind of regimes, without effects, with a mean that is known or not."""
    levels = np.zeros(len(EVENTS))
    for _ in range(60):
        there = EXPOSED * np.exp(levels)
        levels += np.clip((EVENTS - there - PRIOR * levels) / (there + PRIOR), -1.0, 1.0)
    spent = EXPOSED * np.exp(levels)
    shape = len(EVENTS), BLIND.kinds
    own = np.repeat(spent + PRIOR, BLIND.kinds).reshape(shape)
    certain = 1e10 if known else BLIND.kinds * float(np.sum(spent * PRIOR / (spent + PRIOR)))
    return UserClass(
        structure=BLIND, effects=(), sizes=(), values=np.zeros(1), covariance=np.ones((1, 1)) / certain,
        levels=np.repeat(levels, BLIND.kinds).reshape(shape), level_precision=own,
        across=np.repeat(spent, BLIND.kinds)[None], moved=np.zeros(1),
        levels_moved=-(own - PRIOR) / own**2 / 2, level_prior=np.full(BLIND.kinds, PRIOR),
        zero=np.zeros(0, bool), expected=np.zeros(0), prior=np.zeros(0),
    )  # fmt: skip


def test_levels_are_drawn_from_their_density(monkeypatch):
    """That of a user with no submission, too, from which a normal distribution would be seen to differ."""
    made = users()
    monkeypatch.setattr(UserClass, "_priors", lambda own, _: (np.empty(0), own.level_prior))
    rng = np.random.default_rng(0)
    drawn = np.concatenate([made.drawn(rng)[1] for _ in range(600)], axis=1)
    for user in range(len(EVENTS)):
        distribution = level_density(EVENTS[user], EXPOSED[user])
        assert stats.kstest(drawn[user], distribution).pvalue > 1e-3
        normal = made.levels[user, 0] + rng.standard_normal(drawn.shape[1]) / np.sqrt(made.level_precision[user, 0])
        assert user > 0 or stats.kstest(normal, distribution).pvalue < 1e-2


def test_uncertain_values_move_levels():
    """Where the mean is drawn higher, levels are lower: the rate of a user of many submissions is hardly moved."""
    made, rng = users(known=False), np.random.default_rng(1)
    draws = [made.drawn(rng) for _ in range(400)]
    mean, level = np.array([each[0][0] for each in draws]), np.array([each[1][3, 0] for each in draws])
    assert np.corrcoef(mean, level)[0, 1] < -0.7
    assert (mean + level).std() < 0.7 * mean.std()
    rate = np.exp(mean + level) * EXPOSED[3]
    assert rate.mean() == pytest.approx(EVENTS[3], rel=0.1)


def test_priors_are_as_uncertain_as_they_are_told():
    """Few levels that are free tell little of their variance, many more of it."""
    one = users()
    many = replace(one, **{
        name: np.tile(getattr(one, name), (50, 1)) for name in ("levels", "level_precision", "levels_moved")
    }, across=np.tile(one.across, (1, 50)))  # fmt: skip
    rng = np.random.default_rng(2)
    few, lots = (np.log([each._priors(rng)[1] / PRIOR for _ in range(300)]).std() for each in (one, many))
    assert 3 * lots < few < 1.0
    assert lots == pytest.approx(np.sqrt(2 / (1 + many._free_levels[0])), rel=0.2)


def test_levels_of_which_a_log_says_nothing():
    """Hardly bound by a prior either, they are drawn far apart; a replay takes all draws, with the largest at once."""
    log = waiting(1, users=3, batches=12)
    found = tt.calibrate(log, score=False)
    loose = [replace(each, level_prior=1e-6 * each.level_prior, levels=0.0 * each.levels) for each in found.classes]
    loose = [replace(each, level_precision=np.broadcast_to(each.level_prior, each.levels.shape)) for each in loose]
    loose = [replace(each, levels_moved=0.0 * each.levels, across=0.0 * each.across) for each in loose]
    drawn = [replace(found, classes=tuple(loose)).of(log, seed) for seed in range(9)]
    assert max(each.level.max() for each in drawn) == LARGEST
    for each in drawn:
        each.check(log)
