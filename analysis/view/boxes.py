"""Where jobs were: rectangles over time and processors, or nodes.

A machine of nodes knows which nodes its jobs had, and on a machine that changes it is known in any case; on a pool the
processors are reconstructed (`thinktime.models.results.placement`). On a node that several jobs share, they are one
above the other. A recorded schedule may use more processors than there are, which are then above the others.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from thinktime.analysis.pictures.changes import placed_windows
from thinktime.analysis.view.stages import ends_of
from thinktime.models.results import measures, placement
from thinktime.models.results.history import counted
from thinktime.models.results.node_record import NodeRecord
from thinktime.models.results.result import Result
from thinktime.models.results.steps import sum_of_boxes
from thinktime.workloads.arrays import Floats, Whole


class Boxes(NamedTuple):
    """The row of the job, from and to (s), and the lowest place and the number of places of each rectangle.

    A job has one for each of its stages, and ``ended`` says how these ended (`thinktime.analysis.view.stages`).
    """

    row: Whole
    begin: Floats
    end: Floats
    low: Floats
    height: Floats
    ended: Whole


class Closed(NamedTuple):
    """What no job, or only some jobs, could have: times (s), places, and what it is."""

    begin: Floats
    end: Floats
    low: Floats
    height: Floats
    what: list[str]


def places(result: Result) -> tuple[str, int]:
    """What is on the vertical axis, and how many there are."""
    if by_nodes(result) is not None:
        assert result.nodes is not None
        return "nodes", len(result.nodes.names)
    return "processors", max(result.processors, most_in_use(result))


def boxes(result: Result) -> Boxes:
    """The rectangles of all jobs, in the order in which they begin."""
    nodes = by_nodes(result)
    if nodes is not None:
        found = _on_nodes(result, nodes)
    else:
        enough = replace(result, processors=max(result.processors, most_in_use(result)))
        (row, begin, end), blocks = placement.placed(enough)
        at, low, height = blocks.row, blocks.low.astype(np.float64), blocks.height.astype(np.float64)
        ended = np.zeros(len(row), np.int64) if result.history is None else ends_of(result.history.runs)
        found = Boxes(row[at], begin[at], end[at], low, height, ended[at].astype(np.int64))
    order = np.lexsort((found.low, found.begin))
    return Boxes._make(column[order] for column in found)


def closed(result: Result) -> Closed:
    """Outages where they were and windows from the top, up to the horizon."""
    history = result.history
    if history is None:
        return Closed._make([*np.empty((4, 0)), []])
    down = history.outages
    low, height = history.extent(down.index)
    rows = [(begin, end, *place, "down") for begin, end, *place in zip(down.start, down.end, low, height, strict=True)]
    for window, lowest, high in placed_windows(history, result.processors):
        who = f" for {', '.join(map(str, (*window.users, *window.jobs)))}" if window.users or window.jobs else ""
        rows.append((window.start, window.end, lowest, high, f"{window.kind}{who}"))
    kept = [row for row in rows if row[0] < result.now]
    begin, end, at, size = np.array([row[:4] for row in kept], np.float64).reshape(-1, 4).T
    return Closed(begin, np.minimum(end, result.now), at, size, [row[4] for row in kept])


def by_nodes(result: Result) -> NodeRecord | None:
    """The nodes of the jobs of a machine that does not change, if it has nodes."""
    return result.nodes if result.history is None else None


def most_in_use(result: Result) -> int:
    """The most processors that were in use at one time."""
    held = measures.used(result)
    used = sum_of_boxes(held.begin, held.end, measures.sizes_of(result))
    return int(used.values.max(initial=0))


def _on_nodes(result: Result, nodes: NodeRecord) -> Boxes:
    """Each job on its nodes; if several share one, each node is divided among the most jobs that any had at a time."""
    held = measures.used(result)
    count = np.diff(nodes.offset)
    row = np.repeat(np.arange(len(count)), count)
    node = nodes.node[np.repeat(nodes.offset[:-1], count) + counted(count)]
    begin, end, number = held.begin[row], held.end[row], result["id"][row]
    low, parts = np.zeros(len(row), np.int64), 1
    found = []
    for each in np.unique(node).tolist():
        here = np.flatnonzero((node == each) & (end > begin))
        size = int(sum_of_boxes(begin[here], end[here], np.ones(len(here))).values.max(initial=0))
        blocks = placement.place(begin[here], end[here], np.ones(len(here), np.int64), number[here], size)
        low[here[blocks.row]] = blocks.low
        parts = max(parts, size)
        found.append(here[blocks.row])
    kept = np.concatenate([np.zeros(0, np.int64), *found])
    if parts > 1:
        base = node[kept] + low[kept] / parts
        once = np.zeros(len(kept), np.int64)
        return Boxes(row[kept], begin[kept], end[kept], base, np.full(len(kept), 1.0 / parts), once)
    kept = kept[np.lexsort((node[kept], row[kept]))]
    first = np.flatnonzero((np.diff(row[kept], prepend=-1) != 0) | (np.diff(node[kept], prepend=-1) != 1))
    at, height = kept[first], np.diff(first, append=len(kept))
    once = np.zeros(len(at), np.int64)
    return Boxes(row[at], begin[at], end[at], node[at].astype(np.float64), height.astype(np.float64), once)
