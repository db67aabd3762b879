"""The values of a measure in one run, by the measure's name: one for each job or campaign that was served.

Measures of jobs are wait, response_time, runtime (s), slowdown, and bounded_slowdown_T and floored_slowdown_T with a
threshold T (s). Measures of campaigns are campaign_response_time (s) and stretch. Abandoned and unfinished ones have
no value (`thinktime.models.results.outcome`).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.stretch import campaign_columns
from thinktime.models.results import measures
from thinktime.models.results.outcome import served
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats, Whole

JOB_MEASURES: Mapping[str, Callable[[Result], Floats]] = {
    "wait": measures.wait,
    "response_time": measures.response_time,
    "runtime": measures.actual_runtime,
    "slowdown": measures.slowdown,
}
WITH_THRESHOLD: Mapping[str, Callable[[Result, float], Floats]] = {
    "bounded_slowdown": measures.bounded_slowdown,
    "floored_slowdown": measures.floored_slowdown,
}
CAMPAIGN_MEASURES = {"campaign_response_time": "response_time", "stretch": "stretch"}
"""The column of `thinktime.analysis.stretch` that holds each measure of campaigns."""

Codes = Whole


def known(measure: str) -> bool:
    """Whether there is a measure of this name."""
    stem, _, threshold = measure.rpartition("_")
    if stem in WITH_THRESHOLD:
        return threshold.replace(".", "", 1).isdigit() and float(threshold) > 0
    return measure in JOB_MEASURES or measure in CAMPAIGN_MEASURES


def job_measure(measure: str) -> Callable[[Result], Floats]:
    """The function that computes a measure of jobs."""
    if measure in JOB_MEASURES:
        return JOB_MEASURES[measure]
    stem, _, threshold = measure.rpartition("_")
    return lambda result: WITH_THRESHOLD[stem](result, float(threshold))


def of_each_job(of: Callable[[Result], Floats], measured: Measured) -> tuple[Result, Floats]:
    """The measured jobs, and the value of each; NaN for those that were not served."""
    jobs = measured.jobs
    return jobs, np.where(served(jobs), of(jobs), np.nan)


def values(measure: str) -> Callable[[Measured], Floats]:
    """The values of a measure."""
    if measure in CAMPAIGN_MEASURES:
        return lambda measured: _of_campaigns(measured, measure)[0]
    of = job_measure(measure)
    return lambda measured: measured.values(measure, of)


def with_users(measure: str) -> Callable[[Measured], tuple[Floats, Codes]]:
    """The values of a measure, and the code of the user of each."""
    if measure in CAMPAIGN_MEASURES:
        return lambda measured: _of_campaigns(measured, measure)
    of = job_measure(measure)

    def found(measured: Measured) -> tuple[Floats, Codes]:
        jobs, each = of_each_job(of, measured)
        there = ~np.isnan(each)
        return each[there], jobs["user"][there]

    return found


def grouped(each: Floats, users: Any) -> list[Floats]:
    """The values of each user who has some."""
    order = np.argsort(users, kind="stable")
    bounds = np.flatnonzero(np.diff(users[order])) + 1
    return [part for part in np.split(each[order], bounds) if len(part)]


def _of_campaigns(measured: Measured, measure: str) -> tuple[Floats, Codes]:
    columns = campaign_columns(measured.jobs)
    each: Floats = getattr(columns, CAMPAIGN_MEASURES[measure])
    there = np.isfinite(each)
    return each[there], columns.user[there]
