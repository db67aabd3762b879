"""Sessions of a log in numbers, for `thinktime trace sessions`."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis.json_values import attributes, or_none
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import MINUTE, WEEK_HOURS
from thinktime.workloads.user_models import Sessions, campaigns, dependencies
from thinktime.workloads.user_models.fits import ContinuationCurve, Fit, ThinkTimeFit, continuation, fit, fit_think_time
from thinktime.workloads.user_models.rhythm import hours_of_week

QUANTILES = (0.25, 0.5, 0.75, 0.95)
LINE = ("slope", "intercept", "slope_error", "r_squared", "pairs")
CAMPAIGN_THRESHOLD = 10 * MINUTE
"""The threshold of the SLURM plugin of campaign policies, s."""


@dataclass(frozen=True, slots=True)
class SessionReport:
    """The properties of a log's sessions."""

    trace: Trace
    sessions: Sessions
    users: int
    campaigns: int
    """The number of campaigns: jobs of a user within 10 min of the first."""
    dependencies: int
    overlaps: float
    """The share of think times that are negative."""
    fits: dict[str, list[Fit]]
    """For think times within sessions, all positive think times, and session lengths; best first."""
    line: ThinkTimeFit | None
    goes_on: ContinuationCurve
    by_week_hour: Whole
    """Jobs submitted in each hour of the week, in the log's zone."""

    def think_times(self, within: bool = False) -> Floats:
        """The think times of batches, all or only those `within` sessions."""
        think = self.sessions.think_time
        return think[self.sessions.continues if within else np.isfinite(think)]

    @property
    def session_lengths(self) -> Floats:
        """From the first submission to the last end, s."""
        return self.sessions.sessions.response


def report(trace: Trace, sessions: Sessions) -> SessionReport:
    """Analyse the sessions of a log."""
    think = sessions.think_time[np.isfinite(sessions.think_time)]
    samples = {
        "think_time_within_sessions": sessions.think_time[sessions.continues],
        "think_time": think,
        "session_length": sessions.sessions.response,
    }
    fits: dict[str, list[Fit]] = {}
    for name, sample in samples.items():
        fits[name] = []
        with suppress(ValueError):  # too few values
            fits[name] = fit(sample)
    line = None
    with suppress(ValueError):
        line = fit_think_time(sessions)
    return SessionReport(
        trace=trace,
        sessions=sessions,
        users=len(np.unique(trace.user[trace.user >= 0])),
        campaigns=len(campaigns(trace, CAMPAIGN_THRESHOLD)),
        dependencies=len(dependencies(sessions.batches)),
        overlaps=float((think < 0).mean()) if len(think) else np.nan,
        fits=fits,
        line=line,
        goes_on=continuation(sessions),
        by_week_hour=np.bincount(hours_of_week(trace, trace.submit), minlength=WEEK_HOURS),
    )


def as_object(found: SessionReport) -> dict[str, Any]:
    """The report as plain values: times in s, None for missing values."""
    sessions, line = found.sessions, found.line
    week = found.by_week_hour.reshape(7, 24)
    return {
        "delimitation": sessions.delimitation,
        "threshold": sessions.threshold,
        "jobs": len(found.trace),
        "users": found.users,
        "sessions": len(sessions.sessions),
        "batches": len(sessions.batches),
        "campaigns": found.campaigns,
        "dependencies": found.dependencies,
        "think_time": spread(found.think_times()) | {"negative": or_none(found.overlaps)},
        "think_time_within_sessions": spread(found.think_times(within=True)),
        "session_length": spread(found.session_lengths),
        "jobs_per_session": spread(sessions.sessions.jobs),
        "batches_per_session": spread(sessions.batches_per_session),
        "jobs_per_batch": spread(sessions.batches.jobs),
        "fits": {name: [_fit(each) for each in fits] for name, fits in found.fits.items()},
        "think_time_over_response": line and attributes(line, *LINE) | {"max": line.most},
        "continuation": {"level": or_none(found.goes_on.level), "decay": or_none(found.goes_on.decay)},
        "jobs_by_hour": week.sum(axis=0).tolist(),
        "jobs_by_weekday": week.sum(axis=1).tolist(),
    }


def spread(values: npt.ArrayLike) -> dict[str, float | None]:
    """The number of values, their mean and quantiles."""
    sample = np.asarray(values, dtype=np.float64)
    names = ["mean", *(f"p{100 * q:g}" for q in QUANTILES)]
    if not len(sample):
        return {"values": 0} | dict.fromkeys(names)
    numbers = float(sample.mean()), *np.quantile(sample, QUANTILES).tolist()
    return {"values": len(sample)} | dict(zip(names, numbers, strict=True))


def _fit(each: Fit) -> dict[str, Any]:
    numbers = attributes(each, "parameters", "values", "left_out", "aic", "ks", "p")
    return {"distribution": each.name, **numbers, "aic": or_none(each.aic)}
