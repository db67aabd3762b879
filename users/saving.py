"""States that are written to files while a run goes on.

A run that was killed goes on from its checkpoint (`thinktime.run` with ``begin``), and a state of June is where many
runs can begin. To write one changes nothing.
"""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

import simpy

from thinktime.models.machine.machine import Machine
from thinktime.models.machine.simpy_insides import stop
from thinktime.workloads.units import MINUTE

Path = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """When the state of a machine is written, and to which files."""

    at: Mapping[float, Path] = field(default_factory=dict)
    """Files by the times (s) whose states they get: that of a machine before anything happens then."""
    checkpoint: Path | None = None
    """A file that gets the latest state again and again."""
    every: float = 10 * MINUTE
    """After so much time on the clock (s), not simulated."""


class Saver:
    """Writes the states of one run."""

    def __init__(self, env: simpy.Environment, machine: Machine, saving: Saving | None) -> None:
        self._env, self._machine, self.saving = env, machine, saving or Saving()
        self._due = inf if self.saving.checkpoint is None else time.monotonic() + self.saving.every
        self._stopped = False
        if saving is not None:
            machine.state().check_data()  # now, and not after hours

    def stop_if_due(self) -> None:
        """Something has happened: stop the run if a checkpoint is due, which is not written in the middle of it."""
        if not self._stopped and time.monotonic() >= self._due:
            self._stopped = True
            stop(self._env)

    def write_if_due(self) -> None:
        """The run stands: write the checkpoint if it is due."""
        if (self._stopped or time.monotonic() >= self._due) and self.saving.checkpoint is not None:
            self._machine.state().save(self.saving.checkpoint)
            self._due, self._stopped = time.monotonic() + self.saving.every, False

    def write(self, moment: float) -> None:
        """It is the time for the state of a moment; ``ValueError`` if there is nothing left to come."""
        pool = self._machine.pool
        if self._machine.over >= pool.truth.given and not pool.truth.to_come:
            raise ValueError(f"there is no state at {moment:.15g} s to write: all jobs are over by then")
        self._machine.state().save(self.saving.at[moment])
