"""The speed of the search over job orders: nodes per second and core.

    python benchmarks/search.py [--nodes N] [--repeat N] [--quick]

A node is one earliest-fit placement of 30 waiting jobs on a profile of 100 steps with 128 processors. Everything is
included: choosing children, undoing, and computing and comparing the goals of every leaf. The last line has a goal in
Python, which is called at every leaf. Times are processor times, so that other programs do not count. The target is
2,000,000 nodes per second and core.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np

from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.view import View
from thinktime.models.policies.search.tradeoff import Tradeoff

PROCESSORS, QUEUE, STEPS = 128, 30, 100
BOUND, TAU = 50_000.0, 60.0  # s
TARGET = 2_000_000.0  # nodes per second


def queue(seed: int) -> View:
    """Jobs with power-of-two widths, up to half a day long, that wait for a machine that empties over a day."""
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.choice(np.arange(1, 86_400), STEPS - 1, replace=False)).astype(float)
    widths = rng.multinomial(PROCESSORS - STEPS - 3, np.full(STEPS - 1, 1 / (STEPS - 1))) + 1
    submit = -np.sort(rng.integers(0, 86_400, QUEUE)).astype(float)[::-1]
    need = 2 ** rng.integers(0, 7, QUEUE)
    estimate = np.concatenate([ends, rng.integers(60, 43_200, QUEUE).astype(float)])
    pool, now = Pool(PROCESSORS), 0.0
    pool.append(
        len(estimate), estimate, id=np.arange(len(estimate)), submit=np.concatenate([0 * ends, submit]),
        processors=np.concatenate([widths, need]), estimate=estimate,
    )  # fmt: skip
    running, waiting = np.split(np.arange(len(estimate)), [STEPS - 1])
    pool.arrive(running)
    pool.enqueue(now)
    pool.start(running, now)
    pool.arrive(waiting)
    pool.enqueue(now)
    view = View(pool, {})
    view.look(pool, now)
    return view


def rate(seeds: range, **options: Any) -> tuple[float, float]:
    """Nodes and leaves per second, as medians over queues."""
    nodes, leaves = [], []
    for seed in seeds:
        view, policy = queue(seed), Tradeoff("fcfs", bound=BOUND, tau=TAU, **options)
        began = time.process_time()
        policy.select(view, 0.0)
        seconds = time.process_time() - began
        if policy.last is not None:
            nodes.append(policy.last.nodes / seconds)
            leaves.append(policy.last.leaves / seconds)
    return statistics.median(nodes), statistics.median(leaves)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="Node placements per second of the search over job orders.")
    parser.add_argument("--nodes", type=int, default=1_000_000, metavar="N", help="nodes of each search")
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="queues; the median counts")
    parser.add_argument("--quick", action="store_true", help="few nodes, to test the script")
    given = parser.parse_args()
    nodes = 10_000 if given.quick else given.nodes
    seeds = range(given.repeat)
    rate(range(1), limit=2000)  # import
    print(f"{QUEUE} jobs on a profile of {STEPS} steps, {nodes:,} nodes, median of {given.repeat} queues\n")
    print(f"{'':<34}{'nodes/s':>12}{'leaves/s':>12}")
    lines = {
        "lds": {"algorithm": "lds"},
        "dds": {"algorithm": "dds"},
        "dds, pruned": {"algorithm": "dds", "prune": True},
    }
    met = True
    for name, options in lines.items():
        per_second, leaves = rate(seeds, limit=nodes, **options)
        met = met and per_second >= TARGET
        print(f"{name:<34}{per_second:>12,.0f}{leaves:>12,.0f}", flush=True)
    goals = [lambda plan: float(plan.start.sum()), "slowdown"]
    per_second, leaves = rate(seeds, goals=goals, limit=min(nodes, 100_000))
    print(f"{'dds, one goal a Python function':<34}{per_second:>12,.0f}{leaves:>12,.0f}")
    if not given.quick:
        print(f"\neach of the first three at least {TARGET:,.0f} nodes/s: {'met' if met else 'NOT MET'}")


if __name__ == "__main__":
    main()
