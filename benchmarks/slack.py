"""Slack-based backfilling: the cost of an event by the length of the queue, and a replay of a year of KTH.

    python benchmarks/slack.py [--logs DIR] [--quick]

While n jobs wait for 128 processors, another one arrives and one is withdrawn. The paper states O(n^3) in the worst
case. The target is 20 s for the year under AST.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import simpy
from logs import folder, open_log

import thinktime as tt
from thinktime.policies import Slack

PROCESSORS = 128
QUEUES = (10, 20, 50, 100, 200, 500, 1000)
LIMIT = 20.0  # s


def main() -> None:
    """Measure and print both."""
    parser = argparse.ArgumentParser(description="The cost of slack-based backfilling.")
    parser.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    parser.add_argument("--quick", action="store_true", help="short queues and the first 2,000 jobs only")
    given = parser.parse_args()
    queues = QUEUES[:4] if given.quick else QUEUES
    print("per event, by jobs in the queue (AST)\n")
    print(f"{'queue':>6}{'time':>12}{'slots':>9}{'insertions':>12}", flush=True)
    costs = []
    for queue in queues:
        seconds, slots, insertions = event_cost(queue)
        print(f"{queue:>6}{1000 * seconds:>9.2f} ms{slots:>9,.0f}{insertions:>12,.0f}", flush=True)
        costs.append((queue, seconds, insertions))
    sizes, times, counts = np.log(np.array(costs[2:])).T
    print(f"\nfrom {queues[2]} jobs on, time grows as n^{np.polyfit(sizes, times, 1)[0]:.1f}", end=", ")
    print(f"insertions as n^{np.polyfit(sizes, counts, 1)[0]:.1f}", flush=True)
    trace, _, real = open_log("KTH", folder(given.logs))
    if given.quick:
        trace = trace.select(np.arange(len(trace)) < 2000)
    kind = "" if real else " (GENERATED: the real log is not available)"
    print(f"\n{len(trace):,} jobs of KTH{kind} through SimPy, slack:awt=2401")
    for processors in (PROCESSORS, 100):
        result = tt.replay(trace, "slack:awt=2401", processors)
        taken = result.simulation_seconds or 0.0
        verdict = "" if given.quick else f", within {LIMIT:g} s: {'met' if taken <= LIMIT else 'NOT MET'}"
        print(f"{processors} processors: {taken:.1f} s{verdict}", flush=True)


def event_cost(queue: int, events: int = 30) -> tuple[float, float, float]:
    """Seconds, candidate slots and insertions per event (an arrival or a withdrawal) while ``queue`` jobs wait."""
    generator = np.random.default_rng(1)
    env = simpy.Environment()
    machine = tt.Machine(env, PROCESSORS, Slack(awt=2401))

    def job() -> tt.Job:
        estimate = float(np.ceil(generator.lognormal(8, 1.5)))
        size = int(2 ** generator.integers(0, 7))
        return tt.Job(runtime=estimate, estimate=estimate, processors=size)

    waiting = []
    while len(machine.queue) < queue:
        waiting.append(machine.submit(job()))
        env.run(until=env.now + 1)
    policy = machine.policy
    assert isinstance(policy, Slack)
    counted, seconds = dict(policy.counts), 0.0
    for _ in range(events):
        extra = machine.submit(job())
        seconds -= time.perf_counter()
        env.run(until=env.now + 1)
        seconds += time.perf_counter()
        (extra if extra in machine.queue else machine.queue[-1]).cancel()
        seconds -= time.perf_counter()
        env.run(until=env.now + 1)
        seconds += time.perf_counter()
    grown = {name: policy.counts[name] - counted[name] for name in counted}
    passes = max(1, grown["events"])
    return seconds / (2 * events), grown["candidates"] / passes, grown["insertions"] / passes


if __name__ == "__main__":
    main()
