"""Decisions per second of a random agent, with the users of KTH-SP2 who wait for their results.

    python benchmarks/gym.py [--envs N] [--steps N] [--logs DIR] [--quick]

Two processes each step through environments of their own, as agents of evolution strategies do; the random agent draws
among the allowed actions of all environments at once. Wall clock, and processor time, which other programs disturb
less. Then the same with Gymnasium's own vectors, and step by step with a metric.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from typing import Any

import gymnasium
import numpy as np
from logs import folder as logs_folder
from logs import open_log

import thinktime as tt
from thinktime.analysis.gym.environment import NAME

TARGET = 50_000
WARM_UP = 20


def stepped(envs: Any, steps: int, seed: int, barrier: Any = None) -> tuple[float, float]:
    """Let a random agent do so many steps; wall clock and processor time (s)."""
    rng = np.random.default_rng(seed)
    _, info = envs.reset(seed=seed)
    begin = processor = 0.0
    for step in range(WARM_UP + steps):
        if step == WARM_UP:
            if barrier is not None:
                barrier.wait()
            begin, processor = time.perf_counter(), time.process_time()
        mask = info["action_mask"]
        *_, info = envs.step((mask * rng.random(mask.shape)).argmax(axis=1))
    spent = time.perf_counter() - begin, time.process_time() - processor
    envs.close()
    return spent


def worker(log: Any, processors: int, count: int, steps: int, seed: int, barrier: Any, spent: Any) -> None:
    """One process."""
    spent.put(stepped(made(log, processors, count), steps, seed, barrier))


def made(log: tt.Trace, processors: int, count: int, **options: Any) -> Any:
    """Environments side by side."""
    source = tt.sources.feedback(log)
    return gymnasium.make_vec(NAME, count, machine=tt.MachineSpec(processors), sources=source, **options)


def show(what: str, rate: float, target: float | None = None) -> None:
    """Print decisions per second."""
    verdict = "" if target is None else f"   target {target:,.0f}: {'met' if rate >= target else 'NOT MET'}"
    print(f"{what:<66}{rate:>10,.0f}{verdict}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Decisions per second of a random agent.")
    parser.add_argument("--envs", type=int, default=16, help="environments in each process")
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    parser.add_argument("--quick", action="store_true", help="few steps, to test the script")
    given = parser.parse_args()
    steps = 50 if given.quick else given.steps
    log, processors, real = open_log("KTH", logs_folder(given.logs))
    if not real:
        first = tt.replay(log, "easy", processors)
        users = np.random.default_rng(1).integers(1, 200, len(log))
        log = log.with_columns(wait=first["start"] - first["submit"], user=users)
    stepped(made(log, processors, 2), 10, 1)  # import
    print(f"decisions/s with the {len(log):,} {'real' if real else 'generated'} jobs of KTH-SP2, users who wait")
    barrier, spent = multiprocessing.Barrier(2), multiprocessing.Queue()
    alike = [
        multiprocessing.Process(target=worker, args=(log, processors, given.envs, steps, seed, barrier, spent))
        for seed in (1, 2)
    ]
    for process in alike:
        process.start()
    times = [spent.get() for _ in alike]
    for process in alike:
        process.join()
    decisions = 2 * given.envs * steps
    show(f"two processes of {given.envs} environments: wall clock", decisions / max(wall for wall, _ in times), TARGET)
    show("  by processor time", 2 * decisions / sum(processor for _, processor in times), TARGET)
    few = max(steps // 10, 50)
    for what, count, options in (
        ("one process, SyncVectorEnv of 2", 2, {"vectorization_mode": "sync"}),
        ("AsyncVectorEnv of 2 (each in a process)", 2, {"vectorization_mode": "async"}),
        ("one process, a metric at each step", 2, {"per": "step"}),
    ):
        wall, _ = stepped(made(log, processors, count, **options), few, 1)
        show(f"{what}: wall clock", count * few / wall)


if __name__ == "__main__":
    main()
