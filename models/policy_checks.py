"""Checks of what a policy returns: it becomes rows and times, or an error in the policy's name."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.pool import PolicyError
from thinktime.models.view import Request
from thinktime.workloads.grid import ceil_to_grid

Rows = NDArray[np.int64]


def as_rows(policy: Any, proposal: Any, now: float) -> Rows:
    """The rows that a policy proposed: rows, requests, an array, a generator, or None for nobody."""
    if proposal is None:
        return np.empty(0, np.int64)
    try:
        if isinstance(proposal, np.ndarray):
            return _whole_rows(proposal)
        return np.array([_row(job) for job in proposal], np.int64)
    except (TypeError, OverflowError) as error:
        raise PolicyError(
            f"policy {name_of(policy)} proposed {proposal!r} at {now:g} s ({error}), but must propose rows "
            "(whole numbers) or requests"
        ) from None


def checked_clock(policy: Any, clock: Any, now: float) -> float:
    """A policy's next clock, on the grid of time; None and infinity mean that it wants none."""
    if clock is None or clock == inf:
        return inf
    if not isinstance(clock, int | float | np.number) or not clock > now:
        raise PolicyError(
            f"policy {name_of(policy)}: next_clock({now:g}) gave {clock!r}, but must give a time later than now"
        )
    return ceil_to_grid(float(clock))


def checked_until(policy: Any, until: Any, now: float) -> float:
    """Until when a policy lets an unfinished job go on, on the grid of time; now or earlier: not at all."""
    if not isinstance(until, int | float | np.number) or not until < inf:
        raise PolicyError(
            f"policy {name_of(policy)}: on_estimate gave {until!r} at {now:g} s, but must give a time for each job"
        )
    return ceil_to_grid(float(until))


def _row(job: Any) -> int:
    if isinstance(job, Request):
        return job.row
    if isinstance(job, bool | np.bool_) or not isinstance(job, int | np.integer):
        raise TypeError(f"{job!r} is neither")
    return int(job)


def _whole_rows(proposal: NDArray[Any]) -> Rows:
    if proposal.ndim != 1 or (proposal.size and not np.issubdtype(proposal.dtype, np.integer)):
        raise TypeError(f"an array of {proposal.dtype} in {proposal.ndim} dimensions is neither")
    rows: Rows = proposal.astype(np.int64)
    return rows


def name_of(policy: Any) -> str:
    """A policy's text, or the name of its class where it has none; the same in every run."""
    has_text = "__str__" in {name for kind in type(policy).__mro__[:-1] for name in vars(kind)}
    return str(policy) if has_text else type(policy).__name__
