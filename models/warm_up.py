"""Compile the kernels that a policy needs, before anything is timed.

Numba compiles a kernel at its first call and keeps it on disk. A tiny machine under the policy makes all those
first calls, which take some five seconds if nothing is cached.
"""

from typing import Any

import simpy

from thinktime.models.machine import Machine
from thinktime.models.machine_spec import MachineSpec
from thinktime.models.policies import as_policy
from thinktime.models.policies.entry import entry_of
from thinktime.workloads.job import Job
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.trace import Trace

_prepared: set[tuple[type, str, str, bool, bool]] = set()
"""The combinations that this process has prepared already."""


def prepare(spec: MachineSpec, watched: bool = False) -> None:
    """Compile (or load from the cache) what a machine needs; users' own policies are not called.

    With ``watched``, users will watch for the ends of their jobs. Watches and nodes need kernels of their own.
    """
    overrun, nodes = spec.overrun, spec.nodes is not None
    policy: Any = as_policy(spec.policy)
    ours = entry_of(type(policy)) is not None and not policy.as_recorded
    policy = policy.for_warm_up() if ours else None
    if (kind := (type(policy), str(policy), overrun, watched, nodes)) in _prepared:
        return  # a sweep of a thousand short runs would spend a quarter of its time here
    _prepared.add(kind)
    tiny = MachineSpec(None if nodes else 4, policy, overrun, nodes=Nodes.uniform(1, 4) if nodes else None)
    if not nodes:
        _replay(tiny, watched)
    env = simpy.Environment()
    machine = tiny.open(env)
    jobs = [machine.submit(Job(runtime=runtime, processors=3, estimate=2)) for runtime in (1, 2, 3, 2)]
    jobs[-1].cancel()
    env.process(_later(env, machine, jobs))
    env.run()


def _replay(spec: MachineSpec, watched: bool) -> None:
    """Replay a tiny log: where nobody waits for jobs, one kernel goes through a whole instant."""
    env = simpy.Environment()
    machine = spec.open(env)
    rows = machine.load(Trace({"submit": [0.0, 1.0], "runtime": [2.0, 2.0], "allocated": [3, 3]}))
    if watched:
        machine.watch(rows)
    machine.announce(rows)
    env.run()


def _later(env: simpy.Environment, machine: Machine, jobs: list[Any]) -> Any:
    """Cancel a waiting and a running job, which compiles these kernels."""
    yield env.timeout(1)
    jobs[2].cancel()
    running = machine.submit(Job(runtime=5, processors=1))
    yield running.started
    running.cancel()
