"""A log as a source: every job at its recorded time, and what else may be a source.

``submit_trace`` is the process itself, for models in which a log shares the machine with other users.
"""

from collections.abc import Callable, Generator
from copy import copy
from typing import Any, Self

import numpy as np
import simpy

from thinktime.models.jobs.chains import Chain
from thinktime.models.machine.machine import Machine
from thinktime.users.log_users import LogUsers, Respondents, Responding
from thinktime.users.source import Begun, OwnSource, Source
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.node_log import NodeLog, read_requests
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.trace import Trace


class LogSource(Source):
    """A source whose jobs are those of a log, or are drawn from them.

    ``given`` is the log, or what its jobs request of nodes (`read_requests`); otherwise that is read from the log.
    """

    trace: Trace
    goes_on = False
    """Whether its jobs come by themselves once they are loaded (`thinktime.users.continued`)."""

    def __init__(self, given: Trace | NodeLog) -> None:
        if not isinstance(given, Trace | NodeLog):
            raise TypeError(f"a log is a Trace, such as read_swf gives, not {type(given).__name__}")
        self._given = given
        self.trace = given.trace if isinstance(given, NodeLog) else given
        self.jobs = len(self.trace)

    def read(self, nodes: Nodes | None) -> tuple[Trace, NodeLog | None]:
        """The jobs that a machine can run, and what they request of its nodes, if it has nodes."""
        if nodes is None:
            if isinstance(self._given, NodeLog):
                raise ValueError("this log was read for nodes: give the machine nodes, or replay the log's trace")
            return self.trace, None
        log = self._given if isinstance(self._given, NodeLog) else read_requests(self._given, nodes)
        return log.trace, log

    def with_responses(self, responses: Any) -> Self:
        """The same, with users who respond as batches are due: by these behaviours, or those of `Respondents`."""
        twin, who = copy(self), Respondents.given(responses)
        twin.responds = who
        if who is not None:
            twin.resizes, twin.adapts, twin.unheeded = who.resizes, who.adapts, who.unheeded
            twin.thinking = "" if self.thinks else who.thinking
        return twin

    def responding(
        self,
        env: simpy.Environment,
        machine: Machine,
        rows: Whole,
        bounds: Whole,
        log: NodeLog | None,
        order: Whole | None = None,
        offset: Floats | None = None,
        hours: Callable[[int, float], float] | None = None,
    ) -> Responding | None:
        """Who is asked about batches that are due (`Responding`); ``order`` has the row of the log of each row.

        ``offset`` is how long after its batch each is submitted (s).
        """
        if self.responds is None:
            return None
        asked = [] if log is None else log.requests
        if order is not None and len(asked):
            asked = [asked[row] for row in order.tolist()]
        return Responding(LogUsers(env, machine, self.responds), machine, rows, bounds, offset, asked, hours)

    def notes(self, trace: Trace) -> list[str]:
        """What a result should be read with, of the jobs that the machine can run."""
        return []

    def one_by_one(
        self, env: simpy.Environment, machine: Machine, trace: Trace, rows: range, log: NodeLog | None
    ) -> simpy.Event:
        """Submit each of the loaded jobs at its recorded time, if its user does not decide otherwise."""
        places = np.arange(rows.start, rows.stop)
        bounds = np.arange(len(rows) + 1)
        chain = Chain(
            rows=places,
            bounds=bounds,
            release=trace.submit,
            links=np.zeros(len(rows) + 1, np.int64),
            after=np.empty(0, np.int64),
            think_time=np.empty(0),
            respond=self.responding(env, machine, places, bounds, log),
        )
        return machine.chain(chain)


class Log(LogSource):
    """The jobs of a log, each at its recorded time."""

    goes_on = True

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Load the log's jobs and start the process that submits them."""
        trace, log = self.read(machine.nodes)
        if self.responds is None:
            return Begun(env.process(submit_trace(env, machine, trace, log)), log=log)
        rows = loaded(machine, trace, log, decided=True)
        return Begun(self.one_by_one(env, machine, trace, rows, log), log=log)


def submit_trace(
    env: simpy.Environment, machine: Machine, trace: Trace, log: NodeLog | None = None
) -> Generator[simpy.Event, None, None]:
    """Submit every job of a trace at its recorded time (a process). Jobs from before now are submitted at once.

    ``log`` is what the jobs ask of a machine of nodes (`thinktime.workloads.node_log.read_requests`, whose ``trace``
    this is then). Without it, their processors may be on any nodes.

    The machine has the jobs at once. The process announces them and sleeps until the last submission.

    >>> import simpy, thinktime as tt
    >>> env = simpy.Environment()
    >>> machine = tt.Machine(env, processors=2)
    >>> log = tt.Trace({"submit": [0, 5], "runtime": [10, 20], "allocated": [2, 1]})
    >>> process = env.process(submit_trace(env, machine, log))
    >>> env.run()
    >>> machine.result()["start"].tolist()
    [0.0, 10.0]
    """
    return submitted(env, machine, trace, loaded(machine, trace, log))


def loaded(machine: Machine, trace: Trace, log: NodeLog | None, decided: bool = False) -> range:
    """The rows of a log's jobs; ``decided`` says that their users decide when they are submitted."""
    order = np.arange(len(trace)) if decided else None
    if log is None:
        return machine.load(trace, order)
    return machine.load(trace, order, log.requests, log.queues)


def submitted(
    env: simpy.Environment, machine: Machine, trace: Trace, rows: range
) -> Generator[simpy.Event, None, None]:
    """Submit loaded rows at the times of a trace (a process)."""
    late = int(np.searchsorted(trace.submit, env.now))
    if late:
        machine.submit_rows(rows[:late])
    if late < len(trace):
        machine.announce(rows[late:])
        yield env.timeout(trace.submit.item(-1) - env.now)


def same_numbers(trace: Trace) -> list[str]:
    """A sentence on jobs of a log that have the number of an earlier one."""
    again = np.ones(len(trace), np.bool_)
    again[np.unique(trace.id, return_index=True)[1]] = False
    count = int(again.sum())
    if not count:
        return []
    what = "1 job of the log has the number of an earlier one"
    if count > 1:
        what = f"{count:,} jobs of the log have the numbers of earlier ones"
    return [f"{what}, such as {trace.id[again][0]}; dependencies on such a number are on the last job with it"]


def as_source(given: Any) -> Source:
    """Make a source from a `Source`, a log or a function."""
    if isinstance(given, Trace | NodeLog):
        return Log(given)
    return given if isinstance(given, Source) else OwnSource(given)
