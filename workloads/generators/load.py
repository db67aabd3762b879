"""Generated workloads with a wanted offered load.

The load is reached by the rate, before any cycle is applied (`reach`), so the week keeps its shape, and bursts their
hourly index of dispersion (`paced`). First the process is redrawn at the rate that the load needs. Chance still moves
the load by some per cent, so a factor near 1 on operational times then makes it exact. Flurries keep their times.

Submissions are rounded down to whole seconds, which changes the span of submissions by at most one second.
"""

import math
from collections.abc import Callable

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.generators.job_streams import Draft
from thinktime.workloads.generators.owners import Flood
from thinktime.workloads.offered_load import load_factor

ROUNDS = 6
"""How often a bursty process is redrawn at a rate closer to what the load needs."""
NEAR = 0.01
"""The relative deviation from the wanted load accepted before the last factor."""


def reach(
    draw: Callable[[float], Draft], bursty: bool, extra: Flood | None, processors: int, load: float
) -> tuple[Draft, float, float]:
    """Draw jobs at the rate with which they offer a given load, together with those of flurries.

    ``draw`` makes the jobs at a relative rate. Returns the jobs, the remaining factor on their operational times,
    and the final rate relative to the process's own.
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
    """The factor on operational times with which jobs offer a given load."""
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
                f"load must be at most {most:.4g}, not {load:g}: flurries and campaigns keep their own times and "
                "last too long"
            )
    from scipy.optimize import brentq

    return low if low == high else float(brentq(beyond, low, high, xtol=usual * 1e-12, rtol=1e-13))


def _columns(draft: Draft, extra: Flood | None, factor: float = 1.0) -> tuple[Floats, Floats, Whole]:
    """Submissions, run times in whole seconds and processors, flurries included."""
    submit, runtime, sizes = draft.times(factor), draft.runtime, draft.processors
    if extra is not None:
        submit = np.concatenate([submit, extra.submit])
        runtime = np.concatenate([runtime, extra.runtime])
        sizes = np.concatenate([sizes, extra.processors])
    return submit, np.maximum(np.rint(runtime), 1.0), sizes
