"""Satisfaction: the wait that a user accepts, and complaints.

Each job adds to the wait that its owner accepts,

    (ln n + 1) f(w)    n processors, w estimate (wall-clock limit),

          w                 w < 3 h
          max(3 h, w / 2)   w < 7 h
    f =   max(3.5 h, w / 3) w < 24 h
          max(8 h, w / 4)   w < 7 d
          max(42 h, w / 5)  else,

and its wait is subtracted. A user complains about a job if the waits of all jobs so far, this one included, exceed
what was accepted for all of them, so budget left by one job carries over to the next. Jobs count in the order of
their starts.

Source: D. Klusáček, Š. Tóth, G. Podolníková, Complex job scheduling simulations with Alea 4 (SimuTools 2016).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.units import DAY, HOUR


def acceptable_wait(processors: Any, estimate: Any) -> Floats:
    """The wait (s) that a job adds to its owner's budget; numbers or arrays.

    >>> float(acceptable_wait(1, 4 * 3600.0)) / 3600
    3.0
    """
    w = np.asarray(estimate, dtype=np.float64)
    bounds = [w < 3 * HOUR, w < 7 * HOUR, w < 24 * HOUR, w < 7 * DAY]
    values = [w, np.maximum(3 * HOUR, w / 2), np.maximum(3.5 * HOUR, w / 3), np.maximum(8 * HOUR, w / 4)]
    accepted = np.select(bounds, values, np.maximum(42 * HOUR, w / 5))
    result: Floats = (np.log(np.asarray(processors, dtype=np.float64)) + 1.0) * accepted
    return result


@dataclass(slots=True)
class Satisfaction:
    """One user's account: accepted waits, actual waits, and complaints.

    >>> account = Satisfaction()
    >>> account.add(1, 3600.0, wait=3000.0), account.add(1, 3600.0, wait=4000.0), account.add(1, 60.0, wait=500.0)
    (False, False, True)
    """

    accepted: float = 0.0
    waited: float = 0.0
    jobs: int = 0
    complaints: int = 0

    def add(self, processors: int, estimate: float, wait: float) -> bool:
        """Count a job that started after ``wait`` (s); True if its owner complains."""
        self.accepted += float(acceptable_wait(processors, estimate))
        self.waited += wait
        complains = self.waited > self.accepted
        self.jobs += 1
        self.complaints += complains
        return complains
