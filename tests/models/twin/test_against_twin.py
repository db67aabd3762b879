"""The machine against the brute-force twin: the same workload, the same schedule, start by start."""

import numpy as np
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.twin.reference import COMPRESS, OVERRUNS, RULES, simulate
from tests.models.twin.reference_rules import ORDERS, RefJob

PROCESSORS = 8


@st.composite
def workloads(draw, cancels=False, most=14):
    """A few jobs on few processors, close together: early ends, ties, zero run times and overruns are common."""
    jobs = []
    for number in draw(st.permutations(range(1, draw(st.integers(1, most)) + 1))):
        estimate = draw(st.sampled_from([1, 2, 3, 5, 8, 10, 20]))
        runtime = draw(st.one_of(st.just(estimate), st.just(0), st.integers(0, 25)))
        submit = draw(st.integers(0, 20))
        leaves = draw(st.one_of(st.none(), st.integers(0, 30))) if cancels else None
        jobs.append(
            RefJob(
                id=number,
                submit=float(submit),
                processors=draw(st.integers(1, PROCESSORS)),
                runtime=float(runtime),
                estimate=float(estimate),
                cancel_at=None if leaves is None else float(submit + leaves),
            )
        )
    return jobs


def through_processes(jobs, policy, overrun):
    """Submit and cancel with one SimPy process per job."""
    env = simpy.Environment()
    machine = tt.Machine(env, PROCESSORS, policy, overrun)

    def owner(job):
        yield env.timeout(job.submit)
        event = machine.submit(tt.Job(id=job.id, processors=job.processors, runtime=job.runtime, estimate=job.estimate))
        if job.cancel_at is not None:
            yield env.timeout(job.cancel_at - job.submit)
            event.cancel()

    for job in jobs:
        env.process(owner(job))
    env.run()
    return machine.result(), machine.policy


def through_a_log(jobs, policy, overrun):
    """Replay the jobs as a trace."""
    trace = tt.Trace(
        {
            "id": [job.id for job in jobs],
            "submit": [job.submit for job in jobs],
            "runtime": [job.runtime for job in jobs],
            "requested_processors": [job.processors for job in jobs],
            "requested_time": [job.estimate for job in jobs],
        }
    )
    return tt.replay(trace, policy, PROCESSORS, overrun=overrun), None


def assert_same(jobs, rule, order, overrun, run, text, **options):
    """One run against the twin: state, start, end, promised start and the number of broken reservations."""
    expected, info = simulate(jobs, PROCESSORS, rule=rule, order=ORDERS[order], overrun=overrun, **options)
    result, policy = run(jobs, text, overrun)
    assert len(result) == len(jobs)
    for i, number in enumerate(result["id"].tolist()):
        outcome = expected[number]
        state = tt.State(result["state"][i]).name.lower()
        found = (state, _none(result["start"][i]), _none(result["promised"][i]))
        promised = outcome.promised if rule == "conservative" else None
        assert found == (outcome.state, outcome.start, promised), f"job {number}"
        if outcome.end is not None:
            assert result["end"][i] == outcome.end, f"job {number}"
    if rule == "conservative" and policy is not None:
        assert policy.broken == info.broken


def _none(value):
    return None if np.isnan(value) else float(value)


@settings(max_examples=800, deadline=None)
@given(workloads(), st.sampled_from(RULES), st.sampled_from(sorted(ORDERS)))
def test_every_rule_with_every_order_makes_the_twins_schedule(jobs, rule, order):
    """Any order combines with any rule, and the machine starts each job when the brute-force twin does."""
    assert_same(jobs, rule, order, "kill", through_a_log, f"{rule}:order={order}")


@settings(max_examples=150, deadline=None)
@given(
    workloads(cancels=True), st.sampled_from(RULES), st.sampled_from(["fcfs", "sjf", "lxf"]), st.sampled_from(OVERRUNS)
)
def test_processes_that_submit_and_cancel_make_the_twins_schedule(jobs, rule, order, overrun):
    """Withdrawals, cancellations of running jobs and the three overrun rules agree with the twin."""
    assert_same(jobs, rule, order, overrun, through_processes, f"{rule}:order={order}")


@settings(max_examples=120, deadline=None)
@given(workloads(), st.sampled_from(RULES), st.sampled_from(OVERRUNS))
def test_overruns_in_a_replay_make_the_twins_schedule(jobs, rule, overrun):
    """Jobs that outlive their estimates are killed, extended or evicted as in the twin."""
    assert_same(jobs, rule, "fcfs", overrun, through_a_log, f"{rule}:order=fcfs")


@settings(max_examples=120, deadline=None)
@given(
    workloads(cancels=True),
    st.sampled_from(COMPRESS),
    st.sampled_from(OVERRUNS),
    st.sampled_from(["fcfs", "ljf", "lxf"]),
)
def test_every_compression_makes_the_twins_schedule(jobs, compress, overrun, order):
    """The four variants of keeping conservative reservations agree with the twin."""
    assert_same(
        jobs,
        "conservative",
        order,
        overrun,
        through_processes,
        f"conservative:order={order},compress={compress}",
        compress=compress,
    )


@settings(max_examples=120, deadline=None)
@given(workloads(), st.integers(1, 5), st.sampled_from(OVERRUNS), st.sampled_from(["fcfs", "sjf"]))
def test_easy_with_several_reservations_makes_the_twins_schedule(jobs, reservations, overrun, order):
    """EASY with n reservations agrees with the twin."""
    assert_same(
        jobs,
        "easy",
        order,
        overrun,
        through_a_log,
        f"easy:order={order},reservations={reservations}",
        reservations=reservations,
    )
