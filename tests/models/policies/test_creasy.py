"""CREASY: criticality is the slope of the continuation curve; the order is alpha times it plus the wait."""

import numpy as np
import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from thinktime.models.policies.creasy import Creasy, criticality
from thinktime.policies import from_spec


@given(st.floats(0, 1e6), st.floats(0.01, 1), st.floats(0, 2))
def test_criticality_is_the_slope_of_the_probability_to_stay(response, level, decay):
    """Criticality is |dP/dr| by central differences, with r in minutes."""
    r, h = response / 60, 1e-4
    p = [level / (decay * x + 1) for x in (r - h, r + h)]
    assert criticality(response, level, decay) == pytest.approx((p[0] - p[1]) / (2 * h), rel=1e-3, abs=1e-7)


def test_the_specified_numbers():
    """Criticality is 0.04 at once, 0.01 after 20 minutes and 0.0025 after an hour."""
    assert criticality(np.array([0.0, 1200.0, 3600.0])) == pytest.approx([0.04, 0.01, 0.0025])


def machine_of(jobs, policy, processors=2):
    """Start times of jobs (submit, processors, run time), by their order, under one policy."""
    submit, width, runtime = np.array(jobs, float).T
    trace = tt.Trace(
        {"submit": submit, "requested_processors": width.astype(int), "runtime": runtime, "requested_time": runtime}
    )
    return tt.replay(trace, policy, processors)["start"].tolist()


# A job of the whole machine, then a long one and a short one that wait behind it.
QUEUE = [(0, 2, 1000), (10, 2, 7200), (20, 2, 60)]


def test_the_short_job_goes_first_by_hand():
    """At t = 1000 the short job goes first, as worked out by hand."""
    priorities = [
        900_000 * 0.04 / (0.05 * (wait + estimate) / 60 + 1) ** 2 + wait for wait, estimate in [(990, 7200), (980, 60)]
    ]
    assert priorities[1] > priorities[0]
    assert machine_of(QUEUE, "creasy") == [0, 1060, 1000]


def test_a_small_alpha_leaves_the_order_of_arrival():
    """With a small alpha the order is that of arrival."""
    assert machine_of(QUEUE, "creasy:alpha=500") == [0, 1000, 8200]


def test_alpha_nought_and_decay_nought_are_easy():
    """Without criticality CREASY is EASY."""
    rng = np.random.default_rng(4)
    jobs = np.column_stack([np.cumsum(rng.integers(0, 300, 400)), rng.integers(1, 9, 400), rng.integers(1, 3000, 400)])
    easy = machine_of(jobs, "easy", 8)
    assert machine_of(jobs, "creasy:alpha=0", 8) == easy
    assert machine_of(jobs, "creasy:decay=0", 8) == easy
    assert machine_of(jobs, "creasy", 8) != easy


def test_no_job_starves():
    """A long job starts once its wait outweighs the criticality of shorter ones."""
    jobs = [(0, 1, 600), (1, 1, 36_000)] + [(2 + 300 * k, 1, 300) for k in range(400)]
    start = machine_of(jobs, "creasy", 1)[1]
    assert 5_000 < start < 36_000  # the most that criticality can weigh is 900,000 * 0.04 s, ten hours
    starving = machine_of(jobs, "easy:order=sjf", 1)[1]
    assert starving > 120_000


def test_it_is_easy_with_this_order():
    """The same key given to EASY as an order of one's own gives the same schedule, reservations included."""

    def key(jobs, now):
        wait = now - jobs.submit
        return -(900_000 * 0.04 / (0.05 * (wait + jobs.estimate) / 60 + 1) ** 2 + wait)

    rng = np.random.default_rng(8)
    jobs = np.column_stack([np.cumsum(rng.integers(0, 500, 500)), rng.integers(1, 9, 500), rng.integers(1, 3000, 500)])
    order = tt.policies.vector(key)
    assert machine_of(jobs, "creasy", 8) == machine_of(jobs, tt.policies.Easy(order=order), 8)
    two = tt.policies.Easy(order=order, reservations=2)
    assert machine_of(jobs, "creasy:reservations=2", 8) == machine_of(jobs, two, 8)


def test_the_name_says_every_number():
    """Text and policy are each other's inverse; a copy keeps its numbers."""
    policy = from_spec("creasy:alpha=1000,level=0.5,decay=0.1,reservations=2")
    assert str(policy) == "creasy:alpha=1000.0,level=0.5,decay=0.1,reservations=2"
    assert str(from_spec(str(policy)).copy()) == str(policy)
    machine = tt.Machine(simpy.Environment(), 4, policy)
    assert machine.policy is not policy and machine.policy.alpha == 1000


@pytest.mark.parametrize("wrong", [{"alpha": -1}, {"level": 1.5}, {"decay": float("nan")}, {"alpha": "much"}])
def test_numbers_that_make_no_sense_are_refused(wrong):
    """The error names the number and what it may be."""
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} is .*, but must be a number from"):
        Creasy(**wrong)
