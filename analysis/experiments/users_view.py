"""Metrics from the papers: the fairness of a run, and whether it met its users' expectations.

All of them consider the whole schedule, but count only the measured jobs (`window`), or whole days for the deviation.
Jobs that users gave up never started, so these metrics do not include them; read them together with
`abandoned_share`. Definitions are in `thinktime.analysis.fairness`, `deviation` and `expectations`, with their
defaults: fairshare order with a decay of 0.5 a day, and a user's capacity chosen from the schedule itself.
"""

import datetime
from typing import Any

import numpy as np

from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.fairness import Unfairness, hybrid_fst, resource_equality, unfairness
from thinktime.models.results import measures
from thinktime.models.results.metric import PERCENT, SECONDS, Catalogue
from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.calendar import Calendar, zone_of
from thinktime.workloads.units import HOUR

PAPERS = Catalogue()
"""The metrics of the papers."""


def _unfairness(measured: Measured) -> Unfairness:
    fst = measured.keep("hybrid fair start times", lambda: hybrid_fst(measured.result))
    return unfairness(measured.jobs, fst[measured.rows])


def _started(measured: Measured) -> int:
    return _unfairness(measured).jobs


def _ended(measured: Measured) -> int:
    return int(measures.ended(measured.jobs).sum())


OF_STARTS: dict[str, Any] = {"over": "window", "source": "cplant paper, IV", "counted": _started}
OF_ENDS: dict[str, Any] = {"over": "window", "counted": _ended}


@PAPERS.of_run(PERCENT, **OF_STARTS, term="unfair jobs")
def percent_unfair(measured: Measured) -> float:
    """Jobs that started after their fair start time (%)."""
    return _unfairness(measured).percent_unfair


@PAPERS.of_run(PERCENT, **OF_STARTS, term="unfair load")
def percent_unfair_load(measured: Measured) -> float:
    """Work of the jobs that started after their fair start time, of all work (%)."""
    return _unfairness(measured).percent_unfair_load


@PAPERS.of_run(SECONDS, **OF_STARTS, term="miss")
def fair_start_miss(measured: Measured) -> float:
    """Mean of max(0, start − fair start time) (s)."""
    return _unfairness(measured).average_miss


@PAPERS.of_run("processor-seconds", **OF_ENDS, source="cplant paper, IV")
def resource_inequality(measured: Measured) -> float:
    """Mean of max(0, deserved − received) (processor-seconds)."""
    lacking = resource_equality(measured.result).unfairness[measured.rows]
    known = lacking[~np.isnan(lacking)]
    return float(known.mean()) if len(known) else np.nan


@PAPERS.of_run(
    "processor-hours", over="window", source="goal paper, III", name="deviation", term="deviation from fair share"
)
def deviation_from_share(measured: Measured) -> float:
    """Σ over users of abs(used − entitled), max-min by day (processor-hours)."""
    from thinktime.analysis.deviation import deviation

    start, end = measured.time()
    # The midnights between `start` and `end`, which delimit the whole days (s).
    zone = measured.result.zone
    known = zone if isinstance(zone, datetime.tzinfo) else zone_of(zone, None)
    borders = Calendar(measured.result.unix_start, known).midnights(start, end)
    days = borders[(borders >= start) & (borders <= end)]
    return deviation(measured.result, days).sum_abs if len(days) > 1 else np.nan


@PAPERS.of_run(PERCENT, **OF_ENDS, source="expectations paper, 3.3")
def violated_expectations(measured: Measured) -> float:
    """Mean over users of the share of their jobs that ended after the expected end time (%)."""
    violated, _, user = _expected(measured)
    if not len(user):
        return np.nan
    _, of = np.unique(user, return_inverse=True)
    return float((100.0 * np.bincount(of, weights=violated) / np.bincount(of)).mean())


@PAPERS.of_run("processor-hours", **OF_ENDS, source="expectations paper, 3.3")
def weighted_tardiness(measured: Measured) -> float:
    """Σ processors × max(0, end − EET) (processor-hours; of one user processor-seconds)."""
    return float(_expected(measured)[1].sum()) / HOUR


def _expected(measured: Measured) -> tuple[Flags, Floats, Whole]:
    """For each measured job that ended: whether its expected end was violated, processors x tardiness, user."""
    from thinktime.analysis.expectations.evaluate import evaluate

    found = evaluate(measured.result)
    over = measures.ended(measured.result)
    inside = measured.rows[over]
    late = found.violated[inside], (found.processors * found.tardiness)[inside]
    return *late, measured.result["user"][over][inside]
