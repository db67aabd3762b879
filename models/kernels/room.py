"""What a pass can still give away, on any machine: does a job fit, what is left when it takes its place.

What is ``left`` is a number of processors. These functions are written here for processors, and in
`thinktime.models.kernels.nodes` for nodes, where there are also tables of what every node has left of every resource:
one for the pass, and one for what is changed apart from it (`copied`). There, `fits_now` also chooses the job's nodes,
and `take` takes these. Whoever begins a pass rewinds it.
"""

from thinktime.models.kernels.gapped import is_gap, sort_in
from thinktime.models.kernels.machine_state import FIRST_RUNNING, IDLE, OVERRUN, PROCESSORS, STOP_RUNNING, UNTIL_NEEDED
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import by_kind
from thinktime.workloads.structures import Structure


@kernel
def overrunning(state: Structure, now: float) -> int:
    """How many jobs at the head of ``running`` have outlived their estimates and may be evicted."""
    n = 0
    if state.counts[OVERRUN] == UNTIL_NEEDED:
        sort_in(state)
        for i in range(state.counts[FIRST_RUNNING], state.counts[STOP_RUNNING]):
            if state.expected[i] > now:
                break
            n += not is_gap(state, i)
    return n


@kernel
def available(state: Structure, skip: int) -> int:
    """How many processors starts may use: idle ones, and those of the first ``skip`` running jobs."""
    free: int = state.counts[IDLE]
    i = state.counts[FIRST_RUNNING]
    while skip > 0:
        if not is_gap(state, i):
            free += state.processors[state.running[i]]
            skip -= 1
        i += 1
    return free


@by_kind
def begin_pass(state: Structure, skip: int) -> int:
    """What starts may use: all that is idle, and what the first ``skip`` running jobs have."""
    return available(state, skip)


@by_kind
def rewind(state: Structure, rows: Ints) -> None:
    """A pass is over, in which these rows have taken what they need: so far, nobody has started."""


@by_kind
def fits_now(state: Structure, row: int, left: int) -> bool:
    """Whether a job finds room in what the pass has left."""
    return bool(state.processors[row] <= left)


@by_kind
def fits(state: Structure, row: int, left: int) -> bool:
    """Whether a job finds room in what is left at another time."""
    return bool(state.processors[row] <= left)


@by_kind
def fits_as_planned(state: Structure, row: int, left: int) -> bool:
    """Whether a job finds room where its reservation is."""
    return bool(state.processors[row] <= left)


@by_kind
def proposed_fits(state: Structure, row: int, left: int) -> bool:
    """Whether a job that was proposed finds room."""
    return bool(state.processors[row] <= left)


@by_kind
def take_now(state: Structure, row: int, left: int) -> int:
    """What the pass has left when a job starts in it."""
    return left - int(state.processors[row])


@by_kind
def take(state: Structure, row: int, left: int) -> int:
    """What is left when a job takes its place."""
    return left - int(state.processors[row])


@by_kind
def give(state: Structure, row: int, left: int) -> int:
    """What is left when a job gives its place back."""
    return left + int(state.processors[row])


@by_kind
def copied(state: Structure, head: int, left: int) -> int:
    """The same, to be changed apart until the head finds room."""
    return left


@by_kind
def used_up(state: Structure, left: int) -> bool:
    """Whether certainly nobody finds room."""
    return bool(left <= 0)


@by_kind
def hopeless(state: Structure, row: int, left: int) -> bool:
    """Whether a job certainly finds no room."""
    return bool(state.processors[row] > left)


@by_kind
def held_back(state: Structure, row: int, started: int) -> bool:
    """Whether it is known that a job would delay the head, when so many jobs have been started."""
    return False


@by_kind
def hold_back(state: Structure, row: int, started: int) -> None:
    """A job would delay the head, when so many jobs have been started."""


@by_kind
def fits_beside(state: Structure, row: int, head: int, left: int, later: int) -> bool:
    """Whether a job finds other room, in what is left now and besides the head's place in what is left later."""
    return False


@by_kind
def possible(state: Structure, row: int) -> bool:
    """Whether an idle machine has room for a job."""
    return bool(1 <= state.processors[row] <= state.counts[PROCESSORS])


@by_kind
def must_evict(state: Structure, row: int) -> bool:
    """Whether a job that starts needs the room of an overrunning job."""
    return bool(state.processors[row] > state.counts[IDLE])


@by_kind
def in_the_way(state: Structure, row: int, victim: int) -> bool:
    """Whether an overrunning job has what a job that starts needs."""
    return True


@by_kind
def occupy(state: Structure, row: int) -> None:
    """A job starts."""
    state.counts[IDLE] -= state.processors[row]


@by_kind
def vacate(state: Structure, row: int) -> None:
    """A job ends."""
    state.counts[IDLE] += state.processors[row]


@by_kind
def plan_starts(state: Structure, queue: Ints, rows: Ints) -> None:
    """A pass has chosen rows of the queue, and places for them."""


@by_kind
def run_length(state: Structure, row: int, work: float) -> float:
    """How long a job runs that starts now and has so much work to do, s."""
    return work


@by_kind
def admitted_first(state: Structure, rows: Ints) -> Ints:
    """The waiting rows, those first that a window admits now."""
    return rows


@by_kind
def has_news(state: Structure) -> bool:
    """Whether the machine has changed since the last pass, in a way that reservations may break or come sooner."""
    return False


@by_kind
def gone_back(state: Structure, row: int) -> bool:
    """Whether a waiting job has run, and has been interrupted."""
    return False
