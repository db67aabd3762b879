"""Logs in which nobody reacts: a fit says so.

What 60 logs of each kind showed is printed by ``pytest -s -m thorough tests/workloads/calibration/test_placebo.py``.
"""

import numpy as np
import pytest
from scipy import stats

import thinktime as tt
from tests.how_many import few_or_many
from tests.workloads.calibration.users_of_logs import by_the_clock, jobs, unseeing, waiting
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.effects import REACTING, SEEN
from thinktime.workloads.calibration.fit import Fitting
from thinktime.workloads.calibration.pieces import pieces_of
from thinktime.workloads.units import DAY, HOUR, MINUTE

CHANCE = 0.05
"""So often reactions may be found where there are none."""
SURE = stats.norm.ppf(1 - CHANCE / 2)


def tell(what, found):
    """Print in how many cases something was found, and assert that it may be chance, and in one alone was not."""
    print(f"{what}: {sum(found)} of {len(found)} ({np.mean(found):.1%})")
    assert sum(found) <= (stats.binom.ppf(0.99, len(found), CHANCE) if len(found) > 1 else 0)


@pytest.mark.parametrize("logs", few_or_many(1, 60))
def test_nobody_reacts(logs):
    """Reactions are found in no more logs than 5 % may have by chance."""
    found = [tt.calibrate(unseeing(seed, 6, 20), score=False).reacts.any() for seed in range(logs)]
    tell("users who draw their gaps, said to react", found)


@pytest.mark.parametrize("logs", few_or_many(1, 60))
def test_programs_do_not_react(logs):
    """Nor do programs that submit by the clock, as far as known: their jobs end before the next one comes."""
    found = [tt.calibrate(by_the_clock(seed, batches=30), score=False).reacts.any() for seed in range(logs)]
    tell("programs, said to react", found)


@pytest.mark.parametrize("logs", few_or_many(1, 60))
def test_other_ends(logs):
    """Users who wait are known; with the waits and run times of other jobs, the same submissions show no reaction."""
    found = []
    for seed in range(logs):
        log, place = waiting(seed), np.random.default_rng(seed).permutation(200)
        if seed < 10:
            assert tt.calibrate(log, score=False).reacts.all()
        other = log.with_columns(wait=log.wait[place], runtime=log.runtime[place])
        found.append(tt.calibrate(other, score=False).reacts.any())
    tell("users who wait, said to react to the ends of other jobs", found)


def apart(log, effect):
    """Of two values of an effect that are known best, if users might look: the difference over its standard error."""
    users = np.ones(len(np.unique(log.user)), bool)
    fitting = Fitting(pieces_of(log, Calendar.of_log(log)), len(users))
    found = fitting.fit(REACTING, ("age", "clock", effect), users).found
    place, size = found.places[effect], SEEN[effect]
    part = slice(place.start - 1, place.stop - 1)
    known = np.where(found.zero[part], 0.0, found.expected[part]).reshape(-1, size)
    block = int(np.sort(known)[:, -2].argmax())
    pair = place.start + block * size + np.argsort(-known[block])[:2]
    (one, both), (_, other) = found.covariance[np.ix_(pair, pair)]
    return float(np.diff(found.values[pair])[0] / np.sqrt(one + other - 2 * both))


@pytest.mark.parametrize("logs", few_or_many(1, 60))
def test_intervals_of_reactions_hold_0(logs):
    """Fitted with reactions all the same, 95 % intervals leave out 0 in 5 % of the logs, or less."""
    for effect in ("response", "slowdown", "queue"):
        sizes = np.abs([apart(unseeing(seed, 6, 20), effect) for seed in range(logs)])
        tell(f"95 % intervals of the effect of {effect} without 0", sizes > SURE)


def test_intervals_of_reactions_can_leave_out_0():
    """They do for users who stay away after long responses."""
    rng, shape = np.random.default_rng(0), (6, 40)
    runtime, wait = np.full(shape, 10 * MINUTE), np.where(rng.random(shape) < 0.5, 0.0, 2 * HOUR)
    think = np.ceil(rng.exponential(np.where(wait > 0, 2 * HOUR, 10 * MINUTE)))
    submit = np.hstack([np.zeros((6, 1)), np.cumsum(runtime + wait + think, axis=1)[:, :-1]])
    log = jobs(np.round(submit + rng.uniform(0.0, DAY, (6, 1))), wait, runtime, np.repeat(np.arange(6), 40), rng)
    assert abs(apart(log, "response")) > 2 * SURE
