"""Users with behaviours on small machines, and a behaviour that writes down what was intended."""

from dataclasses import replace

import simpy
from scipy import stats

import thinktime as tt
from thinktime.users.behaviours import Behaviour

BUSY = tt.Profile(
    runtime=stats.expon(scale=600), jobs=stats.geom(0.4), think_time=stats.expon(scale=900),
    processors=lambda rng: rng.integers(1, 9), overestimate=2, first=stats.uniform(0, 600),
)  # fmt: skip


PLAIN = {"runtime": 100, "jobs": 1, "think_time": 60, "processors": 4, "overestimate": 1, "first": 0}
LONG = tt.Job(user="bob", runtime=5000, processors=8)  # in the way until 5000 s


class Diary(Behaviour):
    """Sees every intended job, if it stands first among the behaviours; user by user in one book."""

    def __init__(self, book):
        self.book = book

    def __deepcopy__(self, memo):
        return Diary(self.book)

    def adapt(self, user, job):
        self.book.setdefault(user.name, []).append((user.campaign, job.runtime, job.processors, job.requested_time))
        return job


def one(*behaviours, policy="easy", size=8, until=None, campaigns=20, before=(), **changes):
    """One user on a machine; ``before`` are jobs of another user, submitted at 0."""
    profile = replace(BUSY, **changes, behaviours=behaviours)
    env = simpy.Environment()
    machine = tt.Machine(env, size, policy)
    for job in before:
        machine.submit(job)
    env.process(tt.campaign_user(env, machine, "ada", tt.stream(1, "ada"), profile, campaigns))
    env.run(until=until)
    return machine.result()


def several(*behaviours, policy="easy", users=6, size=8, until=3 * tt.DAY, seed=1, **changes):
    """Some users on one machine; the result, and what each intended."""
    book = {}
    profile = replace(BUSY, **changes, behaviours=(Diary(book), *behaviours))
    env = simpy.Environment()
    machine = tt.Machine(env, size, policy)
    tt.population(env, machine, {f"u{k}": profile for k in range(users)}, seed)
    env.run(until=until)
    return machine.result(), book


def lost(result):
    return result.lost[["time", "reason", "jobs", "node_hours"]].values.tolist()
