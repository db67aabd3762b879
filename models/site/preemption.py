"""Preemption: whose jobs make way for whose, and what becomes of them.

With ``qos``, a job may preempt those of the QOS that its own QOS lists; with ``partition_prio``, those in partitions of
a lower tier. Candidates are taken by (QOS priority, number of nodes), lowest first, one by one until the job fits
(Slurm 22.05.8, measured).
"""

from dataclasses import dataclass

from thinktime.models.site.flags import one_of
from thinktime.workloads.reading.table import Table
from thinktime.workloads.reading.values import Seconds

TYPES = ("none", "qos", "partition_prio")
MODES = ("off", "cancel", "requeue", "suspend")
MESSAGE_TIMEOUT = 10.0
"""A job that has given others notice tries again after KillWait and so many seconds (MessageTimeout, s)."""


@dataclass(frozen=True, slots=True)
class Preemption(Table):
    """The rules of preemption; the defaults are Slurm's (PreemptType=preempt/none).

    ``mode`` holds where neither QOS nor partition has one; with ``gang``, jobs may take turns on the same processors.
    Jobs run for ``exempt_time`` before they are candidates. ``youngest_first`` takes those that started last first;
    ``reorder_count`` and ``strict_order`` are Slurm's options ``preempt_reorder_count`` and ``preempt_strict_order``. A
    job that is requeued stays out of the queue for ``requeue_delay``: the time after which credentials expire, 120 s,
    and one second.
    """

    type: str = "none"
    mode: str = "off"
    gang: bool = False
    exempt_time: Seconds = 0.0
    youngest_first: bool = False
    reorder_count: int = 1
    strict_order: bool = False
    requeue_delay: Seconds = 121.0
    requeue: bool = True
    """Whether jobs may be requeued unless they say otherwise (JobRequeue)."""

    def __post_init__(self) -> None:
        one_of("the type of preemption", self.type, TYPES)
        check_mode("preemption", self.mode)


def check_mode(what: str, mode: str | None) -> None:
    """``ValueError`` if a mode of preemption is unknown; None is that of the site."""
    if mode is not None:
        one_of(f"{what}: the preempt mode", mode, MODES)
