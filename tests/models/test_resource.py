"""What a SimPy resource answers: capacity, count, queue, users, at instants and between them."""

import pytest
import simpy

import thinktime as tt
from thinktime import Job, State


def answers(machine):
    return (machine.count, [job.id for job in machine.queue], [job.id for job in machine.users], machine.over)


def test_a_machine_answers_as_simpy_resources_do(env, machine):
    """Capacity, processors in use, the waiting and the running jobs are there at any time."""
    log = []
    for processors, runtime in ((3, 10), (2, 5), (1, 20)):
        machine.submit(Job(processors=processors, runtime=runtime))
    for time in (1, 11, 16, 40):
        env.run(until=time)
        log.append(answers(machine))
    assert machine.capacity == 4
    assert log == [(3, [2, 3], [1], 0), (3, [], [2, 3], 1), (1, [], [3], 2), (0, [], [], 3)]


def test_answers_between_instants_are_settled_though_no_process_waits(env, machine):
    """Jobs that no process waits for have ended on time whenever a script looks."""
    log = tt.Trace(
        {"submit": [0, 0, 50], "runtime": [10, 20, 1], "requested_processors": [1, 1, 1], "requested_time": [99] * 3}
    )
    env.process(tt.submit_trace(env, machine, log))
    seen = []
    for time in (5, 10, 10 + 2**-10, 19.99, 20.01, 30.3):
        env.run(until=time)
        seen.append((machine.count, machine.over, len(machine.users)))
    assert seen == [(2, 0, 2), (2, 0, 2), (1, 1, 1), (1, 1, 1), (0, 2, 0), (0, 2, 0)]
    env.run()
    assert (machine.over, machine.result()["end"].tolist()) == (3, [10, 20, 51])


def test_a_result_between_instants_is_settled(env, machine):
    """A result between instants holds the true ends of all jobs."""
    log = tt.Trace({"submit": [0, 0], "runtime": [10, 20], "requested_processors": [1, 1], "requested_time": [9, 99]})
    env.process(tt.submit_trace(env, machine, log))
    env.run(until=15.5)
    result = machine.result()
    assert result["state"].tolist() == [State.KILLED, State.RUNNING]
    assert str(result["end"].tolist()) == "[9.0, nan]"


def test_events_from_queue_and_users_can_be_waited_for(env, machine):
    """What the machine lists are the jobs' own events, holds included."""
    machine.submit(Job(processors=4, runtime=10))
    log = []

    def holder():
        with machine.request(2) as request:
            assert machine.queue == []  # requests of this instant are not in the queue yet
            yield env.timeout(1)
            log.append(machine.queue == [request])
            yield request
            log.append((env.now, machine.users == [request]))

    def watcher():
        yield env.timeout(2)
        record = yield machine.users[0]
        log.append((env.now, record.end))

    env.process(holder())
    env.process(watcher())
    env.run()
    assert log == [True, (10, 10), (10, True)]


def test_a_job_of_a_log_can_be_waited_for_in_the_middle_of_the_run(env, machine):
    """A listener that begins while jobs of a log run hears of their ends in time."""
    log = tt.Trace({"submit": [0, 0], "runtime": [10, 20], "requested_processors": [1, 1], "requested_time": [99, 99]})
    env.process(tt.submit_trace(env, machine, log))
    heard = []

    def watcher():
        yield env.timeout(4.4)
        for job in machine.users:
            record = yield job
            heard.append((env.now, record.id))

    env.process(watcher())
    env.run()
    assert heard == [(10, 1), (20, 2)]


def test_a_result_at_a_horizon_holds_every_job_that_was_submitted(env, machine):
    """Waiting and running jobs are part of it; what had not happened is NaN."""
    for runtime in (5, 50, 50):
        machine.submit(Job(processors=3, runtime=runtime))

    def late():
        yield env.timeout(30)
        machine.submit(Job(runtime=1))

    env.process(late())
    env.run(until=20)
    result = machine.result()
    assert result["state"].tolist() == [State.FINISHED, State.RUNNING, State.WAITING]
    assert str(result["start"].tolist()) == "[0.0, 5.0, nan]"
    assert str(result["end"].tolist()) == "[5.0, nan, nan]"
    env.run()
    assert (len(machine.result()), len(result), result.now) == (4, 3, 20)


def test_running_in_pieces_is_running_in_one_go():
    """Stopping the clock and looking changes nothing."""
    results = []
    for stops in ((), (0.1, 3, 7.77, 10, 10.5, 31, 60.001), range(1, 80)):
        env = simpy.Environment()
        machine = tt.Machine(env, 4, "conservative")

        def user(start, machine=machine, env=env):
            yield env.timeout(start)
            for k in range(4):
                yield machine.submit(Job(processors=1 + (k + int(start)) % 4, runtime=3 + k, estimate=9))
                yield env.timeout(0.7)

        for start in (0, 0.5, 3, 10):
            env.process(user(start))
        for stop in stops:
            env.run(until=stop)
            answers(machine), machine.result()
        env.run()
        results.append(machine.result())
    for name in results[0].columns:
        assert {result[name].tobytes() for result in results} == {results[0][name].tobytes()}, name


def test_several_machines_share_a_clock(env):
    """Two machines know nothing of each other, and a user can go from one to the other without losing time."""
    here, there = tt.Machine(env, 2, "fcfs"), tt.Machine(env, 2, "easy")
    log = []

    def user():
        for machine in (here, there, here):
            record = yield machine.submit(Job(processors=2, runtime=5))
            log.append((record.id, record.start, env.now))

    env.process(user())
    env.process(user())
    env.run()
    assert sorted(log) == [(1, 0, 5), (1, 5, 10), (2, 5, 10), (2, 10, 15), (3, 10, 15), (4, 15, 20)]
    assert [len(machine.result()) for machine in (here, there)] == [4, 2]


@pytest.mark.parametrize("zero", [1000, -1000, -0.5, 7.3, -1000.1, 1e9])
@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "conservative-dynamic", "none:order=lxf"])
def test_the_clock_may_begin_anywhere(zero, policy):
    """An environment with another initial time gives the same schedule, later or earlier."""
    env = simpy.Environment(initial_time=zero)
    machine = tt.Machine(env, 4, policy)

    def user():
        yield machine.submit_campaign([Job(processors=2, runtime=5), Job(processors=3, runtime=5)])
        with machine.request(4, estimate=10) as request:
            yield request
            yield env.timeout(3)

    env.process(user())
    env.run()
    start = tt.workloads.grid.ceil_to_grid(float(zero))
    result = machine.result()
    assert (result["start"] - start).tolist() == [0, 5, 10]
    assert (result["end"] - start).tolist() == [5, 10, 13]


def test_a_log_is_on_the_grid_wherever_the_clock_began():
    """A log's own times count exactly, though the clock began at an odd time before zero."""
    env = simpy.Environment(initial_time=-1022.0911485751286)
    machine = tt.Machine(env, 4, "easy")
    log = tt.Trace({"submit": [5, 5.5], "runtime": [5, 6], "requested_processors": [3, 3], "requested_time": [9, 9]})
    env.process(tt.submit_trace(env, machine, log))
    env.run()
    assert machine.scheduler.pool.requests.start[:2].tolist() == [5, 10]
