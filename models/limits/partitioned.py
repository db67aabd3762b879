"""What the partitions of a machine's site mean for its jobs: limits, time limits, and jobs in several of them.

A policy that plans anew in every pass takes a job's entries like other jobs. One that remembers what it has planned
would have to be told of entries that go; under such a policy, a job is in the first partition that it names.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.labels import Labels
from thinktime.models.limits.entries import in_several
from thinktime.models.limits.limiter import Limiter, restricts
from thinktime.models.policies.hooks import Hooks
from thinktime.models.pool import Pool
from thinktime.models.site.site import Site
from thinktime.models.site.time_limits import UNLIMITED, whole_minutes
from thinktime.workloads.job import Job
from thinktime.workloads.units import MINUTE

Floats = NDArray[np.float64]
SWEEPS = "time limits are in whole minutes, and jobs beyond them are ended at sweeps every"


class Partitions:
    """The partitions of a machine's site, for its jobs: what they keep from starting, and who comes first.

    A site that keeps nobody from starting still has a limiter where its policy is `slurm`, which counts by partition
    and takes higher tiers first, and where a job is in several partitions.
    """

    def __init__(self, site: Site | None, pool: Pool, labels: Labels, hooks: Hooks) -> None:
        self._site, self._pool, self._labels = site, pool, labels
        self._entered = not (hooks.on_submit or hooks.on_start or hooks.on_end or hooks.as_recorded)
        self._first_only = 0
        self._tiers = False
        self._several = site is not None and len(site.partitions) > 1
        partitions: Any = getattr(pool, "partitions", None)
        if partitions is not None:
            partitions.of_entries = self._entered
        if site is not None:
            slurm = self._several and getattr(hooks.policy, "rule", "") == "slurm"
            self._tiers = slurm and len({each.tier for each in site.partitions}) > 1
            if slurm or restricts(site):
                self._limit(site)
            if site.time_limits.sweeps:
                pool.end_at_sweeps(site.time_limits)

    @property
    def rounds(self) -> bool:
        """Whether time limits are in whole minutes."""
        return self._site is not None and self._site.time_limits.sweeps

    def requested(self, job: Job) -> float:
        """The time limit of a job, s: what it asks for, or its partition's where limits are kept as Slurm does."""
        if self._site is None or not self.rounds:
            return job.requested_time
        if job.estimate is not None:
            return whole_minutes(job.requested_time)
        partition = self._site.partition_of(job.partition, job.queue)
        usual = (each for each in (partition.default_time, partition.max_time) if each is not None)
        return next(usual, UNLIMITED)

    def rounded(self, requested: Floats) -> Floats:
        """The time limits of a log's jobs, s."""
        return np.ceil(requested / MINUTE) * MINUTE if self.rounds else requested

    def look(self, rows: range) -> None:
        """Some jobs have become known."""
        if self._site is None or not self._several:
            return
        found = in_several(self._site, self._pool, self._labels.names, np.arange(rows.start, rows.stop))
        count = sum(len(its) for _, its in found)
        if not self._entered:
            self._first_only += count
        elif count and self._pool.limits is None:  # it keeps entries as well
            self._limit(self._site)

    def notes(self, policy: str) -> list[str]:
        """Sentences on time limits that are not exact, and on jobs that are in fewer partitions than they name."""
        told = []
        if self._site is not None and self.rounds:
            told = [f"{SWEEPS} {self._site.time_limits.sweep:g} s"]
        if not self._first_only:
            return told
        what = f"under policy {policy}, which remembers its plans, they are in the first one alone"
        return [*told, f"jobs in several partitions: {self._first_only:,}; {what}"]

    def _limit(self, site: Site) -> None:
        self._pool.limits = Limiter(site, self._pool, self._labels, self._entered, self._tiers)
        self._pool.state.limited = True
        self._pool.bind()
