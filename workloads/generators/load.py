"""The offered load, and workloads with a wanted one.

The offered load of jobs with n processors and run time r, submitted over a span T (first to last submission)
to a machine of P processors, is ρ = Σ n r / (P T).

A workload that is being made reaches a wanted load by its rate, before any cycle is put on (`reach`): the
week keeps its shape, and bursts their index of dispersion by the hour (`pace`). First the process is drawn
anew at the rate that the load asks for; what is left, since luck moves the load by some per cent, is a factor
near 1 on operational times, which brings the last submission to where the load is as wanted. Flurries keep
their times.

Jobs that are there already can only be moved: `scale_to_load` multiplies the times between submissions by
ρ / ρ_wanted, which stretches or squeezes cycles and bursts with them (see also `Trace.scale_load`). A log of
users is better scaled by them: `thinktime.workloads.user_models.scale_users`.

Submissions are cut to whole seconds, which moves the load by at most one second in T.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thinktime.workloads.generators import checks
from thinktime.workloads.generators.flurries import Flood
from thinktime.workloads.generators.quantities import Real, Whole
from thinktime.workloads.generators.streams import Draft
from thinktime.workloads.trace import Trace

ROUNDS = 6
"""So often a bursty process is drawn anew at a rate nearer to what the load needs."""
NEAR = 0.01
"""How far (relative) the load may be from the wanted one before the last factor."""


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


def reach(
    draw: Callable[[float], Draft], bursty: bool, extra: Flood | None, processors: int, load: float
) -> tuple[Draft, float, float]:
    """Draw jobs at the rate with which they offer a load, together with those of flurries.

    Gives the jobs, the factor on their operational times that is left, and how many times as many submissions
    there are in a time than the process has of its own. ``draw`` makes the jobs at a rate.
    """
    rate, near = 1.0, (math.inf, 1.0, draw(1.0))
    for _ in range(ROUNDS if bursty else 0):
        draft = near[2] if math.isinf(near[0]) else draw(rate)
        off = load_factor(*_columns(draft, extra), processors, load)
        near = min(near, (abs(math.log(off)), rate, draft), key=lambda each: each[0])
        if near[0] < NEAR:
            break
        rate /= off
    _, rate, draft = near
    factor = _last_factor(draft, extra, processors, load)
    return draft, factor, rate / factor


def _last_factor(draft: Draft, extra: Flood | None, processors: int, load: float) -> float:
    """The factor on operational times with which jobs offer a load."""
    submit, runtime, sizes = _columns(draft, extra)
    usual = load_factor(submit, runtime, sizes, processors, load)
    if extra is None and draft.later is None and not any(draft.clocks):
        return usual
    wanted = float((sizes * runtime).sum()) / (processors * load)

    def beyond(factor: float) -> float:
        return float(np.ptp(_columns(draft, extra, factor)[0])) - wanted

    low = high = usual
    while beyond(high) < 0:
        high *= 2
    while beyond(low) > 0:
        low /= 2
        if low < usual * 1e-6:
            most = float((sizes * runtime).sum()) / (processors * (beyond(low) + wanted))
            raise ValueError(
                f"load must be at most {most:.4g}, not {load:g}: flurries and campaigns, whose own times stay, "
                "last so long"
            )
    from scipy.optimize import brentq

    return low if low == high else float(brentq(beyond, low, high, xtol=usual * 1e-12, rtol=1e-13))


def _columns(draft: Draft, extra: Flood | None, factor: float = 1.0) -> tuple[Real, Real, Whole]:
    """Submissions, run times in whole seconds and processors, flurries included."""
    submit, runtime, sizes = draft.times(factor), draft.runtime, draft.processors
    if extra is not None:
        submit = np.concatenate([submit, extra.submit])
        runtime = np.concatenate([runtime, extra.runtime])
        sizes = np.concatenate([sizes, extra.processors])
    return submit, np.maximum(np.rint(runtime), 1.0), sizes


def stretched(submit: Real, factor: float) -> Real:
    """Times of submission with the times between them multiplied, the first one staying, in whole seconds."""
    if not len(submit):
        return submit
    first = submit.min()
    return np.asarray(np.floor(first + (submit - first) * factor), dtype=np.float64)


def _load(submit: Real, runtime: Real, sizes: Whole, processors: int) -> float:
    span = float(submit.max() - submit.min()) if len(submit) else 0.0
    return float((sizes * runtime).sum()) / (span * processors) if span else math.nan
