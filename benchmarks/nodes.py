"""The speed of EASY on machines of nodes, relative to machines with as many processors.

    python benchmarks/nodes.py [--logs DIR] [--repeat N] [--quick]

MetaCentrum-wagap asks for chunks with memory, on 68 nodes. The beginning of CEA-Curie asks for processors, on 5,832
nodes of 16. Times are processor time of the event loop alone, without loading jobs; the median of the rounds counts.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import simpy
from logs import folder, open_log
from targets import line

import thinktime as tt
from thinktime.workloads.node_log import read_requests
from thinktime.workloads.nodes import Nodes

CURIE = 50_000
"""Jobs of CEA-Curie: each has room for a place on every node that it could get."""


def event_loop(trace: tt.Trace, spec: tt.MachineSpec, asked: Any = ()) -> float:
    """The processor time of one replay's event loop (s)."""
    env = simpy.Environment()
    machine = spec.open(env)
    machine.announce(machine.load(trace, asked=asked))
    began = time.process_time()
    env.run()
    return time.process_time() - began


def compare(what: str, trace: tt.Trace, nodes: Nodes, asked: Any, rounds: int) -> None:
    """Print the time per job on nodes, and over that on processors."""
    pool, spec = tt.MachineSpec(nodes.total(), "easy"), tt.MachineSpec(policy="easy", nodes=nodes)
    pairs = [
        (event_loop(trace, pool), event_loop(trace, spec, asked)) for _ in range(max(rounds, 1) + 1)
    ]  # the first of which imports what is missing
    on_nodes = median(b for _, b in pairs[1:])
    line(f"{what}: {len(trace):,} jobs on {nodes.count:,} nodes", on_nodes / len(trace) * 1e6, "µs")
    line("  over processors", median(b / a for a, b in pairs[1:]), "times", 3)


def main() -> None:
    """Both machines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="rounds (default: 5)")
    parser.add_argument("--quick", action="store_true", help="the first 1,000 jobs, to test the script")
    given = parser.parse_args()
    logs = folder(given.logs)
    most = 1_000 if given.quick else CURIE
    machines = Path(logs) / "MetaCentrum-wagap-2013.machines"
    if machines.exists():
        nodes = Nodes.read(machines)
        log = read_requests(tt.read_swf(machines.with_suffix(".swf.gz")), nodes)
        if given.quick:
            log = log.first(most)
        compare("MetaCentrum-wagap", log.trace, nodes, log.requests, given.repeat)
    trace, processors, real = open_log("CEA-Curie", logs)
    trace = trace.select(np.arange(len(trace)) < most)
    name = "CEA-Curie" if real else "generated, as CEA-Curie"
    compare(name, trace, Nodes.uniform(processors // 16, 16), (), given.repeat)


if __name__ == "__main__":
    main()
