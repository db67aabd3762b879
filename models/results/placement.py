"""Processor numbers of jobs, for pictures and for files that require them.

A machine that changes knows which processors, or nodes, its jobs had. Other machines are pools and know only how many
processors are in use. Here they are numbered from 0. Jobs are placed in order of (start, number), each into the first
gap of free processors that is wide enough, otherwise into the lowest free ones. At equal times, ends come before
starts. A job may thus consist of several blocks. The same jobs always get the same processors, but a different
selection of jobs may get different ones.
"""

import heapq
from typing import NamedTuple

import numpy as np

from thinktime.models.results.history import counted
from thinktime.models.results.measures import Spans, sizes_of, used
from thinktime.models.results.schedule import Schedule
from thinktime.workloads.arrays import Floats, Whole

Block = tuple[int, int]
"""Processors from the first number up to, but excluding, the second."""


class PlacedBlocks(NamedTuple):
    """Blocks of processors: the job's row, the lowest processor and the number of processors of each block."""

    row: Whole
    low: Whole
    height: Whole


def placed(result: Schedule, first: float = -np.inf, last: float = np.inf) -> tuple[Spans, PlacedBlocks]:
    """The intervals in which jobs held processors, of those within two times (s), and the processors of each."""
    spans = used(result)
    rows = np.flatnonzero((spans.begin < last) & (spans.end > first))
    chosen = Spans(spans.row[rows], spans.begin[rows], spans.end[rows])
    if result.history is None:
        sizes, numbers = result["processors"][chosen.row], result["id"][chosen.row]
        return chosen, place(chosen.begin, chosen.end, sizes, numbers, result.processors)
    runs = result.history.runs
    count = runs.ranges[rows]
    row, places = (
        np.repeat(np.arange(len(rows)), count),
        runs.places[np.repeat(runs.first_range[rows], count) + counted(count)],
    )
    if result.history.sizes is None:
        return chosen, PlacedBlocks(row, places[:, 0], places[:, 1] - places[:, 0])
    return chosen, _on_nodes(result, chosen, row, places)


def sizes_within(result: Schedule, first: float, last: float) -> Whole:
    """The processors that jobs held in each of the intervals that `placed` has."""
    spans = used(result)
    return sizes_of(result)[(spans.begin < last) & (spans.end > first)]


def _on_nodes(result: Schedule, spans: Spans, row: Whole, places: Whole) -> PlacedBlocks:
    """Jobs on the processors of their nodes, which are numbered node by node; on a node they are placed as on a pool.

    Each of ``places``, a range of nodes with the processors on each, belongs to the span at the same place of ``row``.
    """
    assert result.history is not None
    count = places[:, 1] - places[:, 0]
    node, which = np.repeat(places[:, 0], count) + counted(count), np.repeat(np.arange(len(row)), count)
    span, number = row[which], result["id"][spans.row]
    found = [PlacedBlocks(*np.zeros((3, 0), np.int64))]
    for each in np.unique(node):
        here = np.flatnonzero(node == each)
        spot, (first, size) = span[here], (int(part[0]) for part in result.history.extent(np.array([each])))
        blocks = place(spans.begin[spot], spans.end[spot], places[which[here], 2], number[spot], size)
        found.append(PlacedBlocks(spot[blocks.row], first + blocks.low, blocks.height))
    return PlacedBlocks(*map(np.concatenate, zip(*found, strict=True)))


def place(start: Floats, end: Floats, width: Whole, number: Whole, processors: int) -> PlacedBlocks:
    """Place jobs that run over [start, end) on `width` processors; a job without duration gets none."""
    free: list[Block] = [(0, processors)]
    running: list[tuple[float, int, list[Block]]] = []
    placed: list[tuple[int, int, int]] = []
    for row in np.lexsort((number, start)).tolist():
        if end[row] > start[row]:
            # The free blocks after all jobs that have ended by now released theirs.
            now = float(start[row])
            back: list[Block] = []
            while running and running[0][0] <= now:
                back += heapq.heappop(running)[2]
            free = _joined(sorted(free + back)) if back else free
            blocks = _first_fit(free, int(width[row]), int(number[row]))
            free = _minus(free, blocks)
            heapq.heappush(running, (float(end[row]), row, blocks))
            placed += [(row, low, high - low) for low, high in blocks]
    return PlacedBlocks(*np.array(placed, dtype=np.int64).reshape(-1, 3).T)


def _joined(blocks: list[Block]) -> list[Block]:
    """Merge adjacent blocks."""
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
    """The free blocks without those just taken, each of which is the lowest part of a free one."""
    tops = dict(taken)
    return [(tops.get(low, low), high) for low, high in free if tops.get(low, low) < high]
