"""Small worlds whose users are known: campaigns, linear think times, and people who look at no result."""

import functools

import numpy as np
from scipy import stats

from thinktime.models.machine.spec import MachineSpec
from thinktime.users import sources
from thinktime.users.behaviours import LinearThinking
from thinktime.users.profiles import Profile
from thinktime.users.run import run
from thinktime.workloads import Trace
from thinktime.workloads.header import Header
from thinktime.workloads.streams import streams
from thinktime.workloads.units import DAY, HOUR, MINUTE

PROCESSORS = 12
USERS = 16
RUNTIME = stats.lognorm(1.0, scale=1.2 * HOUR)
JOBS = stats.geom(0.6)
WIDTH = stats.randint(1, 9)


def log_of(result):
    """What a site would record of a run."""
    over = np.isfinite(result["end"])
    columns = {name: result[name][over] for name in ("submit", "runtime", "user")}
    columns |= {"wait": (result["start"] - result["submit"])[over], "requested_processors": result["processors"][over]}
    return Trace(columns, Header.build(MaxProcs=PROCESSORS))


@functools.cache
def closed(linear=False, days=80, users=USERS, median=HOUR):
    """Users who wait for each campaign, and think: for a time of its own, or the longer the longer it took.

    Think times have a median (s).
    """
    behaviours = (LinearThinking(spread=stats.expon()),) if linear else ()
    profile = Profile(
        runtime=RUNTIME, jobs=JOBS, think_time=stats.lognorm(1.2, scale=median), processors=WIDTH,
        first=stats.uniform(0, DAY), behaviours=behaviours,
    )  # fmt: skip
    everybody = {f"u{k}": profile for k in range(users)}
    return log_of(run(MachineSpec(PROCESSORS), sources.campaigns(everybody, seed=1), until=days * DAY))


def eager():
    """Ten users who wait for each campaign and soon submit the next one: few, but with many results each."""
    return closed(users=10, median=10 * MINUTE)


@functools.cache
def deadline(days=90):
    """Users who begin a session now and then, and submit campaigns in it at times that look at no result."""
    submit, user = [], []
    for name, rng in streams(1, range(USERS)):
        at = 0.0
        while (at := at + rng.exponential(3.5 * DAY)) < days * DAY:
            time = at
            for _ in range(rng.geometric(0.4)):
                jobs = rng.geometric(0.6)
                submit += [time] * jobs
                user += [name] * jobs
                time += rng.lognormal(np.log(HOUR), 1.2)
    rng = np.random.default_rng(2)
    columns = {"submit": submit, "user": user, "runtime": RUNTIME.rvs(len(submit), random_state=rng)}
    columns |= {"requested_processors": WIDTH.rvs(len(submit), random_state=rng)}
    trace = Trace(columns, Header.build(MaxProcs=PROCESSORS))
    return log_of(run(MachineSpec(PROCESSORS), sources.log(trace)))
