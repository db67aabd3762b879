"""Jobs in several partitions, of which the first that can take a job does.

A job whose ``partition`` names several (``a,b``) is in the queue once for each: every one of these *entries* has the
tier, the part of the priority, the nodes and the limits of its own partition. When the job starts through one of them,
the others are gone, and from then on the job is one of that partition. An entry is a row behind those of the jobs, with
the number of its job; it is never submitted, and the engine puts it into the queue in the place of its job
(`thinktime.models.engine.limits.entries`).

Source: Slurm, ``sbatch --partition=a,b``; Slurm 22.05.8, measured.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from thinktime.models.jobs.columns import grown
from thinktime.models.jobs.labels import Labels
from thinktime.models.jobs.pool import Pool
from thinktime.models.site.site import Site
from thinktime.workloads.arrays import NO_ROWS, Ints

NAMING = "partition", "queue"
"""What may name partitions."""
COPIED = "id", "numbered_here", "submit", "requested", "estimate", "think_time"


class Entries:
    """The entries of the jobs of one machine.

    ``first[row]`` is the row of a job's first entry, and 0 for jobs without any; for each of the entries, which follow
    each other, it is -1 - the row of the job.
    """

    def __init__(self, site: Site, pool: Pool, labels: Labels) -> None:
        self._site, self._pool, self._labels = site, pool, labels
        self.first = NO_ROWS

    def __bool__(self) -> bool:
        return len(self.first) > 0

    def grow(self, capacity: int) -> None:
        """Make room for so many rows, if there are entries."""
        if len(self.first) and capacity > len(self.first):
            self.first = grown(self.first, capacity)

    def add(self, rows: Ints) -> None:
        """Make the entries of those of some new jobs that name several partitions."""
        for names, its in in_several(self._site, self._pool, self._labels.names, rows):
            self._enter(its, [self.code(name) for name in names])

    def code(self, name: str) -> int:
        """The code of a partition's name."""
        return self._labels.code("partition", name)

    def of(self, row: int) -> range:
        """The rows of a job's entries."""
        first = int(self.first[row]) if len(self.first) else 0
        stop = first
        while first > 0 and stop < len(self.first) and self.first[stop] == -1 - row:
            stop += 1
        return range(first, stop)

    def _enter(self, rows: Ints, codes: list[int]) -> None:
        """Give each of some jobs an entry for each of these partitions."""
        pool, jobs = self._pool, np.repeat(rows, len(codes))
        partition = np.tile(np.array(codes, np.int64), len(rows))
        columns = {name: getattr(pool.requests, name)[jobs] for name in COPIED}
        found = pool.append_like(jobs, pool.outcomes.runtime[jobs], partition=partition, **columns)
        self.first = grown(self.first, pool.requests.capacity)
        self.first[found] = -1 - jobs
        self.first[rows] = found.start + len(codes) * np.arange(len(rows))


def in_several(
    site: Site, pool: Pool, names: dict[str, list[Any]], rows: Ints
) -> Iterator[tuple[tuple[str, ...], Ints]]:
    """Those of some jobs that name several partitions, by these."""
    jobs = pool.requests
    rows = rows[jobs.id[rows] >= 0]  # not those that a user only considers
    if not any("," in str(label) for name in NAMING for label in names[name]) or not len(rows):
        return
    pairs, place = np.unique(np.stack([getattr(jobs, name)[rows] for name in NAMING]), axis=1, return_inverse=True)
    for k, codes in enumerate(pairs.T.tolist()):
        given = (None if code < 0 else names[name][code] for name, code in zip(NAMING, codes, strict=True))
        if len(found := site.partitions_of(*given)) > 1:
            yield tuple(each.name for each in found), rows[place.ravel() == k]
