"""What will be left at what time: the profile that rules which reserve look at, on any machine.

A profile has two arrays, ``times`` and ``free``, and a length, which functions return that change it. They are written
here for processors (`thinktime.models.kernels.availability`), and in `thinktime.models.kernels.node_profile` for nodes.
There, whatever finds a time for a job also chooses its nodes.
"""

from thinktime.models.kernels import availability
from thinktime.models.kernels.availability import advance as advance_counted
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import AHEAD, AT_WORK, GRACE, IN_QUEUE, INFINITY, PROCESSORS
from thinktime.models.kernels.room import available
from thinktime.workloads.compiler import Floats, Ints, inlined, kernel, whole
from thinktime.workloads.kinds import by_kind
from thinktime.workloads.structures import Structure

GIVE, TAKE = whole(1), whole(-1)  # signs of a change
LONG = 96
"""More steps than this are a long profile."""


@kernel
def steps(state: Structure) -> int:
    """How many steps a profile may have."""
    return int(2 * (state.counts[IN_QUEUE] + state.counts[AT_WORK] + state.counts[AHEAD]) + 12)


@by_kind
def idle_profile(state: Structure, now: float, times: Floats, free: Ints) -> int:
    """The profile of an idle machine."""
    times[0], free[0] = now, state.counts[PROCESSORS]
    return 1


@by_kind
def running_profile(state: Structure, now: float, skip: int, times: Floats, free: Ints) -> int:
    """The profile of the running jobs alone; the first ``skip`` count as ended."""
    return availability.build(
        now, state.clock[GRACE], available(state, skip), state.processors, state.running[: line_up(state)], skip,
        state.expected_end, times, free,
    )  # fmt: skip


@by_kind
def advance(state: Structure, now: float, times: Floats, free: Ints, n: int) -> int:
    """Forget what is past."""
    return advance_counted(now, times, free, n)


@by_kind
def book(state: Structure, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int) -> int:
    """Take a job's place on [begin, end), or give it back; ``begin`` must not lie before the present."""
    return availability.change(begin, end, sign * state.processors[row], times, free, n)


@by_kind
@inlined
def earliest(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """The earliest start at which a job finds room for so long; infinite if there is none."""
    return availability.earliest_fit(state.processors[row], duration, times, free, n)


@by_kind
def fits_from_now(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether a job finds room from now on for so long."""
    need = state.processors[row]
    return bool(free[0] >= need) and availability.fits_now(need, duration, times, free, n)


@by_kind
@inlined
def bring_forward(
    state: Structure, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
) -> tuple[float, int]:
    """Move a reservation to an earlier fit, if there is one before ``reach``; its start and the new length.

    ``tried`` is for notes of one sweep over a profile that is never over-committed, and begins as 0. With these,
    conservative backfilling takes three quarters of the time on CEA-Curie. In short profiles they cost more than they
    save.
    """
    need, duration = state.processors[row], state.estimate[row]
    notes, since = n > LONG and tried.size > 1, -INFINITY
    if notes:
        since = availability.no_fit_before(reserved, need, duration, tried)
        if since >= min(reserved, reach):
            return reserved, n
    start = availability.earlier_fit(reserved, need, duration, since, reach, times, free, n)
    if notes:
        availability.note_tried(need, duration, start, tried)
    if start < reserved:
        if tried.size > 1:  # in a short profile, too: it may become long again within the sweep
            availability.note_given(max(reserved, start + duration), tried)
        n = availability.change(reserved, reserved + duration, need, times, free, n)
        n = availability.change(start, start + duration, -need, times, free, n)
    return start, n


@by_kind
def begin_sweep(state: Structure) -> bool:
    """Reservations will be brought forward; whether it may succeed although nothing was given back."""
    return False


@by_kind
def crowds(state: Structure) -> bool:
    """Whether reservations can be where others are."""
    return bool(state.clock[GRACE] > 0.0)


@by_kind
def narrowest(state: Structure, rows: Ints) -> int:
    """The least that any of some jobs needs now."""
    least: int = state.processors[rows[0]]
    for row in rows:
        least = min(least, state.processors[row])
    return least


@by_kind
def left_now(state: Structure, free: Ints) -> int:
    """How much of it there is at the present."""
    return int(free[0])


@by_kind
def fits_at(state: Structure, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether a job finds room at a time for so long."""
    i, end, need = availability.locate(begin, times, n), begin + duration, state.processors[row]
    while i < n and times[i] < end:
        if free[i] < need:
            return False
        i += 1
    return True


@by_kind
def fits_as_reserved(state: Structure, row: int, begin: float, times: Floats, free: Ints, n: int) -> bool:
    """Whether a job finds room at the time that is reserved for it, where it was to be."""
    return fits_at(state, row, begin, state.estimate[row], times, free, n)


@by_kind
def send_off(
    state: Structure, row: int, sign: int, suspends: bool, begin: float, end: float, times: Floats, free: Ints, n: int
) -> int:
    """A running job leaves at ``begin`` instead of ``end``, and may be suspended, or it does not; the new length."""
    return book(state, row, sign, begin, end, times, free, n)


@by_kind
def more_from(state: Structure, now: float, times: Floats, free: Ints, n: int) -> int:
    """Processors have come back unexpectedly; the new length."""
    return n
