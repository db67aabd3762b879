"""The state of a machine as a value: all that the rest of a schedule depends on, at one time.

    state = machine.state()
    rest = tt.run(tt.MachineSpec(begin=state))
    other = tt.run(tt.MachineSpec(begin=state.without_arrivals()), tt.sources.log(another_log))
    state.save("june.state")
    again = tt.run(tt.MachineSpec(begin="june.state"))

A state has a copy of every part of the machine (`thinktime.models.machine.parts`), of its policy, with all that it
remembers, and of what is due at which time. There is nothing of SimPy in it, and no process that waits. The users of a
machine are no part of it: jobs that were submitted go on, but no user is told of an end. Logs that were announced to
the machine go on by themselves, and so do batches that wait for each other, unless Python has to be asked when they
come. Users who follow a plan submit nothing more, and a hold lasts until its estimate.

**The law of the cut**: a run that goes on from a state gives the same rest as one that was never cut: every start, end,
run, meter and promise, to the last bit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from copy import deepcopy
from inspect import isfunction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import simpy

from thinktime.models.engine.codes import machine_state as at
from thinktime.models.jobs.chains import ChainedBatches
from thinktime.models.jobs.checks import name_of
from thinktime.models.machine.combinations import refuse
from thinktime.models.machine.going_over import go_over
from thinktime.models.machine.opening import Fields
from thinktime.models.machine.parts import Parts
from thinktime.models.machine.saved import file
from thinktime.models.machine.saved.graph import NotDataError, Written
from thinktime.models.machine.wanted import Wanted
from thinktime.models.orders.order import Order
from thinktime.models.policies import as_policy
from thinktime.workloads.names import shortened
from thinktime.workloads.units import counted
from thinktime.workloads.withdrawn import demanded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thinktime.models.jobs.pool import Pool
    from thinktime.workloads.trace import Trace

NEVER_OVER = 2**62
"""More jobs than any campaign has."""


class MachineState:
    """What a machine was at one time; `Machine.state` makes it, and `MachineSpec(begin=…)` goes on from it.

    It can be used many times: each run that begins with it has a copy.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0, 1, 2], "runtime": [10, 20, 5], "allocated": [2, 1, 1]})
    >>> states = []
    >>> def look(env, machine):
    ...     yield env.timeout(5)
    ...     states.append(machine.state())
    >>> result = tt.run(tt.MachineSpec(2), tt.sources.log(log), look)
    >>> states[0]
    <state at 5 s: 1 job running, 2 jobs waiting, 0 jobs to come>
    >>> tt.run(tt.MachineSpec(begin=states[0]))["start"].tolist() == result["start"].tolist()
    True
    """

    time: float
    """When that was, s."""
    fields: Fields
    """The fields of the `MachineSpec`."""
    due: dict[str, Any]
    """What the scheduler has to do next."""
    path: str | None = None
    """The file that it was read from."""

    def __init__(self, time: float, fields: Fields, parts: Parts, due: dict[str, Any]) -> None:
        self.time, self.fields, self._parts, self.due = time, fields, parts, due

    @classmethod
    def of(cls, time: float, fields: Fields, parts: Parts, due: dict[str, Any]) -> MachineState:
        """The state of a machine that has these fields and parts now, with copies of what changes."""
        own = parts.copied(fields)
        _forget_users(own.pool)
        return cls(time, fields, own, deepcopy(due))

    def parts_for(self, fields: Fields, env: simpy.Environment) -> Parts:
        """Copies of the parts, for a machine that goes on from here; ``ValueError`` if another one is wanted."""
        if env.now != self.time:
            raise ValueError(
                f"the environment is at {env.now:g} s, and the state at {self.time:g} s: begin with "
                "simpy.Environment(state.time)"
            )
        refuse(Wanted(differs=self.differs(fields)))
        return self._parts.copied(self.fields)

    def is_of(self, trace: Trace) -> bool:
        """Whether the jobs of a log are those that the machine knows, be they over or to come."""
        pool = self._parts.pool
        jobs, n = pool.requests, pool.requests.size
        known = np.flatnonzero(~jobs.numbered_here[:n] & (jobs.id[:n] >= 0))
        known = known[np.argsort(jobs.id[known], kind="stable")]
        order = np.argsort(trace.id, kind="stable")
        runtime = demanded(trace).runtime[order]
        same = np.array_equal(jobs.id[known], trace.id[order]) and len(known) > 0
        split = self._parts.split_jobs.limit < np.inf
        return bool(same and (split or np.array_equal(pool.outcomes.runtime[known], runtime, equal_nan=True)))

    @property
    def names(self) -> Mapping[str, list[Any]]:
        """The names of users, groups, queues and partitions, by code."""
        return self._parts.labels.names

    def differs(self, fields: Mapping[str, Any]) -> str:
        """What of another description of a machine is not as it was here; empty if all is."""
        for name, value in fields.items():
            if name == "policy":
                same = _is_policy(value, self.fields[name])
            else:
                same = value == self.fields[name] or (name == "processors" and value is None)
            if not same:
                return f"{name} = {shortened(value, 40)}, where the state has {shortened(self.fields[name], 40)}"
        return ""

    def without_arrivals(self) -> MachineState:
        """The same, but nothing comes by itself: no job of a log that was announced, and no batch."""
        parts = self._parts.copied(self.fields)
        _forget_arrivals(parts.pool)
        return MachineState(self.time, self.fields, parts, deepcopy(self.due))

    def going_over(self, policy: Any) -> MachineState:
        """The same, but a policy is about to take over (`thinktime.models.machine.another_policy`)."""
        parts, fields = self._parts.copied(self.fields), self.fields | {"policy": policy}
        return MachineState(self.time, fields, parts, go_over(parts, fields, deepcopy(self.due), self.time))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file, which `read` gives back (docs/reference/states.md); same states, same bytes.

        ``ValueError`` if it has code of one's own (a policy, an order, an estimator, an allocator), which is no data;
        nothing is written then.
        """
        file.write(Path(path), self._written())

    def check_data(self) -> None:
        """``ValueError`` if the state could not be saved, since it has code of one's own."""
        self._written()

    def _written(self) -> Written:
        try:
            return Written((self.time, self.fields, self._parts, self.due))
        except NotDataError as error:
            refuse(Wanted(coded=self._called(error.what)))
            raise

    def _called(self, what: Any) -> str:
        """What people call something that is no data."""
        fields, policy = self.fields, self._parts.policy
        given = {"policy": policy, "estimator": fields["estimates"], "allocator": fields["allocator"]}
        word = "policy" if what is fields["policy"] else next((name for name in given if given[name] is what), None)
        if word is None:
            word = "order" if isinstance(what, Order) else "function" if isfunction(what) else "an object of"
        return f"{word} {what.__name__ if isfunction(what) else name_of(what)}"

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> MachineState:
        """The state in a file.

        ``ValueError`` if it is no such file, is cut off or damaged, or was written by a version of thinktime whose
        states are others; ``OSError`` if it cannot be opened.
        """
        found = cls(*file.read(Path(path)))
        found.path = str(path)
        return found

    def __repr__(self) -> str:
        pool = self._parts.pool
        running = pool.outcomes.end[pool.running_rows] >= self.time
        told = counted(int(running.sum()), "job"), counted(pool.waiting_count(), "job")
        to_come = counted(len(_announced(pool)), "job")
        return f"<state at {self.time:g} s: {told[0]} running, {told[1]} waiting, {to_come} to come>"


def _is_policy(one: Any, other: Any) -> bool:
    """Whether two descriptions are of one policy."""
    one, other = as_policy(one), as_policy(other)
    return type(one) is type(other) and name_of(one) == name_of(other)


def _forget_users(pool: Pool) -> None:
    """No process waits for a job any more, and no user who has to be asked submits anything."""
    pool.truth.bind(ended_watches=0, told_count=0, begun_count=0, hit_count=0, observed=False)
    pool.outcomes.attention &= at.UNWANTED | at.LATE
    pool.campaigns = np.full(max(len(pool.campaigns), pool.truth.campaign_count), NEVER_OVER)
    watch, batches = pool.outcomes.watch, pool.batches.batches
    watch[watch >= 0] = -1
    asked = (batches.manner[: batches.size] & (at.PLANNED | at.HELD)).any()
    if asked or batches.responds[: batches.size].any():
        _forget_batches(pool)
    pool.bind()


def _forget_batches(pool: Pool) -> None:
    """No batch is submitted any more."""
    pool.batches = ChainedBatches()
    pool.outcomes.watch[pool.outcomes.watch < -1] = -1
    pool.truth.due_count, pool.truth.next_release = 0, np.inf
    pool.bind()


def _set_arrival(pool: Pool) -> None:
    """Find out when the next jobs come."""
    times = [pool.requests.submit.item(pool.tables.item(0))] if pool.truth.table_count else []
    if pool.truth.arrived_count:
        times.append(pool.requests.submit.item(pool.arrived.item(0)))
    if pool.eligibility is not None:
        times.append(pool.eligibility.next_date)
    pool.truth.next_arrival = min(times, default=np.inf)


def _announced(pool: Pool) -> NDArray[np.int64]:
    """The rows that will be submitted at known times."""
    tables = zip(pool.tables.tolist(), pool.stops.tolist(), range(pool.truth.table_count), strict=False)
    return np.concatenate([np.arange(0), *(np.arange(first, stop) for first, stop, _ in tables)])


def _forget_arrivals(pool: Pool) -> None:
    """No job is submitted by itself any more; the numbers of those that would have been are free."""
    rows = np.concatenate([_announced(pool), _in_batches_to_come(pool)])
    pool.truth.given -= len(_announced(pool))
    pool.truth.table_count = 0
    _forget_batches(pool)
    _set_arrival(pool)
    pool.requests.id[rows], pool.requests.submit[rows] = -1, np.nan


def _in_batches_to_come(pool: Pool) -> NDArray[np.int64]:
    """The rows of batches that are not submitted yet."""
    batches = pool.batches.batches
    waits = batches.missing[: batches.size] > 0
    waits[batches.due[: pool.truth.due_count]] = True
    members = pool.batches.members.members
    places = (range(batches.job.item(b), batches.stop_job.item(b)) for b in np.flatnonzero(waits).tolist())
    return np.concatenate([np.arange(0), *(members[each.start : each.stop] for each in places)])
