"""Tables of several results."""

import numpy as np
import pytest

from thinktime.analysis.compare import compare, user_comparison
from thinktime.models.results.result import Result


def test_a_comparison_has_policies_as_rows(worked: Result) -> None:
    """Each row is a summary, in the order given."""
    table = compare({"easy": worked, "fcfs": worked})
    assert table.index.tolist() == ["easy", "fcfs"]
    assert table.columns.tolist() == list(worked.summary())
    assert table.loc["fcfs", "loss_of_capacity"] == 9 / 52


def test_a_comparison_of_users_has_policies_as_columns(worked: Result) -> None:
    """Each column is one number of the users' tables."""
    table = user_comparison({"easy": worked, "fcfs": worked}, "mean_wait")
    assert table.to_dict() == {name: {"ann": 4.0, "bob": 9.0} for name in ("easy", "fcfs")}


def test_users_missing_from_a_result_have_no_number(worked: Result) -> None:
    """A user without jobs under a policy has NaN there."""
    columns = {"submit": [0], "start": [0], "end": [1], "processors": [1], "user": [0]}
    other = Result.from_columns(columns, 4, names={"user": ["ann"]})
    table = user_comparison({"a": worked, "b": other})
    assert table["b"].isna().to_dict() == {"ann": False, "bob": True}


def test_response_times_of_campaigns_by_user() -> None:
    """The mean response time is over a user's finished campaigns."""
    columns = {"submit": [0, 0, 20], "start": [0, 1, 20], "end": [5, 10, np.nan], "processors": [1, 1, 1]}
    result = Result.from_columns(columns | {"user": [0] * 3, "campaign": [0, 0, 1]}, 4, names={"user": ["ann"]}, now=30)
    assert user_comparison({"a": result}, "mean_campaign_response_time").loc["ann", "a"] == 10


def test_an_unknown_measure_is_named(worked: Result) -> None:
    """The error says which measures there are."""
    with pytest.raises(ValueError, match=r"mean_wait.*mean_campaign_response_time.*got 'waits'"):
        user_comparison({"a": worked}, "waits")


def test_results_without_campaigns_have_no_times_of_campaigns(worked: Result) -> None:
    """Without campaigns, the table of their times is empty."""
    table = user_comparison({"a": worked, "b": worked}, "mean_campaign_response_time")
    assert table.columns.tolist() == ["a", "b"]
    assert len(table) == 0
