"""What the cplant study leaves behind as tables: every run, the classes of widths, Tables I and II."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinktime.analysis.fairness.classes import LENGTHS, WIDTHS
from thinktime.analysis.papers.cplant.findings import STATEMENTS, by_variant, held, single_runs, variants
from thinktime.analysis.papers.cplant.printed import HOURS, JOBS
from thinktime.analysis.papers.cplant.study import Outcome, Study

if TYPE_CHECKING:
    import pandas as pd


def runs_of(study: Study) -> pd.DataFrame:
    """One row per run and fair order: under what, and what was measured.

    Times in s, percent, and fractions of 1 for utilization and loss.
    """
    import pandas as pd

    rows = []
    for origin, nine in study.shifts.items():
        rows += [_row(name, each, study.processors, "until_needed", origin) for name, each in nine.items()]
    for overrun, nine in list(study.overruns.items())[1:]:
        rows += [_row(name, each, study.processors, overrun, 0.0) for name, each in nine.items()]
    for size, nine in study.sizes.items():
        if size != study.processors:
            rows += [_row(name, each, size, "until_needed", 0.0) for name, each in nine.items()]
    for nines in study.decays.values():
        for nine in nines:
            rows += [
                _row(name, each, study.processors, "until_needed", np.nan) for name, each in nine.items()
            ]
    for order, nines in study.fair_orders().items():
        for origin, nine in zip(study.shifts, nines, strict=True):
            rows += [
                _row(name, each, study.processors, "until_needed", origin, order)
                for name, each in nine.items()
            ]
    return pd.DataFrame(rows)


def verdicts_of(study: Study) -> pd.DataFrame:
    """One row per variant and finding: for how many runs it holds, and the verdict (none of a single run)."""
    import pandas as pd

    several = [
        {
            "variant": name, "finding": each.says, "seen_if": statement.criterion, "runs": len(nines),
            "holds": held(statement, nines), "verdict": each.verdict,
        }
        for name, nines in variants(study).items()
        for statement, each in zip(STATEMENTS, by_variant(study)[name], strict=True)
    ]  # fmt: skip
    single = [
        {
            "variant": name, "finding": each.says, "seen_if": each.criterion, "runs": 1,
            "holds": int(each.holds(nine)), "verdict": "",
        }
        for name, nine in single_runs(study).items()
        for each in STATEMENTS
    ]  # fmt: skip
    return pd.DataFrame(several + single)


def widths_of(study: Study) -> pd.DataFrame:
    """Mean miss time and mean response time (s) by class of widths and scheduler."""
    import pandas as pd

    return pd.DataFrame(
        {
            "scheduler": name,
            "processors": width,
            "average_miss_time": outcome.miss_by_width.item(i),
            "average_response_time": outcome.response_time_by_width.item(i),
        }
        for name, outcome in study.outcomes.items()
        for i, width in enumerate(WIDTHS)
    )


def classes_of(study: Study) -> pd.DataFrame:
    """Tables I and II: ours and the paper's, by width and length."""
    import pandas as pd

    jobs, hours = study.tables()
    at = [(i, j) for i in range(len(WIDTHS)) for j in range(len(LENGTHS))]
    return pd.DataFrame(
        {
            "processors": [WIDTHS[i] for i, _ in at],
            "length": [LENGTHS[j] for _, j in at],
            "jobs": jobs.reshape(-1),
            "jobs_printed": JOBS.reshape(-1),
            "processor_hours": np.round(hours.reshape(-1), 3),
            "processor_hours_printed": HOURS.reshape(-1),
        }
    )


def _row(
    name: str, each: Outcome, processors: int, overrun: str, origin: float, order: str = "fair: own"
) -> dict[str, object]:
    numbers, original = each.numbers, each.per_original
    later, cons_p = each.later_arrivals, each.cons_p
    return {
        "scheduler": name,
        "policy": each.policy,
        "processors": processors,
        "overrun": overrun,
        "decay_origin": origin,
        "fair_order": order.removeprefix("fair: "),
        "jobs": numbers.jobs,
        "originals": original.jobs,
        "refused": each.refused,
        "killed": each.killed,
        "percent_unfair": numbers.percent_unfair,
        "percent_unfair_load": each.unfair.percent_unfair_load,
        "total_miss_time": each.unfair.total_miss,
        "average_miss_time": numbers.average_miss_time,
        "average_miss_time_unfair": each.unfair.average_miss_unfair,
        "average_response_time": numbers.average_response_time,
        "loss_of_capacity": numbers.loss_of_capacity,
        "utilization": each.utilization,
        "jain_response_time": each.jain,
        "deviation_response_time": each.deviation,
        "originals_percent_unfair": original.percent_unfair,
        "originals_average_miss_time": original.average_miss_time,
        "originals_average_response_time": original.average_response_time,
        "later_arrivals_percent_unfair": later.percent_unfair if later else np.nan,
        "later_arrivals_average_miss_time": later.average_miss if later else np.nan,
        "cons_p_percent_unfair": cons_p.percent_unfair if cons_p else np.nan,
        "cons_p_average_miss_time": cons_p.average_miss if cons_p else np.nan,
        "resource_equality_mean": each.equality,
    }
