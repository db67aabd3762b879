"""Replaying a log on a machine of nodes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any

import simpy

from thinktime.models.machine import Machine
from thinktime.models.policies import as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.results.result import Result
from thinktime.workloads.node_log import NodeLog, read_requests
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.trace import Trace

Progress = Callable[[float, int, int], None]
STEPS = 200  # how often at most a progress function is called


def replay_on_nodes(
    trace: Trace,
    policy: Any,
    nodes: Nodes,
    allocator: Any = "first-fit",
    overrun: str = "kill",
    progress: Progress | None = None,
    log: NodeLog | None = None,
) -> Result:
    """Replay a trace on nodes under one policy, at its recorded submit times, until every job is over.

    ``log`` is what its jobs ask of the nodes (default: what `read_requests` finds; jobs that no node could run are
    left out and counted in ``Result.dropped``).
    """
    log = read_requests(trace, nodes) if log is None else log
    jobs = log.trace
    policy = as_policy(policy)
    if Hooks(policy).as_recorded:
        raise ValueError(
            f"policy {policy} is the log's own schedule, which need not fit the nodes: replay it on processors"
        )
    env = simpy.Environment()
    machine = Machine(env, policy=policy, overrun=overrun, nodes=nodes, allocator=allocator)
    machine.announce(machine.load(jobs, asked=log.requests, queues=log.queues))
    seconds = -time.perf_counter()
    if progress is not None and len(jobs):
        first, last = float(jobs.submit[0]), float(jobs.submit[-1])
        for step in range(1, STEPS):
            if (until := first + (last - first) * step / STEPS) > env.now:
                env.run(until=until)
                progress(float(env.now), machine.over, len(jobs))
    while machine.over < len(jobs) and env.peek() < inf:
        env.step()
    seconds += time.perf_counter()
    if progress is not None:
        progress(float(env.now), machine.over, len(jobs))
    result = machine.result()
    return replace(
        result,
        dropped=log.dropped,
        notes=[*log.notes, *result.notes],
        unix_start=trace.unix_start,
        zone=trace.zone,
        simulation_seconds=seconds,
    )
