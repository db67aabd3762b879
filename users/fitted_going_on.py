"""Users fitted to a log who go on from now: in the middle of what they do, with the hazards that they have there.

The users are those of `thinktime.calibrate`, with all that the log says until now: users who are away may have
gone away. What a hazard depends on is what the user has seen by now: the jobs that are over, in the log, and those that
run or wait, in the machine. A user who thinks has done so for some time, and the integral of the hazard has not reached
the residual yet. Residuals are exponential with mean 1, and so is what is left of one, however much of it is used up.
So each user has a new residual from now on, and the next one after each submission. Users who submit at equal intervals
have one of their last intervals instead; now one that is longer than the present one has been, if there is any.

The **jobs** of a batch are those of one of the user's last `RECENT` batches, each as likely as any other. Of jobs that
have not ended, each runs in one draw as long as the law of jobs alike says. Users whom the log does not know submit
nothing, and no user comes who never came.

Compiled code lets the users go on (`thinktime.models.engine.sources.by_hazard`), so some batches of each are drawn
beforehand (`thinktime.users.drawn_beforehand`). Random numbers belong to the draw, the user and the number of the
batch.

All this is ours.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import simpy

from thinktime.models.jobs.chains import Chain
from thinktime.models.jobs.hazards import Aims, HazardUsers, Midway
from thinktime.models.machine.machine import Machine
from thinktime.models.state import State
from thinktime.users.calibrated import hazard_users, recorded
from thinktime.users.drawn_beforehand import DrawnBeforehand
from thinktime.users.past_jobs import PastJobs
from thinktime.users.source import Begun
from thinktime.workloads.arrays import AnyArray, Flags, Floats, Whole
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.calibrate import calibrate
from thinktime.workloads.calibration.fitted import FittedUsers
from thinktime.workloads.calibration.tables import HALF, TOGETHER
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.run_times import RunTimes
from thinktime.workloads.shapes.of_logs import SHAPE
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.sessions import delimit, owners


class Present(NamedTuple):
    """What users have seen by now, who have some jobs in a machine."""

    rows: Whole
    """Those of the jobs, batch by batch."""
    batches: Whole
    """How many jobs of each outstanding batch are not over."""
    jobs: Whole
    """How many jobs it has."""
    span: Floats
    """From its first submission to its last, s."""
    midway: Midway


class FittedGoingOn(PastJobs):
    """Users fitted to a log, and what they do after a time ``now`` (s of the log), which is known once for many draws.

    ``users`` are those of `calibrate`; by default they are fitted to the log until now, or it is a ``ValueError``.
    """

    def __init__(
        self, given: Trace | NodeLog, now: float, users: Users | None = None, known: RunTimes | None = None
    ) -> None:
        super().__init__(given, now, known)
        self.log = self.log.with_columns(wait=np.minimum(np.nan_to_num(self.log.wait, nan=0.0), now - self.log.submit))
        if users is None:
            users = calibrate(self.log, score=False, until=now)
        self.fitted: FittedUsers = users.of(self.log, luck="new")
        self.batches = delimit(self.log, "arrival", TOGETHER).batches
        names, self._users = self.log.names.get("user", {}), np.unique(self.log.user)
        self.code = {names.get(number, number): code for code, number in enumerate(self._users.tolist())}
        """By the user's name on a machine."""
        self._present: tuple[tuple[bytes, ...], Present] | None = None
        self._calendar: tuple[float, Calendar] | None = None

    def calendar(self, ahead: float) -> Calendar:
        """That of the users' hazards, by a clock that is so much ahead (s): one and the same for all draws."""
        if self._calendar is None or self._calendar[0] != ahead:
            own = self.fitted.calendar
            self._calendar = ahead, replace(own, first=own.first + ahead)
        return self._calendar[1]

    @property
    def known(self) -> set[Any]:
        """The names of the users."""
        return set(self.code)

    @cached_property
    def intervals(self) -> dict[int, Floats]:
        """The last intervals (s) of each user who submits at equal ones, by code."""
        clockwork = self.fitted.clockwork
        found = {}
        for code in [] if clockwork is None else np.flatnonzero(clockwork).tolist():
            first, stop = self.last[:, code].tolist()
            found[code] = self.batches.submit[first + 1 : stop] - self.batches.last_submit[first : stop - 1]
        return {code: of for code, of in found.items() if len(of)}

    def present(self, machine: Machine, ahead: float) -> Present:
        """What the users have seen by now; those of jobs in a machine whose clock is so much ahead (s)."""
        jobs = machine.pool.requests
        state = jobs.state[: jobs.size]
        codes = np.array([self.code.get(label, -1) for label in machine.names["user"]] + [-1], np.int64)
        there = np.flatnonzero(((state == State.WAITING) | (state == State.RUNNING)) & (jobs.id[: jobs.size] >= 0))
        there = there[codes[jobs.user[there]] >= 0]
        running = jobs.state[there] == State.RUNNING
        submit, start = jobs.submit[there] - ahead, np.where(running, jobs.start[there] - ahead, np.inf)
        key = tuple(each.tobytes() for each in (there, submit, start, codes[jobs.user[there]]))
        if self._present is None or self._present[0] != key:
            self._present = key, self._seen(there, codes[jobs.user[there]], submit, start, jobs.processors[there])
        return self._present[1]

    def _seen(self, there: Whole, code: Whole, submit: Floats, start: Floats, processors: Whole) -> Present:
        """What is seen, with jobs in these rows of a machine; times are those of the log."""
        log, now = self.log, self.now
        place = self._places(code, submit, processors)
        past = np.setdiff1d(np.arange(len(log)), place)
        begun, first = np.minimum(start, now + 1.0), log.submit[past]
        over = np.minimum(log.runtime[past], now - first - log.wait[past])
        number = np.concatenate([past, place])  # jobs of one time are in the order of the log
        seen = Trace(
            {
                "id": number,
                "submit": np.concatenate([first, submit]),
                "wait": np.concatenate([log.wait[past], begun - submit]),
                "runtime": np.concatenate([over, np.maximum(now - begun, 0.0) + 1.0]),
                "user": np.concatenate([log.user[past], self._users[code]]),
            }
        )
        batches = delimit(seen, "arrival", TOGETHER).batches
        users = hazard_users(batches, self.fitted, owners(seen))
        midway, left = users.followed(recorded(seen, batches), now)
        row = np.full(int(number.max(initial=-1)) + 1, -1)
        row[place] = there
        own = [batches.order[batches.bounds[b] : batches.bounds[b + 1]] for b in left.tolist()]
        own = [rows[rows >= 0] for rows in (row[seen.id[jobs]] for jobs in own)]
        return Present(
            np.concatenate([np.empty(0, np.int64), *own]), np.array([len(rows) for rows in own], np.int64),
            batches.jobs[left], (batches.last_submit - batches.submit)[left], midway,
        )  # fmt: skip

    def _places(self, code: Whole, submit: Floats, processors: Whole) -> Whole:
        """Where the jobs of a machine are in the log, which may have other numbers; or after it, if they are not."""
        log = self.log
        end = log.submit + log.wait + log.runtime
        recent = np.flatnonzero(log.submit >= np.min(submit, initial=np.inf) - 1.0)
        places: dict[tuple[int, int, int], list[int]] = {}
        owner = np.searchsorted(self._users, log.user)
        for job in recent[np.argsort(end[recent], kind="stable")].tolist():
            places.setdefault((owner.item(job), round(log.submit.item(job)), log.processors.item(job)), []).append(job)
        found = len(log) + np.arange(len(code))
        keys = zip(code.tolist(), np.rint(submit).astype(np.int64).tolist(), processors.tolist(), strict=True)
        for number, key in enumerate(keys):
            if places.get(key):
                found[number] = places[key].pop()
        return found


class _Batches(NamedTuple):
    """Batches that may come, user by user."""

    user: Whole
    """The code of each batch's user."""
    rows: Whole
    """Those of the machine that their jobs have, batch by batch."""
    sizes: Whole
    """How many jobs each batch has."""
    offset: Floats
    """How long after the first of its batch each job is submitted, s."""
    span: Floats
    """From the first submission of each batch to its last, s."""
    residual: Floats
    extra: Floats
    """How long after the integral of the hazard has reached the residual each comes, s."""


class FittedUsersGoingOn(DrawnBeforehand):
    """One draw of what users fitted to a log do from now on."""

    def __init__(self, going_on: FittedGoingOn, span: float, seed: Seed, ahead: float = 0.0) -> None:
        super().__init__(going_on, span, ahead)
        self._of, self._seed = going_on, seed

    def begin(self, env: simpy.Environment, machine: Machine) -> Begun:
        """Let the users go on, each from where the user is."""
        present, drawn = self._of.present(machine, self._ahead), self._draw(machine)
        final = np.cumsum(np.bincount(drawn.user, drawn.sizes).astype(np.int64)) - 1
        self._has_drawn(machine, np.arange(len(final)), drawn.rows[final])
        machine.chain(self._chain(present, drawn))
        return Begun(simpy.Event(env))

    def _draw(self, machine: Machine) -> _Batches:
        """The batches of each user that may come."""
        of = self._of
        count = of.drawn(self._span)
        luck, user = _Luck.of(self._seed, count), np.repeat(np.arange(len(count)), count)
        number, (first, stop) = np.arange(len(user)) - np.repeat(np.cumsum(count) - count, count), of.last[:, user]
        chosen = first + (luck.batch[number, user] * (stop - first)).astype(np.int64)
        jobs = of.jobs_of(chosen)
        residual, extra = luck.residual[number, user], np.zeros(len(user))
        for code, interval in of.intervals.items():
            own = slice(*np.searchsorted(user, [code, code + 1]))
            since = of.now - of.batches.last_submit.item(of.last.item(1, code) - 1)
            extra[own] = _later(interval, since, luck.interval[: count[code], code])
            residual[own] = np.where(extra[own] > 0, 0.0, residual[own])
        offset = of.log.submit[jobs] - of.batches.submit[of.batches.of_job[jobs]]
        span = (of.batches.last_submit - of.batches.submit)[chosen]
        rows = self._load(machine, jobs)
        return _Batches(user, np.arange(rows.start, rows.stop), of.batches.jobs[chosen], offset, span, residual, extra)

    def _chain(self, present: Present, drawn: _Batches) -> Chain:
        """The batches of each user: those that are outstanding, then those that were drawn."""
        of, midway = self._of, present.midway.later(self._ahead)
        count = midway.outstanding + np.bincount(drawn.user, minlength=len(of.code))
        first = np.concatenate([[0], np.cumsum(count)])
        here = np.arange(first[-1]) - np.repeat(first[:-1], count) < np.repeat(midway.outstanding, count)
        left, nothing = _both(here, present.batches, drawn.sizes), np.zeros(len(here))
        of_here, zero = np.repeat(here, left), nothing[here]
        return Chain(
            rows=_both(of_here, present.rows, drawn.rows),
            bounds=np.concatenate([[0], np.cumsum(left)]),
            release=nothing,
            links=np.zeros(len(here) + 1, np.int64),
            after=np.empty(0, np.int64),
            think_time=np.empty(0),
            offset=_both(of_here, np.zeros(len(present.rows)), drawn.offset),
            hazards=HazardUsers(
                tables=of.fitted.tables,
                calendar=of.calendar(self._ahead),
                kind=of.fitted.class_of,
                level=of.fitted.level,
                first=first,
                jobs=_both(here, present.jobs, drawn.sizes),
                span=_both(here, present.span, drawn.span),
                aims=Aims(_both(here, zero, drawn.residual), nothing, _both(here, zero, drawn.extra), nothing),
                midway=midway,
            ),
        )

    def _load(self, machine: Machine, jobs: Whole) -> range:
        """The machine's rows of some jobs of the log, which may be there several times."""
        of, log = self._of, self._of.log
        runtime, unknown = log.runtime.copy(), np.flatnonzero(~of.over)
        luck, asked = stream(self._seed, "jobs that go on").random(len(unknown)), np.isin(unknown, jobs)
        for job, number in zip(unknown[asked].tolist(), luck[asked].tolist(), strict=True):
            runtime[job] = of.run_time(job, number)
        columns: dict[str, Any] = {name: column[jobs] for name, column in log.columns.items()}
        number = np.arange(len(jobs))
        columns |= {"runtime": runtime[jobs], "submit": np.zeros(len(jobs)), "wait": np.zeros(len(jobs))}
        columns["id"] = machine.pool.truth.next_id + number
        requests = () if of.requests is None else [of.requests[job] for job in jobs.tolist()]
        further = {SHAPE: log.further[SHAPE][jobs]} if SHAPE in log.further else {}
        return machine.load(Trace(columns, log.header, names=log.names, further=further), number, asked=requests)


class _Luck(NamedTuple):
    """The luck of one draw: by number of the batch, and user."""

    residual: Floats
    batch: Floats
    interval: Floats

    @classmethod
    def of(cls, seed: Seed, count: Whole) -> _Luck:
        """That of so many batches of each user: those of more begin with it."""
        shape = int(count.max(initial=0)), len(count)
        return cls(
            stream(seed, "residuals").exponential(size=shape),
            stream(seed, "batches").random(shape),
            stream(seed, "intervals").random(shape),
        )


def _later(interval: Floats, since: float, luck: Floats) -> Floats:
    """How much later than now, and then than the submission before, batches come by one of these intervals (s).

    The last submission was so long ago (s). The first number is 0 if no interval is longer.
    """
    found = interval[(luck * len(interval)).astype(np.int64)] + HALF
    longer = interval[interval > since]
    found[0] = longer[int(luck[0] * len(longer))] - since + HALF if len(longer) else 0.0
    return found


def _both(which: Flags, one: AnyArray, other: AnyArray) -> AnyArray:
    """One column, of ``one`` at some places and of ``other`` at the rest."""
    found = np.empty(len(which), other.dtype)
    found[which], found[~which] = one, other
    return found
