"""The floor: SimPy alone, with the same jobs and nothing to decide.

One process sleeps from one submit time to the next and makes, for each job of that time, the one event of
its end. No queue, no scheduler, nobody who listens. No plain SimPy model of a log does less; how many times
this time a replay takes depends little on the computer it was measured on.
"""

from __future__ import annotations

import time
from collections.abc import Generator

import numpy as np
import simpy

from thinktime.workloads import Trace


def bare_loop(trace: Trace) -> float:
    """Seconds of the event loop over all submissions and ends."""
    times, first = np.unique(trace.submit, return_index=True)
    instants, borders = times.tolist(), [*first.tolist(), len(trace)]
    runtimes = trace.runtime.tolist()
    env = simpy.Environment()

    def arrivals() -> Generator[simpy.Event, None, None]:
        for i, instant in enumerate(instants):
            yield env.timeout(instant - env.now)
            for runtime in runtimes[borders[i] : borders[i + 1]]:
                env.timeout(runtime)

    env.process(arrivals())
    seconds = -time.perf_counter()
    env.run()
    return seconds + time.perf_counter()
