"""Windows as the engine has them: arrays, and which of them policies may know."""

from bisect import bisect_left, insort
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.machine_state import State as MachineState
from thinktime.models.engine.situation import admits
from thinktime.models.jobs.columns import known_row
from thinktime.models.jobs.leaving import KnownWindow
from thinktime.workloads.changes.windows import Window

MANNERS = ("requeue", "kill", "wait", "suspend")


def window_arrays(windows: Sequence[Window], users: Sequence[Any]) -> dict[str, NDArray[Any]]:
    """When windows are, whom of the known users and which jobs they admit, and what they do to others."""
    codes: dict[str, list[int]] = {}
    for code, name in enumerate(users):
        codes.setdefault(str(name), []).append(code)
    admitted = [[code for user in each.users for code in codes.get(str(user), [])] for each in windows]
    codes_of, first_user = packed(admitted)
    ids, first_id = packed([list(each.jobs) for each in windows])
    return {
        "users": codes_of,
        "first_user": first_user,
        "ids": ids,
        "first_id": first_id,
        "opens": np.array([each.start for each in windows], np.float64),
        "closes": np.array([each.end for each in windows], np.float64),
        "manner": np.array([MANNERS.index(each.rule) for each in windows], np.int64),
        "slot": np.array(_slots(windows), np.int64),
    }


def packed(lists: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lists in one array, and where each begins."""
    first = np.cumsum([0, *map(len, lists)])
    return np.array([each for some in lists for each in some], np.int64), first.astype(np.int64)


def _slots(windows: Sequence[Window]) -> list[int]:
    """For each window that admits jobs the first slot that none before it has at that time; -1 for the others."""
    slots = [-1] * len(windows)
    taken: list[list[tuple[float, float]]] = []  # of each slot, the times in which a window has it, in order
    for number, window in enumerate(windows):
        if not (window.users or window.jobs):
            continue
        span = window.start, window.end
        slot = next((slot for slot, spans in enumerate(taken) if _is_free(spans, *span)), len(taken))
        if slot == len(taken):
            taken.append([])
        insort(taken[slot], span)
        slots[number] = slot
    return slots


def _is_free(spans: list[tuple[float, float]], start: float, end: float) -> bool:
    """Whether none of some intervals, which are in order and apart, meets another one."""
    place = bisect_left(spans, (start, end))
    return (place == 0 or spans[place - 1][1] <= start) and (place == len(spans) or end <= spans[place][0])


def known_windows(state: MachineState, kinds: list[Any]) -> list[KnownWindow]:
    """The windows that are announced and not over, by their beginnings."""
    found = []
    for w in np.asarray(state.known)[: state.known_count].tolist():
        processors, rule, kind = kinds[w]
        admits = partial(_admits, state, w)
        found.append(KnownWindow(float(state.opens[w]), float(state.closes[w]), processors, rule, kind, admits))
    return found


def _admits(state: MachineState, window: int, row: int) -> bool:
    return bool(admits(state, window, known_row(row, len(state.id))))
