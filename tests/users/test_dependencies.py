"""Logs whose jobs depend on each other: SWF fields 17 and 18 honoured."""

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime import Job
from thinktime.users.replay import campaigns_of
from thinktime.workloads import generators


def log(**columns):
    """A log of serial jobs of 10 s; every column may be given."""
    jobs = len(columns["submit"])
    plain = {"runtime": [10.0] * jobs, "requested_processors": [1] * jobs, "requested_time": [10.0] * jobs}
    return tt.Trace({"id": list(range(1, jobs + 1)), "user": [1] * jobs, **plain, **columns})


def test_a_campaign_waits_for_all_jobs_of_the_one_before_whichever_is_named():
    """Job 3 names job 1 (over at 10), but its campaign waits for job 2 as well (over at 40), then thinks for 5 s."""
    trace = log(
        submit=[0, 0, 100], runtime=[10, 40, 10], requested_time=[10, 40, 10], preceding=[-1, -1, 1],
        think_time=[np.nan, np.nan, 5],
    )  # fmt: skip
    result = tt.replay(trace, "fcfs", 4, dependencies=True)
    assert result["submit"].tolist() == [0, 0, 45]
    assert result["think_time"].tolist()[2] == 5
    assert result["campaign"].tolist() == [0, 0, 1]


def test_a_wait_in_the_queue_moves_what_depends_on_it():
    """On one processor the second job ends at 50, so the third is submitted at 55: the loop is closed."""
    trace = log(
        submit=[0, 0, 100], runtime=[10, 40, 10], requested_time=[10, 40, 10], preceding=[-1, -1, 2],
        think_time=[np.nan, np.nan, 5],
    )  # fmt: skip
    assert tt.replay(trace, "fcfs", 1, dependencies=True)["submit"].tolist() == [0, 0, 55]


def test_without_the_option_the_fields_are_placeholders():
    """Open-loop replay submits at the recorded times whatever fields 17 and 18 say."""
    trace = log(submit=[0, 7], preceding=[-1, 1], think_time=[np.nan, 100])
    assert tt.replay(trace, "fcfs", 4)["submit"].tolist() == [0, 7]


@pytest.mark.parametrize("preceding", [99, 2, 3])
def test_what_is_not_before_a_job_is_no_dependency(preceding):
    """A preceding job that is not in the log, is the job itself, or comes later leaves the recorded time, counted."""
    trace = log(submit=[0, 7, 9], preceding=[-1, preceding, -1], think_time=[np.nan, 1, np.nan])
    assert tt.replay(trace, "fcfs", 4, dependencies=True)["submit"].tolist() == [0, 7, 9]
    assert campaigns_of(trace)[1] == 1
    assert tt.replay(trace, "fcfs", 4, dependencies=True).notes[0].startswith("dependencies: 1 campaigns")


def test_a_killed_and_a_refused_job_let_their_followers_go_on():
    """A campaign is over however its jobs ended."""
    trace = log(
        submit=[0, 1, 100, 100], runtime=[50, 5, 10, 10], requested_processors=[1, 9, 1, 1], preceding=[-1, -1, 1, 2],
        think_time=[np.nan, np.nan, 2, 3], user=[1, 2, 1, 2],
    )  # fmt: skip
    result = tt.replay(trace, "fcfs", 4, dependencies=True)
    assert result["submit"].tolist() == [0, 1, 12, 4]


def test_a_generated_log_on_a_machine_where_no_job_waits_is_submitted_as_it_says():
    """Nominal submissions come from a private machine; where no job waits, the closed loop gives them back."""
    trace = generators.generate(generators.preset("short-long"), jobs=2000, users=10, processors=4000, seed=3)
    result = tt.replay(trace, "easy", 40_000, dependencies=True)
    order = np.argsort(result["id"])
    assert (result["submit"][order] == trace.submit[np.argsort(trace.id)]).all()
    assert (result["start"] == result["submit"]).all()


def test_a_result_written_as_swf_is_replayed_as_the_loop_that_it_was(tmp_path):
    """Fields 17 and 18 written from simulated users bring the same submissions back under the same policy."""
    import simpy

    env = simpy.Environment()
    machine = tt.Machine(env, 8, "easy")
    quick = tt.Profile(runtime=90, jobs=3, think_time=60)
    tt.population(env, machine, tt.mix(4, {"short": 1}, short=quick), 1, campaigns=5)
    env.run()
    machine.result().to_swf(tmp_path / "loop.swf")
    trace = tt.read_swf(tmp_path / "loop.swf")
    again = tt.replay(trace, "easy", dependencies=True)
    assert sorted(again["submit"].tolist()) == sorted(machine.result()["submit"].tolist())
    assert sorted(again["start"].tolist()) == sorted(machine.result()["start"].tolist())


def as_processes(trace, policy, processors):
    """The rule as SimPy processes, one for each campaign; returns the machine's result."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors, policy)
    groups, of_id = {}, {}
    for job in range(len(trace)):
        key = (trace.user[job], trace.submit[job], trace.preceding[job], trace.think_time[job])
        groups.setdefault(key, []).append(job)
    campaigns = list(groups.values())
    for number, jobs in enumerate(campaigns):
        of_id |= {int(trace.id[job]): number for job in jobs}
    before = [of_id.get(int(trace.preceding[jobs[0]]), number) for number, jobs in enumerate(campaigns)]

    def submit(number, think_time):
        if think_time:
            yield env.timeout(think_time)
        yield machine.submit_campaign(
            Job(
                id=int(trace.id[job]),
                runtime=trace.runtime[job],
                processors=int(trace.processors[job]),
                estimate=trace.estimate[job],
            )
            for job in campaigns[number]
        )
        for other, jobs in enumerate(campaigns):
            if before[other] == number < other:
                env.process(submit(other, trace.think_time[jobs[0]]))

    def begin():
        for number, jobs in enumerate(campaigns):
            if before[number] >= number:
                if trace.submit[jobs[0]] > env.now:
                    yield env.timeout(trace.submit[jobs[0]] - env.now)
                env.process(submit(number, 0))

    env.process(begin())
    env.run()
    return machine.result()


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "easy:order=lxf"])
def test_campaigns_are_submitted_as_by_processes(policy):
    """Submissions, starts and ends are those of SimPy processes; campaigns are numbered as they are submitted."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        runtime = rng.choice([0.0, 1.0, 2.0, 5.0, 9.0], 40)
        trace = log(
            submit=np.sort(rng.integers(0, 15, 40)),
            runtime=runtime,
            requested_time=runtime + 1.0,
            requested_processors=rng.integers(1, 5, 40),
            user=rng.integers(1, 3, 40),
            preceding=np.maximum(np.arange(40) - rng.integers(0, 12, 40), -1),
            think_time=rng.choice([0.0, 1.0, 3.0], 40),
        )
        compiled, processes = (tt.replay(trace, policy, 4, dependencies=True), as_processes(trace, policy, 4))
        order = np.argsort(processes["id"])
        for name in ("submit", "start", "end"):
            assert compiled[name].tolist() == processes[name][order].tolist()
        numbers, first = np.unique(compiled["campaign"], return_index=True)
        assert numbers.tolist() == list(range(len(numbers)))
        assert (np.diff(compiled["submit"][first]) >= 0).all()


def test_jobs_with_the_same_number_are_told():
    """How many, which number, and that a dependency on it is on the last of them; the fourth job waits for 20 + 5."""
    told = "such as 7; dependencies on such a number are on the last job with it"
    trace = log(id=[7, 8, 7, 9], submit=[0, 3, 10, 12], preceding=[-1, -1, -1, 7], think_time=[np.nan] * 3 + [5])
    for depends, submit in ((False, [0, 3, 10, 12]), (True, [0, 3, 10, 25])):
        result = tt.replay(trace, "easy", 4, dependencies=depends)
        assert result.notes == [f"1 job of the log has the number of an earlier one, {told}"]
        assert result["submit"].tolist() == submit
    more = tt.run(tt.MachineSpec(4), tt.sources.feedback(log(id=[7, 7, 8, 8], submit=[0] * 4, wait=[0] * 4)))
    assert f"2 jobs of the log have the numbers of earlier ones, {told}" in more.notes
