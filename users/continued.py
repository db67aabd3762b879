"""A log that is continued: a machine that begins from a state knows its jobs already, and they come by themselves."""

from typing import Any

import simpy

from thinktime.models.machine.machine import Machine
from thinktime.users.log_source import LogSource
from thinktime.users.source import Begun, Source


class Continued(Source):
    """A log whose jobs the machine knows."""

    def __init__(self, log: LogSource) -> None:
        self._log, self.trace, self.jobs = log, log.trace, log.jobs
        self.recorded, self.chained, self.closed = log.recorded, log.chained, log.closed

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Submit nothing, and say of the log what its source says."""
        trace, asked = self._log.read(machine.nodes)
        return Begun(env.event().succeed(), log=asked, notes=lambda whole: self._log.notes(trace))


def continued(source: Source, begin: Any) -> Source:
    """A source as it is, but for a log of which all jobs are known to the state that a machine begins from."""
    if begin is None or not isinstance(source, LogSource) or not source.goes_on:
        return source
    known = begin.is_of(source.read(begin.fields["nodes"])[0])
    if known and source.responds is not None:
        raise ValueError(
            "users of a log who respond cannot be combined with a run that begins from a state of the log: users are "
            "no part of a state"
        )
    return Continued(source) if known else source
