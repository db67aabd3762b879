"""One draw of what is not known of a machine at this moment: how long its jobs run, and which are taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import simpy

from thinktime.models.machine.events import JobEvent
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.simpy_insides import stop
from thinktime.models.state import State
from thinktime.users.source import Begun, Process, Source
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.calibration.withdrawals import Withdrawals, fit_withdrawals
from thinktime.workloads.changes.failures import Failures
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.grid import to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.run_times import NOTHING, Alike, Law, RunTimes
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, in_two_units
from thinktime.workloads.user_models.sessions import owners

LEAST = 1.0
"""A job without a limit, of which nothing is known, goes on for as long as it has run, but at least for this (h)."""


@dataclass(frozen=True, eq=False)
class Past:
    """A log of a machine, and where in it the present is.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0, 50], "wait": [9, 0], "runtime": [20, 20], "allocated": [1, 1]})
    >>> tt.Past(log, now=5.0).until().wait.tolist()
    [5.0]
    """

    log: Trace
    now: float
    """The present by the clock of the log, s."""
    executables: Mapping[int, int] | None = None
    """The numbers of programs (SWF field 14) in the log, by the machine's numbers of jobs; None: the jobs have the same
    numbers in the log."""

    def until(self) -> Trace:
        """What the log said now: jobs that came later are not in it, nor what became later of the others."""
        log = self.log.select(self.log.submit <= self.now)
        waited = np.minimum(np.nan_to_num(log.wait, nan=0.0).clip(min=0.0), self.now - log.submit)
        later = log.withdrawn & (waited < log.wait)
        return log.with_columns(wait=waited, status=np.where(later, 1, log.status))


FEW = 3
"""So many jobs have to be in a machine, and in its history at that time, to tell that these are of two machines."""


def check_history(machine: Machine, rows: Whole, past: Past) -> list[str]:
    """What is said of a history that does not go up to the present of a machine; ``rows`` are the jobs in it.

    ``ValueError`` if it begins later, or is of another machine or moment: by it, none of these jobs was there.
    """
    log, now, requests = past.log, past.now, machine.pool.requests
    if not (log.submit <= now).any():
        when = f", but {in_two_units(log.submit.item(0) - now)} later" if len(log) else ": it has no jobs"
        raise ValueError(f"the history does not begin before the state{when}; give a log of the time before")
    come, runs = log.submit <= now, np.nan_to_num(log.wait, nan=0.0).clip(min=0.0) + log.runtime
    there = np.flatnonzero(come & (log.submit + runs > now) & ~log.withdrawn)
    recorded = set(zip(np.rint(log.submit[there] - now).tolist(), log.processors[there].tolist(), strict=True))
    ahead = requests.submit[rows] - float(machine.env.now)
    present = set(zip(np.rint(ahead).tolist(), requests.processors[rows].tolist(), strict=True))
    if len(rows) >= FEW and len(there) >= FEW and not present & recorded:
        raise ValueError(
            f"at the time of the state, the history has {len(there):,} other jobs, and none of its {len(rows):,}; give "
            "a log of this machine, by the same clock"
        )
    gap = now - min(now, float((log.submit + runs.clip(min=0.0))[come].max()))
    return [f"what happened in the last {in_two_units(gap)}: the history ends before"] if gap > DAY else []


@dataclass(frozen=True, eq=False)
class Known:
    """What the past says of the jobs in some rows of a machine."""

    rows: Whole
    age: Floats
    """How long each has run, s (on its reference size, if it may have several); 0 if it waits."""
    limit: Floats
    laws: list[Law]
    owner: Whole
    """The code of each user in `withdrawals`; -1: unknown."""
    waited: Floats
    """How long each has been in the machine, s."""
    withdrawals: Withdrawals | None
    past_times: RunTimes | None = None
    """The run times of the past."""

    @classmethod
    def of(cls, machine: Machine, rows: Whole, past: Past | None) -> Known:
        """Look up the jobs of a machine in the past."""
        jobs, time = machine.pool.requests, float(machine.env.now)
        age = machine.pool.progress(rows, time)
        limit, waited = jobs.requested[rows], time - jobs.submit[rows]
        if past is None or not len(past.log):
            nothing = Law(NOTHING, 0, ())
            return cls(rows, age, limit, [nothing] * len(rows), np.full(len(rows), -1), waited, None)
        history, now, executables = past.log, past.now, past.executables
        user = numbers(machine, history)[jobs.user[rows]]
        if executables is None:
            executables = dict(zip(history.id.tolist(), history.executable.tolist(), strict=True))
        executable = np.array([executables.get(job, -1) for job in jobs.id[rows].tolist()], np.int64)
        alike = Alike(user, executable, limit, jobs.processors[rows])
        log = past.until()
        users = np.unique(log.user[log.user >= 0])
        place = np.searchsorted(users, user).clip(max=max(0, len(users) - 1))
        owner = np.where((user >= 0) & (users[place] == user if len(users) else False), place, -1)
        gone = fit_withdrawals(log, int(owners(log).max(initial=-1)) + 1)
        times = RunTimes.of(history, now)
        return cls(rows, age, limit, times.laws(alike, age), owner, waited, gone, times)

    def run_times(self, luck: Floats) -> Floats:
        """How long the jobs run in all, s; ``luck`` has a row for each draw."""
        found, jobs_of = np.empty(luck.shape), dict[int, list[int]]()
        for job, law in enumerate(self.laws):
            jobs_of.setdefault(id(law), []).append(job)
        for jobs in jobs_of.values():
            found[:, jobs] = self.laws[jobs[0]].quantile(luck[:, jobs].ravel()).reshape(len(luck), -1)
        ends = np.where(
            np.isfinite(self.limit), np.maximum(self.limit, self.age + 1.0), np.maximum(2 * self.age, 3600.0 * LEAST)
        )
        return to_grid(np.where(np.isfinite(found), np.maximum(found, 1.0), ends + np.isfinite(self.limit)))

    def patience(self, luck: Floats) -> Floats | None:
        """How long the jobs wait in all (s), if any are taken back."""
        if self.withdrawals is None:
            return None
        asked = np.maximum(self.owner, 0)
        found = self.withdrawals.beyond(asked, self.waited, luck)
        return np.where((self.owner >= 0) & (self.age == 0), found, np.inf)


def numbers(machine: Machine, history: Trace) -> Whole:
    """The number of each user of a machine in a history, by code; -1 for unknown ones, and at the end for nobody."""
    called = {name: number for number, name in history.names.get("user", {}).items()}
    known = set(np.unique(history.user).tolist())
    found = [called.get(label, label if label in known else -1) for label in machine.names["user"]]
    return np.array([*found, -1], np.int64)


@dataclass(eq=False)
class Drawn(Source):
    """A source that says how long the jobs of a machine run, and submits ``job`` if one is given."""

    known: Known
    runtime: Floats
    patience: Floats | None
    job: Job | None = None
    outages: Outages | None = None
    """Those that come in this draw."""
    stops: bool = False
    """Whether nothing else is asked than when ``job`` starts, so that the run is over then."""
    recorded = False
    machine: Machine = field(init=False)
    event: JobEvent | None = field(init=False, default=None)

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Draw the run times that are unknown, and let the users of this draw submit."""
        self.machine = machine
        machine.draw_run_times(self.known.rows, self.runtime)
        if self.patience is not None:
            machine.pool.let_wait(self.known.rows, self.patience)
        if self.outages is not None:
            machine.add_outages(self.outages)
        if self.job is not None:
            self.event = machine.submit(self.job)
            if self.stops:
                env.process(self._stop(env, self.event))
        return Begun(simpy.Event(env).succeed())

    def _stop(self, env: simpy.Environment, event: JobEvent) -> Process:
        yield event.started
        stop(env)

    def starts(self, horizon: float) -> Floats:
        """When each job starts (s): infinite if not by the horizon, NaN if it was taken back before."""
        pool, rows = self.machine.pool, self.known.rows
        start, gone = first_starts(self.machine)[rows], pool.requests.state[rows] >= State.WITHDRAWN
        return np.where(np.isnan(start) & ~gone, np.inf, start)


def first_starts(machine: Machine) -> Floats:
    """When each job of a machine has started for the first time, s; NaN if it has not."""
    jobs = machine.pool.requests
    start = jobs.start[: jobs.size]
    again = getattr(machine.pool.state, "first_start", np.empty(0))[: jobs.size]
    return np.where(np.isnan(again), start, again) if len(again) else start


def failing(failures: Failures, size: int, seed: Seed, draw: int, times: tuple[float, float]) -> Outages:
    """The outages of one draw, of so many processors or nodes that all are up now, between two times (s)."""
    luck = int(stream(seed, draw, "failures").integers(2**62))
    return failures.with_seed(luck).outages(size, times[1] - times[0]).later(times[0])


def luck_of(seed: Seed, draws: int, purpose: str, jobs: int) -> Floats:
    """Uniform numbers for some jobs, a row for each draw: those of a draw depend on the seed and its number alone."""
    return np.array([stream(seed, draw, purpose).random(jobs) for draw in range(draws)]).reshape(draws, jobs)
