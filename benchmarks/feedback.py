"""The speed of users in the loop under EASY: KTH-SP2 with feedback, a thousand users with two million jobs, a crowd.

    python benchmarks/feedback.py [--logs DIR] [--users N] [--jobs N] [--crowd N] [--quick]

The large log is synthetic: users submit a batch of jobs, wait for all of it, and think. Times are for the whole call
(sessions, dependencies, the event loop, the result), as wall-clock and processor time; jobs/s refer to processor time.
Peak memory is that of the process, including the log and its result. The crowd is `population` with a million users for
one hour, in a process of its own, and the model of the README: time per submitted job, of the event loop alone. Who
reacts is measured relative to users without behaviours, and to the cost of being a process.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

BATCH = 10  # mean number of jobs in a batch
LOAD = 0.7  # of the machine, if no job waited


def large_log(users: int, jobs: int) -> tuple[Any, int]:
    """A log in which no job waited, and the number of processors for a load of `LOAD`."""
    from thinktime.workloads import Trace
    from thinktime.workloads.streams import stream

    rng = stream(1, "benchmark")
    batches = max(1, jobs // (BATCH * users))
    shape = (users, batches)
    size = np.full(shape, BATCH)
    longest = np.ceil(np.exp(rng.normal(6.0, 1.2, shape)))
    think = np.ceil(np.exp(rng.normal(6.5, 1.5, shape)))
    begin = np.cumsum(longest + think, axis=1) - longest - think
    of = np.repeat(np.arange(users * batches), size.reshape(-1))
    runtime = np.ceil(longest.reshape(-1)[of] * rng.uniform(0.2, 1.0, len(of)))
    width = rng.integers(1, 5, len(of))
    submit = begin.reshape(-1)[of]
    work = float((runtime * width).sum())
    processors = int(work / LOAD / float((begin + longest)[:, -1].mean()))
    columns = {
        "user": of // batches + 1,
        "submit": submit,
        "wait": np.zeros(len(of)),
        "runtime": runtime,
        "requested_processors": width,
        "requested_time": 2 * runtime,
    }
    return Trace(columns), processors


def timed(what: str, jobs: int, call: Callable[[], Any], target: float | None = None) -> Any:
    """Call the function and print how long it took."""
    began, used = time.perf_counter(), time.process_time()
    result = call()
    seconds, used = time.perf_counter() - began, time.process_time() - used
    verdict = "" if target is None else f"   {'ok' if seconds <= target else 'MISSED'}: {target:g} s"
    print(f"{what:<22} {seconds:8.2f} s {used:8.2f} s of CPU {jobs / used:12,.0f} jobs/s{verdict}", flush=True)
    return result


def fitted_users(trace: Any, processors: int) -> None:
    """Print what users cost who are fitted to a log: the fit, and replays, of which the first finds their residuals.

    Replays are told beside the open loop, in CPU time, the least of several.
    """
    from targets import line

    import thinktime as tt

    spec = tt.MachineSpec(processors, "easy")

    def least(source: Callable[[], Any], times: int = 7) -> float:
        found = []
        for _ in range(times):
            began = time.process_time()
            tt.run(spec, source())
            found.append(time.process_time() - began)
        return min(found)

    users = timed("KTH-SP2, fit", len(trace), lambda: tt.calibrate(trace), 60.0)
    open_loop = least(lambda: tt.sources.log(trace))
    first = least(lambda: tt.sources.calibrated(trace, users), 1)
    line("KTH-SP2, open loop", open_loop * 1e3, "ms")
    line("calibrated, the first replay, relative to that", first / open_loop, "")
    line("calibrated, under another policy", least(lambda: tt.sources.calibrated(trace, users)) / open_loop, "", 2.0)
    for luck in ("kept", "new"):
        drawn = partial(tt.sources.calibrated, trace, users, luck, 1, posterior=1)
        line(f"a draw with {luck} luck, the first replay", least(drawn, 1) / open_loop, "")
        line(f"a draw with {luck} luck, under another policy", least(drawn) / open_loop, "")
    spec = tt.MachineSpec(processors, "conservative")
    open_loop = least(lambda: tt.sources.log(trace))
    line("conservative: the open loop", open_loop * 1e3, "ms")
    line("  calibrated, relative to that", least(lambda: tt.sources.calibrated(trace, users)) / open_loop, "", 2.0)


def crowd(users: int) -> None:
    """Print what ``users`` campaign users cost for one hour, on 2.5 processors each."""
    import simpy
    from targets import line, peak

    import thinktime as tt
    from thinktime.workloads.generators.quantities import Uniform

    def model(users: int) -> tuple[float, int]:
        env = simpy.Environment()
        machine = tt.Machine(env, 5 * users // 2, "easy")
        times = {"runtime": Uniform(60, 1800), "think_time": Uniform(0, 1800), "first": Uniform(0, 3600)}
        one = tt.Profile(**times, jobs=2, processors=2, overestimate=2)
        tt.population(env, machine, {f"user {number}": one for number in range(users)}, seed=1)
        seconds = -time.process_time()
        env.run(until=tt.HOUR)
        return seconds + time.process_time(), machine.pool.requests.size

    def scientist(env: Any, machine: Any, name: str, rng: Any) -> Any:
        while True:
            jobs = [tt.Job(user=name, processors=1, runtime=rng.uniform(1, 3600)) for _ in range(50)]
            yield machine.submit_campaign(jobs)
            yield env.timeout(rng.exponential(1800))

    model(10)
    seconds, jobs = model(users)
    line(f"{users:,} users, {jobs:,} jobs in one hour", seconds / jobs * 1e6, "µs a job", 20.0)
    line(f"{users:,} users: memory", peak() / 1e3, "GB", 3.0)
    env = simpy.Environment()
    machine = tt.Machine(env, processors=64, policy="ostrich")
    for name, rng in tt.streams(seed=1, names=["u1", "u2", "u3"]):
        env.process(scientist(env, machine, name, rng))
    seconds = -time.process_time()
    env.run(until=30 * tt.DAY)
    seconds += time.process_time()
    line("the model of the README", seconds / machine.pool.requests.size * 1e6, "µs a job", 50.0)
    reactions()


def reactions() -> None:
    """Print what users cost who react, for 20 days of twenty users, relative to users who do not."""
    from targets import line

    import thinktime as tt
    from thinktime import behaviours as b
    from thinktime.models.machine.machine import Machine
    from thinktime.workloads.generators.quantities import Uniform

    times = {"runtime": Uniform(60, 7200), "think_time": Uniform(0, 7200), "jobs": 2, "processors": 4}

    def seconds(behaviours: tuple[b.Behaviour, ...]) -> float:
        users = {f"user {number}": tt.Profile(**times, behaviours=behaviours) for number in range(20)}
        source = tt.sources.campaigns(users, seed=1)
        began = time.process_time()
        result = tt.run(tt.MachineSpec(64, "easy"), source, until=20 * tt.DAY)
        return (time.process_time() - began) / len(result)

    plain = min(seconds(()) for _ in range(3))
    line("\nusers without behaviours", plain * 1e6, "µs a job")
    for name, behaviours in {
        "LinearThinking": (b.LinearThinking(),),
        "Continuation": (b.Continuation(),),
        "Rhythm": (b.Rhythm(),),
        "Patience(1 h)": (b.Patience(tt.HOUR),),
        "Patience(1 h), Balk(queue=8)": (b.Patience(tt.HOUR), b.Balk(queue=8)),
    }.items():
        followed = min(seconds(behaviours) for _ in range(3))
        can_plan = Machine.can_plan
        Machine.can_plan = lambda machine, impatient=False: False  # type: ignore[method-assign]
        as_process = seconds(behaviours)
        Machine.can_plan = can_plan  # type: ignore[method-assign]
        line(f"{name}, relative to these", followed / plain, "")
        line("  as processes, relative to that", as_process / followed, "")


def main() -> None:
    """Measure and print."""
    from logs import folder, open_log

    from thinktime.users import replay, replay_with_feedback
    from thinktime.users.generative import generative_users
    from thinktime.users.think_times import RULES
    from thinktime.workloads.user_models import delimit, dependencies

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    options.add_argument("--users", type=int, default=1_000, metavar="N", help="users of the large log")
    options.add_argument("--jobs", type=int, default=2_000_000, metavar="N", help="jobs of the large log")
    options.add_argument("--crowd", type=int, default=1_000_000, metavar="N", help="users of one hour")
    options.add_argument("--only-crowd", action="store_true", help="measure nothing else")
    options.add_argument("--quick", action="store_true", help="a small version, to test the script")
    words = options.parse_args()
    if words.only_crowd:
        return crowd(words.crowd)
    jobs = words.jobs // 50 if words.quick else words.jobs
    trace, processors, real = open_log("KTH", folder(words.logs))
    if real:
        timed("KTH-SP2, feedback", len(trace), lambda: replay_with_feedback(trace, "easy", processors), 3.0)
        for think in RULES:
            rule = partial(replay_with_feedback, trace, "easy", processors, think=think)
            timed(f"KTH-SP2, {think}", len(trace), rule)
        timed("KTH-SP2, drawn users", len(trace), lambda: generative_users(trace, "easy", processors))
        fitted_users(trace, processors)
    log, size = large_log(words.users, jobs)
    print(f"\n{words.users:,} users, {len(log):,} jobs, {size:,} processors")
    seen = timed("sessions", len(log), lambda: delimit(log))
    timed("dependencies", len(log), lambda: dependencies(seen.batches))
    timed("open loop", len(log), lambda: replay(log, "easy", size))
    timed("feedback", len(log), lambda: replay_with_feedback(log, "easy", size), 60.0)
    timed("drawn users", len(log), lambda: generative_users(log, "easy", size), 60.0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e9 if sys.platform == "darwin" else 1e6)
    print(f"peak memory {peak:.2f} GB\n", flush=True)
    users = words.crowd // 50 if words.quick else words.crowd
    subprocess.run([sys.executable, __file__, "--only-crowd", "--crowd", str(users)], check=True)


if __name__ == "__main__":
    main()
