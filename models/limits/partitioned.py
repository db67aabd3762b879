"""Where jobs in several partitions can be in the queue several times, and what a result says where they cannot.

A policy that plans anew in every pass takes a job's entries like other jobs. One that remembers what it has planned
would have to be told of entries that go; under such a policy, a job is in the first partition that it names.
"""

from typing import Any

import numpy as np

from thinktime.models.labels import Labels
from thinktime.models.limits.entries import in_several
from thinktime.models.limits.limiter import Limiter, restricts
from thinktime.models.policies.hooks import Hooks
from thinktime.models.pool import Pool
from thinktime.models.site.site import Site


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
        """A sentence on the jobs that are in fewer partitions than they name."""
        if not self._first_only:
            return []
        what = f"under policy {policy}, which remembers its plans, they are in the first one alone"
        return [f"jobs in several partitions: {self._first_only:,}; {what}"]

    def _limit(self, site: Site) -> None:
        self._pool.limits = Limiter(site, self._pool, self._labels, self._entered, self._tiers)
        self._pool.bind()
