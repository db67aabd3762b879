"""Whether the parts of a result that was read from a file agree, so that what is computed from it can be."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from thinktime.models.results.history import History, Runs, counted
from thinktime.models.results.node_record import NodeRecord
from thinktime.models.results.schedule import LABELLED, LABELLED_ON_REQUEST, Schedule
from thinktime.models.state import RUN_ENDS, Reason, State
from thinktime.workloads.arrays import AnyArray
from thinktime.workloads.grid import LIMIT

TIMES = ("submit", "start", "end", "estimate", "eligible", "lost")
TEXTS = ("policy", "overrun")


def check(fields: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` or ``TypeError`` for fields of a `Schedule` that contradict each other."""
    schedule = Schedule(**fields)
    jobs, columns = len(schedule), schedule.columns
    _require(all(each.ndim == 1 for each in columns.values()), "columns")
    _require(type(schedule.processors) is int and schedule.processors > 0, "processors")
    _require(0 <= float(schedule.now) < LIMIT, "now")
    _require(all(isinstance(getattr(schedule, name), str) for name in TEXTS), "texts")
    for name in TIMES:
        if name in columns:
            _require(not (columns[name] >= LIMIT).any() and not (columns[name] < 0).any(), name)
    _require(not np.isnan(columns["submit"]).any() and bool((columns["processors"] > 0).all()), "columns")
    _within(columns["state"], 0, len(State))
    _within(columns.get("reason", []), 0, len(Reason))
    for name in (*LABELLED, *(name for name in LABELLED_ON_REQUEST if name in columns)):
        _within(columns[name], -1, len(schedule.names[name]))
    if schedule.nodes is not None:
        _check_nodes(schedule.nodes, jobs)
    if schedule.history is not None:
        _check_history(schedule.history, jobs, schedule.processors, schedule.nodes)


def _check_nodes(record: NodeRecord, jobs: int) -> None:
    _ranges(record.offset, len(record.node))
    _within(record.node, 0, len(record.names))
    _require(len(record.offset) == jobs + 1, "offset")
    _require(all(len(amounts) == jobs for amounts in record.asked.values()), "asked")


def _check_history(history: History, jobs: int, processors: int, nodes: NodeRecord | None) -> None:
    runs, places = history.runs, history.runs.places
    _require(len({len(column) for column in runs.columns().values()}) == 1, "runs")
    _within(runs.row, 0, jobs)
    _within(runs.how, 0, len(RUN_ENDS))
    _require(bool((runs.processors > 0).all()) and not runs.ended("resized")[runs.last].any(), "runs")
    _require(bool((np.diff(runs.row) >= 0).all()), "runs")
    _check_places(runs, places)
    size = processors if nodes is None else len(nodes.names)
    _require((history.sizes is None) == (nodes is None), "sizes")
    _require(history.sizes is None or len(history.sizes) == size, "sizes")
    had = places[np.repeat(runs.first_range, runs.ranges) + counted(runs.ranges)]  # resizes leave others behind
    _within(had[:, 0], 0, size)
    _within(had[:, 1], 1, size + 1)
    _within(history.outages.index, 0, size)
    _require(all(len(each) == jobs for each in (*history.saving, history.gave_up)), "saving")
    for window in history.windows:
        history.size_of(window)


def _check_places(runs: Runs, places: AnyArray) -> None:
    _require(places.ndim == 2 and places.shape[1] in (2, 3), "places")
    _within(runs.ranges, 0, len(places) + 1)
    _within(runs.first_range, 0, len(places) + 1)
    _within(runs.first_range + runs.ranges, 0, len(places) + 1)


def _ranges(offset: AnyArray, last: int) -> None:
    _require(len(offset) > 0 and offset[0] == 0 and offset[-1] == last, "offset")
    _require(bool((np.diff(offset) >= 0).all()), "offset")


def _within(values: Iterable[int] | AnyArray, low: int, stop: int) -> None:
    """Every value is an integer from ``low`` to before ``stop``."""
    found = np.asarray(values)
    _require(not len(found) or (found.dtype.kind in "iu" and low <= found.min() and found.max() < stop), "codes")


def _require(holds: object, what: str) -> None:
    if not holds:
        raise ValueError(f"its {what} cannot be")
