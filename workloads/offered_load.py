"""The offered load of a log, and the same jobs with another one.

The offered load of jobs with n processors and run time r, submitted over a span T (first to last submission)
to a machine of P processors, is ρ = Σ n r / (P T).

Jobs that are there already can only be moved: `scale_to_load` multiplies the times between submissions by
ρ / ρ_wanted, which stretches or squeezes cycles and bursts with them (see also `Trace.scale_load`). A log of
users is better scaled by them: `thinktime.workloads.user_models.scale_users`.

Submissions are cut to whole seconds, which moves the load by at most one second in T.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads import checks
from thinktime.workloads.trace import Trace

Real = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What became of a wanted load: the load before, the factor on times between submissions, the load reached."""

    wanted: float
    before: float
    factor: float
    reached: float

    def __str__(self) -> str:
        return (
            f"offered load {self.reached:.4f} (wanted {self.wanted:g}, before {self.before:.4f}; "
            f"times between submissions multiplied by {self.factor:.6g})"
        )


def offered_load(trace: Trace, processors: int | None = None) -> float:
    """ρ of a trace on so many processors (default: the header's machine size); NaN if all comes at once."""
    size = processors if processors is not None else trace.machine_size
    if size is None:
        raise ValueError("processors must be given: the trace's header names no machine size")
    return _load(trace.submit, trace.runtime, trace.processors, size)


def scale_to_load(trace: Trace, load: float, processors: int | None = None) -> tuple[Trace, LoadReport]:
    """The same jobs with times between submissions scaled to a wanted load, in whole seconds, and the report."""
    if (trace.preceding > 0).any():
        raise ValueError("jobs that follow a preceding job cannot be moved alone; change their think times")
    before = offered_load(trace, processors)
    factor = load_factor(
        trace.submit, trace.runtime, trace.processors, processors or trace.machine_size or 1, load
    )
    scaled = trace.with_columns(submit=stretched(trace.submit, factor))
    return scaled, LoadReport(load, before, factor, offered_load(scaled, processors))


def load_factor(submit: Real, runtime: Real, sizes: Whole, processors: int, load: float) -> float:
    """The factor on times between submissions with which these jobs offer a load to so many processors."""
    checks.positive("load", load, "a fraction of the machine above 0")
    before = _load(submit, runtime, sizes, processors)
    if not before > 0:
        raise ValueError("load can be reached only by jobs that run and are not all submitted at once")
    return before / load


def stretched(submit: Real, factor: float) -> Real:
    """Times of submission with the times between them multiplied, the first one staying, in whole seconds."""
    if not len(submit):
        return submit
    first = submit.min()
    return np.asarray(np.floor(first + (submit - first) * factor), dtype=np.float64)


def _load(submit: Real, runtime: Real, sizes: Whole, processors: int) -> float:
    span = float(submit.max() - submit.min()) if len(submit) else 0.0
    return float((sizes * runtime).sum()) / (span * processors) if span else math.nan
