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

import numpy as np

from thinktime.models.kernels import search as kernels
from thinktime.models.policies.search_decision import Instance, Search

PROCESSORS, QUEUE, STEPS = 128, 30, 100
BOUND, TAU = 50_000.0, 60.0  # s
TARGET = 2_000_000.0  # nodes per second


def queue(seed: int) -> Instance:
    """Jobs with power-of-two widths, up to half a day long, that wait for a machine that empties over a day."""
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.choice(np.arange(1, 86_400), STEPS - 1, replace=False)).astype(float)
    widths = rng.multinomial(PROCESSORS - STEPS - 3, np.full(STEPS - 1, 1 / (STEPS - 1))) + 1
    return Instance(
        submit=-np.sort(rng.integers(0, 86_400, QUEUE)).astype(float)[::-1].copy(),
        need=2 ** rng.integers(0, 7, QUEUE),
        duration=rng.integers(60, 43_200, QUEUE).astype(float),
        times=np.concatenate([[0.0], ends]),
        free=np.concatenate([[4], 4 + np.cumsum(widths)]),
        steps=STEPS,
    )


def rate(search: Search, seeds: range, own: bool = False) -> tuple[float, float]:
    """Nodes and leaves per second, as medians over queues."""
    goals = [kernels.OWN, kernels.SLOWDOWN] if own else [kernels.WAIT, kernels.SLOWDOWN]
    functions = [lambda start: float(start.sum()), None] if own else []
    nodes, leaves = [], []
    for seed in seeds:
        instance = queue(seed)
        began = time.process_time()
        found = search.best(instance, goals, [BOUND, TAU], functions)
        seconds = time.process_time() - began
        if found is not None:
            nodes.append(found.nodes / seconds)
            leaves.append(found.leaves / seconds)
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
    rate(Search(limit=2000), range(1))  # compile
    print(f"{QUEUE} jobs on a profile of {STEPS} steps, {nodes:,} nodes, median of {given.repeat} queues\n")
    print(f"{'':<34}{'nodes/s':>12}{'leaves/s':>12}")
    lines = {
        "lds": Search("lds", limit=nodes),
        "dds": Search("dds", limit=nodes),
        "dds, pruned": Search("dds", limit=nodes, prune=True),
    }
    met = True
    for name, search in lines.items():
        per_second, leaves = rate(search, seeds)
        met = met and per_second >= TARGET
        print(f"{name:<34}{per_second:>12,.0f}{leaves:>12,.0f}", flush=True)
    per_second, leaves = rate(Search("dds", limit=min(nodes, 100_000)), seeds, own=True)
    print(f"{'dds, one goal a Python function':<34}{per_second:>12,.0f}{leaves:>12,.0f}")
    if not given.quick:
        print(f"\neach of the first three at least {TARGET:,.0f} nodes/s: {'met' if met else 'NOT MET'}")


if __name__ == "__main__":
    main()
