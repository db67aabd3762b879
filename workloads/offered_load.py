"""The offered load of a log, and scaling it.

The offered load of jobs with n processors and run time r, submitted over a span T (first to last submission)
to a machine of P processors, is ρ = Σ n r / (P T).

`scale_to_load` multiplies interarrival times by ρ / ρ_wanted, which stretches or compresses cycles and bursts as well
(see also `Trace.scale_load`). A log with users is better scaled by its users:
`thinktime.workloads.user_models.scale_users`. Submissions are rounded down to whole seconds, which changes T by at
most one second.
"""

import math
from dataclasses import dataclass

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.trace import Trace


@dataclass(frozen=True, slots=True)
class LoadReport:
    """The load before scaling, the factor on interarrival times, and the load reached."""

    wanted: float
    before: float
    factor: float
    reached: float

    def __str__(self) -> str:
        return (
            f"offered load {self.reached:.4f} (wanted {self.wanted:g}, before {self.before:.4f}; "
            f"interarrival times multiplied by {self.factor:.6g})"
        )


def offered_load(trace: Trace, processors: int | None = None) -> float:
    """The offered load ρ of a trace (default: on the header's machine size); NaN if T is 0."""
    size = processors if processors is not None else trace.machine_size
    if size is None:
        raise ValueError("processors must be given: the trace's header has no machine size")
    return _load(trace.submit, trace.runtime, trace.processors, size)


def scale_to_load(trace: Trace, load: float, processors: int | None = None) -> tuple[Trace, LoadReport]:
    """Scale interarrival times to a wanted load, in whole seconds; returns the trace and a report."""
    if (trace.preceding > 0).any():
        raise ValueError("jobs with a preceding job cannot be moved on their own; change their think times")
    before = offered_load(trace, processors)
    factor = load_factor(trace.submit, trace.runtime, trace.processors, processors or trace.machine_size or 1, load)
    scaled = trace.with_columns(submit=stretched(trace.submit, factor))
    return scaled, LoadReport(load, before, factor, offered_load(scaled, processors))


def load_factor(submit: Floats, runtime: Floats, sizes: Whole, processors: int, load: float) -> float:
    """The factor on interarrival times with which these jobs offer a given load."""
    checks.positive("load", load, "a fraction of the machine above 0")
    before = _load(submit, runtime, sizes, processors)
    if not before > 0:
        raise ValueError("load can be scaled only if jobs have run times and are not all submitted at once")
    return before / load


def stretched(submit: Floats, factor: float) -> Floats:
    """Scale the times since the first submission, in whole seconds."""
    if not len(submit):
        return submit
    first = submit.min()
    return np.asarray(np.floor(first + (submit - first) * factor), dtype=np.float64)


def _load(submit: Floats, runtime: Floats, sizes: Whole, processors: int) -> float:
    span = float(submit.max() - submit.min()) if len(submit) else 0.0
    return float((sizes * runtime).sum()) / (span * processors) if span else math.nan
