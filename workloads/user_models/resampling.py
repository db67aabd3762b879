"""Logs with other users of the same kind: a log's users drawn anew, each with all that they did.

A drawn user keeps the jobs, the waits, the sessions and the think times of one user of the log, under a number
of its own, moved by a whole number of weeks (`draw_users`). So replications differ by who was there and when,
and the load changes with the number of users rather than by squeezing their time.

The recorded waits of a drawn log no longer fit together on one machine; they say how long each user waited,
which is all that sessions and think times need. Jobs of nobody (user -1) are left out.
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
    """A log of ``population`` times as many users, drawn from those of ``trace`` (with replacement, or evenly).

    Users and jobs are numbered from 1. ``ValueError`` if nobody is named in the log.
    """
    known = trace.user >= 0
    if not known.any():
        raise ValueError("users cannot be drawn from this log: none of its jobs names a user (field 12)")
    rows = np.flatnonzero(known)
    owner = owners(trace)[rows]
    order = rows[np.argsort(owner, kind="stable")]
    border = np.concatenate([[0], np.cumsum(np.bincount(owner))])
    first, last = trace.submit[order[border[:-1]]], trace.submit[order[border[1:] - 1]]
    span = float(trace.submit[0]), float(trace.submit[-1])
    draws = draw_users(first, last, span, seed, population, replace)
    parts = [order[border[draw.place] : border[draw.place + 1]] for draw in draws]
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
    """Job numbers from 1 on in order of submission."""
    number = np.empty(len(submit), np.int64)
    number[np.argsort(submit, kind="stable")] = np.arange(1, len(submit) + 1)
    return number
