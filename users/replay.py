"""Replaying a log: open-loop, at its recorded submit times, or with the dependencies that it records.

``replay`` runs one log under one policy and returns the result; ``submit_trace`` is the process itself, for
models in which a log shares the machine with other users.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np
import simpy

from thinktime.models.machine import Machine, Observer
from thinktime.models.policies import as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.results.result import Result
from thinktime.models.warm_up import prepare
from thinktime.users.dependencies import dangling_note, submit_with_dependencies
from thinktime.users.node_replay import replay_on_nodes
from thinktime.users.segments import submit_segments
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.segments import Segments, split
from thinktime.workloads.trace import Trace

Progress = Callable[[float, int, int], None]
PIECE = 4096  # jobs announced at a time
STEPS = 200  # how often at most a progress function is called


def submit_trace(
    env: simpy.Environment, machine: Machine, trace: Trace, log: NodeLog | None = None
) -> Generator[simpy.Event, None, None]:
    """Submit every job of a trace at its recorded time (a process; what lies before now is submitted at once).

    ``log`` is what the jobs ask of a machine of nodes (`thinktime.workloads.node_log.read_requests`, whose ``trace``
    this is then); without it, their processors may be anywhere.

    The process announces the log to the machine piece by piece and sleeps until the last submission of
    each: waking up for every single job was measured to cost a quarter of an EASY replay.
    """
    rows = machine.load(trace) if log is None else machine.load(trace, asked=log.requests, queues=log.queues)
    late = int(np.searchsorted(trace.submit, env.now))
    if late:
        machine.submit_rows(rows[:late])
    for first in range(late, len(trace), PIECE):
        piece = rows[first : first + PIECE]
        machine.announce(piece)
        yield env.timeout(trace.submit.item(first + len(piece) - 1) - env.now)


def replay(
    trace: Trace | Segments,
    policy: Any = "easy",
    processors: int | None = None,
    overrun: str = "kill",
    progress: Progress | None = None,
    dependencies: bool = False,
    *,
    estimates: str = "requested",
    observers: Iterable[Observer] = (),
    nodes: Nodes | None = None,
    allocator: Any = "first-fit",
) -> Result:
    """Replay a trace open-loop under one policy until every job is over.

    With ``dependencies``, SWF fields 17 and 18 are honoured (`submit_with_dependencies`): the replay is
    closed-loop then. ``processors`` defaults to the machine size in the log's header. ``progress(now, over,
    jobs)`` is called up to 200 times, at even distances of simulated time. ``estimates`` is what the policy plans with
    (`thinktime.models.estimates`). ``Result.simulation_seconds`` is
    the wall-clock time of the event loop alone.

    A log under a runtime limit (`Segments`, or a policy that has one) has a row for each segment in its result.
    ``observers`` see the machine at every submission (`Machine.observe`). With ``nodes`` instead of ``processors`` the
    machine has nodes, among which ``allocator`` chooses (`replay_on_nodes`).
    """
    if nodes is not None:
        if (
            isinstance(trace, Segments)
            or dependencies
            or estimates != "requested"
            or any(True for _ in observers)
        ):
            raise ValueError("on nodes there are no runtime limits, dependencies, estimates or observers yet")
        return replay_on_nodes(trace, policy, nodes, allocator, overrun, progress)
    whole = trace.trace if isinstance(trace, Segments) else trace
    size = size_of(whole, processors)
    again = partial(
        replay, trace, processors=size, overrun=overrun, dependencies=dependencies, estimates=estimates
    )
    policy = checked(policy, whole, again)
    segments = segments_of(trace, policy)
    if segments is not None and dependencies:
        raise ValueError("a runtime limit and the log's own dependencies do not go together")
    prepare(policy, overrun)
    env = simpy.Environment()
    machine = Machine(env, size, policy, overrun, estimates=estimates, splits=segments is not None)
    for observer in observers:
        machine.observe(observer)
    if segments is not None:
        env.process(submit_segments(env, machine, segments))
    else:
        env.process((submit_with_dependencies if dependencies else submit_trace)(env, machine, whole))
    seconds = -time.perf_counter()
    _run(env, machine, whole if segments is None else segments, progress)
    seconds += time.perf_counter()
    result = machine.result()
    notes = [*result.notes, *(dangling_note(whole) if dependencies else ())]
    notes += [] if segments is None else [segments.note()]
    return replace(
        result, unix_start=whole.unix_start, zone=whole.zone, simulation_seconds=seconds, notes=notes
    )


def segments_of(trace: Trace | Segments, policy: Any) -> Segments | None:
    """The log under the policy's runtime limit, unless it is under one already; None where there is no limit."""
    if isinstance(trace, Segments):
        return trace
    limit = Hooks(policy).runtime_limit
    return split(trace, limit) if limit < inf else None


def size_of(trace: Trace, processors: int | None) -> int:
    """The size of the machine: as given, else as the log's header has it."""
    size = processors if processors is not None else trace.machine_size
    if size is None:
        raise ValueError(
            "the log's header gives no machine size (MaxProcs or MaxNodes); say how many processors there are"
        )
    return size


def checked(policy: Any, trace: Trace, run: Callable[[Any], Result] | None = None) -> Any:
    """The policy, made from its text if need be, once it has not refused the log, and has had its rehearsal.

    ``run(policy)`` gives the result of the same replay under another policy.
    """
    policy = as_policy(policy)
    hooks = Hooks(policy)
    if hooks.check:
        hooks.check(trace)
    return hooks.rehearse(run) if hooks.rehearse and run else policy


def _run(
    env: simpy.Environment, machine: Machine, trace: Trace | Segments, progress: Progress | None
) -> None:
    submit = trace.first.submit if isinstance(trace, Segments) else trace.submit
    if progress is not None and len(trace):
        first, last = float(submit[0]), float(submit[-1])
        for step in range(1, STEPS):
            until = first + (last - first) * step / STEPS
            if until > env.now:
                env.run(until=until)
                progress(float(env.now), machine.over, len(trace))
    if len(trace) and submit[-1] > env.now:
        env.run(until=submit.item(-1))
    while machine.over < len(trace) and env.peek() < inf:  # a policy's clock may go on for ever
        env.step()
    if progress is not None:
        progress(float(env.now), machine.over, len(trace))
