"""Users who respond to prices and other signals: hand cases, closed forms, and what they see."""

from dataclasses import replace
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import thinktime as tt
from tests.users.behaviours.behaving import LONG, PLAIN, lost, one, several
from thinktime import HOUR, behaviours
from thinktime.users.behaviours.adapting import CONDITIONS
from thinktime.workloads.signals import Forecast, Signal

DEAR_HOUR = Signal([0, HOUR, 2 * HOUR], [4.0, 1.0, 2.0], "price", end=3 * HOUR)
"""An hour at 4, one at 1, one at 2, again and again; 7/3 on average."""
ALWAYS = behaviours.Dear(DEAR_HOUR, above=0.0)


def ones(*given, **more):
    return one(*given, **(PLAIN | {"campaigns": 1} | more))


def answers(result):
    return result.answers[["response", "wanted", "submitted", "delay"]].values.tolist()


def test_who_delays_waits_for_the_least_price_within_patience():
    """The job of 100 s comes at 0: within an hour the least price begins at the end of the hour."""
    delay = behaviours.Delay(behaviours.Dear(DEAR_HOUR, above=2.0), patience=HOUR)
    result = ones(delay)
    assert result["submit"].tolist() == [HOUR]
    assert answers(result) == [["delayed", 4 * 100 / 3600, 4 * 100 / 3600, HOUR]] and not lost(result)
    # With less patience, all times cost the same, and the first one counts.
    assert ones(behaviours.Delay(behaviours.Dear(DEAR_HOUR, above=2.0), patience=HOUR - 101))["submit"].tolist() == [0]


@settings(max_examples=20)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=6), st.integers(0, 5), st.integers(1, 4), st.integers(0, 9))
def test_the_best_time_is_that_of_an_exhaustive_search(values, time, length, patience):
    """No second within the patience costs less than the time that is found, and none before it as little."""

    class Watcher:
        considered = (tt.Job(runtime=length),)

    signal = Signal(np.arange(0, 2 * len(values), 2), values)
    costs = [signal.mean(each, each + length) for each in range(time, time + patience + 1)]
    best = behaviours.Shown(signal).best(Watcher(), float(time), float(patience))
    assert best == time + int(np.argmin(np.round(costs, 9)))


def test_who_reshapes_goes_by_the_speed_up():
    """4 processors become 2: twice as long without a serial part; with 1/5, 0.6 to 0.4 is 1.5 times as long."""
    plain, serial = (ones(behaviours.Reshape(ALWAYS, serial=each)) for each in (0.0, 0.2))
    assert (plain["processors"].tolist(), plain["runtime"].tolist()) == ([2], [200])
    assert (serial["processors"].tolist(), serial["runtime"].tolist()) == ([2], [150])
    assert not lost(serial) and answers(serial) == [["reshaped", 400 / 3600, 300 / 3600, 0]]


def test_who_degrades_computes_a_part():
    """A quarter of the work on the same processors; the rest is lost, and no saving."""
    result = ones(behaviours.Degrade(ALWAYS, work=0.25))
    assert (result["processors"].tolist(), result["runtime"].tolist()) == ([4], [25])
    assert [row[1:] for row in lost(result)] == [["degrade", 0, 300 / 3600]]
    assert answers(result) == [["degraded", 400 / 3600, 100 / 3600, 0]]


def test_who_renounces_loses_the_job():
    """The job is lost once, and among the responses."""
    result = ones(behaviours.Renounce(ALWAYS))
    assert len(result) == 0 and [row[1:] for row in lost(result)] == [["renounce", 1, 400 / 3600]]
    assert answers(result) == [["renounced", 400 / 3600, 0, 0]]


def test_who_leaves_comes_back_in_the_next_session():
    """After 1000 s, or at nine on the next working day (Monday is day 0); once, though the price is as high then."""
    assert ones(behaviours.SeeYouLater(ALWAYS, away=1000))["submit"].tolist() == [1000]
    assert ones(behaviours.SeeYouLater(ALWAYS, away=1000, times=2))["submit"].tolist() == [2000]
    morning = ones(behaviours.SeeYouLater(ALWAYS, late=60))
    assert morning["submit"].tolist() == [9 * HOUR + 60]
    assert answers(morning)[0][0] == "delayed"


def test_who_shifts_goes_to_another_queue():
    """While it is dear, to the queue of the night."""
    result = ones(behaviours.Shift(behaviours.Dear(DEAR_HOUR, above=2.0), queue="night"), campaigns=2, think_time=HOUR)
    assert result["queue"].tolist() == [0, -1] and result.names["queue"] == ["night"] and not lost(result)
    assert answers(result) == [["shifted", 400 / 3600, 400 / 3600, 0]]
    with pytest.raises(ValueError, match="give a queue or a partition"):
        behaviours.Shift(ALWAYS)


def test_who_sleeps_on_it_saves_the_rest_or_waits():
    """Ten jobs of 1 processor-hour, a budget of 4 a day: 3 at once, the last 2 h before midnight, and so on."""
    hourly = {"runtime": HOUR, "processors": 1, "think_time": 0, "campaigns": 10}
    saving = ones(behaviours.SleepOnIt(budget=4, period=tt.DAY, low=0.25, before=2 * HOUR), **hourly)
    assert (saving["submit"] / HOUR).tolist() == [0, 1, 2, 22, 24, 25, 26, 46, 48, 49]
    waiting = ones(behaviours.SleepOnIt(budget=4, period=tt.DAY, low=0.25, before=0), **hourly)
    assert (waiting["submit"] / HOUR).tolist() == [0, 1, 2, 24, 25, 26, 48, 49, 50, 72]
    poor = ones(behaviours.SleepOnIt(budget=0.5, period=tt.DAY), **(hourly | {"campaigns": 3}))
    assert (poor["submit"] / HOUR).tolist() == [24, 48, 72]  # each costs more than there ever is


def test_who_rushes_comes_back_sooner():
    """With less than half of 4 processor-hours left, the hour of thinking is half as long; in the next day not."""
    hourly = {"runtime": HOUR, "processors": 1, "think_time": HOUR, "campaigns": 5}
    rushing = ones(behaviours.Rush(budget=4, period=tt.DAY, low=0.5), **hourly)
    assert (rushing["submit"] / HOUR).tolist() == [0, 2, 4, 5.5, 7.5]


def test_what_users_see():
    """The price now, its mean over the job, the mean from the predicted start on, and what the last campaign paid."""
    seen = {}

    class Look(behaviours.Behaviour):
        def adapt(self, user, job):
            for name in ("nothing", "price", "forecast", "start", "charge"):
                seen.setdefault(name, []).append(behaviours.Shown(DEAR_HOUR, sees=name).price(user))
            return job

    one(Look(), before=[LONG], **(PLAIN | {"campaigns": 2, "runtime": 2 * HOUR, "first": 10}))
    # The first comes at 10 s and starts at 5000 s: 2200 s at 1, 3600 s at 2, 1400 s at 4.
    first, at_once = (2200 + 2 * 3600 + 4 * 1400) / 7200, (3590 * 4 + 3600 + 10 * 2) / 7200
    assert [seen[name][0] for name in seen] == pytest.approx([None, 4, at_once, first, None])
    assert seen["charge"][1] == pytest.approx(first) and seen["price"][1] == 4.0
    with pytest.raises(ValueError, match="a user cannot see 'prices'"):
        behaviours.Shown(DEAR_HOUR, sees="prices")


@pytest.mark.parametrize("elasticity", [0.5, 1.0])
def test_elastic_users_submit_a_poisson_rate_times_a_power_of_the_price(elasticity):
    """At p = 1 they submit at rate 1, at p = 4 at rate 4^-e, within four standard errors; at p < 1 no more."""
    rate, jobs = 1 / 120.0, 2000
    signal = Signal([0, tt.DAY, 2 * tt.DAY], [1.0, 4.0, 0.5], "price", end=3 * tt.DAY)
    submit = np.cumsum(np.round(np.random.default_rng(7).exponential(1 / rate, jobs)))
    log = tt.Trace(
        {"submit": submit, "runtime": np.ones(jobs), "allocated": np.ones(jobs), "user": np.arange(jobs) % 9}
    )
    elastic = behaviours.Renounce(behaviours.Elastic(signal, elasticity, reference=1.0))
    result = tt.run(tt.MachineSpec(10_000), tt.sources.log(log).with_responses(elastic))
    came, price = result["state"] == tt.State.FINISHED, np.array([signal.at(t) for t in submit.tolist()])
    assert came[price <= 1].all() and (price > 1).any()
    count, expected = came[price == 4].sum(), rate * 4**-elasticity * tt.DAY
    assert abs(count - expected) < 4 * np.sqrt(expected)


def test_users_of_a_profile_are_elastic_as_well():
    """The share of jobs that a live user submits is (4/2)^-1, within four standard errors."""
    elastic = behaviours.Renounce(behaviours.Elastic(Signal([0], [4.0], "price"), 1.0, reference=2.0))
    result = ones(elastic, campaigns=600)
    assert abs(len(result) - 300) < 4 * np.sqrt(600 / 4)


def test_a_logit_chooses_by_utilities():
    """As it is costs 4, the queue at half the price 2: with money = 1, it is chosen with probability 1/(1 + e^-2)."""
    logit = behaviours.Logit(behaviours.Shown(Signal([0], [4.0], "price")), queues={"night": 0.5})
    result = ones(logit, campaigns=600, runtime=HOUR, processors=1)
    share = (result.jobs["queue"] == "night").mean()
    expected = 1 / (1 + exp(-2))
    assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / 600)


def test_a_logit_weighs_cost_time_and_loss():
    """The utilities of all alternatives of one job of 4 processors and 100 s, by hand."""
    shown = behaviours.Shown(DEAR_HOUR, sees="forecast")
    logit = behaviours.Logit(
        shown, money=2.0, hour=0.5, worth=3.0, delay=HOUR, reshape=0.5, degrade=0.5, renounce=True, queues={"q": 0.1}
    )
    found = {}

    class Look(behaviours.Behaviour):
        def postpone(self, user, time):
            found.update({each.response: logit.utility(user, time, each) for each in logit.alternatives(user, time)})
            return time

    ones(Look())
    work, wait = 400 / 3600, 100 / 3600
    assert found == pytest.approx({
        "": -2 * 4 * work - 0.5 * wait,
        "delayed": -2 * 1 * work - 0.5 * (1 + wait),
        "reshaped": -2 * 4 * work - 0.5 * 2 * wait,
        "degraded": -2 * 4 * work / 2 - 0.5 * wait / 2 - 3 * work / 2,
        "renounced": -3 * work,
        "shifted": -2 * 0.4 * work - 0.5 * wait,
    })  # fmt: skip


def test_a_price_per_energy_is_of_energy():
    """A processor of 500 W for an hour is 0.5 kWh, 0.0005 MWh; of a tariff, or of unknown power, it is 1 hour."""
    found = []

    class Look(behaviours.Behaviour):
        def adapt(self, user, job):
            for unit in ("EUR/MWh", "points"):
                price = behaviours.Shown(Signal([0], [80.0], "price", unit))
                found.append(price.amount(user, replace(job, power=500.0), 1.0))
            found.append(price.amount(user, job, 1.0))
            return job

    ones(Look(), processors=1)
    assert found == [0.0005, 1.0, 1.0]


KINDS = {
    "delay": behaviours.Delay(behaviours.Elastic(DEAR_HOUR, 2.0)),
    "degrade": behaviours.Degrade(behaviours.Elastic(DEAR_HOUR, 2.0), work=0.3),
    "reshape": behaviours.Reshape(behaviours.Elastic(DEAR_HOUR, 2.0), serial=0.1),
    "renounce": behaviours.Renounce(behaviours.Elastic(DEAR_HOUR, 2.0)),
    "shift": behaviours.Shift(behaviours.Elastic(DEAR_HOUR, 2.0), queue="night"),
    "later": behaviours.SeeYouLater(behaviours.Elastic(DEAR_HOUR, 2.0), away=stats.expon(scale=HOUR)),
    "logit": behaviours.Logit(behaviours.Shown(DEAR_HOUR), delay=HOUR, reshape=0.5, degrade=0.5, renounce=True),
    "sleep": behaviours.SleepOnIt(budget=20, period=6 * HOUR, before=HOUR),
}


@settings(max_examples=8)
@given(st.lists(st.sampled_from(sorted(KINDS)), unique=True, min_size=1, max_size=4), st.integers(0, 1000))
def test_what_is_counted_adds_up(names, seed):
    """Wanted = submitted + renounced + degraded parts + what reshaping saves, in jobs and in processor-hours."""
    result, book = several(*(KINDS[name] for name in names), users=3, until=tt.DAY / 2, seed=seed)
    wanted = [entry for entries in book.values() for entry in entries]
    hours = sum(processors * runtime for _, runtime, processors, _ in wanted) / HOUR
    found = result.answers
    submitted = (result["processors"] * result["runtime"]).sum() / HOUR
    assert submitted + (found["wanted"] - found["submitted"]).sum() == pytest.approx(hours, rel=1e-9)
    assert len(result) + (found["response"] == "renounced").sum() == len(wanted)
    by_loss = found["response"].isin(["degraded", "renounced"])
    gap = (found["wanted"] - found["submitted"])[by_loss].sum()
    assert result.summary()["lost_node_hours"] == pytest.approx(gap, abs=1e-9)


@pytest.mark.parametrize("respond", [behaviours.Delay, behaviours.Renounce, behaviours.Reshape, behaviours.SeeYouLater])
def test_without_the_incentive_every_bit_is_the_same(respond):
    """Where the price never rises above its reference, users do what those do who know nothing of it."""
    free = behaviours.Elastic(Signal([0], [1.0], "price"), reference=1.0)
    plain, asked = (one(*given, campaigns=30) for given in ((), (respond(free),)))
    for column in plain.columns:
        assert plain[column].tobytes() == asked[column].tobytes(), column


def test_a_table_says_what_is_shown():
    """In files, a condition is a table; what is wrong in it is said."""
    read, table = CONDITIONS, {"times": [0, 3600], "values": [1, 2], "kind": "persistence"}
    assert read["dear"]({"signal": table, "above": 1}).signal.kind == "persistence"
    assert read["dear"]({"signal": "price"}).signal == "price"
    for wrong, said in (
        ({"signal": table, "elasticity": "much"}, "elasticity must be a number"),
        ({"signal": {"steps": [0]}}, "must be a table of times, values"),
        ({"elasticity": 1}, "needs signal"),
        ({"signal": table, "reference": 0}, "reference must be a number above 0"),
    ):
        with pytest.raises(ValueError, match=said):
            read["elastic"](wrong)
    with pytest.raises(ValueError, match="the machine has no signal 'price'; it has none"):
        ones(behaviours.Renounce(behaviours.Dear("price")))


def test_users_see_what_is_foretold():
    """On the second day it is cheap from its sixth hour on; by the persistence of yesterday, in its second."""
    signal = Signal(np.array([0, 1, 2, 24, 25, 30]) * HOUR, [4.0, 1.0, 4.0, 5.0, 4.0, 1.0], "price", end=48 * HOUR)
    for kind, hour in ("perfect", 30), ("persistence", 25):
        delay = behaviours.Delay(behaviours.Dear(Forecast(signal, kind), above=2.0))
        assert ones(delay, first=tt.DAY)["submit"].tolist() == [hour * HOUR]
