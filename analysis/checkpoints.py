"""How often to write checkpoints: the intervals of Young and Daly, and the time that a job then takes.

Symbols: the interval τ is the work between two checkpoints, δ the time that one takes, M the mean time between
interruptions while the job works, R the time that a restart takes, V the mean repair time (all in s). A job on n
processors is interrupted when one of them fails, so its M is that of a processor divided by n. If it is preempted as
well, the rates of interruption add up: 1/M is their sum.

Sources: J. W. Young, A first order approximation to the optimum checkpoint interval (CACM 17(9), 1974); J. T. Daly, A
higher order estimate of the optimum checkpoint interval for restart dumps (FGCS 22(3), 2006).

>>> young(cost=5, mtbf=1000), round(daly(cost=5, mtbf=1000), 3)
(100.0, 96.694)
"""

import math

from thinktime.workloads import checks
from thinktime.workloads.units import Duration, as_seconds


def young(cost: Duration, mtbf: Duration) -> float:
    """Young's interval √(2 δ M), s: right to first order if δ is much shorter than M."""
    cost, mtbf = as_seconds("cost", cost), as_seconds("mtbf", mtbf)
    _check(cost, mtbf)
    return math.sqrt(2.0 * cost * mtbf)


def daly(cost: Duration, mtbf: Duration) -> float:
    """Daly's interval √(2 δ M) [1 + ⅓ √(δ / 2M) + ⅑ δ / 2M] − δ, s; M where δ is 2 M or more."""
    cost, mtbf = as_seconds("cost", cost), as_seconds("mtbf", mtbf)
    first = young(cost, mtbf)
    share = cost / (2.0 * mtbf)
    return first * (1.0 + math.sqrt(share) / 3.0 + share / 9.0) - cost if share < 1.0 else mtbf


def expected_time(
    work: Duration,
    mtbf: Duration,
    interval: Duration = math.inf,
    cost: Duration = 0.0,
    repair: Duration = 0.0,
    restart: Duration = 0.0,
) -> float:
    """The mean time from the start of a job with so much ``work`` to its end, s.

    Interruptions are exponential, and each is followed by a wait of mean ``repair`` and a ``restart``, during which the
    job may be interrupted again. There is no checkpoint after the last piece of work.

    >>> round(expected_time(1000, 1000, 100, 5, repair=50, restart=10), 4)
    1168.2692
    """
    work = as_seconds("work", work)
    mtbf = as_seconds("mtbf", mtbf)
    interval = as_seconds("interval", interval)
    cost = as_seconds("cost", cost)
    repair = as_seconds("repair", repair)
    restart = as_seconds("restart", restart)
    for name, value in (("work", work), ("mtbf", mtbf), ("interval", min(interval, work))):
        checks.positive(name, value, "a time above 0 s")
    pieces = max(1, math.ceil(work / interval))
    whole = 0.0 if pieces == 1 else (pieces - 1) * math.expm1((interval + cost) / mtbf)
    last = work if pieces == 1 else work - (pieces - 1) * interval
    return math.exp(restart / mtbf) * (mtbf + repair) * (whole + math.expm1(last / mtbf))


def _check(cost: float, mtbf: float) -> None:
    checks.positive("cost", cost, "a time above 0 s")
    checks.positive("mtbf", mtbf, "a time above 0 s")
