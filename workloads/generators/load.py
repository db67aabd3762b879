"""Generated workloads with a wanted offered load.

A workload that is being made reaches a wanted load by its rate, before any cycle is put on (`reach`): the
week keeps its shape, and bursts their index of dispersion by the hour (`pace`). First the process is drawn
anew at the rate that the load asks for. What is left, since luck moves the load by some per cent, is a factor
near 1 on operational times, which brings the last submission to where the load is as wanted. Flurries keep
their times.

Submissions are cut to whole seconds, which moves the load by at most one second in the span of submissions.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from thinktime.workloads.generators.flurries import Flood
from thinktime.workloads.generators.quantities import Real, Whole
from thinktime.workloads.generators.streams import Draft
from thinktime.workloads.offered_load import load_factor

ROUNDS = 6
"""So often a bursty process is drawn anew at a rate nearer to what the load needs."""
NEAR = 0.01
"""How far (relative) the load may be from the wanted one before the last factor."""


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
