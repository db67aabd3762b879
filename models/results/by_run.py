"""A result with a row for each run: later runs of a job as jobs of their own, submitted when the run before ended.

This is how simulators that know no interruptions see a job that was killed and submitted again. Jobs that never ran
have one row, as before.
"""

import dataclasses

import numpy as np

from thinktime.models.results.bill import charge_of_runs
from thinktime.models.results.schedule import Schedule
from thinktime.models.results.service import all_runs
from thinktime.models.state import State
from thinktime.workloads.arrays import Flags, Floats, Whole


@dataclasses.dataclass(frozen=True, eq=False)
class ByRun:
    """The rows of runs, in the order of the jobs, with the row of the job and the number of the run (from 0)."""

    result: Schedule
    row: Whole
    number: Whole
    limit: Flags
    """Which runs were ended at the job's limit."""
    indices: list[str]
    """The processors or nodes of each run."""
    charge: Floats | None
    """What each run is charged, if runs are."""


def by_run(result: Schedule) -> ByRun:
    """A result with a row for each run."""
    runs = all_runs(result)
    count = np.bincount(runs.row, minlength=len(result))
    bare = np.flatnonzero(count == 0)
    order = np.argsort(np.append(runs.row, bare), kind="stable")
    row = np.append(runs.row, bare)[order]
    none = np.full(len(bare), np.nan)
    number = np.append(runs.run - 1, np.zeros(len(bare), np.int64))[order]
    over = ~runs.ended("running")
    state = np.where(over, np.where(runs.ended("finished"), State.FINISHED, State.KILLED), State.RUNNING)
    columns = {name: column[row] for name, column in result.columns.items() if name != "shape"}
    columns |= {
        "processors": np.append(runs.processors, result["processors"][bare])[order],
        "submit": np.where(number == 0, result["submit"][row], np.roll(np.append(runs.end, none)[order], 1)),
        "start": np.append(runs.start, none)[order],
        "end": np.append(np.where(over, runs.end, np.nan), result["end"][bare])[order],
        "state": np.append(state, result["state"][bare])[order],
    }
    texts = [*runs.indices(), *[""] * len(bare)]
    limit = np.append(runs.ended("limit"), np.zeros(len(bare), np.bool_))[order]
    each = dataclasses.replace(result, columns=columns, history=None, nodes=None)
    paid = None if result.charge is None else np.append(charge_of_runs(result), np.zeros(len(bare)))[order]
    return ByRun(each, row, number, limit, [texts[k] for k in order.tolist()], paid)
