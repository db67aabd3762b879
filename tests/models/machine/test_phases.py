"""The order of one instant: completions, clocks, withdrawals and submissions, one pass, starts."""

import pytest

import thinktime as tt
from thinktime import Job

TICK = 2**-10


def later(env, delay, action):
    """A process that does something after a while."""
    yield env.timeout(delay)
    action()


def starts(machine):
    """Start times by job number."""
    result = machine.result()
    return dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True))


class Watched:
    """First fit, with a note of every pass."""

    def __init__(self):
        self.passes = []

    def copy(self):
        return self

    def select(self, view, now):
        self.passes.append((now, [job.id for job in view.queue]))
        free = view.free
        for job in view.queue:
            if job.processors <= free:
                free -= job.processors
                yield job


def test_completions_come_before_submissions(env):
    """A job submitted when another ends finds the processors free."""
    machine = tt.Machine(env, 4, "fcfs")
    machine.submit(Job(processors=4, runtime=5))
    env.process(later(env, 5, lambda: machine.submit(Job(processors=4, runtime=1))))
    env.run()
    assert starts(machine) == {1: 0, 2: 5}


@pytest.mark.parametrize("first", ["narrow", "wide"])
def test_submissions_of_one_time_are_ordered_by_id_not_by_process(env, first):
    """Whichever process SimPy runs first, the job with the smaller number is ahead."""
    machine = tt.Machine(env, 4, "fcfs")
    submit = {
        "narrow": lambda: machine.submit(Job(id=2, processors=1, runtime=10)),
        "wide": lambda: machine.submit(Job(id=1, processors=4, runtime=10)),
    }
    for name in sorted(submit, reverse=first == "wide"):
        env.process(later(env, 3, submit[name]))
    env.run()
    assert starts(machine) == {1: 3, 2: 13}


def test_there_is_one_pass_for_all_submissions_of_one_time(env):
    """Everything that users do at one time is in the queue before the policy is asked, once."""
    machine = tt.Machine(env, 4, policy := Watched())
    for number in (3, 1, 2):
        env.process(later(env, 1, lambda number=number: machine.submit(Job(id=number, runtime=5))))
    env.run()
    assert policy.passes == [(1, [1, 2, 3])]


def test_a_zero_think_time_is_in_the_same_pass(env):
    """A user who submits in reaction to an end, however many zero timeouts later, competes in that instant."""
    machine = tt.Machine(env, 4, policy := Watched())
    machine.submit(Job(id=9, processors=4, runtime=5))

    def user():
        yield machine.event(0)
        for _ in range(3):
            yield env.timeout(0)
        yield machine.submit(Job(id=1, processors=4, runtime=5))
        machine.submit(Job(id=2, processors=4, runtime=1))

    env.process(user())
    env.process(later(env, 5, lambda: machine.submit(Job(id=7, processors=4, runtime=5))))
    env.run()
    assert policy.passes == [(0, [9]), (5, [1, 7]), (10, [7, 2]), (15, [2])]


def test_reactions_to_starts_open_a_second_round(env):
    """What a user does when a job starts comes after the pass, and has a pass of its own at the same time."""
    machine = tt.Machine(env, 4, policy := Watched())
    log = []

    def user():
        first = machine.submit(Job(id=5, processors=2, runtime=5))
        yield first.started
        second = machine.submit(Job(id=1, processors=2, runtime=5))
        yield second.started
        log.append(env.now)

    env.process(user())
    machine.submit(Job(id=7, processors=3, runtime=5))
    env.run()
    assert policy.passes[:2] == [(0, [5, 7]), (0, [7, 1])]
    assert (log, starts(machine)) == ([0], {5: 0, 1: 0, 7: 5})


def test_zero_run_times_open_a_second_round(env):
    """A job of no length ends at the instant of its start, and its processors serve others in the next round."""
    machine = tt.Machine(env, 4, policy := Watched())
    for number in (1, 2, 3):
        machine.submit(Job(id=number, processors=4, runtime=0))
    env.run()
    assert policy.passes == [(0, [1, 2, 3]), (0, [2, 3]), (0, [3])]
    assert (starts(machine), env.now) == ({1: 0, 2: 0, 3: 0}, 0)


def test_kills_are_completions(env):
    """A job at its estimate leaves before the jobs of that time are placed."""
    machine = tt.Machine(env, 4, "fcfs")
    machine.submit(Job(processors=4, runtime=50, estimate=7))
    env.process(later(env, 7, lambda: machine.submit(Job(processors=4, runtime=1))))
    env.run()
    assert starts(machine) == {1: 0, 2: 7}


def test_withdrawals_come_before_the_pass(env):
    """A head withdrawn at t does not stand in the way at t."""
    machine = tt.Machine(env, 4, "fcfs")
    machine.submit(Job(processors=3, runtime=20))
    head = machine.submit(Job(processors=4, runtime=5))
    env.process(later(env, 6, head.cancel))
    env.process(later(env, 6, lambda: machine.submit(Job(processors=1, runtime=5))))
    env.run()
    assert starts(machine)[3] == 6


def test_odd_times_count_at_the_next_grid_point(env):
    """A user between two grid points has submitted at the next one, and the pass is there."""
    machine = tt.Machine(env, 4, policy := Watched())
    for number, delay in ((2, 0.1), (1, 0.1003)):
        env.process(later(env, delay, lambda number=number: machine.submit(Job(id=number, runtime=1))))
    env.run()
    assert policy.passes == [(103 * TICK, [1, 2])]
    assert machine.result()["submit"].tolist() == [103 * TICK] * 2
    assert env.now == 1 + 103 * TICK


def test_think_times_off_the_grid_never_miss_a_tie(env):
    """Ten think times of 0.1 s do not make a job late for processors that are free at the next grid point."""
    machine = tt.Machine(env, 1, "fcfs")
    log = []

    def user():
        for _ in range(10):
            yield env.timeout(0.1)
            record = yield machine.submit(Job(runtime=0.1))
            log.append((record.wait, record.end * 1024 % 1, record.runtime))

    env.process(user())
    env.run()
    assert log == [(0, 0, 102 * TICK)] * 10


def test_a_cancellation_between_grid_points_counts_at_the_next(env):
    """Ends that users cause are on the grid as well."""
    machine = tt.Machine(env, 4, "fcfs")
    running = machine.submit(Job(processors=4, runtime=50))
    waiting = machine.submit(Job(runtime=50))
    env.process(later(env, 1 / 3, waiting.cancel))
    env.process(later(env, 2 / 3, running.cancel))
    env.run()
    assert (waiting.value.end, running.value.end) == (342 * TICK, 683 * TICK)


def test_a_user_who_acts_between_runs_is_in_the_instant_that_follows(env):
    """Calls from outside, while the clock stands still, count at that time."""
    machine = tt.Machine(env, 4, "fcfs")
    machine.submit(Job(processors=4, runtime=5))
    env.run(until=5)
    event = machine.submit(Job(processors=4, runtime=1))
    env.run(until=event)
    assert (event.value.submit, event.value.start, env.now) == (5, 5, 6)


def test_an_end_on_one_machine_is_heard_on_another_at_the_same_time(env):
    """A user who goes from one machine to the next with no think time starts there at once."""
    a, b = tt.Machine(env, 1, "fcfs"), tt.Machine(env, 1, "fcfs")
    log = []

    def user(first, second):
        yield first.submit(Job(runtime=5))
        log.append((yield second.submit(Job(runtime=5))).start)

    env.process(user(a, b))
    env.process(user(b, a))
    env.run()
    assert log == [5, 5]
