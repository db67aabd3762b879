"""Sources: what submits the jobs of a run.

A source is called with the environment and the machine, and starts its processes. Any SimPy process can be one:

    def two_jobs(env, machine):
        yield machine.submit(Job(runtime=60))
        yield machine.submit(Job(runtime=60))

The sources of the package derive from `Source`: they have the properties that `thinktime.users.run` and the
table of impossible combinations ask for.
"""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import simpy

from thinktime.models.machine.machine import Machine
from thinktime.workloads.arrays import Rows
from thinktime.workloads.names import quoted
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.trace import Trace

Process = Generator[simpy.Event, Any, Any]


@dataclass
class Begun:
    """What a source started in one run."""

    over: simpy.Event
    """Succeeds when the source will submit nothing more."""
    order: Callable[[], Rows] | None = None
    """The machine's rows of its jobs, in the order for the result; None for the machine's order."""
    log: NodeLog | None = None
    """What its jobs request of a machine of nodes."""
    notes: Callable[[bool], list[str]] = field(default=lambda whole: [])
    """Notes for the result; ``whole`` says that the run had no horizon."""
    session: Callable[[], Rows] = field(default=lambda: np.empty(0, np.int64))
    """For drawn users, the session of each job in ``order``."""


class Source:
    """A source of jobs, with what must be known of it before it starts."""

    trace: Trace | None = None
    """The log that its jobs come from, which gives the size of the machine and the dates of a result."""
    jobs: int = 0
    """The number of jobs that it will submit; 0 if unknown."""
    recorded = True
    """Whether its jobs come from a log, which has their start times."""
    repeatable = True
    """Whether it submits the same jobs every time it is started."""
    endless = False
    """Whether it goes on for ever, so that a run needs an end."""
    closed = False
    """Whether users of a log react to what happens to their jobs."""
    chained = False
    """Whether jobs of its users are submitted after the ends of others, by compiled code (`Machine.chain`)."""
    resizes = False
    """Whether its users change the processors of jobs that ask for nodes."""
    responds: Any = None
    """Which users of a log respond when a batch is due; None for none of them."""
    adapts = False
    """Whether they may submit other jobs than the log's."""
    unheeded = ""
    """The first behaviour of theirs that does more than its users can."""
    thinks = False
    """Whether users think when what they waited for is over, and may be asked for how long."""
    thinking = ""
    """The first behaviour of theirs about think times, where no user thinks."""

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Start the processes of this source, and say when it will submit no more."""
        raise NotImplementedError


class OwnSource(Source):
    """A source made of the caller's own processes."""

    recorded = True  # it may submit a log
    repeatable = False

    def __init__(self, function: Callable[[simpy.Environment, Machine], Any]) -> None:
        if not callable(function):
            raise TypeError(f"a source is a function of (env, machine), not {quoted(function)}")
        self._function = function

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Start what the function returns: a generator, a process or event, several of them, or nothing."""
        return Begun(env.all_of(list(_events(env, self._function(env, machine)))))


def _events(env: simpy.Environment, given: Any) -> Iterable[simpy.Event]:
    if given is None:
        return
    if isinstance(given, Generator):
        yield env.process(given)
    elif isinstance(given, simpy.Event):
        yield given
    elif isinstance(given, Iterable):
        for each in given:
            yield from _events(env, each)
    else:
        raise TypeError(f"a source gives a SimPy process, several, or None, not {quoted(given)}")


def followed(machine: Machine, users: range) -> Process:
    """The users of a plan (`thinktime.models.machine.plans`) as a process, which ends when all of them are done."""
    try:
        yield machine.plans.start(users)
    except simpy.Interrupt:
        machine.plans.stop(users)
        raise
