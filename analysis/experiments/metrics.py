"""Metrics: the numbers that a run is reduced to, by names that say what they are.

    STATISTIC_MEASURE           mean_wait, p95_turnaround, max_bounded_slowdown_60
    share_MEASURE_above_X       share_wait_above_3600, share_stretch_above_20 (also: below)
    STATISTIC_user_STATISTIC_MEASURE    mean_user_max_stretch: the mean over users of the user's largest
    finished, utilization, …    numbers of the run as a whole; those of the papers are in `users_view`
    any of these @NAME          the same for the users of that name: mean_wait@short
    FILE.py:NAME                a function of a `Result` that gives a number

A statistic is mean, median, min, max, std, total, or a percentile: p95, p99.9 (linear between jobs, NumPy's
default). Measures of jobs are wait, turnaround, runtime (s), slowdown, bounded_slowdown_T, floored_slowdown_T with
a threshold T (s); measures of campaigns are flow_time (s) and stretch. `window` says which jobs count. A number
that is not defined is NaN.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from thinktime.analysis.campaigns import campaign_columns
from thinktime.analysis.experiments.users_view import METRICS as PAPERS
from thinktime.analysis.experiments.window import Floats, Measured
from thinktime.models import measures
from thinktime.models.result import Result
from thinktime.models.state import State
from thinktime.workloads.generators.tables import key_of

DEFAULT = (
    "jobs",
    "finished",
    "killed",
    "mean_wait",
    "median_wait",
    "p95_wait",
    "max_wait",
    "mean_bounded_slowdown_10",
    "mean_bounded_slowdown_60",
    "utilization",
    "loss_of_capacity",
    "makespan",
)
"""What is measured where a scenario does not say."""

STATISTICS: Mapping[str, Callable[[Floats], Any]] = {
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
    "std": lambda values: np.std(values, ddof=1) if len(values) > 1 else np.nan,
    "total": np.sum,
}

JOB_MEASURES: Mapping[str, Callable[[Result], Floats]] = {
    "wait": measures.wait,
    "turnaround": measures.turnaround,
    "runtime": measures.actual_runtime,
    "slowdown": measures.slowdown,
}
WITH_THRESHOLD: Mapping[str, Callable[[Result, float], Floats]] = {
    "bounded_slowdown": measures.bounded_slowdown,
    "floored_slowdown": measures.floored_slowdown,
}
CAMPAIGN_MEASURES = ("flow_time", "stretch")

WHOLE: dict[str, Callable[[Measured], float]] = {
    "utilization": Measured.utilization,
    "loss_of_capacity": Measured.loss_of_capacity,
    "makespan": lambda measured: measures.makespan(measured.jobs),
    "area_weighted_response_time": lambda measured: measures.area_weighted_response_time(measured.jobs),
    "jobs": lambda measured: float(len(measured.jobs)),
    "users": lambda measured: float(len(np.unique(measured.jobs["user"]))),
    "campaigns": lambda measured: float(len(campaign_columns(measured.jobs).number)),
    "unfinished": lambda measured: float((measured.jobs["state"] < State.FINISHED).sum()),
    "dropped": lambda measured: float(sum(measured.result.dropped.values())),
    "lost_jobs": lambda measured: measured.lost("jobs"),
    "lost_node_hours": lambda measured: measured.lost("node_hours"),
    "warm_up": lambda measured: max(measured.first, 0.0),
}
"""Numbers of a run as a whole, by name. `unfinished` jobs were waiting or running at the end."""

Measure = Callable[[Measured], float]
PerJob = Callable[[Measured], tuple[Result, Floats]]
"""The jobs that are measured, and a value for each; NaN where it has none."""

_NUMBER = r"\d+(?:\.\d+)?"
_ANY = r"mean|median|min|max|std|total|p(?:100|\d?\d(?:\.\d+)?)"
_MEASURE = rf"(?P<measure>[a-z_]+?(?:_{_NUMBER})?)"
_PATTERNS = (
    (re.compile(rf"(?P<statistic>{_ANY})_user_(?P<inner>{_ANY})_{_MEASURE}"), "users"),
    (re.compile(rf"(?P<statistic>{_ANY})_{_MEASURE}"), "statistic"),
    (re.compile(rf"share_{_MEASURE}_(?P<side>above|below)_(?P<limit>{_NUMBER})"), "share"),
)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: its name, and how it is computed."""

    name: str
    of: Measure
    per_job: PerJob | None = None
    """The values whose mean it is, where it is a mean over jobs."""

    def __call__(self, measured: Measured) -> float | None:
        """The number; None where it is not defined."""
        value = float(self.of(measured))
        return value if np.isfinite(value) else None


def metric(name: str) -> Metric:
    """The metric of that name; ``ValueError`` with one sentence if there is none."""
    stem, at, users = name.partition("@")
    if at and not users:
        raise ValueError(f"metric {name!r} names no users behind @")
    of, per_job = _of(stem), _per_job(stem)
    if users:
        if stem in PAPERS:
            raise ValueError(
                f"metric {stem!r} is of the whole run, so there is none of single users: {name!r}"
            )
        theirs = per_job and (lambda measured: per_job(measured.of_users(users)))
        return Metric(name, lambda measured: of(measured.of_users(users)), theirs)
    return Metric(name, of, per_job)


def _of(stem: str) -> Measure:
    if ".py:" in stem:
        return _users_own(stem)
    if stem in WHOLE:
        return WHOLE[stem]
    if stem in PAPERS:
        return PAPERS[stem]
    if state := _STATES.get(stem):
        return lambda measured: float((measured.jobs["state"] == state).sum())
    for pattern, kind in _PATTERNS:
        if (found := pattern.fullmatch(stem)) and _known(found["measure"]):
            return _made(kind, found)
    raise ValueError(f"there is no metric {stem!r}; {key_of(stem, _examples(), 'metrics')}")


_STATES = {state.label: state for state in State if state != State.FUTURE}


def _made(kind: str, found: re.Match[str]) -> Measure:
    values = _values(found["measure"])
    if kind == "statistic":
        statistic = _statistic(found["statistic"])
        return lambda measured: statistic(values(measured))
    if kind == "share":
        limit, above = float(found["limit"]), found["side"] == "above"
        return lambda measured: _fraction(values(measured), limit, above)
    outer, inner = _statistic(found["statistic"]), _statistic(found["inner"])
    by_user = _by_user(found["measure"])
    return lambda measured: outer(np.array([inner(each) for each in by_user(measured)]))


def _per_job(stem: str) -> PerJob | None:
    """The values of jobs whose mean a metric is: of a measure, or of 1 and 0 for a share; None for others."""
    for pattern, kind in _PATTERNS:
        found = pattern.fullmatch(stem)
        if not found or not _known(found["measure"]) or found["measure"] in CAMPAIGN_MEASURES:
            continue
        if kind == "users" or (kind == "statistic" and found["statistic"] != "mean"):
            return None
        of = _job_measure(found["measure"])
        if kind == "statistic":
            return partial(_of_each_job, of)
        limit, above = float(found["limit"]), found["side"] == "above"
        return partial(_of_each_job, lambda jobs: _beyond(of(jobs), limit, above))  # noqa: B023  (returned at once)
    return None


def _of_each_job(of: Callable[[Result], Floats], measured: Measured) -> tuple[Result, Floats]:
    jobs = measured.jobs
    return jobs, np.where(measures.ended(jobs), of(jobs), np.nan)


def _beyond(values: Floats, limit: float, above: bool) -> Floats:
    """1 for values beyond a limit, 0 for others; NaN stays NaN."""
    beyond = values > limit if above else values < limit
    return np.where(np.isnan(values), np.nan, beyond)


def _statistic(name: str) -> Callable[[Floats], float]:
    compute = STATISTICS.get(name) or (lambda values: np.percentile(values, float(name[1:])))
    return lambda values: float(compute(values)) if len(values) else np.nan


def _fraction(values: Floats, limit: float, above: bool) -> float:
    if not len(values):
        return np.nan
    return float((values > limit).mean() if above else (values < limit).mean())


def _known(measure: str) -> bool:
    stem, _, threshold = measure.rpartition("_")
    plain = measure in JOB_MEASURES or measure in CAMPAIGN_MEASURES
    return plain or (stem in WITH_THRESHOLD and _positive(threshold))


def _positive(text: str) -> bool:
    return text.replace(".", "", 1).isdigit() and float(text) > 0


def _job_measure(measure: str) -> Callable[[Result], Floats]:
    if measure in JOB_MEASURES:
        return JOB_MEASURES[measure]
    stem, _, threshold = measure.rpartition("_")
    return lambda result: WITH_THRESHOLD[stem](result, float(threshold))


def _values(measure: str) -> Callable[[Measured], Floats]:
    """The values of a measure, one for each job or campaign that is over."""
    if measure not in CAMPAIGN_MEASURES:
        of = _job_measure(measure)
        return lambda measured: measured.values(measure, of)
    return lambda measured: _of_campaigns(measured, measure)[0]


def _of_campaigns(measured: Measured, measure: str) -> tuple[Floats, Floats]:
    columns = campaign_columns(measured.jobs)
    values: Floats = getattr(columns, measure)
    known = np.isfinite(values)
    return values[known], columns.user[known].astype(np.float64)


def _by_user(measure: str) -> Callable[[Measured], list[Floats]]:
    """The values of a measure, an array for each user who has any."""
    if measure in CAMPAIGN_MEASURES:
        return lambda measured: _grouped(*_of_campaigns(measured, measure))
    of = _job_measure(measure)

    def grouped(measured: Measured) -> list[Floats]:
        values = of(measured.jobs)
        known = measures.ended(measured.jobs) & ~np.isnan(values)
        return _grouped(values[known], measured.jobs["user"][known])

    return grouped


def _grouped(values: Floats, users: Any) -> list[Floats]:
    order = np.argsort(users, kind="stable")
    bounds = np.flatnonzero(np.diff(users[order])) + 1
    return [each for each in np.split(values[order], bounds) if len(each)]


def _users_own(text: str) -> Measure:
    from thinktime.models.policies.script import member

    path, _, name = text.rpartition(":")
    function = member(path, name)
    return lambda measured: function(measured.jobs)


def _examples() -> list[str]:
    jobs = (
        *JOB_MEASURES,
        "bounded_slowdown_10",
        "bounded_slowdown_60",
        "floored_slowdown_60",
        *CAMPAIGN_MEASURES,
    )
    return [
        *WHOLE,
        *PAPERS,
        *_STATES,
        *(f"{each}_{name}" for name in jobs for each in ("mean", "median", "p95", "max")),
    ]
