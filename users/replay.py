"""Open-loop replay of a log: every job at its recorded submit time.

``replay`` runs one log under one policy and returns the result. ``submit_trace`` is the process itself, for
models in which a log shares the machine with other users.
"""

from collections.abc import Generator, Iterable
from typing import Any, Unpack

import numpy as np
import simpy

from thinktime.models.listeners import Observer
from thinktime.models.machine import Machine
from thinktime.models.machine_spec import MachineOptions, spec_of
from thinktime.models.results.result import Result
from thinktime.users.dependencies import LogWithDependencies
from thinktime.users.run import Progress, run
from thinktime.users.source import Begun, LogSource
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.trace import Trace


class Log(LogSource):
    """The jobs of a log, each at its recorded time."""

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Submit them."""
        trace, log = self.read(machine.nodes)
        return Begun(env.process(submit_trace(env, machine, trace, log)), log=log)


def submit_trace(
    env: simpy.Environment, machine: Machine, trace: Trace, log: NodeLog | None = None
) -> Generator[simpy.Event, None, None]:
    """Submit every job of a trace at its recorded time (a process). Jobs from before now are submitted at once.

    ``log`` is what the jobs ask of a machine of nodes (`thinktime.workloads.node_log.read_requests`, whose ``trace``
    this is then). Without it, their processors may be on any nodes.

    The process announces the log to the machine and sleeps until the last submission.
    """
    rows = machine.load(trace) if log is None else machine.load(trace, asked=log.requests, queues=log.queues)
    late = int(np.searchsorted(trace.submit, env.now))
    if late:
        machine.submit_rows(rows[:late])
    if late < len(trace):
        machine.announce(rows[late:])
        yield env.timeout(trace.submit.item(-1) - env.now)


def replay(
    trace: Trace | NodeLog,
    policy: Any = "easy",
    processors: int | None = None,
    *,
    dependencies: bool = False,
    observers: Iterable[Observer] = (),
    progress: Progress | None = None,
    **machine: Unpack[MachineOptions],
) -> Result:
    """Replay a log open-loop under one policy until every job is over.

    With ``dependencies``, SWF fields 17 and 18 are honoured (`thinktime.users.dependencies`), so the replay is
    closed-loop. ``processors`` defaults to the machine size in the log's header. ``machine`` are the other fields of a
    `MachineSpec`: ``overrun``, ``estimates``, or ``nodes`` with an ``allocator``. A whole `MachineSpec` may
    replace ``policy``. ``observers`` and ``progress`` are those of `run`.

    Under a policy with a runtime limit, the result has a row for each segment of a job. On nodes, jobs that no node
    could run are left out and counted in ``Result.dropped``; ``trace`` may be what `read_requests` made of a log.
    """
    source = LogWithDependencies(trace) if dependencies else Log(trace)
    return run(spec_of(policy, processors, machine), source, observers=observers, progress=progress)
