"""Parts of a log for training: another one for each seed."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.users.log_source import Log
from thinktime.users.source import Source
from thinktime.workloads.names import quoted
from thinktime.workloads.streams import stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import WEEK, seconds


def windows(log: Trace, length: float | str = WEEK, source: Callable[[Trace], Source] = Log) -> Callable[[int], Source]:
    """Sources of an environment: a window of ``length`` (s, or such as ``"7d"``) of a log, drawn by the seed.

    A window begins with a job, each job being as likely as any other of those from which on the log is long enough.
    ``source`` makes a source of its jobs, such as ``tt.sources.feedback``. ``ValueError`` for a log that is shorter.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0, 50, 100, 150], "runtime": [9] * 4, "allocated": [1] * 4})
    >>> drawn = windows(log, length=60)
    >>> drawn(seed=1).trace.submit.tolist()
    [0.0, 50.0]
    """
    span = seconds(length)
    last = float(log.submit[-1]) - span if len(log) else -np.inf
    begins = log.submit[log.submit <= last]
    if not (span > 0 and len(begins)):
        raise ValueError(
            f"length is {quoted(length)}, but must be above 0 and at most what the log has, {_length(log):g} s"
        )

    def drawn(seed: int) -> Source:
        begin: Any = begins[stream(seed, "window").integers(len(begins))]
        return source(log.between(float(begin), float(begin) + span))

    return drawn


def _length(log: Trace) -> float:
    return float(log.submit[-1] - log.submit[0]) if len(log) else 0.0
