"""The goal study's tables as pandas frames, and the object of ``--json``.

Deviations without a suffix are from max-min fair shares, whatever share the printed tables show.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from thinktime.analysis.papers.goal.findings import findings
from thinktime.analysis.papers.goal.study import POLICIES, Outcome, Study

if TYPE_CHECKING:
    import pandas as pd

SUFFIX = {"maxmin": "", "proportional": "_proportional", "equal": "_equal"}


def as_json(study: Study) -> dict[str, Any]:
    """Month by month and policy by policy (seconds, processor-hours), and every finding with its verdict."""
    return {
        "months": [
            {
                "month": month.name,
                "jobs": study.outcomes[month.name][POLICIES[0]].jobs,
                "policies": {
                    policy: _numbers(outcome) for policy, outcome in study.outcomes[month.name].items()
                },
            }
            for month in study.months
        ],
        "entitled": study.entitled,
        "findings": [
            {
                "part": part.title,
                "finding": row.says,
                "verdict": row.verdict,
                "ours": row.ours,
                "paper": row.paper or None,
                "seen_if": row.criterion,
            }
            for part in findings(study)
            for row in part.rows
        ],
    }


def _numbers(outcome: Outcome) -> dict[str, float]:
    return {
        "mean_bounded_slowdown_60": outcome.mean_bounded_slowdown,
        "mean_floored_slowdown_60": outcome.mean_floored_slowdown,
        "mean_wait": outcome.mean_wait,
        "max_wait": outcome.max_wait,
        "p99_wait": outcome.p99_wait,
    } | {
        f"{measure}{SUFFIX[share]}": value
        for measure in ("mean_abs_deviation", "sum_abs_deviation")
        for share, value in getattr(outcome, measure).items()
    }


def months_of(study: Study) -> pd.DataFrame:
    """One row per month and policy."""
    import pandas as pd

    rows = [
        {"month": month.name, "policy": policy, "jobs": outcome.jobs} | _numbers(outcome)
        for month in study.months
        for policy, outcome in study.outcomes[month.name].items()
    ]
    return pd.DataFrame(rows)


def users_of(study: Study) -> pd.DataFrame:
    """One row per month, user and policy: their jobs, dev (processor-hours), waits (s), mean bounded slowdown."""
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "month": month.name,
                "policy": policy,
                "user": outcome.users.name,
                "jobs": outcome.users.jobs,
                "processor_hours": outcome.users.hours,
                "difficult": outcome.users.difficult,
                "days": outcome.users.days,
                **{f"dev{SUFFIX[share]}": dev for share, dev in outcome.users.dev.items()},
                "mean_wait": outcome.users.mean_wait,
                "max_wait": outcome.users.max_wait,
                "mean_bounded_slowdown_60": outcome.users.slowdown,
            }
        )
        for month in study.months
        for policy, outcome in study.outcomes[month.name].items()
    ]
    return pd.concat(parts, ignore_index=True)


def workload_frame(study: Study) -> pd.DataFrame:
    """Table I: one row per month."""
    import pandas as pd

    rows = []
    for line in study.workloads:
        flat: dict[str, Any] = {}
        for name, value in asdict(line).items():
            if isinstance(value, dict):
                flat |= {f"{name}_{kind}": number for kind, number in value.items()}
            else:
                flat[name] = value
        rows.append(flat)
    return pd.DataFrame(rows)
