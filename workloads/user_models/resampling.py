"""Resample a log by its users: draw users, each with all their jobs.

A drawn user keeps the jobs, waits, sessions and think times of one user of the log, under a new number and shifted by
whole weeks (`draw_users`). So replications differ in who was there and when, and the load changes with the number of
users rather than by compressing time.

The recorded waits of a resampled log are no longer consistent with one machine, but they are all that sessions and
think times need. Jobs without a user (-1) are dropped.
"""

from __future__ import annotations

import numpy as np

from thinktime.workloads.names import former_arguments
from thinktime.workloads.streams import Seed
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.population import draw_users
from thinktime.workloads.user_models.sessions import owners


@former_arguments(load="population")
def resample(trace: Trace, seed: Seed, population: float = 1.0, replace: bool = True) -> Trace:
    """Draw a log with ``population`` times as many users as ``trace`` (with replacement, or evenly).

    Users and jobs are numbered from 1. Raises ``ValueError`` if the log names no users.
    """
    known = trace.user >= 0
    if not known.any():
        raise ValueError("users cannot be drawn from this log: none of its jobs names a user (field 12)")
    rows = np.flatnonzero(known)
    owner = owners(trace)[rows]
    order = rows[np.argsort(owner, kind="stable")]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(owner))])
    first, last = trace.submit[order[bounds[:-1]]], trace.submit[order[bounds[1:] - 1]]
    span = float(trace.submit[0]), float(trace.submit[-1])
    draws = draw_users(first, last, span, seed, population, replace)
    parts = [order[bounds[draw.place] : bounds[draw.place + 1]] for draw in draws]
    chosen = np.concatenate(parts)
    lengths = [len(part) for part in parts]
    columns = {name: column[chosen] for name, column in trace.columns.items()}
    columns["submit"] = columns["submit"] + np.repeat([draw.shift for draw in draws], lengths)
    columns["user"] = np.repeat(np.arange(1, len(draws) + 1), lengths)
    columns["id"] = _numbers(columns["submit"])
    columns["preceding"], columns["think_time"] = np.full(len(chosen), -1), np.full(len(chosen), np.nan)
    extra = None if trace.extra is None else [trace.extra[row] for row in chosen.tolist()]
    return Trace(columns, trace.header, extra)


def _numbers(submit: np.ndarray) -> np.ndarray:
    """Job numbers from 1 in order of submission."""
    number = np.empty(len(submit), np.int64)
    number[np.argsort(submit, kind="stable")] = np.arange(1, len(submit) + 1)
    return number
