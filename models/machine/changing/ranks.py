"""Who may preempt whom on a machine: by the ranks of queues, or as a site lets the jobs of its partitions and QOS.

The engine takes a number for each job: the rank of its queue, or its *class*, which is a partition with a QOS.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import slurm_preemption as codes
from thinktime.models.jobs.columns import Requests
from thinktime.models.jobs.labels import distinct
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.site import preempting
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preemption import MESSAGE_TIMEOUT, MODES
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.workloads.arrays import Ints

NONE = np.empty(0, np.int64)


class Ranks(Protocol):
    """What says who may preempt whom."""

    by_rank: bool
    """Whether jobs of a higher rank come first, and preempt those of a lower one."""
    suspends: bool
    """Whether jobs may be suspended, which keep their nodes."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What the engine takes: `precedence` and `classes`, empty unless a site says who may preempt whom."""

    def numbers(self) -> dict[str, float]:
        """The numbers of a state that say how a site preempts."""

    def of(self, jobs: Requests, names: dict[str, list[Any]], rows: Ints) -> Ints:
        """The number of each of some jobs."""


class QueueRanks:
    """Ranks of queues; of others, 0."""

    def __init__(self, ranks: Mapping[str, int], suspends: bool = False) -> None:
        self._ranks, self.suspends = ranks, suspends
        self.by_rank = any(ranks.values())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The engine's arrays of classes, which are empty: queues have ranks alone."""
        return {"precedence": NONE, "classes": np.empty(0)}

    def numbers(self) -> dict[str, float]:
        """The engine's numbers of classes, of which queues have none."""
        return {}

    def of(self, jobs: Requests, names: dict[str, list[Any]], rows: Ints) -> Ints:
        """The rank of each job, by the name of its queue."""
        if not self.by_rank:
            return np.zeros(len(rows), np.int64)
        of_queue = [self._ranks.get(str(name), 0) for name in names["queue"]]
        return np.array([*of_queue, 0])[jobs.queue[rows]]


def ranks_for(policy: Any, site: Site | None) -> Ranks | None:
    """Who may preempt whom under a policy on the machine of a site; None if no job may."""
    if (ranks := getattr(policy, "ranks", None)) is not None:
        return QueueRanks(ranks, policy.preemption.preempt == "suspend")
    return SiteClasses(site) if site is not None and preempting.preempts_under(policy, site) else None


def changes_for(ranks: Ranks, changes: Changes | None) -> Changes:
    """What becomes of interrupted jobs where some may be preempted.

    At a site, what is not said otherwise is as in Slurm: they are submitted again, and wait for the site's delay; a
    suspended job keeps all that it has.
    """
    given = changes or Changes()
    if not isinstance(ranks, SiteClasses):
        return given
    usual = Changes()
    own: dict[str, Any] = {"requeue_at": "now", "requeue_delay": ranks.requeue_delay, "suspended_holds": "all"}
    silent = [name for name in own if getattr(given, name) == getattr(usual, name)]
    return replace(given, **{name: own[name] for name in silent})


class SiteClasses:
    """Partitions and QOS of a site that preempts."""

    by_rank, suspends = False, True

    def __init__(self, site: Site) -> None:
        self._site = site
        self.requeue_delay = site.preemption.requeue_delay
        self._qos: list[QOS | None] = [None, *site.qos]
        self._classes = [(partition, qos) for partition in site.partitions for qos in self._qos]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Who may preempt whom, and how (`thinktime.models.engine.slurm_preemption`)."""
        may = [[preempting.may_preempt(self._site, one, other) for other in self._classes] for one in self._classes]
        numbers = [self._numbers(partition, qos) for partition, qos in self._classes]
        return {
            "precedence": np.array(may, np.int64).ravel(), "classes": np.array(numbers, np.float64).ravel(),
        }  # fmt: skip

    def numbers(self) -> dict[str, float]:
        """Who is taken first, and when it is noticed that a grace is over: at a sweep for time limits, or a retry."""
        rules, times = self._site.preemption, self._site.time_limits
        return {
            "youngest_first": rules.youngest_first, "reorders": rules.reorder_count,
            "strict_order": rules.strict_order, "requeues": rules.requeue, "notice_sweep": times.sweep,
            "notice_phase": times.phase, "notice_retry": times.kill_wait + MESSAGE_TIMEOUT,
        }  # fmt: skip

    def of(self, jobs: Requests, names: dict[str, list[Any]], rows: Ints) -> Ints:
        """The class of each job, by its user, account, queue and partition."""
        kinds, place = distinct(jobs, names, rows)
        found = np.array([self._class_of(*kind.labels) for kind in kinds], np.int64)
        classes: Ints = found[place.ravel()]
        return classes

    def _class_of(self, user: Any, account: Any, queue: Any, partition: Any) -> int:
        own = self._site.partition_of(partition, queue)
        return self._classes.index((own, self._site.quality_of(user, account, queue, own.name)))

    def _numbers(self, partition: Partition, qos: QOS | None) -> tuple[float, ...]:
        """What the engine knows of a class."""
        site, mode = self._site, preempting.preempt_mode(self._site, partition, qos)
        of_class = {
            codes.MODE: max(MODES.index(mode) - 1, 0), codes.SHORTEST: preempting.exempt_time(site, qos),
            codes.NOTICE: preempting.grace_of(site, partition, qos),
            codes.CHEAPNESS: preempting.cheapness(site, partition, qos),
        }  # fmt: skip
        return tuple(of_class[place] for place in range(codes.OF_CLASS))
