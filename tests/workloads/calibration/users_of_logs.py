"""Small logs of known users: who look at nothing, who wait for results, and programs that submit by the clock."""

import numpy as np

from thinktime.models.machine.spec import MachineSpec
from thinktime.users import sources
from thinktime.users.run import run
from thinktime.workloads import Trace
from thinktime.workloads.header import Header
from thinktime.workloads.units import DAY, HOUR, MINUTE

PROCESSORS = 6
START = 1_000_000_000
"""When logs begin (s since 1970)."""


def log_of(result):
    """What a site would record of a run: whole seconds."""
    over = np.isfinite(result["end"])
    columns = {name: result[name][over] for name in ("submit", "runtime", "user")}
    columns |= {"wait": result["start"][over] - result["submit"][over], "allocated": result["processors"][over]}
    return Trace(columns, Header.build(MaxProcs=PROCESSORS, UnixStartTime=START))


def scheduled(submit, user, seed):
    """The log of jobs of these users, which run for some 20 min on some of `PROCESSORS` processors, under EASY."""
    rng = np.random.default_rng(seed)
    runtime = np.ceil(rng.lognormal(np.log(20 * MINUTE), 1.0, len(submit)))
    columns = {"submit": np.round(submit), "user": user, "runtime": runtime}
    columns |= {"allocated": rng.integers(1, 5, len(submit)), "requested_time": 2 * runtime}
    order = np.argsort(columns["submit"], kind="stable")
    trace = Trace({name: of[order] for name, of in columns.items()}, Header.build(MaxProcs=PROCESSORS))
    return log_of(run(MachineSpec(PROCESSORS, "easy"), sources.log(trace)))


def unseeing(seed, users=8, batches=25, pause=HOUR):
    """Users whose gaps are drawn, whatever happens to their jobs."""
    rng = np.random.default_rng(seed)
    gaps = 60.5 + rng.lognormal(np.log(pause), 1.0, (users, batches)) * np.exp(rng.normal(0.0, 0.5, (users, 1)))
    submit = rng.uniform(0.0, DAY, (users, 1)) + np.cumsum(gaps, axis=1)
    return scheduled(submit.ravel(), np.repeat(np.arange(users), batches), seed)


def waiting(seed, users=8, batches=25, pause=30 * MINUTE, first=100, slow=2.0):
    """A log of users who submit a job when the one before is over and they have thought; waits are drawn."""
    rng = np.random.default_rng(seed)
    shape = users, batches
    runtime = np.ceil(rng.lognormal(np.log(20 * MINUTE), 1.0, shape))
    wait = np.floor(rng.exponential(slow * 10 * MINUTE, shape))
    think = np.ceil(rng.lognormal(np.log(pause), 1.0, shape) * np.exp(rng.normal(0.0, 0.3, (users, 1))))
    submit = np.round(rng.uniform(0.0, DAY, (users, 1)))
    submit = submit + np.cumsum(np.hstack([np.zeros((users, 1)), (runtime + wait + think)[:, :-1]]), axis=1)
    return jobs(submit, wait, runtime, first + np.repeat(np.arange(users), batches), rng)


def in_parts(seed, part=4, users=4, batches=60):
    """Users with batches of six jobs, who submit the next one when they have thought after so many of them."""
    rng, shape = np.random.default_rng(seed), (users, batches, 6)
    runtime = np.ceil(rng.lognormal(np.log(2 * HOUR), 1.0, shape))
    think = rng.lognormal(np.log(10 * MINUTE), 0.7, shape[:2]) + 2 * MINUTE
    pause = np.sort(runtime, axis=2)[:, :, part - 1] + think
    submit = rng.uniform(0, DAY, (users, 1)) + np.cumsum(pause, axis=1) - pause
    submit, user = np.broadcast_to(np.round(submit)[:, :, None], shape), np.repeat(np.arange(users), 6 * batches)
    flat = users, 6 * batches
    return jobs(submit.reshape(flat), np.zeros(flat), runtime.reshape(flat), user, rng)


def looking(seed, times, users=6, batches=40):
    """Users who wait for results, and think ``times`` as long if they saw a long queue: every other six hours."""
    rng, shape = np.random.default_rng(seed), (users, batches)
    runtime, submit = np.ceil(rng.lognormal(np.log(20 * MINUTE), 1.0, shape)), np.zeros(shape)
    think, now = rng.lognormal(np.log(30 * MINUTE), 1.0, shape), rng.uniform(0.0, DAY, users)
    for batch in range(batches):
        submit[:, batch] = now = np.round(now)
        end = now + runtime[:, batch]
        now = end + np.ceil(think[:, batch] * np.where(end // (6 * HOUR) % 2 == 1, times, 1.0))
    own = jobs(submit, np.zeros(shape), runtime, np.repeat(np.arange(users), batches), rng)
    begin = 6 * HOUR * np.repeat(np.arange(1.0, submit.max() / (6 * HOUR), 2), 20)
    others = jobs(begin, np.full(len(begin), 6 * HOUR), np.full(len(begin), 60.0), np.full(len(begin), -1), rng)
    return merged(own, others)


def by_the_clock(seed, users=4, batches=60, every=HOUR, first=200):
    """Programs that submit a job at equal intervals."""
    rng = np.random.default_rng(seed)
    submit = np.round(rng.uniform(0.0, HOUR, (users, 1))) + every * np.arange(batches)
    wait, runtime = np.floor(rng.exponential(5 * MINUTE, submit.shape)), np.ceil(rng.uniform(60.0, 900.0, submit.shape))
    return jobs(submit, wait, runtime, first + np.repeat(np.arange(users), batches), rng)


def jobs(submit, wait, runtime, user, rng):
    """A log of these, in order."""
    columns = {"submit": submit.ravel(), "wait": wait.ravel(), "runtime": runtime.ravel(), "user": user}
    columns |= {"allocated": rng.integers(1, 5, len(user)), "requested_time": 2 * runtime.ravel()}
    return merged(Trace(columns, Header.build(MaxProcs=PROCESSORS, UnixStartTime=START)))


def merged(*logs):
    """Several logs as one, with the header of the first; jobs are numbered anew."""
    names = ("submit", "wait", "runtime", "user", "allocated", "requested_time")
    columns = {name: np.concatenate([getattr(each, name) for each in logs]) for name in names}
    order = np.argsort(columns["submit"], kind="stable")
    columns = {name: of[order] for name, of in columns.items()}
    return Trace(columns | {"id": np.arange(1, len(order) + 1)}, logs[0].header)
