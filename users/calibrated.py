"""The users of a log, who submit with the hazards that were fitted to them (`thinktime.workloads.calibration.tables`).

A user's first batch is submitted at its recorded time. After each batch the user's hazard is integrated along what
happens in the run, and the next batch comes when the integral reaches the batch's *residual*. The residuals of the log
are those that its recorded schedule gives; if the hazards are right, they are exponential with mean 1. With them
(``kept``), a run under which the same happens gives the log back, to the last bit: the luck of each user is the same,
and what differs is what the machine does to them. Or they are drawn anew (``new``), for each user from a stream.

Logs have whole seconds, so a submission is taken as made `HALF` a second after its recorded time, after all that
happened at that time. So a think time of 0 is one after the end that it waited for. Where the hazard is 0 at a recorded
submission, the integral has reached the residual before, and the time that was left is kept as well. If a hazard falls
at an end that is as recorded as the submission, the half second is kept as such time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import simpy

from thinktime.models.engine.residuals import Recorded
from thinktime.models.jobs.chains import Chain
from thinktime.models.jobs.hazards import Aims, HazardUsers
from thinktime.models.machine.machine import Machine
from thinktime.models.state import State
from thinktime.users.log_source import LogSource, loaded
from thinktime.users.source import Begun
from thinktime.workloads.arrays import Floats, Rows, Whole
from thinktime.workloads.calibration.beyond import sentence
from thinktime.workloads.calibration.calibrate import fitted_once
from thinktime.workloads.calibration.fitted import FittedUsers
from thinktime.workloads.calibration.tables import TOGETHER
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.names import quoted
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import counted
from thinktime.workloads.user_models.sessions import Groups, delimit, owners

LUCK = ("kept", "new")
"""Of several draws in turn: no log says how far the luck of its users would be the same under another policy."""


class _Log(NamedTuple):
    """What a log says to all users that may be fitted to it: to all draws, and under all policies."""

    schedule: Trace
    """The jobs with the schedule that residuals are taken from."""
    batches: Groups
    recorded: Recorded
    owner: Whole
    """The code under which the user of each job was fitted."""


class _Latest(NamedTuple):
    """What was found out last."""

    log: _Log
    seed: Seed
    users: HazardUsers


_LATEST: WeakKeyDictionary[FittedUsers, dict[str, _Latest]] = WeakKeyDictionary()
"""By users and luck: with kept luck for whatever seed."""


class CalibratedLog(LogSource):
    """The users of a log, who submit with the hazards of ``users``.

    ``users`` are those of `thinktime.calibrate`, or what a replay takes of them; by default they are fitted to the log,
    once for all replays of it. With a seed ``posterior``, hazards are drawn from what they may be as well, given the
    log that they were fitted to.

    ``luck`` is ``"kept"``, the residuals of the log, or ``"new"``, drawn with a ``seed``; those of users who submit at
    equal intervals are always kept.

    Residuals are those along the schedule of the log itself, or of ``recorded``: the same submissions of the same jobs
    with other run times.

    If a user puts off a batch, hazards are integrated from its submission on.
    """

    closed = True
    chained = True

    def __init__(
        self,
        given: Trace | NodeLog,
        users: Users | FittedUsers | None = None,
        luck: str = "kept",
        seed: Seed = 0,
        posterior: Seed | None = None,
        recorded: Trace | None = None,
    ) -> None:
        super().__init__(given)
        self._recorded = self.trace if recorded is None else recorded
        if not all(
            np.array_equal(getattr(self._recorded, name), getattr(self.trace, name)) for name in ("id", "submit")
        ):
            raise ValueError("the schedule that residuals are taken from has other jobs or submissions than the log")
        if luck not in LUCK:
            raise ValueError(f"luck is {quoted(luck)}, but must be kept or new")
        if not isinstance(users, FittedUsers):
            users = (fitted_once(self.trace) if users is None else users).of(self.trace, posterior, luck)
        elif posterior is not None:
            raise ValueError("only users as `calibrate` gives them can be drawn from what they may be as well")
        users.check(self.trace)
        self._users, self._luck, self._seed = users, luck, seed

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Load the jobs and say what their users do."""
        trace, log = self.read(machine.nodes)
        batches, users = self._submitting(trace)
        rows = loaded(machine, trace, log, decided=True)
        if self._users.patience is not None:
            jobs = np.flatnonzero(np.isin(self.trace.id, trace.id))
            machine.pool.let_wait(np.arange(rows.start, rows.stop), self._users.patience[jobs])
        places = rows.start + batches.order
        offset = trace.submit[batches.order] - np.repeat(batches.submit, batches.jobs)
        chain = Chain(
            rows=places,
            bounds=batches.bounds,
            release=batches.submit,
            links=np.zeros(len(batches) + 1, np.int64),
            after=np.empty(0, np.int64),
            think_time=np.empty(0),
            offset=offset,
            respond=self.responding(env, machine, places, batches.bounds, log, batches.order, offset),
            hazards=users,
        )
        started = _Started(machine, rows, places, self._users.lacks)
        return Begun(machine.chain(chain), started.in_order, log, started.notes)

    def _submitting(self, trace: Trace) -> tuple[Groups, HazardUsers]:
        """The batches of some jobs of the log, and their users; kept, as the next run is often of the same.

        They are so for all sources of the same users.
        """
        log = _log(self.trace, trace, self._recorded)
        latest = _LATEST.setdefault(self._users, {})
        seed = 0 if self._luck == "kept" else self._seed
        found = latest.get(self._luck)
        if found is None or found.log is not log or found.seed != seed:
            users = hazard_users(log.batches, self._users, log.owner)
            users = replace(users, aims=self._aims(users, log))
            latest[self._luck] = found = _Latest(log, seed, users)
        return log.batches, found.users

    def _aims(self, users: HazardUsers, log: _Log) -> Aims:
        """What the hazards' integrals have to reach."""
        steady = self._users.clockwork
        if self._luck == "kept":
            return users.measured(log.recorded)[0]
        drawn = Aims.of(new_residuals(log.schedule, log.batches, self._seed))
        if steady is None or not steady.any():
            return drawn
        kept = steady[log.owner[log.batches.order[log.batches.bounds[:-1]]]]
        return drawn.but_for(kept, users.measured(log.recorded)[0])


@lru_cache(4)
def _log(whole: Trace, trace: Trace, recorded_as: Trace) -> _Log:
    """What the jobs of a log say that ran, with the schedule of a log; kept for the last few."""
    ran = np.isin(whole.id, trace.id)
    schedule = trace if recorded_as is whole else recorded_as.select(ran)
    batches = delimit(schedule, "arrival", TOGETHER).batches
    return _Log(schedule, batches, recorded(schedule, batches), owners(whole)[ran])


class _Started:
    """The jobs of one log on a machine, in ``rows`` as in the log; ``places`` are those of one user after the other."""

    def __init__(self, machine: Machine, rows: range, places: Whole, lacks: tuple[str, ...]) -> None:
        self._machine, self._rows, self._places = machine, rows, places
        self._said = [sentence(lacks)] if lacks else []

    def in_order(self) -> Rows:
        """The machine's rows in the order of the log, and after them those of later segments, user by user."""
        rows, split = np.arange(self._rows.start, self._rows.stop), self._machine.split_jobs
        return rows if split.limit == np.inf else np.append(rows, np.array(split.following(self._places), np.int64))

    def notes(self, whole: bool) -> list[str]:
        """Sentences on what users do beyond their model, and on the jobs that were never submitted."""
        state = self._machine.pool.requests.state[self._rows.start : self._rows.stop]
        never = int((state == State.FUTURE).sum())
        if not never:
            return self._said
        told = f"{counted(never, 'job')} {'was' if never == 1 else 'were'}"
        if not whole:
            return [*self._said, f"{told} not submitted before the end of the run"]
        return [*self._said, f"{told} never submitted: the hazards of their users stayed 0"]


def hazard_users(batches: Groups, fitted: FittedUsers, owner: Whole) -> HazardUsers:
    """The users of a log; ``owner`` has the code under which the user of each job was fitted."""
    first = np.flatnonzero(np.diff(batches.owner, prepend=-1, append=-1))
    codes = owner[batches.order[batches.bounds[first[:-1]]]]
    return HazardUsers(
        tables=fitted.tables,
        calendar=fitted.calendar,
        kind=fitted.class_of[codes],
        level=fitted.level[codes],
        first=first,
        jobs=batches.jobs,
        span=batches.last_submit - batches.submit,
        aims=Aims.of(np.zeros(len(batches))),
    )


def measured(users: HazardUsers, trace: Trace, batches: Groups) -> tuple[Aims, Floats]:
    """The aims of batches along the recorded schedule of a log, and the integrals of their users' hazards."""
    return users.measured(recorded(trace, batches))


def residuals(trace: Trace, fitted: FittedUsers) -> Floats:
    """The residual of each batch of a log (`delimit` with ``"arrival"`` and `TOGETHER`); NaN for a user's first."""
    batches = delimit(trace, "arrival", TOGETHER).batches
    users = hazard_users(batches, fitted, owners(trace))
    _, whole = measured(users, trace, batches)
    whole[users.first[:-1]] = np.nan
    return whole


def new_residuals(trace: Trace, batches: Groups, seed: Seed) -> Floats:
    """Residuals that each user draws from a stream, one for each batch after the first."""
    found, names = np.zeros(len(batches)), trace.names.get("user", {})
    for own in np.split(np.arange(len(batches)), np.flatnonzero(np.diff(batches.owner)) + 1):
        if len(own) > 1:
            user = int(batches.user[own[0]])
            found[own[1:]] = stream(seed, names.get(user, user), "residuals").exponential(size=len(own) - 1)
    return found


def recorded(trace: Trace, batches: Groups) -> Recorded:
    """The recorded schedule of a log."""
    leaves = trace.submit + np.nan_to_num(trace.wait, nan=0.0).clip(min=0.0)
    came, left = np.sort(trace.submit), np.sort(leaves)

    def waiting(times: Floats) -> Whole:
        """How many jobs waited right before these times."""
        return np.searchsorted(came, times) - np.searchsorted(left, times)

    end, place = leaves + trace.runtime, np.empty(len(trace), np.int64)
    place[batches.order] = np.arange(len(trace))
    owner = batches.owner[batches.of_job]
    order = np.lexsort((batches.of_job, trace.runtime <= 0, end, owner))
    return Recorded(
        begin=batches.submit,
        begin_seen=waiting(batches.submit),
        first_end=np.searchsorted(owner[order], np.arange(len(np.unique(owner)) + 1)),
        end=end[order],
        batch=batches.of_job[order],
        job=place[order],
        run=trace.runtime[order],
        end_seen=waiting(end[order]),
    )
