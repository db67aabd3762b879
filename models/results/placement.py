"""Which processors a job may have had: a reconstruction, for pictures and for files that want names.

The machine is a pool and knows only how many processors are taken. Here they get numbers from 0 on: jobs
are placed in order of (start, number), each into the first gap of free processors that is wide enough, else
into the lowest free ones, wherever they are. A job ends before another starts at the same time. So a job
may consist of several blocks, and the same jobs always get the same processors; another selection of jobs
may get other ones.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Block = tuple[int, int]
"""Processors from the first number up to, but not including, the second."""


class PlacedBlocks(NamedTuple):
    """Blocks of processors: the row of the job, the lowest processor and the number of processors of each."""

    row: npt.NDArray[np.int64]
    low: npt.NDArray[np.int64]
    height: npt.NDArray[np.int64]


def place(
    start: npt.NDArray[np.float64],
    end: npt.NDArray[np.float64],
    width: npt.NDArray[np.int64],
    number: npt.NDArray[np.int64],
    processors: int,
) -> PlacedBlocks:
    """Place jobs that run over [start, end) on `width` processors; a job without duration gets none."""
    free: list[Block] = [(0, processors)]
    running: list[tuple[float, int, list[Block]]] = []
    placed: list[tuple[int, int, int]] = []
    for row in np.lexsort((number, start)).tolist():
        if end[row] > start[row]:
            free = _without_ended(free, running, float(start[row]))
            blocks = _first_fit(free, int(width[row]), int(number[row]))
            free = _minus(free, blocks)
            heapq.heappush(running, (float(end[row]), row, blocks))
            placed += [(row, low, high - low) for low, high in blocks]
    return PlacedBlocks(*np.array(placed, dtype=np.int64).reshape(-1, 3).T)


def _without_ended(
    free: list[Block], running: list[tuple[float, int, list[Block]]], now: float
) -> list[Block]:
    """The free blocks once all jobs that end by now have given theirs back."""
    back: list[Block] = []
    while running and running[0][0] <= now:
        back += heapq.heappop(running)[2]
    return _joined(sorted(free + back)) if back else free


def _joined(blocks: list[Block]) -> list[Block]:
    """Neighbouring blocks as one."""
    joined = blocks[:1]
    for low, high in blocks[1:]:
        if low == joined[-1][1]:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined


def _first_fit(free: list[Block], width: int, number: int) -> list[Block]:
    gap = next((low for low, high in free if high - low >= width), None)
    return [(gap, gap + width)] if gap is not None else _lowest(free, width, number)


def _lowest(free: list[Block], width: int, number: int) -> list[Block]:
    taken: list[Block] = []
    missing = width
    for low, high in free:
        taken.append((low, min(high, low + missing)))
        missing -= taken[-1][1] - low
        if not missing:
            return taken
    raise ValueError(f"job {number} holds {width} processors, {missing} more than are free at its start")


def _minus(free: list[Block], taken: list[Block]) -> list[Block]:
    """The free blocks without those just taken, each of which lies at the bottom of a free one."""
    tops = dict(taken)
    return [(tops.get(low, low), high) for low, high in free if tops.get(low, low) < high]
