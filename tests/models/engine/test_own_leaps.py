"""Policies and orders in Python hear the same with leaps as without, and so do users, whoever reacts to whom."""

import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many
from tests.models.engine.people import both, people, schedule, seen_by_people
from tests.models.engine.sources import NODES

HOOKS = (
    "on_end", "on_interrupt", "on_requeue", "on_clock", "on_withdraw", "on_submit", "on_start", "on_revise",
)  # fmt: skip


class Hearing:
    """First fit in the order of estimates, with notes of all that it is told, and of what it sees then."""

    ticks = False

    def __init__(self):
        self.heard = []
        for name in HOOKS:
            setattr(self, name, self.hears(name))
        if self.ticks:
            self.next_clock = lambda now: now + 7 - now % 7

    def copy(self):
        return self

    def note(self, name, view, now, rows=()):
        seen = view.waiting.tolist(), view.running_rows.tolist(), view.free, view.now
        self.heard.append((name, now, [int(row) for row in rows], seen))

    def hears(self, name):
        def hook(view, *rows_and_now):
            *rows, now = rows_and_now
            self.note(name, view, now, *rows)

        return hook

    def on_change(self, view, now):
        self.note("on_change", view, now)

    def select(self, view, now):
        self.note("select", view, now)
        for job in sorted(view.queue, key=lambda job: job.estimate):
            if view.fits(job):
                yield job


class Ticking(Hearing):
    """The same with a clock that strikes every seven seconds."""

    ticks = True


def heard_by(kind, *given, **machine):
    """What people see, and what the policy hears."""
    policy = kind()
    env, diary = people(given[0], policy, *given[1:], **machine)
    env.run(until=200)
    return diary.lines, [schedule(machine) for machine in diary.machines], policy.heard


FAILING = tt.Changes(windows=[tt.Window(40, 55, 4)], outages=tt.Outages([20, 20, 70], [30, 30, 75], [1, 2, 0]))


OVERRUNS = ["kill", "extend", "until_needed"]
MACHINES = {"pool": {}, "nodes": {"nodes": NODES}, "changes": {"changes": FAILING}}


@pytest.mark.parametrize("how_many", few_or_many(2, 8))
@pytest.mark.parametrize(
    ("overrun", "machine"), [*((each, "pool") for each in OVERRUNS), ("kill", "nodes"), ("kill", "changes")]
)
@pytest.mark.parametrize("kind", [Hearing, Ticking])
def test_policies_hear_the_same(monkeypatch, kind, overrun, machine, how_many):
    """Every hook is called at the same time, with the same rows and the same view, of changes too."""
    for seed in range(how_many):
        step_by_step, leaping = both(monkeypatch, heard_by, kind, seed, overrun, **MACHINES[machine])
        assert step_by_step == leaping
        if machine == "changes" and seed == 1:
            assert "on_interrupt" in leaping and "on_requeue" in leaping and "on_change" in leaping


KEYS = {
    "a key for one job": lambda: tt.policies.Easy(order=tt.policies.scalar(lambda job, now: job.estimate - now)),
    "a static key": lambda: tt.policies.Conservative(
        order=tt.policies.vector(lambda jobs, now: jobs.processors * now, dynamic=False)
    ),
    "accounts": lambda: tt.policies.Easy(
        order=tt.policies.composed(lambda jobs, now, usage: usage - jobs.estimate, "fairshare")
    ),
}


@pytest.mark.parametrize("overrun", ["kill", "until_needed"])
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_people_see_the_same_under_own_orders(monkeypatch, key, overrun):
    """Ready rules leap with keys of one's own."""
    step_by_step, leaping = both(monkeypatch, lambda seed: seen_by_people(seed, key(), overrun), 2)
    assert step_by_step == leaping


def test_what_users_wish_comes_in_the_order_of_the_contract():
    """Holds that are given back end first, then jobs that are due, then cancelled ones; withdrawals follow."""
    env, policy = simpy.Environment(), Hearing()
    machine = tt.Machine(env, 6, policy)
    cancelled = machine.submit(tt.Job(processors=2, runtime=50))
    machine.submit(tt.Job(processors=2, runtime=10))
    hold = machine.request(2, estimate=10)
    waiting = machine.submit(tt.Job(processors=6, runtime=60))
    env.run(until=10 - 2**-10)

    def all_at_once():
        yield env.timeout(2**-10)
        waiting.cancel()
        cancelled.cancel()
        hold.release()

    env.process(all_at_once())
    env.run()
    told = [(name, now, rows) for name, now, rows, _ in policy.heard if now == 10]
    assert told == [("on_end", 10, [2]), ("on_end", 10, [1]), ("on_end", 10, [0]), ("on_withdraw", 10, [3])]
