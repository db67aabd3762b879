"""Trying out plans: what a trial needs of a profile besides `thinktime.models.engine.profile`, and how it is undone.

On nodes, a trial also chooses places for jobs. They are kept before it and restored after it, or they are undone with
the job's reservation. On a machine that changes, a step has a record where windows admit somebody.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.models.engine import arithmetic, changing_profile, node_profile, nodes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import trials as trials_codes
from thinktime.models.engine.machine_state import State
from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf

FAR = trials_codes.FAR


NO_PLACES = np.empty((0, 0), np.int64)


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


def number(state: State, free: Ints, steps: int) -> None:
    """Make the first steps of ``free`` ready for a profile."""
    if state.on_nodes:
        nodes_number(state, free, steps)
        return


def nodes_number(state: State, free: Ints, steps: int) -> None:
    """As `number`: each record begins with the number of its slab."""
    size = node_profile.width(state)
    for i in range(0 if state.alike else steps):
        free[i * size] = i


def copy_steps(state: State, times: Floats, free: Ints, n: int, to_times: Floats, to_free: Ints) -> None:
    """Copy a profile."""
    if state.on_nodes:
        nodes_copy_steps(state, times, free, n, to_times, to_free)
        return
    if state.changing:
        changing_copy_steps(state, times, free, n, to_times, to_free)
        return
    processors_copy_steps(state, times, free, n, to_times, to_free)


def processors_copy_steps(state: State, times: Floats, free: Ints, n: int, to_times: Floats, to_free: Ints) -> None:
    """As `copy_steps`, of processors that are all alike."""
    to_times[:n] = times[:n]
    to_free[:n] = free[:n]


def nodes_copy_steps(state: State, times: Floats, free: Ints, n: int, to_times: Floats, to_free: Ints) -> None:
    """As `copy_steps`: slab by slab."""
    if state.alike:
        processors_copy_steps(state, times, free, n, to_times, to_free)
        return
    to_times[:n] = times[:n]
    for i in range(n):
        node_profile.slab(state, i, to_free)[:] = node_profile.slab(state, i, free)


def changing_copy_steps(state: State, times: Floats, free: Ints, n: int, to_times: Floats, to_free: Ints) -> None:
    """As `copy_steps`: record by record."""
    numbers = n * changing_profile.width(state)
    to_times[:n] = times[:n]
    to_free[:numbers] = free[:numbers]


def kept_places(state: State, rows: Ints) -> IntTable:
    """Where jobs are planned to be, for `plan_again`."""
    if state.on_nodes:
        return nodes_kept_places(state, rows)
    return NO_PLACES


def nodes_kept_places(state: State, rows: Ints) -> IntTable:
    """As `kept_places`: for each job a line with the number of its places, and these."""
    lines, k = len(rows), 0
    for i in range(len(rows)):
        lines += state.size[rows[i]]
    kept = np.empty((lines, state.places.shape[1]), np.int64)
    for i in range(len(rows)):
        row = rows[i]
        begin, size = state.offset[row], state.size[row]
        kept[k, :] = size
        kept[k + 1 : k + 1 + size] = state.places[begin : begin + size]
        k += 1 + size
    return kept


def plan_again(state: State, rows: Ints, kept: IntTable) -> None:
    """Plan jobs where they were when `kept_places` was called for them."""
    if state.on_nodes:
        nodes_plan_again(state, rows, kept)
        return


def nodes_plan_again(state: State, rows: Ints, kept: IntTable) -> None:
    """As `plan_again`: job by job."""
    k = 0
    for i in range(len(rows)):
        row = rows[i]
        begin, size = state.offset[row], kept[k, 0]
        state.size[row] = size
        state.places[begin : begin + size] = kept[k + 1 : k + 1 + size]
        k += 1 + size


def hold_each_other_up(state: State) -> bool:
    """Whether a job that is delayed can be in the way of one that is reserved before it."""
    if state.on_nodes:
        return nodes_hold_each_other_up(state)
    return False


def nodes_hold_each_other_up(state: State) -> bool:
    """As `hold_each_other_up`: a job that moves forward may want its nodes for longer than it held them."""
    return bool(state.alike == 0)


def first_chance(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """A time before which a job cannot start for so long, whatever else takes its place in this profile."""
    if state.on_nodes:
        return nodes_first_chance(state, row, duration, times, free, n)
    if state.changing:
        return changing_first_chance(state, row, duration, times, free, n)
    return processors_first_chance(state, row, duration, times, free, n)


def processors_first_chance(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """As `first_chance`, of processors that are all alike."""
    i, _ = _fit(at.ZERO, state.processors[row], duration, times, free, n)
    return float(times[i]) if i < n else times[0] + FAR


def nodes_first_chance(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """As `first_chance`: where less room can help (several kinds of chunks, own allocators), any time will do."""
    if state.alike:
        return processors_first_chance(state, row, duration, times, free, n)
    if not nodes.has_one_chunk(state, state.shape[row]) or state.allocator == nodes_codes.OWN:
        return float(times[0])
    return float(min(state.profiles.earliest(state, row, duration, times, free, n), times[0] + FAR))


def changing_first_chance(state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
    """As `first_chance`: whoever takes a place in a window takes it from those whom it admits."""
    return float(min(state.profiles.earliest(state, row, duration, times, free, n), times[0] + FAR))


def put(
    state: State, row: int, since: float, duration: float, times: Floats, free: Ints, n: int
) -> tuple[float, int, int, int]:
    """Book a job at its earliest fit from ``since`` on: its start, the steps between which it holds, the new length.

    A start is always a step already, so only the end can make a new one.
    """
    if state.on_nodes:
        return nodes_put(state, row, since, duration, times, free, n)
    if state.changing:
        return changing_put(state, row, since, duration, times, free, n)
    return processors_put(state, row, since, duration, times, free, n)


def processors_put(
    state: State, row: int, since: float, duration: float, times: Floats, free: Ints, n: int
) -> tuple[float, int, int, int]:
    """As `put`, on processors that are all alike."""
    need = state.processors[row]
    i, k = _fit(arithmetic.first_from(times, n, since), need, duration, times, free, n)
    if i == n:
        return times[0] + FAR, i, k, n
    end = times[i] + duration
    if k == n or times[k] > end:
        for m in range(n, k, -1):
            times[m] = times[m - 1]
        for m in range(n, k, -1):
            free[m] = free[m - 1]
        times[k] = end
        free[k] = free[k - 1]
        n += 1
    for m in range(i, k):
        free[m] -= need
    return float(times[i]), i, k, n


def nodes_put(
    state: State, row: int, since: float, duration: float, times: Floats, free: Ints, n: int
) -> tuple[float, int, int, int]:
    """As `put`: the job's places say all that is needed to undo it."""
    if state.alike:
        return processors_put(state, row, since, duration, times, free, n)
    start = node_profile.earliest_between(state, row, duration, since, INFINITY, times, free, n)
    nodes.settle(state, row)
    if start == INFINITY:
        return times[0] + FAR, at.ZERO, at.ZERO, n
    return (
        start,
        at.ZERO,
        at.ZERO,
        state.profiles.book(state, row, profile_codes.TAKE, start, start + duration, times, free, n),
    )


def changing_put(
    state: State, row: int, since: float, duration: float, times: Floats, free: Ints, n: int
) -> tuple[float, int, int, int]:
    """As `put`: also in windows that admit the job; then no step is noted, and all is undone by its time."""
    if changing_profile.width(state) == 1:
        return processors_put(state, row, since, duration, times, free, n)
    start = min(state.profiles.earliest(state, row, duration, times, free, n), times[0] + FAR)
    if start == times[0] + FAR:
        return start, at.ZERO, at.ZERO, n
    return (
        start,
        at.ZERO,
        at.ZERO,
        state.profiles.book(state, row, profile_codes.TAKE, start, start + duration, times, free, n),
    )


def take_back(
    state: State, row: int, start: float, duration: float, i: int, k: int, made: bool, times: Floats,
    free: Ints, n: int,
) -> int:  # fmt: skip
    """Undo the last `put` of all that stand; whether it has ``made`` a step; the new length."""
    if state.on_nodes:
        return nodes_take_back(state, row, start, duration, i, k, made, times, free, n)
    if state.changing:
        return changing_take_back(state, row, start, duration, i, k, made, times, free, n)
    return processors_take_back(state, row, start, duration, i, k, made, times, free, n)


def processors_take_back(
    state: State, row: int, start: float, duration: float, i: int, k: int, made: bool, times: Floats,
    free: Ints, n: int,
) -> int:  # fmt: skip
    """As `take_back`, on processors that are all alike."""
    need = state.processors[row]
    for m in range(i, k):
        free[m] += need
    if made:
        n -= 1
        for m in range(k, n):
            times[m] = times[m + 1]
        for m in range(k, n):
            free[m] = free[m + 1]
    return n


def nodes_take_back(
    state: State, row: int, start: float, duration: float, i: int, k: int, made: bool, times: Floats,
    free: Ints, n: int,
) -> int:  # fmt: skip
    """As `take_back`: the places are given back."""
    if state.alike:
        return processors_take_back(state, row, start, duration, i, k, made, times, free, n)
    if state.size[row] == 0:
        return n
    return state.profiles.book(state, row, profile_codes.GIVE, start, start + duration, times, free, n)


def changing_take_back(
    state: State, row: int, start: float, duration: float, i: int, k: int, made: bool, times: Floats,
    free: Ints, n: int,
) -> int:  # fmt: skip
    """As `take_back`: by the steps, or by the time."""
    if changing_profile.width(state) == 1:
        return processors_take_back(state, row, start, duration, i, k, made, times, free, n)
    if start >= times[0] + FAR:
        return n
    return state.profiles.book(state, row, profile_codes.GIVE, start, start + duration, times, free, n)
