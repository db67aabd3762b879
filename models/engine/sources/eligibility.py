"""Jobs that wait outside the queue, *aside*, until they are eligible; and the conditions that they wait for.

``need[row]`` counts the conditions of a job that are not met: a hold, a time before which it may not start, and its
dependencies, which are one condition. ``place[row]`` says where it is: nowhere special (0), `ASIDE`, or `JOINED`: it
has been let into the queue. ``eligible[row]`` is when the last of its conditions was met.

A *clause* is a dependency on one job or array. It has an ``owner``, a kind (``what``), and waits for ``left`` jobs; it
is ``spoiled`` if one of them has failed. A clause of kind `AFTER` is met ``delay`` s after the last of them has
started. ``wanted[row]`` is how many clauses have yet to be met, and ``spare[row]`` how many must fail until they never
can be: all and one of them, or one and all (Slurm's ``,`` and ``?``). `DATE` is a time, no dependency. A *link* leads
from a job to a clause that waits for it: ``first_link[row]`` is the first one, ``next_link`` the one after, 0 the end;
``to[link]`` is 0 once the clause has counted the job. ``dated[:n]`` is a heap of clauses that will be met at the times
``when``.

Of the tasks of a limited *array*, so many may be in the queue or run as it has ``slots``; ``array[row]`` is 0 for jobs
of none. Its tasks are ``task[begin[a]]`` to ``task[stop[a] - 1]``; those before ``begin`` are over. ``ready[:n]`` are
rows aside to look at in phase 3 (`LISTED`), and ``fresh[:n]`` arrays that may have slots for others.
"""

from __future__ import annotations

from thinktime.models.engine.codes import eligibility as eligibility_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.limits import limits
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.sources import releases
from thinktime.models.engine.sources.chains import Chained
from thinktime.models.engine.sources.sources import Sources
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Codes, Floats, Ints


def _sift(state: State, truth: Truth, sources: Conditional, now: float) -> None:
    """Put submitted jobs aside that have to wait, unless they could never run, are refused or have been taken back."""
    arrived, k = truth.arrived, 0
    for i in range(truth.arrived_count):
        row = arrived[i]
        waits = sources.place[row] == 0 and (sources.need[row] > 0 or sources.array[row] > 0)
        waits = waits and state.state[row] == states.FUTURE and not truth.attention[row] & at.UNWANTED
        if waits and truth.runtime[row] >= 0.0 and state.room.possible(state, row) and limits.enter(state, row):
            if not _is_given_up(sources, row):
                put_aside(state, truth, sources, row)
                if sources.need[row] == 0:
                    _look_at(truth, sources, now, row)
                continue
            truth.attention[row] |= at.UNWANTED
        arrived[k] = row
        k += 1
    truth.arrived_count = k


def _are_answered(state: State, truth: Truth, sources: Conditional) -> bool:
    """Hold jobs back of which it is known until when; whether it is of all."""
    known = True
    for i in range(truth.arrived_count):
        row = truth.arrived[i]
        if sources.place[row] != 0 or sources.marks[row] & eligibility_codes.DEFERRED:
            continue
        clause = sources.answer[row]
        if clause == 0:
            known = False
            continue
        sources.marks[row] |= eligibility_codes.DEFERRED
        if clause > 0 and state.state[row] == states.FUTURE:
            sources.need[row] += 1
            put_date(truth, sources, clause)
    return known


def put_aside(state: State, truth: Truth, sources: Conditional, row: int) -> None:
    """A job waits outside the queue. Ends are instants then, since it may wait for them."""
    state.state[row] = states.WAITING
    sources.place[row] = eligibility_codes.ASIDE
    truth.to_come += 1


def _join(state: State, truth: Truth, sources: Conditional, row: int) -> None:
    """A job that waited aside goes to the queue at this instant; or is withdrawn there, since it could never run."""
    _leave(truth, sources, row)
    if sources.need[row] > 0:
        truth.attention[row] |= at.UNWANTED
    else:
        sources.place[row] = eligibility_codes.JOINED
        truth.attention[row] |= at.LATE
        sources.slots[sources.array[row]] -= sources.array[row] > 0
    state.state[row] = states.FUTURE
    truth.arrived[truth.arrived_count] = row
    truth.arrived_count += 1


def _leave(truth: Truth, sources: Conditional, row: int) -> None:
    """A job is not aside any more."""
    sources.place[row] = 0
    truth.to_come -= 1


def _fill_slots(state: State, truth: Truth, sources: Conditional, a: int) -> None:
    """Let as many tasks of an array join as may, in order."""
    task, place = sources.task, sources.place
    while sources.begin[a] < sources.stop[a] and state.state[task[sources.begin[a]]] >= states.FINISHED:
        sources.begin[a] += 1
    for i in range(sources.begin[a], sources.stop[a]):
        row = task[i]
        if sources.slots[a] <= 0:
            return
        if place[row] == eligibility_codes.ASIDE and sources.need[row] == 0:
            _join(state, truth, sources, row)


def _is_given_up(sources: Conditional, row: int) -> bool:
    """Whether a job is to be withdrawn because its dependencies can never be met."""
    return bool(sources.marks[row] & eligibility_codes.NEVER and sources.kills)


def _look_at(truth: Truth, sources: Conditional, now: float, row: int) -> None:
    """A job aside may join at this instant."""
    a = sources.array[row]
    if a > 0 and sources.need[row] == 0:
        _free_slots(truth, sources, now, a, 0)
        return
    if not sources.marks[row] & eligibility_codes.LISTED:
        sources.marks[row] |= eligibility_codes.LISTED
        sources.ready[sources.ready_count] = row
        sources.ready_count += 1
    truth.next_arrival = min(truth.next_arrival, now)


def _free_slots(truth: Truth, sources: Conditional, now: float, a: int, more: int) -> None:
    """So many more tasks of an array may run."""
    sources.slots[a] += more
    if not sources.is_fresh[a]:
        sources.is_fresh[a] = 1
        sources.fresh[sources.fresh_count] = a
        sources.fresh_count += 1
    truth.next_arrival = min(truth.next_arrival, now)


def leave_slot(truth: Truth, sources: Conditional, now: float, row: int) -> None:
    """A job has left the queue, or is over: another task of its array may take its place."""
    if sources.place[row] == eligibility_codes.JOINED and sources.array[row] > 0:
        _free_slots(truth, sources, now, sources.array[row], 1)


def meet(truth: Truth, sources: Conditional, now: float, row: int) -> None:
    """One more of a job's conditions is met."""
    sources.need[row] -= 1
    if sources.need[row] == 0:
        sources.eligible[row] = now
        if sources.place[row] == eligibility_codes.ASIDE:
            _look_at(truth, sources, now, row)


def decide_clause(truth: Truth, sources: Conditional, now: float, clause: int) -> None:
    """A clause waits for nobody any more: it is met, will be met later, or has failed."""
    kind, row = sources.what[clause], sources.owner[clause]
    if kind == eligibility_codes.AFTER and sources.when[clause] > now:
        put_date(truth, sources, clause)
        return
    if kind == eligibility_codes.DATE:
        meet(truth, sources, now, row)
    elif (kind == eligibility_codes.AFTER_OK and sources.spoiled[clause]) or (
        kind == eligibility_codes.AFTER_NOT_OK and not sources.spoiled[clause]
    ):
        sources.spare[row] -= 1
        if sources.spare[row] == 0 and sources.wanted[row] > 0:
            sources.marks[row] |= eligibility_codes.NEVER
            if sources.place[row] == eligibility_codes.ASIDE:
                _look_at(truth, sources, now, row)
    elif sources.wanted[row] > 0:
        sources.wanted[row] -= 1
        if sources.wanted[row] == 0:
            meet(truth, sources, now, row)


def _count_down(truth: Truth, sources: Conditional, now: float, link: int) -> None:
    """A job that a clause waits for has done what it waits for."""
    clause = sources.to[link]
    sources.to[link] = 0
    sources.left[clause] -= 1
    if sources.left[clause] == 0:
        sources.when[clause] = now + sources.delay[clause]
        decide_clause(truth, sources, now, clause)


def _has_gone_on(state: State, truth: Truth, row: int) -> bool:
    """Whether another segment of the job follows."""
    if row >= len(truth.following) or truth.following[row] < 0:
        return False
    return bool(state.state[row] == states.FINISHED or state.state[row] == states.REFUSED)


def put_date(truth: Truth, sources: Conditional, clause: int) -> None:
    """A clause will be met at its time."""
    dated, when, place = sources.dated, sources.when, sources.dated_count
    sources.dated_count += 1
    while place > 0 and when[dated[(place - 1) // 2]] > when[clause]:
        dated[place] = dated[(place - 1) // 2]
        place = (place - 1) // 2
    dated[place] = clause
    truth.next_arrival = min(truth.next_arrival, when[clause])


def _reach_dates(truth: Truth, sources: Conditional, now: float) -> None:
    """Meet the clauses whose times have come."""
    dated, when = sources.dated, sources.when
    while sources.dated_count > 0 and when[dated[0]] <= now:
        clause = dated[0]
        sources.dated_count -= 1
        last, place, n = dated[sources.dated_count], 0, sources.dated_count
        while 2 * place + 1 < n:
            child = 2 * place + 1
            if child + 1 < n and when[dated[child + 1]] < when[dated[child]]:
                child += 1
            if when[last] <= when[dated[child]]:
                break
            dated[place] = dated[child]
            place = child
        dated[place] = last
        decide_clause(truth, sources, now, clause)


class Conditional(Chained):
    """Chains whose jobs may have conditions; the arrays are of jobs, links, clauses and arrays of tasks."""

    FIELDS = {"fails": Codes, **{name: kind for table in eligibility_codes.TABLES for name, kind in table.items()}}
    NUMBERS = {"dated_count": 0, "ready_count": 0, "fresh_count": 0, "kills": False, "defers": False}
    dated_count: int
    """Clauses in ``dated``."""
    ready_count: int
    """Rows in ``ready``."""
    fresh_count: int
    """Arrays in ``fresh``."""
    kills: bool
    """Whether jobs are withdrawn whose dependencies can never be met; otherwise they wait for ever."""
    defers: bool
    """Whether Python is asked from when on the jobs that are submitted may start."""
    fails: Codes
    need: Ints
    place: Codes
    marks: Codes
    eligible: Floats
    wanted: Ints
    spare: Ints
    array: Ints
    first_link: Ints
    ready: Ints
    answer: Ints
    to: Ints
    next_link: Ints
    owner: Ints
    left: Ints
    dated: Ints
    what: Codes
    spoiled: Codes
    delay: Floats
    when: Floats
    slots: Ints
    begin: Ints
    stop: Ints
    fresh: Ints
    is_fresh: Codes
    task: Ints

    def arrive(self, state: State, truth: Truth, now: float) -> bool:
        """Of the jobs submitted now, put those aside that are not eligible; let those in that have become so."""
        if not Chained.arrive(self, state, truth, now):
            return False
        if self.defers and truth.arrived_count > 0 and not _are_answered(state, truth, self):
            releases.ask(truth, now, eligibility_codes.QUESTION)
        following = truth.next_arrival
        _reach_dates(truth, self, now)
        _sift(state, truth, self, now)
        for j in range(self.ready_count):
            row = self.ready[j]
            self.marks[row] &= ~eligibility_codes.LISTED
            if self.place[row] == eligibility_codes.ASIDE and (self.need[row] == 0 or _is_given_up(self, row)):
                _join(state, truth, self, row)
        for i in range(self.fresh_count):
            a = self.fresh[i]
            self.is_fresh[a] = 0
            _fill_slots(state, truth, self, a)
        self.ready_count = self.fresh_count = 0
        if self.dated_count > 0:
            following = min(following, self.when[self.dated[0]])
        truth.next_arrival = following
        return True

    def note_started(self, state: State, truth: Truth, now: float, rows: Ints) -> bool:
        """Clauses of kind `AFTER` count the start of a job."""
        for i in range(len(rows)):
            row = rows[i]
            link = self.first_link[row]
            while link > 0:
                if self.to[link] > 0 and self.what[self.to[link]] == eligibility_codes.AFTER:
                    _count_down(truth, self, now, link)
                link = self.next_link[link]
        return bool(Sources.note_started(self, state, truth, now, rows))

    def note_over(self, state: State, truth: Truth, now: float, rows: Ints) -> bool:
        """Others count its end, and that of its kind; the segments that follow a job have its place."""
        urgent = Chained.note_over(self, state, truth, now, rows)
        for i in range(len(rows)):
            row = rows[i]
            if _has_gone_on(state, truth, row):
                then = truth.following[row]
                self.first_link[then], self.array[then] = self.first_link[row], self.array[row]
                self.place[then], self.first_link[row], self.place[row] = self.place[row], 0, 0
                continue
            if self.place[row] == eligibility_codes.ASIDE:
                _leave(truth, self, row)
            leave_slot(truth, self, now, row)
            self.place[row] = 0
            failed, link = state.state[row] != states.FINISHED or self.fails[row] > 0, self.first_link[row]
            self.first_link[row] = 0
            while link > 0:
                if self.to[link] > 0:
                    self.spoiled[self.to[link]] |= failed
                    _count_down(truth, self, now, link)
                link = self.next_link[link]
        return bool(urgent)
