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

from thinktime.models.kernels import limits, room
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels.chains import CHAINED
from thinktime.models.kernels.sources import arrive, note_over, note_started
from thinktime.models.kernels.state_codes import FINISHED, FUTURE, REFUSED, WAITING
from thinktime.workloads.compiler import Codes, Floats, Ints, kernel
from thinktime.workloads.kinds import usual, written_for
from thinktime.workloads.structures import Structure, StructureKind, fields, maker

ASIDE, JOINED = 1, 2
AFTER, AFTER_ANY, AFTER_OK, AFTER_NOT_OK, DATE = range(5)  # kinds of clauses
# places in ``numbers``: lengths, and whether jobs are withdrawn whose dependencies can never be met
DATED, READY, FRESH, KILLS = range(4)
HELD, NEVER, LISTED = 1, 2, 4
"""Bits of ``marks``: a job is held, its dependencies can never be met, it is in ``ready``."""
ROWS = fields(
    (Ints, "need"), (Codes, "place marks"), (Floats, "eligible"), (Ints, "wanted spare array first_link ready")
)
LINKS = fields((Ints, "to next_link"))
CLAUSES = fields((Ints, "owner left dated"), (Codes, "what spoiled"), (Floats, "delay when"))
ARRAYS = fields((Ints, "slots begin stop fresh"), (Codes, "is_fresh"))
TASKS = {"task": Ints}
TABLES = (ROWS, LINKS, CLAUSES, ARRAYS, TASKS)
CONDITIONAL = StructureKind(
    "Conditional", (CHAINED,), numbers=Ints, fails=Codes, **ROWS, **LINKS, **CLAUSES, **ARRAYS, **TASKS
)
"""What submits jobs, where some of them have conditions."""
make_conditional = maker(CONDITIONAL)
_arrive = usual(arrive, CHAINED)
_note_over = usual(note_over, CHAINED)
_note_started = usual(note_started)


@written_for(CONDITIONAL, arrive)
def arrive_if_eligible(state: Structure, truth: Structure, sources: Structure, now: float) -> bool:
    """Of the jobs that are submitted now, put those aside that are not eligible; let those in that have become so."""
    if not _arrive(state, truth, sources, now):
        return False
    following = truth.clock[at.ARRIVAL]
    _reach_dates(truth, sources, now)
    _sift(state, truth, sources, now)
    for row in sources.ready[: sources.numbers[READY]]:
        sources.marks[row] &= ~LISTED
        if sources.place[row] == ASIDE and (sources.need[row] == 0 or _is_given_up(sources, row)):
            _join(state, truth, sources, row)
    for a in sources.fresh[: sources.numbers[FRESH]]:
        sources.is_fresh[a] = 0
        _fill_slots(state, truth, sources, a)
    sources.numbers[READY] = sources.numbers[FRESH] = 0
    if sources.numbers[DATED] > 0:
        following = min(following, sources.when[sources.dated[0]])
    truth.clock[at.ARRIVAL] = following
    return True


@kernel
def _sift(state: Structure, truth: Structure, sources: Structure, now: float) -> None:
    """Put submitted jobs aside that have to wait, unless they could never run, are refused or have been taken back."""
    arrived, counts, k = truth.arrived, truth.counts, 0
    for row in arrived[: counts[at.ARRIVED]]:
        waits = sources.place[row] == 0 and (sources.need[row] > 0 or sources.array[row] > 0)
        waits = waits and state.state[row] == FUTURE and not truth.attention[row] & at.UNWANTED
        if waits and truth.runtime[row] >= 0.0 and room.possible(state, row) and limits.enter(state, row):
            if not _is_given_up(sources, row):
                put_aside(state, truth, sources, row)
                if sources.need[row] == 0:
                    _look_at(truth, sources, now, row)
                continue
            truth.attention[row] |= at.UNWANTED
        arrived[k] = row
        k += 1
    counts[at.ARRIVED] = k


@kernel
def put_aside(state: Structure, truth: Structure, sources: Structure, row: int) -> None:
    """A job waits outside the queue. Ends are instants then, since it may wait for them."""
    state.state[row] = WAITING
    sources.place[row] = ASIDE
    truth.counts[at.TO_COME] += 1


@kernel
def _join(state: Structure, truth: Structure, sources: Structure, row: int) -> None:
    """A job that waited aside goes to the queue at this instant; or is withdrawn there, since it could never run."""
    _leave(truth, sources, row)
    if sources.need[row] > 0:
        truth.attention[row] |= at.UNWANTED
    else:
        sources.place[row] = JOINED
        truth.attention[row] |= at.LATE
        sources.slots[sources.array[row]] -= sources.array[row] > 0
    state.state[row] = FUTURE
    truth.arrived[truth.counts[at.ARRIVED]] = row
    truth.counts[at.ARRIVED] += 1


@kernel
def _leave(truth: Structure, sources: Structure, row: int) -> None:
    """A job is not aside any more."""
    sources.place[row] = 0
    truth.counts[at.TO_COME] -= 1


@kernel
def _fill_slots(state: Structure, truth: Structure, sources: Structure, a: int) -> None:
    """Let as many tasks of an array join as may, in order."""
    task, place = sources.task, sources.place
    while sources.begin[a] < sources.stop[a] and state.state[task[sources.begin[a]]] >= FINISHED:
        sources.begin[a] += 1
    for row in task[sources.begin[a] : sources.stop[a]]:
        if sources.slots[a] <= 0:
            return
        if place[row] == ASIDE and sources.need[row] == 0:
            _join(state, truth, sources, row)


@kernel
def _is_given_up(sources: Structure, row: int) -> bool:
    """Whether a job is to be withdrawn because its dependencies can never be met."""
    return bool(sources.marks[row] & NEVER and sources.numbers[KILLS])


@kernel
def _look_at(truth: Structure, sources: Structure, now: float, row: int) -> None:
    """A job aside may join at this instant."""
    a = sources.array[row]
    if a > 0 and sources.need[row] == 0:
        _free_slots(truth, sources, now, a, 0)
        return
    if not sources.marks[row] & LISTED:
        sources.marks[row] |= LISTED
        sources.ready[sources.numbers[READY]] = row
        sources.numbers[READY] += 1
    truth.clock[at.ARRIVAL] = min(truth.clock[at.ARRIVAL], now)


@kernel
def _free_slots(truth: Structure, sources: Structure, now: float, a: int, more: int) -> None:
    """So many more tasks of an array may run."""
    sources.slots[a] += more
    if not sources.is_fresh[a]:
        sources.is_fresh[a] = 1
        sources.fresh[sources.numbers[FRESH]] = a
        sources.numbers[FRESH] += 1
    truth.clock[at.ARRIVAL] = min(truth.clock[at.ARRIVAL], now)


@kernel
def leave_slot(truth: Structure, sources: Structure, now: float, row: int) -> None:
    """A job has left the queue, or is over: another task of its array may take its place."""
    if sources.place[row] == JOINED and sources.array[row] > 0:
        _free_slots(truth, sources, now, sources.array[row], 1)


@kernel
def meet(truth: Structure, sources: Structure, now: float, row: int) -> None:
    """One more of a job's conditions is met."""
    sources.need[row] -= 1
    if sources.need[row] == 0:
        sources.eligible[row] = now
        if sources.place[row] == ASIDE:
            _look_at(truth, sources, now, row)


@kernel
def decide_clause(truth: Structure, sources: Structure, now: float, clause: int) -> None:
    """A clause waits for nobody any more: it is met, will be met later, or has failed."""
    kind, row = sources.what[clause], sources.owner[clause]
    if kind == AFTER and sources.when[clause] > now:
        put_date(truth, sources, clause)
        return
    if kind == DATE:
        meet(truth, sources, now, row)
    elif (kind == AFTER_OK and sources.spoiled[clause]) or (kind == AFTER_NOT_OK and not sources.spoiled[clause]):
        sources.spare[row] -= 1
        if sources.spare[row] == 0 and sources.wanted[row] > 0:
            sources.marks[row] |= NEVER
            if sources.place[row] == ASIDE:
                _look_at(truth, sources, now, row)
    elif sources.wanted[row] > 0:
        sources.wanted[row] -= 1
        if sources.wanted[row] == 0:
            meet(truth, sources, now, row)


@kernel
def _count_down(truth: Structure, sources: Structure, now: float, link: int) -> None:
    """A job that a clause waits for has done what it waits for."""
    clause = sources.to[link]
    sources.to[link] = 0
    sources.left[clause] -= 1
    if sources.left[clause] == 0:
        sources.when[clause] = now + sources.delay[clause]
        decide_clause(truth, sources, now, clause)


@written_for(CONDITIONAL, note_started)
def note_started_and_after(state: Structure, truth: Structure, sources: Structure, now: float, rows: Ints) -> bool:
    """Clauses of kind `AFTER` count the start of a job."""
    for row in rows:
        link = sources.first_link[row]
        while link > 0:
            if sources.to[link] > 0 and sources.what[sources.to[link]] == AFTER:
                _count_down(truth, sources, now, link)
            link = sources.next_link[link]
    return bool(_note_started(state, truth, sources, now, rows))


@written_for(CONDITIONAL, note_over)
def note_over_and_after(state: Structure, truth: Structure, sources: Structure, now: float, rows: Ints) -> bool:
    """Others count its end, and that of its kind; the segments that follow a job have its place."""
    urgent = _note_over(state, truth, sources, now, rows)
    for row in rows:
        if _has_gone_on(state, truth, row):
            then = truth.following[row]
            sources.first_link[then], sources.array[then] = sources.first_link[row], sources.array[row]
            sources.place[then], sources.first_link[row], sources.place[row] = sources.place[row], 0, 0
            continue
        if sources.place[row] == ASIDE:
            _leave(truth, sources, row)
        leave_slot(truth, sources, now, row)
        sources.place[row] = 0
        failed, link = state.state[row] != FINISHED or sources.fails[row] > 0, sources.first_link[row]
        sources.first_link[row] = 0
        while link > 0:
            if sources.to[link] > 0:
                sources.spoiled[sources.to[link]] |= failed
                _count_down(truth, sources, now, link)
            link = sources.next_link[link]
    return bool(urgent)


@kernel
def _has_gone_on(state: Structure, truth: Structure, row: int) -> bool:
    """Whether another segment of the job follows."""
    if row >= truth.following.size or truth.following[row] < 0:
        return False
    return bool(state.state[row] == FINISHED or state.state[row] == REFUSED)


@kernel
def put_date(truth: Structure, sources: Structure, clause: int) -> None:
    """A clause will be met at its time."""
    dated, when, place = sources.dated, sources.when, sources.numbers[DATED]
    sources.numbers[DATED] += 1
    while place > 0 and when[dated[(place - 1) // 2]] > when[clause]:
        dated[place] = dated[(place - 1) // 2]
        place = (place - 1) // 2
    dated[place] = clause
    truth.clock[at.ARRIVAL] = min(truth.clock[at.ARRIVAL], when[clause])


@kernel
def _reach_dates(truth: Structure, sources: Structure, now: float) -> None:
    """Meet the clauses whose times have come."""
    dated, when, numbers = sources.dated, sources.when, sources.numbers
    while numbers[DATED] > 0 and when[dated[0]] <= now:
        clause = dated[0]
        numbers[DATED] -= 1
        last, place, n = dated[numbers[DATED]], 0, numbers[DATED]
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
