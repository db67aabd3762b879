"""Trying out plans: what a trial needs of a profile besides `thinktime.models.kernels.profile`, and how it is undone.

On nodes, a trial also chooses places for jobs. They are kept before it and restored after it, or they are undone with
the job's reservation. On a machine that changes, a step has a record where windows admit somebody.
"""

import numpy as np

from thinktime.models.kernels import changing_profile
from thinktime.models.kernels.machine_state import CHANGING, INFINITY, ON_NODES, ZERO
from thinktime.models.kernels.node_profile import earliest_between, slab, width
from thinktime.models.kernels.nodes import ALIKE, ALLOCATOR, OWN, has_one_chunk, settle
from thinktime.models.kernels.profile import GIVE, TAKE, book, earliest
from thinktime.workloads.compiler import Floats, Ints, IntTable, kernel
from thinktime.workloads.kinds import by_kind, usual, written_for
from thinktime.workloads.structures import Structure

FAR = 2.0**40  # s: stands for never


@kernel
def _fit(i: int, need: int, duration: float, times: Floats, free: Ints, n: int) -> tuple[int, int]:
    """The first step from ``i`` on at which ``need`` processors are free for the whole ``duration`` (n: none).

    Also the first step that starts at or after the end of that duration (n: none).
    """
    while i < n:
        if free[i] < need:
            i += 1
            continue
        end = times[i] + duration
        k = i + 1
        while k < n and times[k] < end and free[k] >= need:
            k += 1
        if k == n or times[k] >= end:
            return i, k
        i = k + 1
    return n, n


@by_kind
def number(state: Structure, free: Ints, steps: int) -> None:
    """Make the first steps of ``free`` ready for a profile."""


@written_for(ON_NODES, number)
def nodes_number(state: Structure, free: Ints, steps: int) -> None:
    """Each record begins with the number of its slab."""
    size = width(state)
    for i in range(0 if state.site[ALIKE] else steps):
        free[i * size] = i


@by_kind
def copy_steps(state: Structure, times: Floats, free: Ints, n: int, to_times: Floats, to_free: Ints) -> None:
    """Copy a profile."""
    to_times[:n] = times[:n]
    to_free[:n] = free[:n]


usual_copy_steps = usual(copy_steps)


@written_for(ON_NODES, copy_steps)
def nodes_copy_steps(state: Structure, times: Floats, free: Ints, n: int, to_times: Floats, to_free: Ints) -> None:
    """Slab by slab."""
    if state.site[ALIKE]:
        usual_copy_steps(state, times, free, n, to_times, to_free)
        return
    to_times[:n] = times[:n]
    for i in range(n):
        slab(state, i, to_free)[:] = slab(state, i, free)


@written_for(CHANGING, copy_steps)
def changing_copy_steps(state: Structure, times: Floats, free: Ints, n: int, to_times: Floats, to_free: Ints) -> None:
    """Record by record."""
    numbers = n * changing_profile.width(state)
    to_times[:n] = times[:n]
    to_free[:numbers] = free[:numbers]


@by_kind
def kept_places(state: Structure, rows: Ints) -> IntTable:
    """Where jobs are planned to be, for `plan_again`."""
    return np.empty((0, 0), np.int64)


@written_for(ON_NODES, kept_places)
def nodes_kept_places(state: Structure, rows: Ints) -> IntTable:
    """For each job a line with the number of its places, and these."""
    kept, k = np.empty((rows.size + state.size[rows].sum(), state.places.shape[1]), np.int64), 0
    for row in rows:
        begin, size = state.offset[row], state.size[row]
        kept[k] = size
        kept[k + 1 : k + 1 + size] = state.places[begin : begin + size]
        k += 1 + size
    return kept


@by_kind
def plan_again(state: Structure, rows: Ints, kept: IntTable) -> None:
    """Plan jobs where they were when `kept_places` was called for them."""


@written_for(ON_NODES, plan_again)
def nodes_plan_again(state: Structure, rows: Ints, kept: IntTable) -> None:
    """Job by job."""
    k = 0
    for row in rows:
        begin, size = state.offset[row], kept[k, 0]
        state.size[row] = size
        state.places[begin : begin + size] = kept[k + 1 : k + 1 + size]
        k += 1 + size


@by_kind
def hold_each_other_up(state: Structure) -> bool:
    """Whether a job that is delayed can be in the way of one that is reserved before it."""
    return False


@written_for(ON_NODES, hold_each_other_up)
def nodes_hold_each_other_up(state: Structure) -> bool:
    """A job that moves forward may want its nodes for longer than it held them."""
    return bool(state.site[ALIKE] == 0)


@by_kind
def first_chance(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """A time before which a job cannot start for so long, whatever else takes its place in this profile."""
    i, _ = _fit(ZERO, state.processors[row], duration, times, free, n)
    return float(times[i]) if i < n else times[0] + FAR


usual_first_chance = usual(first_chance)


@written_for(ON_NODES, first_chance)
def nodes_first_chance(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """Where less room can help (several kinds of chunks, a user's own allocator), any time will do."""
    if state.site[ALIKE]:
        return usual_first_chance(state, row, duration, times, free, n)
    if not has_one_chunk(state, state.shape[row]) or state.site[ALLOCATOR] == OWN:
        return float(times[0])
    return float(min(earliest(state, row, duration, times, free, n), times[0] + FAR))


@written_for(CHANGING, first_chance)
def changing_first_chance(state: Structure, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """Whoever takes a place in a window takes it from those whom it admits."""
    return float(min(earliest(state, row, duration, times, free, n), times[0] + FAR))


@by_kind
def put(
    state: Structure, row: int, since: float, duration: float, times: Floats, free: Ints, n: int
) -> tuple[float, int, int, int]:
    """Book a job at its earliest fit from ``since`` on: its start, the steps between which it holds, the new length.

    A start is always a step already, so only the end can make a new one.
    """
    low, high = ZERO, n
    while low < high:
        middle = (low + high) // 2
        if times[middle] < since:
            low = middle + 1
        else:
            high = middle
    need = state.processors[row]
    i, k = _fit(low, need, duration, times, free, n)
    if i == n:
        return times[0] + FAR, i, k, n
    end = times[i] + duration
    if k == n or times[k] > end:
        for m in range(np.uint64(0), np.uint64(n - k)):  # unsigned indices need no check for negative ones
            times[np.uint64(n) - np.uint64(m)] = times[np.uint64(n - 1) - np.uint64(m)]
            free[np.uint64(n) - np.uint64(m)] = free[np.uint64(n - 1) - np.uint64(m)]
        times[k] = end
        free[k] = free[k - 1]
        n += 1
    for m in range(np.uint64(i), np.uint64(k)):
        free[m] -= need
    return float(times[i]), i, k, n


usual_put = usual(put)


@written_for(ON_NODES, put)
def nodes_put(
    state: Structure, row: int, since: float, duration: float, times: Floats, free: Ints, n: int
) -> tuple[float, int, int, int]:
    """With the job's places, which say all that is needed to undo it."""
    if state.site[ALIKE]:
        return usual_put(state, row, since, duration, times, free, n)
    start = earliest_between(state, row, duration, since, INFINITY, times, free, n)
    settle(state, row)
    if start == INFINITY:
        return times[0] + FAR, ZERO, ZERO, n
    return start, ZERO, ZERO, book(state, row, TAKE, start, start + duration, times, free, n)


@written_for(CHANGING, put)
def changing_put(
    state: Structure, row: int, since: float, duration: float, times: Floats, free: Ints, n: int
) -> tuple[float, int, int, int]:
    """In windows that admit the job as well, if there are any; then no step is noted, and all is undone by its time."""
    if changing_profile.width(state) == 1:
        return usual_put(state, row, since, duration, times, free, n)
    start = min(earliest(state, row, duration, times, free, n), times[0] + FAR)
    if start == times[0] + FAR:
        return start, ZERO, ZERO, n
    return start, ZERO, ZERO, book(state, row, TAKE, start, start + duration, times, free, n)


@by_kind
def take_back(
    state: Structure, row: int, start: float, duration: float, i: int, k: int, made: bool, times: Floats,
    free: Ints, n: int,
) -> int:  # fmt: skip
    """Undo the last `put` of all that stand; whether it has ``made`` a step; the new length."""
    need = state.processors[row]
    for m in range(np.uint64(i), np.uint64(k)):
        free[m] += need
    if made:
        n -= 1
        for m in range(np.uint64(k), np.uint64(n)):
            times[m] = times[np.uint64(m) + np.uint64(1)]
            free[m] = free[np.uint64(m) + np.uint64(1)]
    return n


usual_take_back = usual(take_back)


@written_for(ON_NODES, take_back)
def nodes_take_back(
    state: Structure, row: int, start: float, duration: float, i: int, k: int, made: bool, times: Floats,
    free: Ints, n: int,
) -> int:  # fmt: skip
    """Give the places back."""
    if state.site[ALIKE]:
        return usual_take_back(state, row, start, duration, i, k, made, times, free, n)
    if state.size[row] == 0:
        return n
    return book(state, row, GIVE, start, start + duration, times, free, n)


@written_for(CHANGING, take_back)
def changing_take_back(
    state: Structure, row: int, start: float, duration: float, i: int, k: int, made: bool, times: Floats,
    free: Ints, n: int,
) -> int:  # fmt: skip
    """By the steps, or by the time."""
    if changing_profile.width(state) == 1:
        return usual_take_back(state, row, start, duration, i, k, made, times, free, n)
    if start >= times[0] + FAR:
        return n
    return book(state, row, GIVE, start, start + duration, times, free, n)
