"""Fair start times by four definitions: hand examples, brute force, invariants."""

from fractions import Fraction

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.cplant import twin
from tests.models.policies.cplant.twin import Decay, Starvation, Users
from tests.models.policies.cplant.workloads import OVERRUNS, PROCESSORS, as_trace, fairshare_text, users, workloads
from tests.models.twin.reference import Simulation, simulate
from tests.models.twin.reference_rules import ORDERS
from thinktime.analysis.fairness import (
    cons_p,
    hybrid_fst,
    jain,
    miss_times,
    no_later_arrivals,
    resource_equality,
    standard_deviation,
    unfairness,
)
from thinktime.models.policies import fairshare, from_spec
from thinktime.models.results import measures

SOME = ("fcfs", "easy", "cplant24.nomax.fair:starve=5s", "cons.nomax", "consdyn.nomax")


def by_id(result, values):
    """Values by job number, without those that are missing."""
    pairs = zip(result["id"].tolist(), values.tolist(), strict=True)
    return {number: value for number, value in pairs if value == value}


def schedule_of(columns, processors):
    """A schedule that is given."""
    return tt.Result.from_columns(columns, processors)


# -- the hybrid fair start time -----------------------------------------------------------------------------


def test_the_hand_example_of_the_list_scheduler():
    """Three jobs behind two running ones have fair starts of 10, 10 and 15, worked out by hand.

    The hole before a may not be used by b. (Here all is one second later, so that the running jobs run.)
    """
    result = schedule_of(
        {
            "submit": [0, 0, 1, 1, 1],
            "start": [0, 0, 30, 40, 50],
            "end": [11, 5, 35, 43, 52],
            "processors": [2, 1, 3, 1, 2],
        },
        4,
    )
    assert hybrid_fst(result, "fcfs").tolist()[2:] == [11, 11, 16]


@settings(max_examples=200, deadline=None)
@given(st.data(), workloads(), st.sampled_from(SOME), st.sampled_from(OVERRUNS))
def test_the_hybrid_is_brute_forces(data, workload, policy, overrun):
    """The hybrid fair start is that of one completion time per node and usage by the second."""
    jobs, owner = workload
    them = data.draw(users(owner))
    result = tt.replay(as_trace(jobs, owner), policy, PROCESSORS, overrun=overrun)
    order = from_spec(f"none:order=fairshare,{fairshare_text(them)}").order
    columns = zip(result["id"].tolist(), result["start"].tolist(), result["end"].tolist(), strict=True)
    outcomes = {number: twin.RefOutcome(start, end, "finished") for number, start, end in columns}
    assert by_id(result, hybrid_fst(result, order)) == twin.hybrid(jobs, outcomes, PROCESSORS, them, overrun)


@settings(max_examples=60, deadline=None)
@given(workloads(), st.sampled_from(["fcfs", "sjf", "lxf"]))
def test_the_hybrid_takes_any_order(workload, order):
    """The hybrid fair start sorts by the keys of any order."""
    jobs, owner = workload
    result = tt.replay(as_trace(jobs, owner), "easy", PROCESSORS)
    key = {
        "fcfs": lambda job, now: 0,
        "sjf": lambda job, now: job.estimate,
        "lxf": lambda job, now: -((now - job.submit + job.estimate) / job.estimate),
    }[order]

    class ByKey(Users):
        def priority(self, runs, user, now):
            return key(self.jobs[user], now)

    them = ByKey({job.id: job.id for job in jobs})  # each is a user
    them.jobs = {job.id: job for job in jobs}
    columns = zip(result["id"].tolist(), result["start"].tolist(), result["end"].tolist(), strict=True)
    outcomes = {number: twin.RefOutcome(start, end, "finished") for number, start, end in columns}
    assert by_id(result, hybrid_fst(result, order)) == twin.hybrid(jobs, outcomes, PROCESSORS, them, "kill")


def test_withdrawn_and_refused_jobs():
    """A withdrawn job counts while it waits, and a refused one neither counts nor has a fair start."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "fcfs")

    def story():
        machine.submit(tt.Job(id=1, user="a", processors=4, runtime=10))
        second = machine.submit(tt.Job(id=2, user="b", processors=4, runtime=100))
        yield env.timeout(1)
        machine.submit(tt.Job(id=3, user="c", processors=4, runtime=10))
        yield env.timeout(1)
        second.cancel()
        machine.submit(tt.Job(id=4, user="d", processors=4, runtime=10)).cancel()
        yield env.timeout(1)
        machine.submit(tt.Job(id=5, user="e", processors=4, runtime=10))

    env.process(story())
    env.run()
    assert by_id(machine.result(), hybrid_fst(machine.result(), "fcfs")) == {1: 0, 2: 10, 3: 110, 5: 20}


# -- no later arrivals --------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(
    st.data(), workloads(most=9), st.sampled_from(OVERRUNS), st.sampled_from(["cplant", "cons", "consdyn", "easy"]),
    st.sampled_from(["same", "exact"]),
)  # fmt: skip
def test_no_later_arrivals_is_brute_forces(data, workload, overrun, name, estimates):
    """The fair start of a job is its start in the twin's run of a log that ends with it."""
    jobs, owner = workload
    them = data.draw(users(owner))
    jobs = sorted(jobs, key=lambda job: (job.submit, job.id))
    rules = {"cons": "conservative", "consdyn": "conservative-dynamic", "easy": "easy"}
    text = {"cplant": "cplant24.nomax.fair:starve=5s,", "cons": "cons.nomax:", "consdyn": "consdyn.nomax:"}.get(
        name, "easy:order=fairshare,"
    )
    expected = {}
    for i, job in enumerate(jobs):
        cut = jobs[: i + 1]
        if name == "cplant":
            machine = twin.ForeseeingCPlant(cut, PROCESSORS, them, Starvation(5, True), overrun=overrun)
        else:
            how = {"rule": rules[name], "compress": "event", "overrun": overrun}
            machine = twin.ForeseeingFairshare(cut, PROCESSORS, them, **how)
        machine.seer = job.id if estimates == "exact" else 0
        machine.run()
        expected[job.id] = machine.outcomes[job.id].start
    text += fairshare_text(them)
    result, fst = no_later_arrivals(
        as_trace(jobs, owner), tt.MachineSpec(PROCESSORS, text, overrun), estimates=estimates
    )
    assert by_id(result, fst) == expected


@settings(max_examples=40, deadline=None)
@given(
    workloads(most=9),
    st.sampled_from(OVERRUNS),
    st.sampled_from(["sjf", "lxf"]),
    st.sampled_from(["none", "no-guarantee", "easy", "conservative"]),
)
def test_exact_estimates_put_the_queue_in_another_order(workload, overrun, order, rule):
    """Orders by estimate use the exact lengths from the arrival on."""
    jobs, owner = workload
    jobs = sorted(jobs, key=lambda job: (job.submit, job.id))
    expected = {}

    class Machine(twin.Foreseeing, Simulation):
        """The plain twin."""

    for i, job in enumerate(jobs):
        machine = Machine(jobs[: i + 1], PROCESSORS, ORDERS[order], rule, overrun)
        machine.seer = job.id
        machine.run()
        expected[job.id] = machine.outcomes[job.id].start
    text = f"{rule}:order={order}"
    result, fst = no_later_arrivals(as_trace(jobs, owner), tt.MachineSpec(PROCESSORS, text, overrun), estimates="exact")
    assert by_id(result, fst) == expected


def test_exact_estimates_by_hand():
    """Fair starts with exact estimates of three jobs on two processors are those worked out by hand.

    By requests b starts at 20 at the latest, so c may pass it; b really starts at 4, and c would be in its way.
    """
    trace = tt.Trace({"submit": [0, 0, 0], "runtime": [4, 2, 5], "requested_time": [20, 2, 5], "allocated": [1, 2, 1]})
    assert no_later_arrivals(trace, "easy", 2)[1].tolist() == [0, 4, 0]
    assert no_later_arrivals(trace, "easy", 2, estimates="exact")[1].tolist() == [0, 4, 6]


def test_wrong_estimates():
    """Unknown words, and policies that cannot renew their plans, are refused."""
    trace = tt.Trace({"submit": [0], "runtime": [4], "allocated": [1]})
    with pytest.raises(ValueError, match="estimates cannot be 'perfect'; it is now called 'exact'"):
        no_later_arrivals(trace, "easy", 2, estimates="perfect")
    for policy in ("slack", "easy:order=relshare"):
        with pytest.raises(ValueError, match="cannot plan anew with exact estimates"):
            no_later_arrivals(trace, policy, 2, estimates="exact")


@settings(max_examples=40, deadline=None)
@given(workloads(), st.sampled_from(OVERRUNS))
def test_without_backfilling_no_start_is_unfair(workload, overrun):
    """Under FCFS without backfilling every start is the fair start, whatever the estimates.

    (Under ``until_needed`` a later submission may be the event at which an overrunning job is ended for an
    earlier one, which then starts before its fair start time.)
    """
    result, fst = no_later_arrivals(as_trace(*workload), tt.MachineSpec(PROCESSORS, "fcfs", overrun))
    assert (result["start"] <= fst).all()
    if overrun != "until_needed":
        assert result["start"].tolist() == fst.tolist()
    assert unfairness(result, fst).percent_unfair == 0


@settings(max_examples=40, deadline=None)
@given(workloads(exact=True, shortest=1))
def test_conservative_with_exact_estimates_starts_when_it_is_fair(workload):
    """Under conservative FCFS with exact estimates, start, fair start and CONS_P agree."""
    result, fst = no_later_arrivals(as_trace(*workload), "conservative", PROCESSORS)
    assert result["start"].tolist() == fst.tolist() == cons_p(result).tolist()
    assert unfairness(result, cons_p(result)).total_miss == 0


# -- CONS_P -------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(workloads(), st.sampled_from(SOME), st.sampled_from(OVERRUNS))
def test_cons_p_is_the_twins_conservative_schedule_with_exact_estimates(workload, policy, overrun):
    """CONS_P fair starts are those of the one conservative schedule, whatever the policy."""
    jobs, owner = workload
    result = tt.replay(as_trace(jobs, owner), policy, PROCESSORS, overrun=overrun)
    runs = {j.id: min(j.runtime, j.estimate) if overrun == "kill" else j.runtime for j in jobs}
    perfect = [twin.RefJob(job.id, job.submit, job.processors, runs[job.id], max(runs[job.id], 1.0)) for job in jobs]
    expected, _ = simulate(perfect, PROCESSORS, rule="conservative", order=lambda job, now: 0)
    assert by_id(result, cons_p(result)) == {number: each.start for number, each in expected.items()}


# -- resource equality --------------------------------------------------------------------------------------


def test_the_hand_example_of_resource_equality():
    """Resource equality on 4 processors gives unfairness 0, 16 and 8, since queued jobs count as live."""
    result = schedule_of({"submit": [0, 2, 4], "start": [0, 10, 10], "end": [10, 14, 12], "processors": [4, 2, 2]}, 4)
    found = resource_equality(result)
    assert found.deserved.tolist() == [20, 24, 12]
    assert found.received.tolist() == [40, 8, 4]
    assert found.unfairness.tolist() == [0, 16, 8] and found.signed.tolist() == [-20, 16, 8]
    assert (found.total, found.mean) == (24, 8)


@settings(max_examples=60, deadline=None)
@given(workloads(), st.booleans())
def test_resource_equality_is_brute_forces(workload, cap):
    """Resource equality is a count by the second, with and without a cap at the job's width."""
    jobs, owner = workload
    result = tt.replay(as_trace(jobs, owner), "easy", PROCESSORS)
    columns = zip(result["id"].tolist(), result["start"].tolist(), result["end"].tolist(), strict=True)
    outcomes = {number: twin.RefOutcome(start, end, "finished") for number, start, end in columns}
    expected = twin.deserved(jobs, outcomes, PROCESSORS, cap)
    found = by_id(result, resource_equality(result, cap).deserved)
    assert found == pytest.approx({number: float(value) for number, value in expected.items()}, abs=1e-9)


# -- measures -----------------------------------------------------------------------------------------------


def test_the_measures_by_hand():
    """Of three jobs late by 0, 1 and 10 s, two are unfair, and one with a tolerance of 1 s."""
    result = schedule_of(
        {"submit": [0, 0, 0, 0], "start": [0, 5, 20, np.nan], "end": [4, 9, 30, np.nan], "processors": [1, 2, 3, 1]}, 4
    )
    fst = np.array([0.0, 4.0, 10.0, 3.0])
    found = unfairness(result, fst)
    assert (found.jobs, found.total_miss, found.average_miss, found.average_miss_unfair) == (3, 11, 11 / 3, 5.5)
    assert found.percent_unfair == pytest.approx(200 / 3)
    assert found.percent_unfair_load == pytest.approx(100 * 38 / 42)
    tolerant = unfairness(result, fst, tolerance=1.0)
    assert tolerant.percent_unfair == pytest.approx(100 / 3) and tolerant.total_miss == 11
    assert miss_times(result, fst).tolist()[:3] == [0, 1, 10]
    nobody = unfairness(result, np.full(4, np.nan))
    assert nobody.jobs == 0 and np.isnan(nobody.percent_unfair)


def test_jain_and_standard_deviation():
    """Jain's index is 1 for equal values, 1/N where one has all, and the textbook's in between."""
    assert jain([3, 3, 3]) == 1 and jain([0, 0, 5, 0]) == 0.25 and jain([0, 0]) == 1
    assert jain([1, 2, 3, np.nan]) == pytest.approx(36 / 42)
    assert standard_deviation([2, 4, 4, 4, 5, 5, 7, 9]) == 2
    assert np.isnan(jain([])) and np.isnan(standard_deviation([]))


def test_loss_of_capacity_by_hand():
    """Three jobs on four processors lose 9/52 of the capacity."""
    result = schedule_of({"submit": [0, 1, 2], "start": [0, 10, 10], "end": [10, 12, 13], "processors": [3, 2, 2]}, 4)
    assert measures.loss_of_capacity(result) == pytest.approx(9 / 52)


def test_the_decay_of_the_judge_is_the_judges_own():
    """Fair starts depend on the decay origin of the order given, not on that of the policy."""
    jobs = [twin.RefJob(1, 0, 8, 20, 20), twin.RefJob(2, 1, 8, 10, 10), twin.RefJob(3, 2, 8, 10, 10)]
    owner = {1: 1, 2: 1, 3: 2}
    result = tt.replay(as_trace(jobs, owner), "fcfs", PROCESSORS)
    fair = hybrid_fst(result, fairshare(factor=1))
    assert by_id(result, fair) == {1: 0, 2: 20, 3: 20}
    forgetful = hybrid_fst(result, fairshare(decay=1, factor=0))
    assert by_id(result, forgetful) == {1: 0, 2: 20, 3: 30}
    assert Users(owner, Decay(1, Fraction(0))).usage([(jobs[0], 0, 2)], 1, 2) == 0
