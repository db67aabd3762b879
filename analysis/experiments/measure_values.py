"""The values of each measure in the part of a run that is measured, by the measure's name.

Abandoned and unfinished jobs and campaigns have no value (`thinktime.models.results.outcome`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.analysis.experiments.campaign_metrics import CAMPAIGNS
from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.stretch import campaign_columns
from thinktime.models.results.metric import METRICS, Measure
from thinktime.models.results.outcome import served
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats, Whole

Codes = Whole


def measure(name: str) -> Measure | None:
    """The measure of that name, of jobs or of campaigns; None if there is none."""
    return METRICS.measure(name) or CAMPAIGNS.measure(name)


def of_each_job(of: Callable[[Result], Floats], measured: Measured) -> tuple[Result, Floats]:
    """The measured jobs, and the value of each; NaN for those that were not served."""
    jobs = measured.jobs
    return jobs, np.where(served(jobs), of(jobs), np.nan)


def values(chosen: Measure) -> Callable[[Measured], Floats]:
    """The values of a measure."""
    if chosen.per == "campaign":
        return lambda measured: _of_campaigns(measured, chosen)[0]
    return lambda measured: measured.values(chosen.name, chosen.of)


def with_users(chosen: Measure) -> Callable[[Measured], tuple[Floats, Codes]]:
    """The values of a measure, and the code of the user of each."""
    if chosen.per == "campaign":
        return lambda measured: _of_campaigns(measured, chosen)

    def found(measured: Measured) -> tuple[Floats, Codes]:
        jobs, each = of_each_job(chosen.of, measured)
        there = ~np.isnan(each)
        return each[there], jobs["user"][there]

    return found


def grouped(each: Floats, users: Any) -> list[Floats]:
    """The values of each user who has some."""
    order = np.argsort(users, kind="stable")
    bounds = np.flatnonzero(np.diff(users[order])) + 1
    return [part for part in np.split(each[order], bounds) if len(part)]


def _of_campaigns(measured: Measured, chosen: Measure) -> tuple[Floats, Codes]:
    columns = campaign_columns(measured.jobs)
    each: Floats = chosen.of(columns)
    there = np.isfinite(each)
    return each[there], columns.user[there]
