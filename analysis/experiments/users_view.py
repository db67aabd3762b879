"""Metrics from the papers: the fairness of a run, and whether it met its users' expectations.

=========================  ==========================================================================
percent_unfair             jobs that started after their hybrid fair start time, % (cplant, IV)
percent_unfair_load        their share of all processor-seconds, %
fair_start_miss            mean over all jobs of max(0, start - fair start), s
resource_inequality        mean over jobs of max(0, deserved - received), processor-seconds (cplant, IV)
deviation                  sum over users of |used - entitled|, processor-hours (goal, III; max-min by day)
violated_expectations      mean over users of their violated expected ends, % (expectations, 3.3)
weighted_tardiness         sum of processors x tardiness, processor-hours (expectations, 3.3)
=========================  ==========================================================================

All of them consider the whole schedule, but count only the measured jobs (`window`), or whole days for the deviation.
Jobs that users gave up never started, so these metrics do not include them; read them together with
`abandoned_share`. Definitions are in `thinktime.analysis.fairness`, `deviation` and `expectations`, with their
defaults: fairshare order with a decay of 0.5 a day, and a user's capacity chosen from the schedule itself.
"""

import datetime
from collections.abc import Callable, Mapping

import numpy as np

from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.fairness import Unfairness, hybrid_fst, resource_equality, unfairness
from thinktime.models.results import measures
from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.calendar import Calendar, zone_of
from thinktime.workloads.units import HOUR


def _unfairness(measured: Measured) -> Unfairness:
    fst = measured.keep("hybrid fair start times", lambda: hybrid_fst(measured.result))
    return unfairness(measured.jobs, fst[measured.rows])


def _resource_inequality(measured: Measured) -> float:
    lacking = resource_equality(measured.result).unfairness[measured.rows]
    known = lacking[~np.isnan(lacking)]
    return float(known.mean()) if len(known) else np.nan


def _deviation(measured: Measured) -> float:
    from thinktime.analysis.deviation import deviation

    start, end = measured.time()
    # The midnights between `start` and `end`, which delimit the whole days (s).
    zone = measured.result.zone
    known = zone if isinstance(zone, datetime.tzinfo) else zone_of(zone, None)
    borders = Calendar(measured.result.unix_start, known).midnights(start, end)
    days = borders[(borders >= start) & (borders <= end)]
    return deviation(measured.result, days).sum_abs if len(days) > 1 else np.nan


def _expected(measured: Measured) -> tuple[Flags, Floats, Whole]:
    """For each measured job that ended: whether its expected end was violated, processors x tardiness, user."""
    from thinktime.analysis.expectations.evaluate import evaluate

    found = evaluate(measured.result)
    over = measures.ended(measured.result)
    inside = measured.rows[over]
    late = found.violated[inside], (found.processors * found.tardiness)[inside]
    return *late, measured.result["user"][over][inside]


def _violated(measured: Measured) -> float:
    violated, _, user = _expected(measured)
    if not len(user):
        return np.nan
    _, of = np.unique(user, return_inverse=True)
    return float((100.0 * np.bincount(of, weights=violated) / np.bincount(of)).mean())


def _ended(measured: Measured) -> int:
    return int(measures.ended(measured.jobs).sum())


FORECASTS = ("percent_unfair", "percent_unfair_load", "fair_start_miss")
"""Metrics that forecast the start of each job at its submission."""
COUNTED: Mapping[str, Callable[[Measured], int]] = {
    **dict.fromkeys(FORECASTS, lambda measured: _unfairness(measured).jobs),
    **dict.fromkeys(("resource_inequality", "violated_expectations", "weighted_tardiness"), _ended),
}
"""How many jobs a metric counts, by its name."""

METRICS: Mapping[str, Callable[[Measured], float]] = {
    "percent_unfair": lambda measured: _unfairness(measured).percent_unfair,
    "percent_unfair_load": lambda measured: _unfairness(measured).percent_unfair_load,
    "fair_start_miss": lambda measured: _unfairness(measured).average_miss,
    "resource_inequality": _resource_inequality,
    "deviation": _deviation,
    "violated_expectations": _violated,
    "weighted_tardiness": lambda measured: float(_expected(measured)[1].sum()) / HOUR,
}
"""The metrics, by name."""
