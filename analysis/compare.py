"""Policies side by side: tables of several results.

Both tables take results by name, usually the policy's. They compare what the runs share: the same workload
on the same machine. With users in the loop, the jobs themselves differ between runs, so compare users and
campaigns rather than jobs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from thinktime.models.result import Result

if TYPE_CHECKING:
    import pandas as pd


def comparison(results: Mapping[str, Result]) -> pd.DataFrame:
    """One row per result, in the given order, with the numbers of its summary as columns."""
    import pandas as pd

    rows = [dict(result.summary()) for result in results.values()]
    return pd.DataFrame(rows, index=pd.Index(list(results), name="policy"))


def user_comparison(results: Mapping[str, Result], measure: str = "mean_bounded_slowdown_10") -> pd.DataFrame:
    """One row per user, one column per result; NaN where a user has no such number in a result.

    `measure` is a column of `Result.users`, or `mean_flow_time`: the mean over the user's campaigns of the
    time from the first submission until all is over (s).
    """
    import pandas as pd

    columns = {name: _of_users(result, measure) for name, result in results.items()}
    table = pd.concat(columns, axis="columns", sort=False) if columns else pd.DataFrame()
    return table.rename_axis(index="user", columns="policy")


def _of_users(result: Result, measure: str) -> pd.Series[float]:
    """One number for each user of a result."""
    if measure == "mean_flow_time":
        return result.campaigns.groupby("user", sort=False)["flow_time"].mean()
    users = result.users
    if measure not in users:
        raise ValueError(f"measure is one of {[*users.columns, 'mean_flow_time']}, got {measure!r}")
    return users[measure]
