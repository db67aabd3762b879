"""The file of a state in which 100,000 jobs wait: CPU seconds to write and to read it, and its size.

``python benchmarks/states.py --jobs 100000 --repeat 3``
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import thinktime as tt

MACHINES = {
    "pool under EASY": tt.MachineSpec(4096),
    "pool under conservative": tt.MachineSpec(4096, "conservative"),
    "pool under EASY, fair shares": tt.MachineSpec(4096, "easy:order=fairshare"),
    "nodes under Slurm": tt.MachineSpec(nodes=tt.Nodes.uniform(1000, 32), policy="slurm"),
}
BEGIN = 10.0


def waiting(spec: tt.MachineSpec, jobs: int) -> tt.MachineState:
    """The state of a machine on which nearly all of so many jobs wait."""
    rng = np.random.default_rng(1)
    log = tt.Trace(
        {
            "submit": np.sort(rng.integers(0, 5, jobs)), "runtime": rng.integers(1000, 90_000, jobs),
            "requested_processors": rng.choice([1, 2, 8, 32, 64, 512], jobs),
            "requested_time": rng.choice([3600, 14_400, 86_400], jobs), "user": rng.integers(1, 500, jobs),
        }
    )  # fmt: skip
    states = []

    def look(env: Any, machine: tt.Machine) -> Iterator[Any]:
        yield env.timeout(BEGIN)
        states.append(machine.state())

    tt.run(spec, log, look, until=BEGIN + 1)
    return states[0]


def fastest(repeat: int, call: Callable[[], Any]) -> float:
    """The CPU time of the fastest of several calls, s."""
    seconds = []
    for _ in range(repeat):
        seconds.append(-time.process_time())
        call()
        seconds[-1] += time.process_time()
    return min(seconds)


def main() -> None:
    """Print a line for each machine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.state")
        for name, spec in MACHINES.items():
            state = waiting(spec, given.jobs)
            saved = fastest(given.repeat, lambda state=state: state.save(path))  # type: ignore[misc]
            read = fastest(given.repeat, lambda: tt.MachineState.read(path))
            size = path.stat().st_size / 2**20
            print(f"{name:30} {state}: written in {saved:.2f} s, read in {read:.2f} s, {size:.1f} MiB", flush=True)


if __name__ == "__main__":
    main()
