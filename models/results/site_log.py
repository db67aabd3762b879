"""A result as the log that its site would have of it.

A site records less than a simulation knows, and so does this log:

* times of submissions, starts and ends as a clock of whole seconds shows them (cut, not rounded: no job starts before
  the submission); requested times rounded up, so that they still cover the run times;
* jobs that are over: those that were refused, or were waiting or running at the horizon, are in no accounting;
* a job that was withdrawn without a run has its time in the queue as wait, no run time, and status 5, as in logs of the
  Parallel Workloads Archive;
* not who waited for what (fields 17 and 18 are -1), and nothing of the simulation in the header;
* one line for a job of several runs, with the wait before the first one, and their whole length.

Users, groups, queues and partitions have numbers; their names are in the side file of a site's log, LOG.names.csv
(`thinktime.workloads.sacct.name_file`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.schedule import LABELLED, Schedule
from thinktime.models.results.swf_export import MISSING, STATUS, conditions, label_numbers
from thinktime.models.state import State
from thinktime.workloads.sacct.name_file import beside, write_names
from thinktime.workloads.swf.write import write_columns
from thinktime.workloads.trace import Trace

IN_LOG = (State.FINISHED, State.KILLED, State.WITHDRAWN)


def write_site_log(result: Schedule, path: Path, notes: Sequence[str] = ()) -> Path:
    """Write the log, compressed if the name ends with `.gz`, and its names, if there are any; return its path.

    The header gets these ``notes``.
    """
    trace = site_log(result)
    write_columns(trace.columns, trace.header.set("Note", notes) if notes else trace.header, None, path)
    if trace.names:
        write_names(trace.names, beside(path))
    return path


def site_log(result: Schedule) -> Trace:
    """What a site records of a result; names that are texts are those of the trace."""
    rows = np.flatnonzero(np.isin(result["state"], IN_LOG))
    submit, start, end = (np.floor(result[name][rows]) for name in ("submit", "start", "end"))
    ran = np.isfinite(start)
    run = end - start if result.history is None else np.floor(measures.actual_runtime(result)[rows])
    numbers = {name: label_numbers(result.names[name]) for name in LABELLED}
    columns: dict[str, Any] = {
        "id": result["id"][rows],
        "submit": submit,
        "wait": np.where(ran, start, end) - submit,
        "runtime": np.where(ran, run, np.nan),
        "allocated": np.where(ran, result["processors"][rows], MISSING),
        "requested_processors": result["processors"][rows],
        "requested_time": np.ceil(np.where(np.isfinite(result["estimate"]), result["estimate"], np.nan))[rows],
        "requested_memory": result["memory"][rows] / 1024,
        "status": np.array([STATUS.get(state, MISSING) for state in State])[result["state"][rows]],
    }
    columns |= {name: np.array([*numbers[name], MISSING])[result[name][rows]] for name in LABELLED}
    return Trace(columns, conditions(result, len(rows)), names=_names(result, numbers))


def _names(result: Schedule, numbers: Mapping[str, list[int]]) -> dict[str, dict[int, str]]:
    pairs = {name: zip(numbers[name], result.names[name], strict=True) for name in LABELLED}
    found = {name: {number: label for number, label in each if isinstance(label, str)} for name, each in pairs.items()}
    return {name: each for name, each in found.items() if each}
