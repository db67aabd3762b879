"""The lower bound: SimPy alone, with the same jobs and no scheduling.

One process sleeps from one submit time to the next and creates one event, its end, for each job submitted then. There
is no queue, no scheduler and no callback, so no plain SimPy model of a log does less. The ratio of a replay's time to
this one depends little on the computer.
"""

from __future__ import annotations

import time
from collections.abc import Generator

import numpy as np
import simpy

from thinktime.workloads import Trace


def bare_loop(trace: Trace) -> float:
    """The CPU time of the event loop over all submissions and ends (s)."""
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
    seconds = -time.process_time()
    env.run()
    return seconds + time.process_time()
