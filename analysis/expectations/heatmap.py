"""Heatmaps of violated EETs: users × time (the expectations paper, section 3.3, Figures 4 and 7).

A cell is a user and a minute. Job j with tardiness T > 0 counts in the cells c with

    floor(x / 60) <= c < floor((x + T) / 60),    x = EET - run time

where x is the latest start with which the EET could have been met. A tardiness of two minutes gives exactly two cells.
Cells are numbered from that of the first submission; an x before it would count from the first cell to its own end.
Violations of less than a minute may not appear in any cell; ``at_least_one`` gives them one (ours).
``mode="after-end"`` counts [EET, C) instead, the time after the job was expected to have ended.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinktime.analysis.expectations.evaluate import Expectations, name_of
from thinktime.models.results.steps import sum_of_boxes
from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import quoted
from thinktime.workloads.units import MINUTE, Duration, as_seconds

Whole = npt.NDArray[np.int32]
MODES = ("before-start", "after-end")


@dataclass(frozen=True, eq=False)
class Heatmap:
    """``counts[u, c]`` violated EETs of ``users[u]`` in the cell that begins at ``start + c * cell`` (s)."""

    users: list[str]
    counts: Whole
    start: float
    cell: float

    @property
    def edges(self) -> Floats:
        """The boundaries of the cells, s."""
        return self.start + self.cell * np.arange(self.counts.shape[1] + 1)


def heatmap(
    jobs: Expectations,
    cell: Duration = MINUTE,
    mode: str = "before-start",
    at_least_one: bool = False,
    users: list[str] | None = None,
    since: Duration | None = None,
    until: Duration | None = None,
    most: int | None = None,
) -> Heatmap:
    """Count violated EETs per user and cell, from the first submission (or ``since``) to the last end (or ``until``).

    ``users`` are the rows (default: all, most work first). With ``most``, cells are merged until there are at most that
    many. A merged cell has the largest count of its parts, so that no violation is lost.
    """
    cell, since, until = as_seconds("cell", cell), as_seconds("since", since), as_seconds("until", until)
    if mode not in MODES:
        raise ValueError(f"mode is {quoted(mode)}, but must be one of {', '.join(MODES)}")
    if not cell > 0:
        raise ValueError(f"cell must be a time in s above 0, not {quoted(cell)}")
    if not len(jobs):
        raise ValueError("a heatmap needs at least one job")
    rows = users if users is not None else jobs.users().index.tolist()
    place = {name: u for u, name in enumerate(rows)}
    user = np.array([place.get(name_of(label), -1) for label in jobs.user.tolist()], np.int64)
    late = np.flatnonzero(jobs.violated & (user >= 0))
    begin = (jobs.eet - jobs.runtime if mode == "before-start" else jobs.eet)[late]
    zero = int(np.floor((float(jobs.submit.min()) if since is None else since) / cell))
    first = np.maximum(np.floor(begin / cell).astype(np.int64) - zero, 0)
    last = np.floor((begin + jobs.tardiness[late]) / cell).astype(np.int64) - zero
    if at_least_one:
        last = np.maximum(last, first + 1)
    horizon = max(until or 0.0, float(jobs.end.max(initial=0.0)))
    cells = max(int(np.ceil(horizon / cell)) - zero, int(last.max(initial=0)), 1)
    by = 1 if most is None else -(-cells // most)
    width = -(-cells // by)
    counts = np.zeros((len(rows), width), np.int32)
    for u in np.unique(user[late]).tolist():  # one user at a time: all cells at once may take gigabytes
        mine = (user[late] == u) & (last > first)
        line = np.zeros(width * by + 1, np.int32)
        np.add.at(line, first[mine], 1)
        np.add.at(line, last[mine], -1)
        counts[u] = np.cumsum(line[:-1], dtype=np.int32).reshape(width, by).max(axis=1)
    return Heatmap(rows, counts, zero * cell, cell * by)


def usage(jobs: Expectations, edges: Floats) -> dict[str, Floats]:
    """The mean in use in each cell of processors, bytes of memory, and each other resource that jobs request."""
    asked = {"memory": np.nan_to_num(jobs.memory), **jobs.others}
    found = {"processors": jobs.processors} | {name: each for name, each in asked.items() if each.any()}
    row, begin, end = jobs.used
    return {name: sum_of_boxes(begin, end, each[row]).mean(edges) for name, each in found.items()}
