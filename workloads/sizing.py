"""A job with another size, as its user would ask for it: run time and estimate are those of the new size."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from thinktime.workloads.job import Job
from thinktime.workloads.shapes.speedup import SpeedUp


def sizes_of(job: Job, factors: Sequence[float], most: int) -> list[int]:
    """The sizes that a job may be asked for with, at most so many processors, ascending; its own is among them.

    Those of its shape; or, if it has none, its own times ``factors``, rounded up.
    """
    given = job.shape.every.tolist() if job.shape is not None else [ceil(each * job.processors) for each in factors]
    return sorted({job.processors, *(size for size in given if 1 <= size <= most)})


def some_of(sizes: Sequence[int], count: int, own: int) -> list[int]:
    """So many of some sizes, about evenly in their order: the least, the largest, ``own``, and others between."""
    if len(sizes) <= count:
        return list(sizes)
    places = np.unique(np.linspace(0, len(sizes) - 1, max(count - 1, 1)).round().astype(np.int64))
    return sorted({sizes[place] for place in places.tolist()} | {own})


def of_size(job: Job, size: int, speedup: str = "linear", believes: str = "") -> Job:
    """The job with another size, which it prefers from then on if it has a shape.

    What a shape says of the speed-up counts, else ``speedup``; the estimate goes by what the user ``believes``, which
    is the same unless it is given.
    """
    if size == job.processors:
        return job
    if (shape := job.shape) is not None:
        true, believed = (
            float(rates[0] / rates[1])
            for rates in (each(np.array([size, job.processors])) for each in (shape.rate, shape.believed))
        )
        other = replace(shape, preferred=size, reference=size)
        changed = replace(job, processors=size, shape=other, runtime=job.runtime / true)
    else:
        true, believed = (
            SpeedUp(each).of(size) / SpeedUp(each).of(job.processors) for each in (speedup, believes or speedup)
        )
        changed = replace(job, processors=size, runtime=job.runtime / true)
    return changed if job.estimate is None else replace(changed, estimate=job.estimate / believed)
