"""Policies side by side: tables of several results.

Both tables take results by name, usually the policy's. The runs share the workload and the machine. With users in the
loop, the jobs themselves differ between runs, so compare users and campaigns rather than jobs. If users give up, first
compare what was given up: a policy that serves only those who need not wait has short response times.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from thinktime.analysis.response_times import waits
from thinktime.analysis.statistics import kaplan_meier
from thinktime.models.results.outcome import Outcome
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import DataFrame, Series, pd
from thinktime.workloads.names import quoted
from thinktime.workloads.trace import Time


def compare(results: Mapping[str, Result], start: Time | None = None, end: Time | None = None) -> DataFrame:
    """One row per result, in the given order, with the numbers of its summary as columns.

    They are of the whole run, or of the window [start, end), in s or as dates (`Result.during`).

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0, 0, 0], "runtime": [10, 20, 5], "allocated": [2, 1, 1]})
    >>> results = {policy: tt.replay(log, policy, 2) for policy in ("fcfs", "sjf")}
    >>> compare(results)["mean_wait"].round(2).to_dict()
    {'fcfs': 6.67, 'sjf': 6.67}
    """
    rows = [dict(result.summary(start, end)) for result in results.values()]
    return pd.DataFrame(rows, index=pd.Index(list(results), name="policy"))


def user_comparison(results: Mapping[str, Result], measure: str = "mean_bounded_slowdown_10") -> DataFrame:
    """One row per user, one column per result; NaN where a user has no such number in a result.

    `measure` is a column of `Result.users`, or one of the user's campaigns: `mean_campaign_response_time`, the mean
    time from the first submission to the last end (s) over those that were served; `served_campaigns`, their number;
    `abandoned_campaigns`, the number given up, in part or whole. `km_median_wait` is the Kaplan-Meier estimate of the
    time within which half of the jobs start (s), NaN if users gave up before (`thinktime.analysis.response_times`).
    """
    columns = {name: _of_users(result, measure) for name, result in results.items()}
    table = pd.concat(columns, axis="columns", sort=False) if columns else pd.DataFrame()
    return table.rename_axis(index="user", columns="policy")


def _of_users(result: Result, measure: str) -> "Series[float]":
    if measure == KM_MEDIAN_WAIT:
        known = waits(result)
        everyone = [*known.labels, None]
        medians: dict[Any, float] = {}
        for code in np.unique(known.user).tolist():
            own = known.user == code
            medians[everyone[code]] = kaplan_meier(known.elapsed[own], known.outcome[own] == Outcome.SERVED).median
        index = pd.Index(list(medians), name="user", tupleize_cols=False)
        return pd.Series(list(medians.values()), index=index, dtype=float)
    if measure in OF_CAMPAIGNS:
        by_user = _campaigns(result).groupby("user", sort=False)
        found = {user: OF_CAMPAIGNS[measure](own) for user, own in by_user}
        index = pd.Index(list(found), name="user", tupleize_cols=False)
        return pd.Series(list(found.values()), index=index, dtype=float)
    users = result.users
    if measure not in users:
        raise ValueError(f"measure is one of {[*users.columns, KM_MEDIAN_WAIT, *OF_CAMPAIGNS]}, got {quoted(measure)}")
    return users[measure]


def _campaigns(result: Result) -> DataFrame:
    """The table of campaigns, followed by those never submitted, as abandoned after 0 s."""
    table = result.campaigns[["user", "response_time", "elapsed", "outcome"]]
    demand = result.lost_demand
    users = demand["user"][demand["campaigns"] > 0]
    if not len(users):
        return table
    lost = {"user": users, "response_time": np.nan, "elapsed": 0.0, "outcome": Outcome.ABANDONED.label}
    return pd.concat([table, pd.DataFrame(lost)], ignore_index=True)


def _counted(outcome: Outcome) -> Callable[[DataFrame], float]:
    return lambda campaigns: float((campaigns["outcome"] == outcome.label).sum())


KM_MEDIAN_WAIT = "km_median_wait"
OF_CAMPAIGNS: Mapping[str, Callable[[DataFrame], float]] = {
    "mean_campaign_response_time": lambda campaigns: float(campaigns["response_time"].mean()),
    "served_campaigns": _counted(Outcome.SERVED),
    "abandoned_campaigns": _counted(Outcome.ABANDONED),
}
"""Measures of a user's campaigns, by name."""
