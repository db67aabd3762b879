"""How strongly fitted users react, where their hazards are made up and every factor can be found by hand."""

from dataclasses import replace

import numpy as np
import pytest

from thinktime.analysis.calibration.reactions import gain, reactions
from thinktime.workloads import Trace
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.effects import BLIND, ENDS, REACTING, SEEN
from thinktime.workloads.calibration.posterior import UserClass
from thinktime.workloads.calibration.tables import AGES, STATES
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.units import HOUR, MINUTE

EFFECTS = ("end", "response")
SURE = 1e-12
"""A variance of what is known."""
RESPONSES = SEEN["response"]


def log(users=(1, 2)):
    """Each of these users submits a job of 10 min every 2 h, which starts at once."""
    submit = np.repeat(2 * HOUR * np.arange(12), len(users))
    columns = {"submit": submit, "wait": 0 * submit, "runtime": 0 * submit + 10 * MINUTE}
    return Trace(columns | {"allocated": np.ones(len(submit), int), "user": np.tile(users, 12)})


def made_up(structure=REACTING, effects=EFFECTS):
    """A class whose hazard is 8 in the 4 min after an end, then 2, and a half while a batch is out (all times 1/h).

    After slow responses it is three times as high as otherwise, after fast ones twice.
    """
    end = np.full((STATES, ENDS), np.log(2.0))
    end[0, : int(np.searchsorted(AGES, 4 * MINUTE))] = np.log(8.0)
    end[1:] = np.log(0.5)
    response = np.zeros((structure.kinds, RESPONSES))
    response[:, 4], response[:, 1] = np.log(3.0), np.log(2.0)
    values = {"end": end, "response": response}
    flat = np.concatenate([[np.log(1 / HOUR)], *(values[name].ravel() for name in effects)])
    sizes = tuple(values[name].size for name in effects)
    return UserClass(
        structure=structure,
        effects=effects,
        sizes=sizes,
        values=flat,
        covariance=SURE * np.eye(len(flat)),
        levels=np.zeros((2, structure.kinds)),
        level_precision=np.full((2, structure.kinds), 1e12),
        across=np.zeros((len(flat), 2 * structure.kinds)),
        moved=np.zeros(len(flat)),
        levels_moved=np.zeros((2, structure.kinds)),
        level_prior=np.ones(structure.kinds),
        zero=np.zeros(sum(sizes), bool),
        expected=np.ones(sum(sizes)),
        prior=np.full(len(effects), 1e-9),
    )


def people(*classes, class_of=(0, 0), waits=((False, False), (False, False))):
    """Two users of these classes."""
    return Users(
        names=np.array([1, 2]),
        class_of=np.array(class_of),
        classes=classes,
        waits=np.array(waits),
        calendar=Calendar.of_log(log()),
        clockwork=np.zeros(2, bool),
        jobs=24,
        gaps=22,
        evidence={"blind": -110.0, "reacting": -66.0},
    )


def about(values):
    """These values, but for `SURE`."""
    return pytest.approx(values, rel=1e-4)


def test_factors_by_hand():
    """Ten minutes in which a batch is out, of which the first four would be those after an end; and two bins."""
    found = reactions(log(), people(made_up()), draws=3)
    assert found.outstanding == about([10 * 0.5 / (4 * 8 + 6 * 2)] * 3)
    assert found.after_end == about([8 / 0.5] * 3)
    assert found.by_response == about([3 / 2] * 3)
    assert np.isnan(found.by_slowdown.value)  # of which the class knows nothing
    assert (found.reacting_users, found.reacting_batches, found.waiting_users, found.reaction_gain) == (
        1.0,
        1.0,
        0.0,
        2.0,
    )


def test_users_who_wait_are_counted_and_left_out():
    """One of two waits: factors are those of the other, and none if both do, but for responses."""
    one = reactions(log(), people(made_up(), waits=((True, True), (False, False))), draws=3)
    assert one.waiting_users == 0.5 and one.outstanding == about([5 / 44] * 3)
    both = reactions(log(), people(made_up(), waits=((True, True),) * 2), draws=3)
    assert both.waiting_users == 1.0 and np.isnan(both.outstanding.value) and np.isnan(both.after_end.value)
    assert both.by_response == about([1.5] * 3)


def test_users_who_look_at_nothing_have_no_factors():
    """Shares are 0 if nobody looks, and halves if one of two does; the blind one has no part in the factors."""
    blind = made_up(BLIND, ())
    nobody = reactions(log(), people(blind), draws=3)
    assert (nobody.reacting_users, nobody.reacting_batches) == (0.0, 0.0)
    assert all(
        np.isnan(getattr(nobody, name).value) for name in ("outstanding", "after_end", "by_response", "by_slowdown")
    )
    half = reactions(log(), people(blind, made_up(), class_of=(0, 1)), draws=3)
    assert (half.reacting_users, half.reacting_batches) == (0.5, 0.5) and half.outstanding == pytest.approx(
        [5 / 44] * 3
    )


def test_intervals_are_those_of_the_posterior():
    """A log factor that is normal with an sd of 0.2 has the interval of its middle 80 %."""
    plain = made_up()
    slow = np.zeros(len(plain.values))
    slow[plain.places["response"]] = (np.arange(RESPONSES * REACTING.kinds) % RESPONSES) == 4
    found = reactions(
        log(),
        people(replace(plain, covariance=SURE * np.eye(len(slow)) + 0.04 * np.outer(slow, slow))),
        seed=3,
        draws=400,
    )
    expected = np.log(1.5) + 0.2 * 1.2816 * np.array([0.0, -1.0, 1.0])
    chance = 3.5 * 0.2 * np.sqrt(0.1 * 0.9 / 400) / 0.1755  # of a decile of 400 draws, with the density there
    assert np.log(found.by_response) == pytest.approx(expected, abs=chance)
    assert found.outstanding == about([5 / 44] * 3)  # does not depend on it


def test_the_same_seed_gives_the_same():
    """Draws depend on the seed alone."""
    sure = made_up()
    users = people(replace(sure, covariance=0.01 * np.eye(len(sure.values))))
    first, again, other = (reactions(log(), users, seed, draws=5) for seed in (1, 1, 2))
    assert repr(first) == repr(again) != repr(other)


def test_the_gain_is_that_of_the_best_model_that_reacts():
    """Over the model without; unknown if all users submit at equal intervals."""
    users = people(made_up())
    assert gain(replace(users, evidence={"blind": 1.0, "reacting": 5.0, "some of each": 7.5})) == 6.5
    assert np.isnan(gain(replace(users, evidence={"clockwork": 5.0})))
