"""Metrics: the numbers computed from a run, selected by name.

    STATISTIC_MEASURE           mean_wait, p95_response_time, max_bounded_slowdown_60
    share_MEASURE_above_X       share_wait_above_3600, share_stretch_above_20 (also: below)
    STATISTIC_user_STATISTIC_MEASURE    mean_user_max_stretch: the mean over users of each user's maximum
    km_STATISTIC_TIME           km_median_wait, km_p90_campaign_response_time: the Kaplan-Meier estimate
    km_share_TIME_above_X       km_share_wait_above_3600: the Kaplan-Meier estimate of the share above X
    finished, utilization, …    numbers of the whole run; those of the papers are in `users_view`
    any of these @NAME          the same for the users of that name: mean_wait@short
    any of these @group=NAME    … for a group (account), queue (QOS) or partition: mean_wait@queue=short
    FILE.py:NAME                a function that takes a `Result` and returns a number

A statistic is mean, median, min, max, std, total, or a percentile: p95, p99.9 (with NumPy's default, linear
interpolation). `window` defines the measures, and selects the jobs. An undefined number is NaN.

Jobs that users gave up, and those unfinished at the horizon, have no response time. Means leave them out; `observed`
counts them. `abandoned_jobs`, `abandoned_share` (of the jobs wanted) and `lost_processor_hours` measure what was given
up (`thinktime.models.results.outcome`); `served_campaigns`, `abandoned_campaigns` and `unfinished_campaigns` are
counts. The Kaplan-Meier estimates account for them (`thinktime.analysis.response_times`): those of waits (s) are right
up to a patience that does not depend on the machine, those of response times are lower bounds if users gave up, and
then not compared. They are undefined if too few were served.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from thinktime.analysis.experiments import window
from thinktime.analysis.experiments.observed import Observed, of_campaigns, of_jobs, of_so_many, of_users
from thinktime.analysis.experiments.users_view import COUNTED as PAPERS_OF_JOBS
from thinktime.analysis.experiments.users_view import METRICS as PAPERS
from thinktime.analysis.experiments.window import CAMPAIGN_MEASURES, JOB_MEASURES, Measured, finite
from thinktime.analysis.response_times import ResponseTimes, response_times, waits
from thinktime.analysis.stretch import campaign_columns
from thinktime.models.policies.scripts import member
from thinktime.models.results import measures
from thinktime.models.results.outcome import Outcome, abandonment, served
from thinktime.models.results.result import Result
from thinktime.models.results.service import OF_CHANGES
from thinktime.models.state import State
from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import former, key_of, quoted

DEFAULT = (
    "jobs", "finished", "killed", "mean_wait", "median_wait", "p95_wait", "max_wait",
    "mean_bounded_slowdown_10", "mean_bounded_slowdown_60", "utilization", "loss_of_capacity", "makespan",
)  # fmt: skip
"""The metrics of a scenario that lists none."""

STATISTICS: Mapping[str, Callable[[Floats], Any]] = {
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
    "std": lambda values: np.std(values, ddof=1) if len(values) > 1 else np.nan,
    "total": np.sum,
}

WHOLE: dict[str, Callable[[Measured], float]] = {
    "utilization": Measured.utilization,
    "loss_of_capacity": Measured.loss_of_capacity,
    "throughput_per_day": Measured.throughput,
    "mean_backlog": Measured.backlog,
    **{name: partial(Measured.of_machine, measure=measure) for name, measure in OF_CHANGES.items()},
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
    "served": lambda measured: float(served(measured.jobs).sum()),
    "abandoned_jobs": lambda measured: float(abandonment(measured.jobs).abandoned),
    "abandoned_share": lambda measured: abandonment(measured.jobs).share,
    "lost_processor_hours": lambda measured: abandonment(measured.jobs).processor_hours,
    "served_campaigns": lambda measured: _campaigns(measured, Outcome.SERVED),
    "abandoned_campaigns": lambda measured: _campaigns(measured, Outcome.ABANDONED),
    "unfinished_campaigns": lambda measured: _campaigns(measured, Outcome.UNFINISHED),
}
"""Numbers of the whole run, by name. `unfinished` jobs were waiting or running at the end."""

GIVEN_UP = ("abandoned_share", "lost_processor_hours")
"""Metrics added to every scenario whose users may give up."""

CHANGING = ("goodput", "utilization_of_available", "availability", "interruptions", "lost_work", "mtti")
"""Metrics added to the default ones if jobs may be interrupted."""

CENSORED: Mapping[str, Callable[[Result], ResponseTimes]] = {
    "wait": waits,
    "campaign_response_time": response_times,
    "response_time": partial(response_times, of="jobs"),
}
"""The times that have Kaplan-Meier estimates, and how they are got."""

Measure = Callable[[Measured], float]
PerJob = Callable[[Measured], tuple[Result, Floats]]
"""The measured jobs, and the value of each; NaN if it has none."""

_NUMBER = r"\d+(?:\.\d+)?"
_QUANTILE = r"p(?:100|\d?\d(?:\.\d+)?)"
_ANY = rf"mean|median|min|max|std|total|{_QUANTILE}"
_MEASURE = rf"(?P<measure>[a-z_]+?(?:_{_NUMBER})?)"
_PATTERNS = {
    "users": re.compile(rf"(?P<statistic>{_ANY})_user_(?P<inner>{_ANY})_{_MEASURE}"),
    "statistic": re.compile(rf"(?P<statistic>{_ANY})_{_MEASURE}"),
    "share": re.compile(rf"share_{_MEASURE}_(?P<side>above|below)_(?P<limit>{_NUMBER})"),
    "Kaplan-Meier": re.compile(
        rf"km_(?:(?P<statistic>median|{_QUANTILE})|share)_(?P<measure>{'|'.join(CENSORED)})"
        rf"(?(statistic)|_above_(?P<limit>{_NUMBER}))"
    ),
}
"""Metrics that are computed from a measure, by kind."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: its name and how it is computed."""

    name: str
    of: Measure
    per_job: PerJob | None = None
    """The values of the jobs, if the metric is their mean."""
    made_of: Callable[[Measured], Observed] | None = None
    """How many observations it has, and how many are missing; None for a number of the whole run."""

    def __call__(self, measured: Measured) -> float | None:
        """The number; None if it is undefined."""
        return finite(self.of(measured))


def metric(name: str) -> Metric:
    """The metric of that name; ``ValueError`` if there is none."""
    stem, at, users = name.partition("@")
    if at and not users:
        raise ValueError(f"metric {quoted(name)} needs the name of users after @")
    of, per_job, made_of = _of(stem), _per_job(stem), _made_of(stem)
    if users:
        if stem in PAPERS:
            what = f"metric {quoted(stem)} is defined for the whole run only"
            raise ValueError(f"{what}, not for single users: {quoted(name)}")
        theirs = per_job and (lambda measured: per_job(measured.of_users(users)))
        counted = made_of and (lambda measured: made_of(measured.of_users(users)))
        return Metric(name, lambda measured: of(measured.of_users(users)), theirs, counted)
    return Metric(name, of, per_job, made_of)


def is_lower_bound(name: str) -> bool:
    """Whether a metric is only a lower bound, not to be compared, if users gave up some of its observations.

    >>> is_lower_bound("km_median_campaign_response_time@short"), is_lower_bound("km_median_wait")
    (True, False)
    """
    kind, found = _parsed(name.partition("@")[0])
    return kind == "Kaplan-Meier" and found is not None and found["measure"] != "wait"


def things(name: str) -> str:
    """What a metric counts as one observation, jobs, campaigns or users; empty for a number of the whole run.

    >>> things("mean_wait@short"), things("max_campaign_response_time"), things("mean_user_mean_wait"), things("jobs")
    ('jobs', 'campaigns', 'users', '')
    """
    stem = name.partition("@")[0]
    if stem == "area_weighted_response_time" or stem in PAPERS_OF_JOBS:
        return "jobs"
    kind, found = _parsed(stem)
    if found is None or kind == "users":
        return kind
    return "campaigns" if found["measure"] in CAMPAIGN_MEASURES else "jobs"


def _parsed(stem: str) -> tuple[str, re.Match[str] | None]:
    """The kind of a metric that is computed from a measure, and its parts; an empty kind and None for others."""
    matches = ((kind, pattern.fullmatch(stem)) for kind, pattern in _PATTERNS.items())
    return next(((kind, found) for kind, found in matches if found and window.known(found["measure"])), ("", None))


def _of(stem: str) -> Measure:
    if ".py:" in stem:
        return _users_own(stem)
    if stem in WHOLE:
        return WHOLE[stem]
    if stem in PAPERS:
        return PAPERS[stem]
    if state := _STATES.get(stem):
        return lambda measured: float((measured.jobs["state"] == state).sum())
    kind, found = _parsed(stem)
    if found:
        return _estimated(found) if kind == "Kaplan-Meier" else _made(kind, found)
    known = [*_examples(), *(name for name in former(stem) if things(name))]
    raise ValueError(f"there is no metric {quoted(stem)}; {key_of(stem, known, 'metrics')}")


_STATES = {state.label: state for state in State if state != State.FUTURE}


def _made(kind: str, found: re.Match[str]) -> Measure:
    values = window.values(found["measure"])
    if kind == "statistic":
        statistic = _statistic(found["statistic"])
        return lambda measured: statistic(values(measured))
    if kind == "share":
        limit, above = float(found["limit"]), found["side"] == "above"
        return lambda measured: _statistic("mean")(_beyond(values(measured), limit, above))
    outer, inner = _statistic(found["statistic"]), _statistic(found["inner"])
    by_user = window.with_users(found["measure"])
    return lambda measured: outer(np.array([inner(each) for each in window.grouped(*by_user(measured))]))


def _estimated(found: re.Match[str]) -> Measure:
    """A quantile of the Kaplan-Meier estimate, or the estimated share above a limit."""
    of = CENSORED[found["measure"]]
    if found["limit"]:
        limit = float(found["limit"])
        return lambda measured: float(of(measured.jobs).kaplan_meier().at(limit))
    share = 0.5 if found["statistic"] == "median" else float(found["statistic"][1:]) / 100
    if not share:
        raise ValueError(f"{quoted(found[0])}: a quantile of the Kaplan-Meier estimate must be above p0")
    return lambda measured: of(measured.jobs).kaplan_meier().quantile(share)


def _made_of(stem: str) -> Callable[[Measured], Observed] | None:
    """The function that counts a metric's observations; None for a number of the whole run."""
    if stem in PAPERS_OF_JOBS:
        count = PAPERS_OF_JOBS[stem]
        return lambda measured: of_so_many(measured, count(measured))
    of, (_, found) = things(stem), _parsed(stem)
    if of == "users" and found:
        by_user = window.with_users(found["measure"])
        return lambda measured: of_users(measured, by_user(measured)[1])
    if of == "jobs":
        values = window.values(found["measure"] if found else "response_time")
        return lambda measured: of_jobs(measured, values(measured))
    return of_campaigns if of else None


def _campaigns(measured: Measured, outcome: Outcome) -> float:
    return float((response_times(measured.jobs).outcome == outcome).sum())


def _per_job(stem: str) -> PerJob | None:
    """The values of jobs whose mean a metric is: a measure, or 1 and 0 for a share; None for other metrics."""
    kind, found = _parsed(stem)
    if found is None or found["measure"] in CAMPAIGN_MEASURES:
        return None
    of = window.job_measure(found["measure"])
    if kind == "statistic" and found["statistic"] == "mean":
        return partial(window.of_each_job, of)
    if kind == "share":
        limit, above = float(found["limit"]), found["side"] == "above"
        return partial(window.of_each_job, lambda jobs: _beyond(of(jobs), limit, above))
    return None


def _beyond(values: Floats, limit: float, above: bool) -> Floats:
    """1 for values beyond the limit, 0 for others, NaN for NaN."""
    beyond = values > limit if above else values < limit
    return np.where(np.isnan(values), np.nan, beyond)


def _statistic(name: str) -> Callable[[Floats], float]:
    compute = STATISTICS.get(name) or (lambda values: np.percentile(values, float(name[1:])))
    return lambda values: float(compute(values)) if len(values) else np.nan


def _users_own(text: str) -> Measure:
    path, _, name = text.rpartition(":")
    function = member(path, name)
    return lambda measured: function(measured.jobs)


def _examples() -> list[str]:
    slowdowns = ("bounded_slowdown_10", "bounded_slowdown_60", "floored_slowdown_60")
    jobs = (*JOB_MEASURES, *slowdowns, *CAMPAIGN_MEASURES)
    return [
        *WHOLE,
        *PAPERS,
        *_STATES,
        *(f"{each}_{name}" for name in jobs for each in ("mean", "median", "p95", "max")),
        *(f"km_median_{name}" for name in CENSORED),
    ]
