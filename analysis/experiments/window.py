"""The part of a run that is measured, and the values of each measure in it.

`thinktime.models.results.windowed` says what a window is; a scenario gives its times, or warm-up and cool-down.

Measures of jobs are wait, waited, response_time, runtime (s), slowdown, and bounded_slowdown_T and floored_slowdown_T
with a threshold T (s). Measures of campaigns are campaign_response_time (s) and stretch. Abandoned and unfinished ones
have no value (`thinktime.models.results.outcome`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from thinktime.analysis.stretch import campaign_columns
from thinktime.models.results import measures
from thinktime.models.results.outcome import served
from thinktime.models.results.result import Result
from thinktime.models.results.schedule import LABELLED
from thinktime.models.results.windowed import Windowed, chosen
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.names import quoted, shortened


@dataclass(frozen=True, eq=False)
class Measured(Windowed[Result]):
    """A result and the measured window, with what has been computed of it."""

    _cache: dict[object, Floats] = field(default_factory=dict)

    def keep(self, name: str, compute: Callable[[], Floats]) -> Floats:
        """The cached value under this name, computed on first use."""
        if name not in self._cache:
            self._cache[name] = compute()
        return self._cache[name]

    def values(self, name: str, measure: Callable[[Result], Floats]) -> Floats:
        """A measure of the jobs that were served, cached under its name."""

        def known() -> Floats:
            found = measure(self.jobs)[served(self.jobs)]
            return found[~np.isnan(found)]

        return self.keep(name, known)

    def of_users(self, wanted: str) -> "Measured":
        """The same for the users called `wanted`, or `wanted 1`, `wanted 2` and so on.

        Or for the jobs of a `group=NAME` and the like, of which a run may have none: of demand lost before submission,
        only the user is known.
        """
        column, _, name = wanted.partition("=")
        if column in LABELLED:
            return self._of_label(column, name)
        demand = self.result.lost_demand

        def is_ours(label: object) -> bool:
            return str(label) == wanted or str(label).startswith(f"{wanted} ")

        ours = np.array([*map(is_ours, self.result.names["user"]), False])
        theirs = np.array([is_ours(label) for label in demand["user"]], dtype=np.bool_)
        if not ours.any() and not theirs.any():
            labels = map(str, self.result.names["user"])
            known = sorted({each.rpartition(" ")[0] or each for each in labels})
            raise ValueError(
                f"no user is called {quoted(wanted)}; there are {', '.join(shortened(each, 20) for each in known[:10])}"
            )
        lost = {name: column[theirs] for name, column in demand.items()}
        jobs = replace(chosen(self.result, ours[self.result["user"]]), lost_demand=lost)
        return Measured(jobs, self.first, self.last)

    def _of_label(self, column: str, name: str) -> "Measured":
        ours = np.array([*(str(label) == name for label in self.result.names[column]), False])
        nothing = {key: values[:0] for key, values in self.result.lost_demand.items()}
        jobs = replace(chosen(self.result, ours[self.result[column]]), lost_demand=nothing)
        return Measured(jobs, self.first, self.last)

    def lost(self, what: str) -> float:
        """What users gave up in the window, as ``jobs`` or ``node_hours``."""
        return float(np.nansum(self.jobs.lost_demand[what]))

    def of_machine(self, measure: Callable[[Result, tuple[float, float] | None], float]) -> float:
        """A measure of the machine, over the window (`thinktime.models.results.service`)."""
        return float(measure(self.result, self.between))


def finite(value: float | str) -> float | None:
    """The number, or None if it is not finite, as it is stored in JSON."""
    number = float(value)
    return number if np.isfinite(number) else None


JOB_MEASURES: Mapping[str, Callable[[Result], Floats]] = {
    "wait": measures.wait,
    "waited": measures.waited,
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
