"""Export of results as Batsim's jobs.csv (version 5), which Evalys and pandas can read.

There is one row per submitted job, with columns in Batsim's order and times in seconds. Missing values are empty.
Batsim assumes that every job completes or is rejected. The states of a result are written as follows:

| state | `final_state` | filled |
|---|---|---|
| finished | `COMPLETED_SUCCESSFULLY` | everything; `success` is 1, and 0 in all other rows |
| killed, having run at least its estimate | `COMPLETED_WALLTIME_REACHED` | everything |
| killed earlier, or withdrawn while running | `COMPLETED_KILLED` | everything |
| refused, or withdrawn while waiting | `REJECTED` | nothing from `starting_time` to `consumed_energy` |
| running at the horizon | `RUNNING` | `starting_time` and `waiting_time` |
| waiting at the horizon | `SUBMITTED` | nothing from `starting_time` to `consumed_energy` |

`profile` is `delay_` followed by the true run time. `stretch` is response time / execution time, unbounded, and
empty for a job that ran for 0 s. `consumed_energy` is -1 (not measured), or in J where the machine's power is
known, and `metadata` is empty. Columns of ours follow where they are known: `power` (W of each processor), `energy`
(kWh), `carbon` (kg), `energy_cost` and `charge`; and `shape`, `resizes`, `mean_processors` and `efficiency` of the job
under policies that choose sizes.

The machine is a pool of unnumbered processors, but Evalys requires `allocated_resources`. This column holds the
processors that `placement` reconstructs, as Batsim's interval sets (`0-3 7`). It is empty for a job that ran for
0 s, and for all jobs of a schedule that exceeds the machine, as a recorded one may.

On a machine that changes there is a row for each run. Job 7 has the rows `7`, `7#1`, `7#2`, …, as pybatsim names jobs
that are submitted again: each is submitted when the one before ended, and all but the last are `COMPLETED_KILLED`.
`allocated_resources` are then the processors that the run had.
"""

from pathlib import Path
from typing import Any

import numpy as np

from thinktime.models.results import energy, measures
from thinktime.models.results.by_run import by_run
from thinktime.models.results.metric import METRICS
from thinktime.models.results.placement import place
from thinktime.models.results.schedule import Schedule
from thinktime.models.state import State
from thinktime.workloads.arrays import AnyArray, DataFrame, Flags, Whole, pd
from thinktime.workloads.files import whole_or_nothing
from thinktime.workloads.signals.units import KWH
from thinktime.workloads.units import plain

PRICED = ("energy", "carbon", "energy_cost", "charge")
SIZES = ("resizes", "mean_processors", "efficiency")


def write_jobs_csv(result: Schedule, path: Path, workload: str = "w0") -> Path:
    """Write Batsim's jobs.csv and return its path."""
    with whole_or_nothing(path) as temporary:
        jobs_table(result, workload).to_csv(temporary, index=False, lineterminator="\n")
    return path


def jobs_table(result: Schedule, workload: str = "w0") -> DataFrame:
    """The rows of Batsim's jobs.csv; NaN where the file is empty."""
    if result.history is None:
        return _table(result, workload, interval_sets(result), _at_limit(result))
    each = by_run(result)
    table = _table(each.result, workload, each.indices, each.limit)
    pairs = zip(each.result["id"].tolist(), each.number.tolist(), strict=True)
    charge = {} if each.charge is None else {"charge": each.charge}
    table = table.assign(job_id=[f"{job}#{number}" if number else str(job) for job, number in pairs], **charge)
    return table.assign(**_of_sizes(result, each.row))


def _of_sizes(result: Schedule, row: Whole) -> dict[str, Any]:
    """What became of jobs with several sizes, in each of their rows."""
    if "shape" not in result.columns:
        return {}
    measured = METRICS.columns(result.has)
    return {"shape": result.labels("shape")[row]} | {name: measured[name].of(result)[row] for name in SIZES}


def _table(result: Schedule, workload: str, places: list[str], at_limit: Flags) -> DataFrame:
    joules = np.full(len(result), -1.0) if result.machine_power is None else np.rint(energy.energy(result) * KWH)
    consumed = np.where(measures.ended(result), joules, np.nan)
    columns: dict[str, Any] = {
        "job_id": result["id"],
        "workload_name": workload,
        "profile": [f"delay_{plain(runtime)}" for runtime in result["runtime"].tolist()],
        "submission_time": result["submit"],
        "requested_number_of_resources": result["processors"],
        "requested_time": result["estimate"],
        "success": (result["state"] == State.FINISHED).astype(np.int64),
        "final_state": final_states(result, at_limit),
        "starting_time": result["start"],
        "execution_time": measures.actual_runtime(result),
        "finish_time": np.where(measures.ended(result), result["end"], np.nan),
        "waiting_time": measures.wait(result),
        "turnaround_time": measures.response_time(result),
        "stretch": measures.slowdown(result),
        "allocated_resources": places,
        "consumed_energy": pd.array(consumed, dtype="Int64"),
        "metadata": "",
    }
    return pd.DataFrame(columns | _priced(result), index=range(len(result)))


def _priced(result: Schedule) -> dict[str, Any]:
    """What is known of power and charges."""
    found = {"power": result["power"]} if "power" in result.columns else {}
    measured = METRICS.columns(result.has)
    return found | {name: measured[name].of(result) for name in PRICED if name in measured}


def interval_sets(result: Schedule) -> list[str]:
    """The processors of each job in Batsim's notation: ascending intervals and single numbers.

    On a machine of nodes these are the nodes on which it ran, numbered from 0. Otherwise they are reconstructed.
    """
    if result.nodes is not None:
        return result.nodes.interval_sets()
    running = result["state"] == State.RUNNING
    try:
        blocks = place(
            result["start"],
            np.where(running, np.inf, result["end"]),
            result["processors"],
            result["id"],
            result.processors,
        )
    except ValueError:
        return [""] * len(result)
    intervals: list[list[str]] = [[] for _ in range(len(result))]
    for row, low, height in zip(*(column.tolist() for column in blocks), strict=True):
        intervals[row].append(str(low) if height == 1 else f"{low}-{low + height - 1}")
    return [" ".join(parts) for parts in intervals]


def _at_limit(result: Schedule) -> Flags:
    """Which jobs have run for their estimate at least."""
    return np.asarray(measures.actual_runtime(result) >= result["estimate"])


def final_states(result: Schedule, at_limit: Flags) -> AnyArray:
    """Batsim's final state of each job, as in the table above."""
    state, started = result["state"], np.isfinite(result["start"])
    cases = {
        "COMPLETED_SUCCESSFULLY": state == State.FINISHED,
        "COMPLETED_WALLTIME_REACHED": (state == State.KILLED) & at_limit,
        "COMPLETED_KILLED": (state >= State.KILLED) & started,
        "RUNNING": state == State.RUNNING,
        "SUBMITTED": state == State.WAITING,
    }
    return np.select(list(cases.values()), list(cases), default="REJECTED")
