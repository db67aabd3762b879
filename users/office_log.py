"""A log where no real one is at hand: office users in a closed loop under EASY.

A hundred users on 64 processors for some weeks. A user has one or two sessions on a working day, from about 9:00
and from about 14:00, of geometrically many batches of a few jobs; run times are log-normal with a median and
a width of the user's own, so that some users are heavy. This plan is simulated with feedback under EASY, and the
resulting schedule is the log: its waits are those of a machine to which its users reacted.
"""

import numpy as np

from thinktime.models.results.swf_export import as_trace
from thinktime.users.feedback import replay_with_feedback
from thinktime.workloads.header import Header
from thinktime.workloads.streams import stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR, MINUTE

PROCESSORS = 64
MONDAY = 4 * DAY
"""Unix time of midnight before a Monday."""


def made_up_log(weeks: int = 26, users: int = 100, seed: int = 1) -> Trace:
    """A log of office users on 64 processors, with users, waits, requests and a start time on a Monday.

    >>> made_up_log(weeks=1, users=3).machine_size
    64
    """
    header = Header().set("MaxProcs", PROCESSORS).set("UnixStartTime", MONDAY)
    plan = Trace(_plan(weeks, users, seed), header)
    return as_trace(replay_with_feedback(plan, "easy")).with_header(header)


def _plan(weeks: int, users: int, seed: int) -> dict[str, np.ndarray]:
    """What the users would do on a machine on which no job waits."""
    rows: list[tuple[float, ...]] = []
    for user in range(1, users + 1):
        rng = stream(seed, user, "made-up log")
        median, width = 120 * float(np.exp(rng.normal(1.5, 1.2))), int(2 ** rng.integers(0, 5))
        busy = float(rng.uniform(0.2, 0.9))
        for day in range(7 * weeks):
            if day % 7 > 4 or rng.random() > busy:
                continue
            for hour in (9.0, 14.0)[: 1 + int(rng.random() < 0.6)]:
                rows += _session(rng, user, day * DAY + (hour + float(rng.random())) * HOUR, median, width)
    columns = np.array(rows).T
    names = ("user", "submit", "runtime", "requested_processors", "requested_time")
    found = dict(zip(names, columns, strict=True))
    whole = {name: found[name].astype(np.int64) for name in ("user", "requested_processors")}
    return found | whole | {"wait": np.zeros(columns.shape[1])}


def _session(rng: np.random.Generator, user: int, at: float, median: float, width: int) -> list[tuple[float, ...]]:
    rows: list[tuple[float, ...]] = []
    for _ in range(int(rng.geometric(0.35))):
        jobs = int(rng.geometric(0.5))
        runs = np.round(median * np.exp(rng.normal(0, 1.1, jobs))).clip(1, 18 * HOUR)
        for k, run in enumerate(runs.tolist()):
            request = min(18 * HOUR, run * float(rng.uniform(1, 6)))
            rows.append((user, round(at) + 10 * k, run, max(1, width >> int(rng.integers(0, 2))), round(request)))
        at += 10 * jobs + float(runs.max()) + float(rng.exponential(8 * MINUTE))
    return rows
