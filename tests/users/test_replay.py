"""Open-loop replay: the jobs of a log at their recorded times, alone or next to users."""

import itertools

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime import Job, State

RULES = (
    "fcfs", "no-guarantee:order=sjf", "easy", "easy:order=lxf,reservations=2", "conservative",
    "conservative:compress=scheduled", "conservative-dynamic:order=wfp3",
)  # fmt: skip


def random_log(seed, jobs=150):
    """A log on 8 processors with early ends, ties, overruns and zero run times."""
    rng = np.random.default_rng(seed)
    estimate = rng.choice([1, 5, 10, 60, 100], jobs)
    return tt.Trace(
        {
            "id": rng.permutation(jobs) + 1,
            "submit": np.sort(rng.integers(0, 20 * jobs, jobs)),
            "runtime": np.minimum(rng.integers(0, 130, jobs), estimate + 20),
            "requested_processors": rng.integers(1, 9, jobs),
            "requested_time": estimate,
            "wait": rng.integers(0, 50, jobs),
        }
    )


def same_bytes(one, two, leave_out=()):
    for name in one.columns:
        if name not in leave_out:
            assert one[name].tobytes() == two[name].tobytes(), name


@pytest.mark.parametrize("overrun", ["kill", "extend", "until_needed"])
@pytest.mark.parametrize("policy", RULES)
def test_a_replay_is_one_process_per_job(policy, overrun):
    """Replaying a log gives what processes give that submit the same jobs one by one."""
    trace = random_log(3)
    env = simpy.Environment()
    machine = tt.Machine(env, 8, policy, overrun)

    def owner(k):
        yield env.timeout(trace.submit[k])
        machine.submit(
            Job(
                id=int(trace.id[k]),
                processors=int(trace.processors[k]),
                runtime=float(trace.runtime[k]),
                estimate=float(trace.estimate[k]),
            )
        )

    for k in np.random.default_rng(1).permutation(len(trace)).tolist():
        env.process(owner(k))
    env.run()
    one, two = machine.result(), tt.replay(trace, policy, 8, overrun=overrun)
    by_id = np.argsort(one["id"]), np.argsort(two["id"])
    for name in ("submit", "start", "end", "state", "promised", "processors"):
        assert one[name][by_id[0]].tobytes() == two[name][by_id[1]].tobytes(), name


@pytest.mark.parametrize("policy", [*RULES, "recorded"])
def test_progress_does_not_change_the_result(policy):
    """A progress function is called at most 200 times, to the end, and the schedule stays the same."""
    trace, calls = random_log(5), []
    same_bytes(tt.replay(trace, policy, 8), tt.replay(trace, policy, 8, progress=lambda *now: calls.append(now)))
    assert 2 < len(calls) <= 200 and calls[-1][1:] == (150, 150)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(calls))


def test_jobs_wider_than_the_machine_are_refused():
    """Jobs wider than the machine are refused at their own time and disturb no other."""
    trace = tt.Trace(
        {"submit": [0, 4, 5], "runtime": [9] * 3, "requested_processors": [4, 9, 4], "requested_time": [9] * 3}
    )
    result = tt.replay(trace, "easy", 4)
    assert result["state"].tolist() == [State.FINISHED, State.REFUSED, State.FINISHED]
    assert str(result["start"].tolist()) == "[0.0, nan, 9.0]"
    assert result["end"].tolist() == [9, 4, 18]


@pytest.mark.parametrize("missing", ["runtime", "requested_processors"])
def test_jobs_that_are_no_jobs_are_refused(missing):
    """A hand-made trace may lack a run time (-1) or processors; such a job is refused, not run."""
    columns = {"submit": [0, 0], "runtime": [5, 5], "requested_processors": [1, 1], "requested_time": [9, 9]}
    columns[missing] = [-1, 5]
    result = tt.replay(tt.Trace(columns), "fcfs", 8)
    assert State.REFUSED in result["state"].tolist()


def test_a_log_needs_a_machine_size():
    """Without a header the number of processors must be given."""
    with pytest.raises(ValueError, match="no machine size"):
        tt.replay(random_log(1), "easy")


def test_an_empty_log_gives_an_empty_result():
    """An empty log gives an empty result."""
    assert len(tt.replay(tt.Trace({"submit": []}), "easy", 4)) == 0


def test_a_log_shares_the_machine_with_users():
    """A process that submits a log and users who submit their own jobs compete in one queue."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "fcfs")
    trace = tt.Trace(
        {
            "id": [101, 102, 103], "submit": [0, 10, 10], "runtime": [8, 5, 5], "requested_processors": [4, 3, 4],
            "requested_time": [9, 9, 9], "user": [7, 7, -1],
        }
    )  # fmt: skip
    env.process(tt.submit_trace(env, machine, trace))
    log = []

    def user():
        yield env.timeout(2)
        for _ in range(3):
            record = yield machine.submit(Job(user="ada", processors=2, runtime=3))
            log.append((record.id, record.start))

    env.process(user())
    env.run()
    result = machine.result()
    assert log == [(104, 8), (105, 21), (106, 24)]
    assert dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True)) == {
        101: 0, 102: 11, 103: 16, 104: 8, 105: 21, 106: 24,
    }  # fmt: skip
    assert result.labels("user").tolist() == [7, 7, None, "ada", "ada", "ada"]


def test_what_lies_before_now_is_submitted_at_once():
    """A log that joins in late begins with everything that it has missed."""
    env = simpy.Environment(initial_time=100)
    machine = tt.Machine(env, 1, "fcfs")
    trace = tt.Trace(
        {"submit": [0, 99, 100, 101], "runtime": [5] * 4, "requested_processors": [1] * 4, "requested_time": [9] * 4}
    )
    env.process(tt.submit_trace(env, machine, trace))
    env.run()
    result = machine.result()
    assert result["submit"].tolist() == [100, 100, 100, 101]
    assert result["start"].tolist() == [100, 105, 110, 115]


def test_two_logs_at_once():
    """Two processes may submit two logs to one machine; equal times meet in one instant, by id."""
    env = simpy.Environment()
    machine = tt.Machine(env, 1, "fcfs")
    for ids in ([2, 3], [1, 4]):
        columns = {"id": ids, "submit": [0, 1], "runtime": [5, 5], "requested_processors": [1, 1]}
        env.process(tt.submit_trace(env, machine, tt.Trace(columns | {"requested_time": [9, 9]})))
    env.run()
    result = machine.result()
    assert dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True)) == {1: 0, 2: 5, 3: 10, 4: 15}


def test_a_log_of_many_jobs_at_one_time():
    """More jobs at one time than the process announces at once are all submitted then."""
    many = 5000
    columns = {"submit": np.full(many, 7), "runtime": np.ones(many), "requested_processors": np.ones(many, int)}
    result = tt.replay(tt.Trace(columns | {"requested_time": np.ones(many)}), "fcfs", 2500)
    assert (result["submit"] == 7).all()
    assert np.unique(result["start"], return_counts=True)[1].tolist() == [2500, 2500]
