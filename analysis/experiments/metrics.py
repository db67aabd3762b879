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
interpolation). `window` selects the jobs. An undefined number is NaN.

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

from thinktime.analysis.experiments import measure_values
from thinktime.analysis.experiments.campaign_metrics import CAMPAIGNS
from thinktime.analysis.experiments.observed import Observed, of_campaigns, of_jobs, of_so_many, of_users
from thinktime.analysis.experiments.users_view import PAPERS
from thinktime.analysis.experiments.window import Measured, finite
from thinktime.analysis.response_times import ResponseTimes, response_times, waits
from thinktime.models.orders.scripts import member
from thinktime.models.results.metric import FRACTION, METRICS, PLAIN, SECONDS
from thinktime.models.results.metric import Measure as Known
from thinktime.models.results.metric import Metric as Whole
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import former, key_of, quoted

CATALOGUES = (METRICS, CAMPAIGNS, PAPERS)
"""All metrics of scenarios."""

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

GIVEN_UP = ("abandoned_share", "lost_processor_hours")
"""Metrics added to every scenario whose users may give up."""

CHANGING = ("goodput", "utilization_of_available", "availability", "interruptions", "lost_work", "mtti")
"""Metrics added to the default ones if jobs may be interrupted."""

POWERED = {
    "power": ("total_energy", "energy_per_work", "peak_power"), "carbon": ("total_carbon",),
    "price": ("total_cost",), "charge": ("total_charge",),
}  # fmt: skip
"""Metrics added to the default ones if the machine's power, carbon or prices are known, or jobs are charged."""

SHAPED = ("total_resizes", "mean_size", "total_efficiency")
"""Metrics added to the default ones if jobs may have several sizes."""

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
    """A metric of a scenario, which may be a statistic or one of certain users: its name and how it is computed."""

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
        if stem in PAPERS.metrics:
            what = f"metric {quoted(stem)} is defined for the whole run only"
            raise ValueError(f"{what}, not for single users: {quoted(name)}")
        theirs = per_job and (lambda measured: per_job(measured.of_users(users)))
        counted = made_of and (lambda measured: made_of(measured.of_users(users)))
        return Metric(name, lambda measured: of(measured.of_users(users)), theirs, counted)
    return Metric(name, of, per_job, made_of)


def whole(stem: str) -> Whole | None:
    """The number of the whole run of that name; None if there is none."""
    return next((each.metrics[stem] for each in CATALOGUES if stem in each.metrics), None)


def unit(name: str) -> str:
    """The unit of a metric. Those of your own are times if they end like one of ours.

    >>> [unit(name) for name in ("p95_wait", "utilization", "share_wait_above_60", "mean_stretch@short", "my.py:wait")]
    ['s', 'fraction', 'fraction', '1', 's']
    """
    stem = name.partition("@")[0]
    kind, found = _parsed(stem)
    if one := whole(stem):
        return one.unit
    if kind == "share" or stem.startswith(("share_", "km_share_")):
        return FRACTION
    if found:
        return _measure(found).unit
    times = (each.name for catalogue in CATALOGUES for each in catalogue if each.unit == SECONDS)
    return SECONDS if stem.endswith(tuple(times)) else PLAIN


def describes(name: str) -> bool:
    """Whether a metric describes a run rather than judges it."""
    one = whole(name)
    return one is not None and one.describes


def heading(name: str) -> str:
    """The heading of a metric's column in a table with a row per policy; empty if it has none of its own."""
    if one := whole(name):
        return one.heading
    kind, found = _parsed(name)
    return _measure(found).headings.get(found["statistic"], "") if found and kind == "statistic" else ""


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
    if one := whole(stem):
        return "jobs" if one.counted else ""
    kind, found = _parsed(stem)
    return kind if found is None or kind == "users" else f"{_measure(found).per}s"


def _parsed(stem: str) -> tuple[str, re.Match[str] | None]:
    """The kind of a metric that is computed from a measure, and its parts; an empty kind and None for others."""
    matches = ((kind, pattern.fullmatch(stem)) for kind, pattern in _PATTERNS.items())
    known = measure_values.measure
    return next(((kind, found) for kind, found in matches if found and known(found["measure"])), ("", None))


def _measure(found: re.Match[str]) -> Known:
    """The measure that a metric is computed from."""
    known = measure_values.measure(found["measure"])
    assert known is not None
    return known


def _of(stem: str) -> Measure:
    if ".py:" in stem:
        return _users_own(stem)
    if one := whole(stem):
        return one.of
    kind, found = _parsed(stem)
    if found:
        return _estimated(found) if kind == "Kaplan-Meier" else _made(kind, found)
    known = [*_examples(), *(name for name in former(stem) if things(name))]
    raise ValueError(f"there is no metric {quoted(stem)}; {key_of(stem, known, 'metrics')}")


def _made(kind: str, found: re.Match[str]) -> Measure:
    values = measure_values.values(_measure(found))
    if kind == "statistic":
        statistic = _statistic(found["statistic"])
        return lambda measured: statistic(values(measured))
    if kind == "share":
        limit, above = float(found["limit"]), found["side"] == "above"
        return lambda measured: _statistic("mean")(_beyond(values(measured), limit, above))
    outer, inner = _statistic(found["statistic"]), _statistic(found["inner"])
    by_user = measure_values.with_users(_measure(found))
    return lambda measured: outer(np.array([inner(each) for each in measure_values.grouped(*by_user(measured))]))


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
    one, of, (_, found) = whole(stem), things(stem), _parsed(stem)
    if one and (count := one.counted):
        return lambda measured: of_so_many(measured, count(measured))
    if not of or found is None:
        return None
    chosen = _measure(found)
    if of == "users":
        by_user = measure_values.with_users(chosen)
        return lambda measured: of_users(measured, by_user(measured)[1])
    values = measure_values.values(chosen)
    return of_campaigns if of == "campaigns" else lambda measured: of_jobs(measured, values(measured))


def _per_job(stem: str) -> PerJob | None:
    """The values of jobs whose mean a metric is: a measure, or 1 and 0 for a share; None for other metrics."""
    kind, found = _parsed(stem)
    if found is None or (chosen := _measure(found)).per == "campaign":
        return None
    if kind == "statistic" and found["statistic"] == "mean":
        return partial(measure_values.of_each_job, chosen.of)
    if kind == "share":
        limit, above = float(found["limit"]), found["side"] == "above"
        return partial(measure_values.of_each_job, lambda jobs: _beyond(chosen.of(jobs), limit, above))
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
    measures = [part for each in CATALOGUES for one in each.measures.values() for part in one.at_each(one.thresholds)]
    return [
        *(name for each in CATALOGUES for name in each.metrics),
        *(f"{each}_{one.name}" for one in measures for each in ("mean", "median", "p95", "max")),
        *(f"km_median_{name}" for name in CENSORED),
    ]
