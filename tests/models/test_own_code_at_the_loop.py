"""Policies, keys, observers and users' functions in Python are called from the loop that compiled rules go through."""

import os
import signal
import subprocess
import sys
import textwrap
import traceback

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import in_turn
from thinktime.models.jobs.chains import Chain
from thinktime.models.machine.scheduler import Scheduler


def log(jobs=4):
    """Jobs of ten seconds, one each second."""
    return tt.Trace({"submit": range(jobs), "runtime": [10] * jobs, "allocated": [2] * jobs})


def shortest_first(view, now):
    """The README's."""
    for job in sorted(view.queue, key=lambda job: job.estimate):
        if view.fits(job):
            yield job


def wrong(*given, **named):
    """A caller finds the line below in the traceback."""
    raise ArithmeticError("mine")  # this line


class Wrong:
    """A policy that starts what fits, with one hook that raises."""

    may_hear_late = False

    def select(self, view, now):
        return shortest_first(view, now)


class Observing:
    before_submissions = staticmethod(wrong)


def hooked(name):
    """The policy whose hook of this name raises."""
    return type("Hooked", (Wrong,), {name: wrong})()


def in_a_hook(name):
    return lambda: tt.replay(log(), hooked(name), 3)


def cancelling():
    """Under a policy with `on_withdraw` that raises, a waiting job is cancelled."""
    env = simpy.Environment()
    machine = tt.Machine(env, 2, hooked("on_withdraw"))
    for _ in range(2):
        job = machine.submit(tt.Job(processors=2, runtime=10))
    env.run(until=1)
    job.cancel()
    env.run()


def failing(name):
    """Under a policy whose hook raises, processors fail."""

    def run():
        env = simpy.Environment()
        machine = tt.Machine(env, 2, hooked(name), changes=tt.Changes())
        machine.submit(tt.Job(processors=2, runtime=10))
        env.run(until=1)
        machine.fail([0], until=5)
        env.run()

    return run


def chained():
    """The second of two jobs is submitted when Python says, once the first is over."""
    env = simpy.Environment()
    machine = tt.Machine(env, 2)
    rows = np.array(machine.load(log(2)))
    machine.chain(Chain(rows, np.arange(3), np.zeros(2), np.array([0, 1, 1]), np.array([1]), np.zeros(1), later=wrong))
    env.run()


CASES = {
    "select": lambda: tt.replay(log(), wrong, 3),
    "a part of a proposal": lambda: tt.replay(log(), lambda view, now: (wrong() for _ in view.queue), 3),
    "a key": lambda: tt.replay(log(), tt.policies.Easy(order=tt.policies.scalar(wrong)), 2),
    "a static key": lambda: tt.replay(log(), tt.policies.Easy(order=tt.policies.vector(wrong, dynamic=False)), 2),
    "an observer": lambda: tt.run(tt.MachineSpec(2), tt.sources.log(log()), observers=[Observing]),
    "when a batch is submitted": chained,
    "on_submit": in_a_hook("on_submit"),
    "on_start": in_a_hook("on_start"),
    "on_end": in_a_hook("on_end"),
    "next_clock": in_a_hook("next_clock"),
    "on_withdraw": cancelling,
    "on_interrupt": failing("on_interrupt"),
    "on_requeue": failing("on_requeue"),
    "on_change": failing("on_change"),
}


@pytest.mark.parametrize("run", CASES.values(), ids=CASES)
def test_what_is_raised_has_its_own_lines(run):
    """An error in somebody's own code comes out of the run as it is, with the file and the line."""
    with pytest.raises(ArithmeticError, match="mine") as caught:
        run()
    raised = caught.value.__cause__ or caught.value  # SimPy raises another one from it
    last = traceback.extract_tb(raised.__traceback__)[-1]
    assert (last.filename, last.line) == (__file__, 'raise ArithmeticError("mine")  # this line')


def wake_ups(monkeypatch, run):
    """How often the scheduler process is woken in a run."""
    woken, inner = [], Scheduler._go_on
    monkeypatch.setattr(
        Scheduler, "_go_on", lambda self, now, horizon: (woken.append(now), inner(self, now, horizon))[1]
    )
    result = run()
    monkeypatch.undo()
    return len(woken), result["start"].tolist()


class Looking:
    """An observer that counts what waits."""

    def __init__(self):
        self.seen = []

    def before_submissions(self, instants, rows, now):
        self.seen.append((now, len(rows), instants.pool.waiting_count()))


@pytest.mark.parametrize("policy", [shortest_first, "easy", tt.policies.Easy(order=tt.policies.scalar(lambda j, t: t))])
@pytest.mark.parametrize("observed", [False, True])
def test_runs_with_own_code_leap(monkeypatch, policy, observed):
    """No other process has events, so a whole log is one leap, with own policies, keys and observers as without."""

    def run():
        observers = [Looking()] if observed else []
        return tt.run(tt.MachineSpec(3, policy=policy), tt.sources.log(log(50)), observers=observers)

    times, starts = wake_ups(monkeypatch, run)
    monkeypatch.setenv("THINKTIME_LEAP", "0")
    single, again = wake_ups(monkeypatch, run)
    assert starts == again
    assert times < 5 < 50 < single


class Telling(Wrong):
    """A policy that lets an event of SimPy happen at every start, as somebody's own script may."""

    def __init__(self, env, told):
        self.env, self.told = env, told

    def copy(self):
        return self

    def on_start(self, view, rows, now):
        assert self.env.now == now
        self.told.append(now)
        self.env.process(self.hear())

    def hear(self):
        yield self.env.timeout(0)
        self.told.append(self.env.now)


def test_a_hook_that_lets_something_happen_ends_the_leap():
    """In a leap, SimPy's clock is at the machine's time when a hook is called, and its events happen then."""
    env, told = simpy.Environment(), []
    machine = tt.Machine(env, 2, Telling(env, told))
    machine.announce(machine.load(log()))
    env.run()
    assert told == [0.0, 0.0, 10.0, 10.0, 20.0, 20.0, 30.0, 30.0]


class Submitting(Wrong):
    """A policy that submits jobs while a pass goes on, so that all columns of the machine are replaced."""

    machine = None
    left = 3

    def copy(self):
        return self

    def on_start(self, view, rows, now):
        if self.left:
            self.left -= 1
            self.machine.submit_campaign([tt.Job(processors=2, runtime=1) for _ in range(200)])


@pytest.mark.parametrize("where", [{"processors": 2}, {"nodes": tt.Nodes.uniform(2, processors=1)}])
def test_columns_may_grow_in_the_middle_of_an_instant(where):
    """What a hook submits joins the queue in the next round, and nothing is lost."""
    env, policy = simpy.Environment(), Submitting()
    machine = policy.machine = tt.Machine(env, policy=policy, **where)
    machine.submit(tt.Job(processors=2, runtime=1))
    env.run()
    assert sorted(machine.result()["start"].tolist()) == [float(second) for second in range(601)]


LONG = {
    "a compiled rule": """
        policy = "conservative"
        """,
    "an own policy": """
        def policy(view, now):
            return [job for job in view.queue if view.fits(job)][:1]
        """,
    "an own policy that never comes back": """
        def policy(view, now):
            while True:
                pass
        """,
    "one pass of minutes": """
        policy, at_once = "slack", 30_000
        """,
}


@pytest.mark.compiled
@pytest.mark.parametrize("policy", in_turn(3, LONG))
def test_a_run_can_be_interrupted(policy, tmp_path):
    """Ctrl-C ends a run of minutes, in the middle of a leap, and of a pass that prices thousands of schedules."""
    script = tmp_path / "long.py"
    script.write_text(
        "at_once = 4\n"
        + textwrap.dedent(LONG[policy])
        + textwrap.dedent(
            """
            import signal
            import numpy as np
            import thinktime as tt
            signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run in the background
            n = 30_000
            length = 500 + np.arange(n) % 997
            trace = tt.Trace(
                {
                    "submit": np.arange(n) // at_once, "runtime": length, "requested_time": 2 * length,
                    "allocated": 1 + np.arange(n) % 7,
                }
            )
            tt.replay(trace.select(np.arange(n) < 5), "easy", 64)
            print("begins", flush=True)
            tt.replay(trace, policy, 64)
            """
        )
    )
    child = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "begins\n"
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(timeout=0.5)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert "KeyboardInterrupt" in errors
