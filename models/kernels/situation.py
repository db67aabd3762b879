"""The situation of a machine that changes: what windows are known, who is admitted, what is held.

Window w has ``amount[w]`` processors on [``opens[w]``, ``closes[w]``). ``known[:n]`` are those that are announced and
not over, by (begin, number). It admits the users with the codes ``users[first_user[w]:first_user[w + 1]]`` and the jobs
with the numbers ``ids[first_id[w]:first_id[w + 1]]``, or nobody. ``slot[w]`` is -1 if it admits nobody; of windows that
admit somebody, no two with one slot are open at one time. What such a window holds is what jobs that it admits do not
use: ``remaining[w]``, in the course of a pass. ``manner[w]`` says what happens to jobs in its way.
"""

from thinktime.models.kernels.machine_state import INFINITY
from thinktime.models.kernels.state_codes import FUTURE
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.structures import Structure

# places in ``situation``
(
    DOWN, KNOWN, OPEN_FOR_SOME, HELD, ENDLESS, GAPS, TAKEN, SEEN, PLACES, GROW, NEWS, BACK, TOLD, SLOTS, WINDOWS,
    CANCELS, REQUEUES_NOW, MOST_RUNS, RANKED, VICTIMS, LEAVING, DELAYED, AGAIN, INCLUDED, SET_ASIDE, GIVEN_UP, FENCED,
    KEEPS_ALL,
) = range(28)  # fmt: skip
"""``DOWN`` processors, ``KNOWN`` windows. ``OPEN_FOR_SOME``: so many windows are open that admit somebody; the others
that are open have ``HELD`` processors. ``ENDLESS``: processors of known windows without end. ``TAKEN`` jobs have been
chosen in this pass, and ``SEEN`` is the length of the profile that it had to look at, or 0. ``PLACES`` are given out;
the function at ``GROW`` makes more. ``NEWS`` and ``BACK`` are for rules that keep reservations. ``TOLD``: the ends of
outages are known. ``CANCELS``, ``REQUEUES_NOW`` and ``MOST_RUNS`` say what happens to jobs that are interrupted.
``RANKED``: jobs have ranks. A pass has chosen so many ``VICTIMS``; so many jobs are ``LEAVING``, under notice, or
``DELAYED`` on their way back into the queue. ``AGAIN``: the instant has another round. ``INCLUDED``: so many of the
known windows are in the profile of the pass. So many suspended jobs, ``kept``, are ``SET_ASIDE``, and so many of these
were ``GIVEN_UP`` after a failure. ``FENCED``: what is left later is looked at beside windows. ``KEEPS_ALL``: suspended
jobs keep their processors as well."""
# places in ``when``
NOW, NEXT_HOLD, NEXT_KNOWN, DELAY, THEN = range(5)
"""The present, when the next known window begins, the next time for which a change is known, how long a job that
is interrupted stays away from the queue, and the time at which the head of the queue is tried, s."""
CANCELLED, REQUEUED, SUSPENDED = range(3)
"""``leaves``: how a job that is preempted leaves."""
OF_PROCESS = 2
"""``lasting``, of a hold: it is no job that could run again."""
BEGAN, CAME_BACK = 1, 2
"""``NEWS``: an outage began or a window was announced; processors came back unexpectedly, ``BACK`` of them."""
REQUEUE, KILL_JOBS, WAIT = range(3)
"""What becomes of jobs in the way of a window."""
NOBODY = -1


@kernel
def admits(state: Structure, window: int, row: int) -> bool:
    """Whether a window admits a job."""
    found = False
    for i in range(state.first_user[window], state.first_user[window + 1]):
        found = found or state.users[i] == state.user[row]
    for i in range(state.first_id[window], state.first_id[window + 1]):
        found = found or state.ids[i] == state.id[row]
    return found


@kernel
def is_open(state: Structure, window: int) -> bool:
    """Whether a known window is open now."""
    return bool(state.opens[window] <= state.when[NOW] < state.closes[window])


@kernel
def admitted_now(state: Structure, row: int) -> bool:
    """Whether a window that is open now admits a job."""
    if state.situation[OPEN_FOR_SOME] == 0:
        return False
    for window in state.known[: state.situation[KNOWN]]:
        if state.slot[window] != NOBODY and is_open(state, window) and admits(state, window, row):
            return True
    return False


@kernel
def next_return(state: Structure) -> float:
    """When the next job leaves that is under notice, or comes back into the queue; now for another round."""
    situation = state.situation
    time = state.when[NOW] if situation[AGAIN] > 0 else INFINITY
    for row in state.leaving[: situation[LEAVING]]:
        time = min(time, state.notice[row])
    for row in state.delayed[: situation[DELAYED]]:
        if state.state[row] == FUTURE:
            time = min(time, state.ready[row])
    return float(time)


@kernel
def drop(rows: Ints, count: int, row: int) -> int:
    """Take a row out of a short list; the new length."""
    n = 0
    for i in range(count):
        rows[n] = rows[i]
        n += rows[i] != row
    return n


@kernel
def begin_run(state: Structure, row: int) -> None:
    """A job starts."""
    if state.runs[row] == 0:
        state.first_start[row] = state.start[row]
    state.booked[row], state.booked_until[row] = INFINITY, -INFINITY


@kernel
def end_run(state: Structure, row: int) -> None:
    """A job ends or leaves, and is not under notice any more."""
    if state.notice[row] < INFINITY:
        state.notice[row] = INFINITY
        state.situation[LEAVING] = drop(state.leaving, state.situation[LEAVING], row)


@kernel
def set_aside(state: Structure, row: int) -> None:
    """A job is suspended, and keeps something."""
    state.suspended[row] = 1
    state.kept[state.situation[SET_ASIDE]] = row
    state.situation[SET_ASIDE] += 1


@kernel
def go_on(state: Structure, row: int) -> None:
    """A job is not suspended any more."""
    if state.suspended[row] > 0:
        state.suspended[row] = 0
        state.situation[SET_ASIDE] = drop(state.kept, state.situation[SET_ASIDE], row)


@kernel
def look_ahead(state: Structure, now: float) -> None:
    """Note what is held now, and when a known change comes next."""
    situation, when = state.situation, state.when
    when[NOW], when[NEXT_HOLD], when[NEXT_KNOWN] = now, INFINITY, INFINITY
    situation[OPEN_FOR_SOME] = situation[HELD] = situation[ENDLESS] = 0
    for window in state.known[: situation[KNOWN]]:
        if state.opens[window] > now:
            when[NEXT_HOLD] = min(when[NEXT_HOLD], state.opens[window])
        elif state.slot[window] == NOBODY:
            situation[HELD] += state.amount[window]
        else:
            situation[OPEN_FOR_SOME] += 1
        when[NEXT_KNOWN] = min(when[NEXT_KNOWN], state.closes[window])
        if state.closes[window] == INFINITY:
            situation[ENDLESS] += state.amount[window]
    when[NEXT_KNOWN] = min(when[NEXT_KNOWN], when[NEXT_HOLD])
    if situation[TOLD]:
        for processor in state.broken[: situation[DOWN]]:
            when[NEXT_KNOWN] = min(when[NEXT_KNOWN], state.back[processor])
