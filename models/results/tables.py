"""The tables of a result: one row per job, per user, per campaign.

Waits, response times and slowdowns follow `thinktime.models.results.measures`. In the table of users they are over the
jobs that were served (`thinktime.models.results.outcome`); `thinktime.models.results.outcome` defines what was
given up. `processor_seconds` counts running jobs up to the horizon. Times are in seconds, with NaN for what had not
happened by the horizon.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.bill import charge_of_runs
from thinktime.models.results.metric import METRICS
from thinktime.models.results.outcome import (
    LABELS,
    Abandonment,
    Outcome,
    abandonment_by_user,
    known_until,
    outcomes,
    served,
)
from thinktime.models.results.schedule import LABELLED, LABELLED_ON_REQUEST, Schedule
from thinktime.models.results.service import all_runs
from thinktime.models.state import RUN_ENDS, Reason, State
from thinktime.workloads.arrays import AnyArray, DataFrame, Floats, pd

NONE = -1
"""The code of a job without a user, group, queue, partition or campaign."""


def jobs(result: Schedule) -> DataFrame:
    """One row per job, in the machine's order."""
    columns: dict[str, Any] = {name: _shown(result, name) for name in result.columns}
    return pd.DataFrame(columns | {name: measure(result) for name, measure in measured_by(result).items()})


def measured_by(result: Schedule) -> dict[str, Callable[[Schedule], Floats]]:
    """The measures that the table of jobs has beside the machine's columns, by name."""
    return {name: measure.of for name, measure in METRICS.columns(result.has).items()}


def runs(result: Schedule) -> DataFrame:
    """One row per run, by (job, run): when, on which processors, how it ended, its time by parts (s), its charge."""
    every = all_runs(result)
    table: dict[str, Any] = {"job": result["id"][every.row], "run": every.run}
    table |= {"start": every.start, "end": every.end, "processors": every.processors}
    if result.history is not None:
        table["indices"] = every.indices()
    table["how"] = np.array(RUN_ENDS, dtype=object)[every.how]
    paid = {} if result.charge is None else {"charge": charge_of_runs(result)}
    return pd.DataFrame(table | {name: getattr(every, name) for name in ("progress", "overhead", "lost")} | paid)


def users(result: Schedule) -> DataFrame:
    """One row per user, in the order of their codes; jobs without a user come first, without a label.

    Waits, response times and slowdowns are means over the `served` jobs. Further columns are the `abandoned` jobs
    (withdrawn, or given up before submission), their share of the jobs that the user wanted, and their work
    (processor-hours); and the energy, carbon and charge of all jobs, where they are known. Users who gave
    up every job before submission come last, with 0 jobs.
    """
    by_user = _measured(result).groupby(result["user"], sort=True)
    table = by_user[["jobs", *_COUNTED, "served", "processor_seconds", *_priced(result)]].sum()
    for name in ("mean", "median", "max"):
        table[f"{name}_wait"] = by_user["wait"].agg(name)
    for measure in ("response_time", "bounded_slowdown_10"):
        table[f"mean_{measure}"] = by_user[measure].mean()
    return _with_abandonment(labelled(table, result), result)


def campaigns(result: Schedule) -> DataFrame:
    """One row per campaign, by its number.

    `submit` is the first submission, `start` the first start, and `end` the last end once all jobs are over, however
    they ended. `work` is the processor-seconds used up to the horizon. `think_time`, `user` and `group` are those of
    the job submitted first. `outcome` is served, unfinished, abandoned or refused
    (`thinktime.models.results.outcome`). `response_time` is end - submit of a campaign that was served, otherwise NaN.
    `elapsed` is the response time of a campaign that was served, otherwise a lower bound on it.
    """
    rows = np.flatnonzero(result["campaign"] != NONE)
    rows = rows[np.argsort(result["submit"][rows], kind="stable")]
    campaign, first = np.unique(result["campaign"][rows], return_index=True)
    table = _of_campaigns(result, rows).groupby(result["campaign"][rows], sort=True).agg(_RULES)
    table.insert(0, "user", _shown(result, "user")[rows[first]])
    table.insert(1, "group", _shown(result, "group")[rows[first]])
    table["end"] = table["end"].where(table.pop("over").astype(bool))
    code, elapsed = table.pop("outcome"), table.pop("known_until") - table["submit"]
    table["response_time"] = elapsed.where(code == Outcome.SERVED)
    table["outcome"] = LABELS[code.to_numpy()]
    table["elapsed"] = elapsed
    table["think_time"] = result["think_time"][rows[first]]
    return table.set_axis(pd.Index(campaign, name="campaign"))


def over_at(result: Schedule) -> Floats:
    """When each job was over: its end, or its refusal; NaN if it is not over."""
    at_once = (result["state"] == State.REFUSED) & np.isnan(result["end"])
    return np.where(at_once, result["submit"], result["end"])


_COUNTED = ("finished", "killed", "withdrawn", "refused", "waiting", "running")
_REASONS = np.array([reason.label for reason in Reason], dtype=object)
_STATES = np.array([state.label for state in State], dtype=object)


_RULES = {
    "jobs": "sum",
    "submit": "min",
    "start": "min",
    "end": "max",
    "work": "sum",
    "over": "all",
    "outcome": "max",
    "known_until": "max",
}
"""How the columns of a campaign's jobs are aggregated."""


def _of_campaigns(result: Schedule, rows: AnyArray) -> DataFrame:
    columns: dict[str, Any] = {
        "jobs": np.ones(len(rows), dtype=np.int64),
        "submit": result["submit"][rows],
        "start": result["start"][rows],
        "end": over_at(result)[rows],
        "over": result["state"][rows] >= State.FINISHED,
        "work": measures.area(result)[rows],
        "outcome": outcomes(result)[rows],
        "known_until": known_until(result)[rows],
    }
    return pd.DataFrame(columns)


def _measured(result: Schedule) -> DataFrame:
    """The per-job values that the table of users sums."""
    state = result["state"]
    columns: dict[str, Any] = {"jobs": np.ones(len(result), dtype=np.int64)}
    columns |= {name: (state == State[name.upper()]).astype(np.int64) for name in _COUNTED}
    columns["processor_seconds"] = measures.area(result)
    by_job = {
        "wait": measures.wait(result),
        "response_time": measures.response_time(result),
        "bounded_slowdown_10": measures.bounded_slowdown(result, 10.0),
    }
    over = served(result)
    columns["served"] = over.astype(np.int64)
    columns |= {name: of(result) for name, of in _priced(result).items()}
    columns |= {name: np.where(over, values, np.nan) for name, values in by_job.items()}
    return pd.DataFrame(columns)


def with_users(table: DataFrame, users: Iterable[Any], counts: Sequence[str]) -> DataFrame:
    """A table of users with rows for more of them, which have 0 in these columns."""
    known = {None if user != user else user for user in table.index}
    if absent := [user for user in users if user not in known]:
        index = pd.Index([*table.index, *absent], name="user", tupleize_cols=False)
        types = {name: kind for name, kind in table.dtypes.items() if name in counts}
        table = table.reindex(index).fillna(dict.fromkeys(counts, 0)).astype(types)
    return table


def _priced(result: Schedule) -> dict[str, Callable[[Schedule], Floats]]:
    """What jobs draw and are charged, as far as it is known."""
    known = measured_by(result)
    return {name: known[name] for name in ("energy", "carbon", "charge") if name in known}


def _with_abandonment(table: DataFrame, result: Schedule) -> DataFrame:
    """The table of users with what they gave up, including users who gave up everything before submission."""
    given_up = abandonment_by_user(result)
    table = with_users(table, given_up, ("jobs", *_COUNTED, "served", "processor_seconds", *_priced(result)))
    found = [given_up.get(user, Abandonment(0, 0, 0.0)) for user in table.index]
    return table.assign(
        abandoned=[each.abandoned for each in found],
        abandoned_share=[each.share for each in found],
        lost_processor_hours=[each.processor_hours for each in found],
    )


def labelled(table: DataFrame, result: Schedule) -> DataFrame:
    """The table of users with labels instead of codes."""
    labels = [*result.names["user"], None]
    index = pd.Index([labels[code] for code in table.index], name="user", tupleize_cols=False)
    return table.set_axis(index)


def _shown(result: Schedule, name: str) -> Any:
    """A column as people read it: labels instead of codes, and the state as text."""
    if name == "state":
        return _STATES[result[name]]
    if name == "reason":
        return _REASONS[result[name]]
    return _inferred(result.labels(name)) if name in (*LABELLED, *LABELLED_ON_REQUEST) else result[name]


def _inferred(labels: AnyArray) -> Any:
    """Labels in the type that pandas infers: whole numbers stay whole, text becomes text."""
    return pd.Series(labels, dtype=object).infer_objects().to_numpy()
