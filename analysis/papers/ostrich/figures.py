"""What the ostrich study leaves behind: three figures and two tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thinktime.analysis.papers.ostrich.example import example
from thinktime.analysis.papers.ostrich.findings import PRINTED
from thinktime.analysis.papers.ostrich.study import Study
from thinktime.analysis.pictures.stretches import stretch_histogram, virtual_and_real, worst_stretches

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def figures(study: Study) -> dict[str, Figure]:
    """Figures 3a, 3b and 4 of the paper, by the name of the file; the printed numbers are marked."""
    stretches = {policy: study.stretches(policy) for policy in study.numbers}
    above = {policy: printed.above_20 for policy, printed in PRINTED.items()}
    maxima = {policy: {"short": each.short, "long": each.long} for policy, each in study.numbers.items()}
    worst: dict[str, dict[str, float | str]] = {
        policy: {"short": printed.short, "long": printed.long} for policy, printed in PRINTED.items()
    }
    worst["fcfs"]["short"] = f"> {PRINTED['fcfs'].short:g}"
    return {
        "figure-3a": stretch_histogram(stretches, above),
        "figure-3b": worst_stretches(maxima, worst),
        "figure-4": virtual_and_real(example()),
    }


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
