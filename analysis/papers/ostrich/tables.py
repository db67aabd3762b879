"""The tables of the ostrich study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thinktime.analysis.papers.ostrich.study import Study

if TYPE_CHECKING:
    import pandas as pd


def campaigns_of(study: Study) -> pd.DataFrame:
    """Every campaign of every instance under each policy: whose it was, and its stretch."""
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "policy": policy,
                "instance": number,
                "profile": ["short" if short else "long" for short in each.short.tolist()],
                "user": each.user,
                "stretch": each.stretch,
            }
        )
        for policy, found in study.outcomes.items()
        for number, each in enumerate(found)
    ]
    return pd.concat(parts, ignore_index=True)


def sensitivity_of(study: Study) -> pd.DataFrame:
    """One row per set-up and policy."""
    import pandas as pd

    return pd.DataFrame([_row(row, policy) for row in study.sensitivity for policy in row.numbers])


def _row(row: Any, policy: str) -> dict[str, Any]:
    setup, numbers = row.variation.setup, row.numbers[policy]
    return {
        "changed": row.variation.differs,
        "policy": policy,
        "users": setup.users,
        "share_short": setup.share_short,
        "think_time": setup.think_time,
        "campaigns": numbers.campaigns,
        "share_above_20": numbers.above_20.mean,
        "share_below_2": numbers.below_2.mean,
        "mean_max_stretch_short": numbers.short.mean,
        "mean_max_stretch_long": numbers.long.mean,
        "utilization": numbers.utilization,
        "instances_beyond_lemma_1": numbers.behind,
        "largest_excess_of_lemma_1": max(numbers.idle_shares),
        "later_than_lemma_2": numbers.late,
    }
