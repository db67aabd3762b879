"""Users made for tests, with any hazards, and what becomes of their jobs."""

from dataclasses import replace

import numpy as np

import thinktime as tt
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.fitted import FittedUsers
from thinktime.workloads.calibration.tables import HazardTables
from thinktime.workloads.user_models.sessions import owners

TABLES = ("base", "clock", "response", "slowdown", "queue", "done", "position")


def fitted(trace, tables=None, *, levels=None, classes=None, calendar=None, patience=None):
    """The users of a log with these tables; by default all are alike."""
    own, users = HazardTables.flat() if tables is None else tables, int(owners(trace).max(initial=-1)) + 1
    levels = np.zeros((users, own.clock.shape[1])) if levels is None else np.resize(levels, (users, own.clock.shape[1]))
    classes = np.zeros(users, np.int64) if classes is None else np.resize(classes, users)
    return FittedUsers(own, classes, levels, Calendar.of_log(trace) if calendar is None else calendar, patience)


def at_random(trace, seed, never=0.1, spread=1.5):
    """The users of a log with any hazards, of which some are 0."""
    rng, flat = np.random.default_rng(seed), HazardTables.flat(1e-3, classes=2)
    tables = {}
    for name in TABLES:
        tables[name] = getattr(flat, name) + rng.normal(0.0, spread, getattr(flat, name).shape)
        tables[name][rng.random(tables[name].shape) < never] = -np.inf
    own = replace(flat, **tables)
    return fitted(trace, own, levels=rng.normal(0.0, 1.0, (50, own.clock.shape[1])), classes=rng.integers(0, 2, 50))


def submissions(result: tt.Result) -> dict[int, float]:
    """When each job was submitted, by number."""
    return dict(zip(result["id"].tolist(), result["submit"].tolist(), strict=True))


def busy_log(seed: int, jobs: int = 60, users: int = 4, span: int = 4000) -> tt.Trace:
    """Jobs of few users who are often at work at once, with ties of ends and submissions, and jobs of run time 0."""
    rng = np.random.default_rng(seed)
    runtime = np.where(rng.random(jobs) < 0.15, 0, rng.integers(1, 400, jobs))
    columns = {
        "submit": np.sort(rng.integers(0, span, jobs) // 5 * 5), "wait": rng.integers(0, 60, jobs) // 5 * 5,
        "runtime": runtime // 5 * 5, "allocated": rng.integers(1, 5, jobs), "requested_time": runtime + 20,
        "user": rng.integers(-1, users, jobs), "id": np.arange(1, jobs + 1),
    }  # fmt: skip
    return tt.Trace(columns)
