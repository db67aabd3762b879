"""What happened on a machine that changes: the runs of its jobs, its windows, and what was down.

A job that is interrupted runs again, so it may have several runs. The time of a run is progress, overhead (checkpoints
and the restart) or lost: end - start = progress + overhead + lost. Runs that go on at the horizon end there.
"""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from thinktime.models.results.steps import Steps, sum_of_boxes
from thinktime.models.state import RUN_ENDS
from thinktime.workloads.arrays import AnyArray, Codes, Flags, Floats, Whole
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.changes.windows import KINDS, Window

INTERRUPTIONS = {"failure": "failed", "window": "window", "preemption": "preempted"}
"""Why jobs are interrupted, and how their runs then ended."""
NO_PLACES = np.empty((0, 2), np.int64)


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of jobs as columns, by (row of the job in the result, number of the run)."""

    row: Whole
    run: Whole
    """Its number: 1, 2, …"""
    start: Floats
    end: Floats
    how: Codes
    """How it ended, as a place in `thinktime.models.state.RUN_ENDS`."""
    progress: Floats
    overhead: Floats
    lost: Floats
    first_range: Whole
    ranges: Whole
    processors: Whole
    """How many it had."""
    places: Whole = dataclasses.field(default_factory=NO_PLACES.copy)
    """A run has the indices in ``places[first_range : first_range + ranges]``, each a range [from, stop).

    On nodes, a third column has the processors of the run on each node of a range.
    """

    def __len__(self) -> int:
        return len(self.row)

    @property
    def length(self) -> Floats:
        """How long each run is, s."""
        return self.end - self.start

    @property
    def last(self) -> Flags:
        """Which runs are the last ones of their jobs."""
        return np.asarray(np.diff(self.row, append=-1) != 0)

    def of_whole(self) -> tuple[Whole, Whole]:
        """For each stage the first and the last one of its run: a run that is resized has several."""
        begins = np.append(True, ~self.ended("resized")[:-1] | self.last[:-1])[: len(self)]
        first = np.flatnonzero(begins)
        number = np.cumsum(begins) - 1
        return first[number], np.append(first[1:], len(self))[number] - 1

    def ended(self, *how: str) -> Flags:
        """Which runs ended in one of these ways."""
        return np.isin(self.how, [RUN_ENDS.index(each) for each in how])

    def summed(self, values: AnyArray, jobs: int) -> Floats:
        """The sum of some values of runs, for each of so many jobs."""
        return np.bincount(self.row, values, jobs).astype(np.float64)

    def select(self, rows: Whole) -> "Runs":
        """The runs of the jobs in some rows, which count anew from 0."""
        count = np.bincount(self.row, minlength=int(rows.max(initial=-1)) + 1)
        first = np.cumsum(count) - count
        kept = np.repeat(first[rows], count[rows]) + counted(count[rows])
        chosen = {name: column[kept] for name, column in self.columns().items()}
        return dataclasses.replace(self, **chosen | {"row": np.repeat(np.arange(len(rows)), count[rows])})

    def columns(self) -> dict[str, AnyArray]:
        """The columns with one value per run."""
        names = (each.name for each in dataclasses.fields(self) if each.name != "places")
        return {name: getattr(self, name) for name in names}

    def indices(self) -> list[str]:
        """The processors or nodes of each run, as interval sets such as "0-3 7"."""
        every = self.places[:, :2].tolist()
        pairs = zip(self.first_range.tolist(), self.ranges.tolist(), strict=True)
        # Parts of a job on one node, or on neighbours, are ranges of their own, and so is what it has grown by.
        return [_as_text(_joined(every[first : first + count])) for first, count in pairs]


def _as_text(ranges: list[list[int]]) -> str:
    """Ranges [from, stop) as an interval set."""
    return " ".join(f"{low}" if stop == low + 1 else f"{low}-{stop - 1}" for low, stop in ranges)


def _joined(ranges: list[list[int]]) -> list[list[int]]:
    """The same indices in ascending ranges that do not touch."""
    found: list[list[int]] = []
    for low, stop in sorted(ranges):
        if found and low <= found[-1][1]:
            found[-1][1] = max(stop, found[-1][1])
        else:
            found.append([low, stop])
    return found


class Boxes(NamedTuple):
    """Times from and to (s), and the processors that no job can have between them."""

    begin: Floats
    end: Floats
    processors: Whole


class Saving(NamedTuple):
    """How jobs save their work: for each job the work between checkpoints, what one takes, and a restart (s)."""

    checkpoint: Floats
    cost: Floats
    restart: Floats

    def length(self, row: int, work: float, again: bool) -> float:
        """How long the job in one row runs for so much work (s), undisturbed; ``again``: it has run before."""
        checkpoint, cost, restart = (column.item(row) for column in self)
        checkpoints = 0 if checkpoint == math.inf else max(0, math.ceil(work / checkpoint) - 1)
        return restart * again + work + cost * checkpoints


def counted(counts: Whole) -> Whole:
    """0, 1, … up to each of these counts, one after the other.

    >>> counted(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


@dataclass(frozen=True, eq=False)
class History:
    """The runs of all jobs, and the windows and outages that there were up to the horizon."""

    runs: Runs
    windows: tuple[Window, ...]
    outages: Outages
    """When each processor, or node, was down; the last outages may end after the horizon."""
    saving: Saving
    gave_up: Flags
    """Which jobs their users took back while they waited to run again."""
    sizes: Mapping[str, int] | None = None
    """The processors of each node, by its name; None on a machine of processors."""

    def select(self, rows: Whole) -> "History":
        """The same for the jobs in some rows of the result."""
        saving = Saving(*(column[rows] for column in self.saving))
        return dataclasses.replace(self, runs=self.runs.select(rows), saving=saving, gave_up=self.gave_up[rows])

    def down(self, now: float) -> Steps:
        """Processors that are down, over time up to ``now`` (s)."""
        begin, end, size = self.outage_boxes()
        return sum_of_boxes(begin, np.minimum(end, now), size)

    def set_aside(self, now: float, kinds: Iterable[str] = KINDS, *, for_all: bool = False) -> Steps:
        """Processors of windows of these kinds, up to ``now`` (s): of those that admit no job, or ``for_all``."""
        begin, end, size = self.window_boxes(kinds, for_all=for_all)
        return sum_of_boxes(np.minimum(begin, now), np.minimum(end, now), size)

    def outage_boxes(self) -> Boxes:
        """The outages: each processor, or node, by itself, once at a time."""
        return Boxes(self.outages.start, self.outages.end, self.extent(self.outages.index)[1])

    def extent(self, indices: Whole) -> tuple[Whole, Whole]:
        """The lowest processor and the number of processors of each index; nodes have theirs one after the other."""
        if self.sizes is None:
            return indices, np.ones(len(indices), np.int64)
        each = np.array([*self.sizes.values()])
        return (np.cumsum(each) - each)[indices], each[indices]

    def size_of(self, window: Window) -> int:
        """The processors of a window."""
        if isinstance(window.processors, int):
            return window.processors
        assert self.sizes is not None
        return sum(self.sizes[name] for name in window.processors)

    def window_boxes(self, kinds: Iterable[str] = KINDS, *, for_all: bool = False) -> Boxes:
        """The windows of these kinds: those that admit no job, or ``for_all``."""
        listed = [each for each in self.windows if each.kind in kinds and (for_all or not (each.users or each.jobs))]
        begin, end = np.array([(each.start, each.end) for each in listed], np.float64).reshape(-1, 2).T
        return Boxes(begin, end, np.array([self.size_of(each) for each in listed], np.int64))

    def out_of_service(self, processors: int, now: float) -> Steps:
        """Processors that no job can have, over time up to ``now`` (s): down, or of windows that admit none."""
        (some, down), (others, aside) = self.down(now), self.set_aside(now)
        times = np.union1d(some, others)
        found = Steps(some, down).at(times) + Steps(others, aside).at(times)
        return Steps(times, np.minimum(found, processors))
