"""The stages of jobs whose sizes are chosen or change: with which size from when to when, and what a resize was for.

A job grows on processors that are idle, as far as the schedule tells because another job gave them back at that
instant. It shrinks for a job that starts at the instant at which it gives processors back.
"""

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.history import INTERRUPTIONS, Runs
from thinktime.models.results.schedule import Schedule
from thinktime.workloads.arrays import Codes, Floats, Whole
from thinktime.workloads.shapes.shape import Shape
from thinktime.workloads.units import as_text

NO_JOB = -1
LAST, RESIZED, INTERRUPTED = range(3)
"""How a stage ended: with the job (or not yet), in a resize, or in an interruption."""

TIMES = {
    "standstill": "a resize costs {}",
    "gap": "at least {} lie between two resizes",
    "notice": "it shrinks after a notice of {}",
}


class Stages(NamedTuple):
    """By job and time: row of the job, times (s), processors, how it ended, and the other job behind its size (-1)."""

    row: Whole
    begin: Floats
    end: Floats
    processors: Whole
    ended: Whole
    other: Whole


class Given(NamedTuple):
    """Processors that jobs gave back, by (time, number): when, whose, how many, and how many these kept."""

    time: Floats
    row: Whole
    processors: Whole
    kept: Whole


def ends_of(runs: Runs) -> Codes:
    """How each run ended, as `LAST`, `RESIZED` or `INTERRUPTED`."""
    cases = [runs.ended("resized"), runs.ended(*INTERRUPTIONS.values())]
    return np.select(cases, [RESIZED, INTERRUPTED], LAST).astype(np.int8)


def given_back(result: Schedule) -> Given:
    """What jobs gave back when they ended, were interrupted, or shrank."""
    spans, size = measures.used(result), measures.sizes_of(result)
    kept = np.zeros(len(size), np.int64)
    if result.history is not None:
        resized = np.flatnonzero(result.history.runs.ended("resized"))
        kept[resized] = size[resized + 1]  # the next stage of the same job
    given = size - kept
    found = np.flatnonzero((spans.end > spans.begin) & (given > 0))
    order = found[np.lexsort((given[found], spans.end[found]))]
    return Given(spans.end[order], spans.row[order], given[order], kept[order])


def most_given(given: Given, times: Floats) -> Whole:
    """The place of who gave back most at each of these times; -1 if no job did."""
    place = np.searchsorted(given.time, times, side="right") - 1
    hit = (place >= 0) & (given.time[place] == times) if len(given.time) else np.zeros(len(times), np.bool_)
    return np.where(hit, place, NO_JOB)


def stages(result: Schedule) -> Stages:
    """Those of jobs that had another size than they asked for, or several."""
    if result.history is None or "shape" not in result.columns:
        return Stages(*np.zeros((6, 0), np.int64))
    runs = result.history.runs
    odd = runs.ended("resized") | (runs.processors != result["processors"][runs.row])
    rows = np.flatnonzero(np.bincount(runs.row, odd, len(result))[runs.row] > 0)
    row, begin, size, ended = runs.row[rows], runs.start[rows], runs.processors[rows], ends_of(runs)[rows]
    more = np.diff(size, prepend=0)
    more[np.append(True, (row[1:] != row[:-1]) | (ended[:-1] != RESIZED))[: len(row)]] = 0
    given = given_back(result)
    at, other = most_given(given, begin), np.full(len(row), NO_JOB)
    grown = (more > 0) & (at != NO_JOB)
    other[grown] = given.row[at[grown]]
    shrunk = np.flatnonzero(more < 0)
    other[shrunk] = _started(result, begin[shrunk])
    other[other == row] = NO_JOB
    return Stages(row, begin, runs.end[rows], size, ended.astype(np.int64), other)


def _started(result: Schedule, times: Floats) -> Whole:
    """The widest job that started at each of these times; -1 if none did."""
    order = np.lexsort((result["processors"], result["start"]))
    start = result["start"][order]
    place = np.searchsorted(start, times, side="right") - 1
    hit = (place >= 0) & (start[place] == times)
    return np.where(hit, order[place], NO_JOB)


def shapes_told(result: Schedule) -> list[str]:
    """Each shape of a result in words, by its code."""
    return [_told(text) for text in result.names.get("shape", [])]


def _told(text: object) -> str:
    with suppress(ValueError):
        shape = Shape.parse(str(text))
        parts = [f"It may have {shape.sizes} processors, is {shape.kind}, and has the speed-up {shape.speedup}"]
        if shape.believes != shape.speedup:
            parts.append(f"its user believes in {shape.believes}")
        parts += [f"it asks for sizes itself: {shape.asks}"] if shape.asks else []
        parts += [said.format(as_text(value)) for name, said in TIMES.items() if (value := getattr(shape, name))]
        return "; ".join(parts)
    return str(text)
