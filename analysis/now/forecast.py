"""When will the jobs start that wait now? Draws of the rest of a schedule, from the state of a machine on.

    outlook = forecast(state, history)
    outlook.interval(0.8)        # two times for each waiting job
    outlook.share_by(HOUR)       # P(start within an hour)

Each draw is a run from the state (`thinktime.MachineState`) under the machine's own rule. What is not known is drawn:
how long jobs run (`thinktime.workloads.run_times`), what users submit next (`thinktime.users.going_on`,
`thinktime.users.fitted_going_on`), and which waiting jobs are taken back
(`thinktime.workloads.calibration.withdrawals`). Draw k has the same luck under every change
of the machine and with every job that is asked about, so that differences are paired.

A start after the horizon is infinite, and that of a job which its user has taken back is NaN: quantiles are of the
draws in which the job stays.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, tzinfo
from typing import Any, TypedDict, Unpack

import numpy as np
import simpy

from thinktime.analysis.now.draws import Drawn, Known, Past, check_history, failing, first_starts, luck_of
from thinktime.analysis.now.outlook import (
    CALIBRATED,
    HOW_KNOWN,
    NOBODY,
    OPEN,
    REACTING,
    TODAY,
    Drawings,
    Outlook,
    WaitingJobs,
    passed,
)
from thinktime.models.engine.limits.limits import binding
from thinktime.models.machine.announcing import check_changing
from thinktime.models.machine.forecast import predicted_starts
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.machine.state import MachineState
from thinktime.models.state import State
from thinktime.users.drawn_beforehand import DrawnBeforehand
from thinktime.users.fitted_going_on import FittedGoingOn, FittedUsersGoingOn
from thinktime.users.going_on import GoingOn, UsersGoingOn
from thinktime.users.past_weeks import PastWeek
from thinktime.users.run import drive
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.calibration.beyond import sentence
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.changes.failures import Failures
from thinktime.workloads.job import Job
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.node_log import NodeLog, read_requests
from thinktime.workloads.nodes import MEMORY
from thinktime.workloads.run_times import NOTHING, RunTimes, foretold
from thinktime.workloads.streams import Seed
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, Duration, as_seconds, counted

ARRIVALS = REACTING, CALIBRATED, OPEN, NOBODY
"""Who comes."""
ROOM, TURN, ASIDE, HELD = "resources", "priority", "not eligible", "held"
"""Why a job waits: more processors than are free; others first, or a reservation; what it waits for itself."""
LIMIT, NEVER = "limit: ", "never: "
"""It is beyond a limit of the site, now or for ever."""
MOMENTS = 97
"""At so many times the use of the machine is told."""
YOUNG = 0
"""What has been made since the last collection of garbage (`gc`): by one draw."""


class Drawing(TypedDict, total=False):
    """What is drawn for a forecast, and how often."""

    draws: int
    """How often; by default 200 times."""
    seed: Seed
    until: Duration
    """How far from now (s); by default 3 days."""
    arrivals: str
    """One of `ARRIVALS`."""
    users: Users | None
    """Those who come if arrivals are calibrated; by default they are fitted to the history (`thinktime.calibrate`)."""
    failures: Failures | None
    """Of processors or nodes, which are drawn if they are given; none are by default."""


@contextmanager
def _passed_over() -> Iterator[None]:
    """Let Python's garbage collector look only at what a draw leaves behind, when the next one begins.

    Draws leave machines behind that refer to themselves. To look for these while one goes on, and among the laws of
    25,000 jobs, again and again, takes a tenth of the time.
    """
    collects, frozen = gc.isenabled(), gc.get_freeze_count()
    if not frozen:
        gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        if not frozen:
            gc.unfreeze()


@_passed_over()
def forecast(
    state: MachineState,
    history: Trace | Past | None = None,
    *,
    jobs: Mapping[str, Job] | None = None,
    changes: Mapping[str, MachineState] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **how: Unpack[Drawing],
) -> Outlook:
    """Draw the rest of a schedule from a state on (`Drawing`: ``draws``, ``seed``, ``until``, …).

    ``history`` is a log of the machine by the same clock, or a `Past`, from which run times, users and withdrawals are
    known. What it says of later times is not used. ``jobs`` are jobs that could be submitted now, by name:
    alternatives, each in draws of its own, with the same luck. ``changes`` are states of the machine as it could be.
    ``progress`` is told how many runs of how many are done. ``ValueError`` for what cannot be drawn.

    >>> import thinktime as tt
    >>> jobs = {"submit": [0, 0, 1], "runtime": [9, 99, 5], "requested_time": [60, 100, 5], "allocated": [1, 1, 2]}
    >>> states = []
    >>> def look(env, machine):
    ...     yield env.timeout(10)
    ...     states.append(machine.state())
    >>> result = tt.run(tt.MachineSpec(2), tt.Trace(jobs), look)
    >>> outlook = tt.forecast(states[0], draws=3)
    >>> outlook.waiting.id.tolist(), outlook.median().tolist()
    ([3], [100.0])
    """
    draws, seed, arrivals = how.get("draws", 200), how.get("seed", 0), how.get("arrivals", REACTING)
    if arrivals not in ARRIVALS:
        raise ValueError(f"arrivals are {quoted(arrivals)}; {key_of(arrivals, list(ARRIVALS), 'kinds')}")
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise ValueError(f"draws must be a whole number of at least 1, not {quoted(draws)}")
    span = as_seconds("until", how.get("until", 3 * DAY))
    if not 0 < span < np.inf:
        raise ValueError(f"until must be a time above 0 s, not {quoted(how['until'])}")
    alone = state.without_arrivals()
    machine = MachineSpec(begin=alone).open(simpy.Environment(state.time))
    machine.scheduler.settle()
    if (failures := how.get("failures")) is not None:
        for each in (state, *(changes or {}).values()):
            check_changing(each)
    if machine.split_jobs.limit < np.inf:
        raise ValueError("under a policy with a runtime limit, jobs are split, and no forecast is made of segments")
    past = history if isinstance(history, Past) else None if history is None else Past(history, state.time)
    said = [] if past is None else check_history(machine, _rows(machine), past)
    known = Known.of(machine, _rows(machine), past)
    plan = _Plan(past, arrivals, span, seed, machine, how.get("users"), known.past_times)
    luck = {"run times": luck_of(seed, draws, "run times", len(known.rows))}
    patience = luck_of(seed, draws, "patience", len(known.rows))
    moments = np.linspace(state.time, state.time + span, MOMENTS)
    waiting, queue = _waiting(machine, known)
    cases = {TODAY: alone} | {name: each.without_arrivals() for name, each in (changes or {}).items()}
    whole = draws * (len(cases) + len(jobs or {}))
    times = known.run_times(luck["run times"])
    size = machine.capacity if machine.nodes is None else len(machine.nodes.names)
    patient = [known.patience(-np.log1p(-row)) for row in patience]
    done = 0

    def drawn(begin: MachineState, draw: int, job: Job | None = None) -> Drawn:
        nonlocal done
        gc.collect(YOUNG)
        ends = state.time, state.time + span
        outages = None if failures is None else failing(failures, size, seed, draw, ends)
        asked_alone = job is not None and draw > 0  # of the first draw, it is told why the job does not start
        source, who = Drawn(known, times[draw], patient[draw], job, outages, asked_alone), plan.sources(draw)
        drive(MachineSpec(begin=begin), (source, *who), state.time + span)
        if any(isinstance(each, DrawnBeforehand) and each.ran_out() for each in who):
            return drawn(begin, draw, job)
        done += 1
        if progress is not None:
            progress(done, whole)
        return source

    drawings, asked, never = dict[str, Drawings](), dict[str, Floats](), dict[str, str]()
    for name, begin in cases.items():
        found = [_seen(drawn(begin, draw), queue, moments, state.time) for draw in range(draws)]
        drawings[name] = Drawings(*(np.array(column) for column in zip(*found, strict=True)))
    for name, job in (jobs or {}).items():
        starts = []
        for k in range(draws):
            one = drawn(alone, k, job)
            assert one.event is not None
            starts.append(_start(one))
            if not k and (why := _reason(one.machine, one.event.row, True)):
                never[name] = why
        asked[name] = np.array(starts)
    levels = [law.level for law, age in zip(known.laws, known.age.tolist(), strict=True) if age > 0]
    running = {HOW_KNOWN[level]: levels.count(level) for level in sorted(set(levels))}
    notes = [*said, *plan.notes, *_notes(known, past)]
    unix_start: float | None = None
    zone: tzinfo = UTC
    if past is not None and past.log.unix_start is not None:
        unix_start, zone = past.log.unix_start + past.now - state.time, past.log.zone
    return Outlook(
        state.time, state.time + span, seed, machine.capacity, waiting, running, drawings, asked, moments, notes,
        unix_start, zone, foretold=None if past is None else foretold(past.log, past.now), never=never,
        arrivals=plan.arrivals,
    )  # fmt: skip


class _Plan:
    """Who comes: the sources of each draw."""

    def __init__(
        self, past: Past | None, arrivals: str, span: float, seed: Seed, machine: Machine, users: Users | None,
        known: RunTimes | None,
    ) -> None:  # fmt: skip
        self.notes: list[str] = []
        self.arrivals = arrivals
        self._users: GoingOn | FittedGoingOn | None = None
        self._given: Any = None
        self._seed, self._span, self._open = seed, span, arrivals == OPEN and past is not None
        if past is None:
            if arrivals == CALIBRATED:
                raise ValueError("arrivals are calibrated, and there is no history to which users could be fitted")
            if arrivals != NOBODY:
                self.notes.append("nobody comes: without a history it is unknown who would")
            self.arrivals = NOBODY
            return
        self._now, self._ahead = past.now, float(machine.env.now) - past.now
        self._given = self._on_nodes(past.log, machine)
        if arrivals not in (REACTING, CALIBRATED):
            return
        if not (past.log.user >= 0).any() and arrivals == REACTING:
            self.notes.append("nobody comes: the history does not say who submitted its jobs")
            self.arrivals = NOBODY
            return
        if arrivals == CALIBRATED:
            try:
                self._users = FittedGoingOn(self._given, past.now, users, known)
            except ValueError as error:
                raise ValueError(f"arrivals are calibrated, and the history is too little for it: {error}") from None
            if lacks := self._users.fitted.lacks:
                self.notes.append(sentence(lacks))
        else:
            self._users = GoingOn(self._given, past.now, known)
        codes = np.unique(machine.pool.requests.user[_rows(machine)]).tolist()
        here = {machine.names["user"][code] for code in codes if code >= 0}
        if strange := here - self._users.known:
            told = counted(len(strange), "user")
            self.notes.append(f"{told} with jobs in the machine submit nothing more: the history does not know them")

    def _on_nodes(self, log: Trace, machine: Machine) -> Trace | NodeLog:
        """The log, on a machine of nodes with what its jobs ask of them."""
        if machine.nodes is None:
            return log
        if MEMORY not in machine.nodes.resources:
            log = log.with_columns(requested_memory=np.full(len(log), -1.0))
        found = read_requests(log, machine.nodes)
        if left := len(log) - len(found.trace):
            self.notes.append(f"{counted(left, 'job')} of the history fit on no node, and do not come again")
        return found

    def sources(self, draw: int) -> list[Any]:
        """Those of one draw."""
        seed = (*_words(self._seed), draw)
        if isinstance(self._users, FittedGoingOn):
            return [FittedUsersGoingOn(self._users, self._span, seed, self._ahead)]
        if self._users is not None:
            return [UsersGoingOn(self._users, self._span, seed, self._ahead)]
        return [PastWeek(self._given, self._now, self._span, seed, self._ahead)] if self._open else []


def _words(seed: Seed) -> Sequence[int]:
    if isinstance(seed, np.random.SeedSequence):
        return [int(word) for word in seed.generate_state(4)]
    return [seed] if isinstance(seed, int) else [int(word) for word in seed]


def _rows(machine: Machine) -> Whole:
    """The rows of the jobs that run or wait, without holds."""
    pool = machine.pool
    jobs, size = pool.requests, pool.requests.size
    there = (jobs.state[:size] == State.WAITING) | (jobs.state[:size] == State.RUNNING)
    return np.flatnonzero(there & (jobs.id[:size] >= 0) & ~np.isposinf(pool.outcomes.runtime[:size]))


def _waiting(machine: Machine, known: Known) -> tuple[WaitingJobs, Whole]:
    """The waiting jobs, and their places among the known ones."""
    pool = machine.pool
    jobs, time = pool.requests, float(machine.env.now)
    place = {row: k for k, row in enumerate(known.rows.tolist())}
    queue = [row for row in pool.waiting_rows.tolist() if row in place]
    queued = set(queue)
    aside = [row for row in known.rows.tolist() if jobs.state[row] == State.WAITING and row not in queued]
    rows = np.array([*queue, *aside], np.int64)
    promised = dict(zip(pool.waiting_rows.tolist(), predicted_starts(machine.scheduler, time).tolist(), strict=True))
    owners, names, free = jobs.user[rows].tolist(), machine.names["user"], machine.capacity - machine.count
    reason, ahead, whom, before = [], [], [], set[int]()
    for k, row in enumerate(rows.tolist()):
        here = k < len(queue)
        reason.append(_reason(machine, row, here) or (ROOM if jobs.processors.item(row) > free else TURN))
        ahead.append(k if here else 0)
        whom.append(len(before) - (owners[k] in before) if here else 0)
        before.add(owners[k])
    places = np.array([place[row] for row in rows.tolist()], np.int64)
    laws = [known.laws[k] for k in places.tolist()]
    return WaitingJobs(
        jobs.id[rows], [names[code] if code >= 0 else None for code in owners], jobs.processors[rows],
        jobs.requested[rows], jobs.submit[rows], reason, np.array(ahead, np.int64), np.array(whom, np.int64),
        np.array([law.level for law in laws], np.int64), np.array([law.jobs for law in laws], np.int64),
        np.array([promised.get(row, np.inf) for row in rows.tolist()], np.float64),
    ), places  # fmt: skip


def _reason(machine: Machine, row: int, queued: bool) -> str:
    """Why a job waits, if it is not for others."""
    pool = machine.pool
    if pool.limits is not None and pool.limits.never(np.array([row]))[0]:
        return f"{NEVER}{pool.limits.why(row)}"
    if queued:
        if pool.limits is None or not pool.limits.may_change(np.array([row])):
            return ""
        return f"{LIMIT}{pool.limits.label(binding(pool.state, row, float(machine.env.now)), row)}"
    return HELD if pool.eligibility is not None and pool.eligibility.is_held(row) else ASIDE


def _seen(drawn: Drawn, queue: Whole, moments: Floats, time: float) -> tuple[Floats, float, float, Floats]:
    """What one draw tells (`Drawings`)."""
    pool = drawn.machine.pool
    jobs, size, until = pool.requests, pool.requests.size, moments[-1]
    came = np.flatnonzero((jobs.submit[:size] > time) & (jobs.state[:size] != State.FUTURE) & (jobs.id[:size] >= 0))
    waits = np.minimum(np.nan_to_num(first_starts(drawn.machine)[came], nan=until), until) - jobs.submit[came]
    ran = np.flatnonzero((jobs.start[:size] < until) & ~(pool.outcomes.end[:size] <= time))
    begun, over, width = jobs.start[ran], pool.outcomes.end[ran], jobs.processors[ran]
    use = passed(begun, width, moments) - passed(over, width, moments)
    return drawn.starts(until)[queue], float(waits.mean()) if len(came) else np.nan, float(len(came)), use


def _start(drawn: Drawn) -> float:
    """When the job starts that was asked about."""
    assert drawn.event is not None
    start = first_starts(drawn.machine).item(drawn.event.row)
    return np.inf if np.isnan(start) else start


def _notes(known: Known, past: Past | None) -> Iterable[str]:
    """What is not known of the jobs."""
    if late := int(((known.age >= known.limit) & (known.age > 0)).sum()):
        is_taken = "is" if late == 1 else "are"
        yield f"{counted(late, 'job')} should have ended by now, and {is_taken} taken to end at once"
    if past is None:
        yield "all jobs run to their limits: without a history it is unknown how long they run"
        return
    nothing = sum(law.level == NOTHING for law in known.laws)
    if nothing:
        yield f"{counted(nothing, 'job')} run to their limits: no job of the history ran so long"
    if known.withdrawals is None:
        yield "no waiting job is taken back: the history has hardly any that were"
