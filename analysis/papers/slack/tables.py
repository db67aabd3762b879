"""The tables of the slack study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.analysis.papers.slack.study import Study

if TYPE_CHECKING:
    import pandas as pd


def months_table(found: Study) -> pd.DataFrame:
    """One row per month: jobs, and mean waits with equal priorities and with preferred jobs."""
    import pandas as pd

    rows = zip(
        found.months,
        found.waits["conservative"],
        found.waits["ast"],
        found.waits["ast preferred"],
        strict=True,
    )
    return pd.DataFrame(
        [
            {
                "month": month,
                "jobs": int(base.jobs.sum()),
                "conservative": base.mean,
                "slack": slack.mean,
                "with_preferred": preferred.mean,
                "high": preferred.high,
                "low": preferred.low,
            }
            for month, base, slack, preferred in rows
        ]
    )


def cases_table(found: Study) -> pd.DataFrame:
    """One row per case: mean waits of all jobs, of every fifth and of the others, s."""
    import pandas as pd

    totals = {name: found.total(name) for name in found.waits}
    return pd.DataFrame(
        [
            {
                "case": name,
                "jobs": int(each.jobs.sum()),
                "all": each.mean,
                "fifth": each.high,
                "others": each.low,
            }
            for name, each in totals.items()
        ]
    )
