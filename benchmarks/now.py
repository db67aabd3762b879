"""`thinktime now` for a large site: CPU seconds of a draw of 24 h with 5,000 jobs running and 20,000 waiting.

``python benchmarks/now.py --draws 10 --profile``
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import thinktime as tt
from thinktime.workloads.units import DAY, HOUR

NODES, CORES = 1000, 32
MACHINES = {
    "pool under EASY": tt.MachineSpec(NODES * CORES),
    "nodes under EASY": tt.MachineSpec(nodes=tt.Nodes.uniform(NODES, CORES)),
    "site of Slurm": tt.MachineSpec.of_site(tt.Site(nodes=tt.Nodes.uniform(NODES, CORES))),
}
SIZES, SHARES = (1, 2, 4, 8, 32), (0.3, 0.2, 0.2, 0.2, 0.1)
"""Processors of jobs: 6.3 on average, so that about 5,000 fill the machine."""
USERS, PAST, QUEUE = 500, 100_000, 25_000
BEGIN = 28 * DAY


def log() -> tt.Trace:
    """Four weeks of a past in which nobody waited for long, then a queue that comes within an hour."""
    rng = np.random.default_rng(1)
    jobs = PAST + QUEUE
    user = rng.integers(1, USERS, jobs)
    submit = np.concatenate(
        [np.sort(rng.uniform(0, BEGIN - 2 * DAY, PAST)), np.sort(rng.uniform(BEGIN - 600, BEGIN - 300, QUEUE))]
    )
    runtime = np.minimum(DAY, np.exp(rng.normal(np.log(3 * HOUR), 1.2, jobs)))
    return tt.Trace(
        {
            "submit": np.floor(submit), "runtime": np.ceil(runtime), "wait": np.where(np.arange(jobs) < PAST, 60, -1),
            "requested_processors": rng.choice(SIZES, jobs, p=SHARES), "user": user,
            "executable": 5 * user + rng.integers(0, 5, jobs),
            "requested_time": np.where(runtime < HOUR, 4 * HOUR, DAY),
        }
    )  # fmt: skip


def begun(spec: tt.MachineSpec, given: tt.Trace) -> tt.MachineState:
    """The state of a machine to which the last jobs have come."""
    states = []

    def look(env: Any, machine: tt.Machine) -> Iterator[Any]:
        yield env.timeout(BEGIN)
        states.append(machine.state())

    tt.run(spec, given.select(np.arange(len(given)) >= PAST), look, until=BEGIN + 1)
    return states[0]


def main() -> None:
    """Print a line for each machine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--machine", choices=list(MACHINES), action="append")
    parser.add_argument("--arrivals", default="reacting")
    parser.add_argument("--profile", action="store_true", help="also where the time goes")
    given = parser.parse_args()
    history = log()
    for name in given.machine or MACHINES:
        state = begun(MACHINES[name], history)
        seconds = []
        for draws in (1, 1 + given.draws):
            profile = cProfile.Profile()
            seconds.append(-time.process_time())
            if given.profile and draws > 1:
                profile.enable()
            outlook = tt.forecast(state, history, draws=draws, until=DAY, arrivals=given.arrivals)
            profile.disable()
            seconds[-1] += time.process_time()
        each = (seconds[1] - seconds[0]) / given.draws
        first = max(0.0, seconds[0] - each)
        print(
            f"{name:18} {state}: {each:.2f} s a draw ({outlook.drawings['today'].later.mean():,.0f} jobs come), and "
            f"{first:.1f} s at first: 200 draws in {first + 200 * each:.0f} s",
            flush=True,
        )
        if given.profile:
            pstats.Stats(profile).sort_stats("tottime").print_stats(18)


if __name__ == "__main__":
    main()
