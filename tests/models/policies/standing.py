"""A machine of processors in the middle of a pass, as policies and the engine see it."""

import numpy as np

from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.view import View


def standing(processors, waiting, running=(), now=0):
    """The view of a pool; ``waiting`` are (submit, processors, estimate), and ``running`` are (end, processors)."""
    pool = Pool(processors)
    table = [(now, n, end - now) for end, n in running] + list(waiting)
    submit, size, estimate = (np.array(column) for column in zip(*table, strict=True))
    rows = pool.append(
        len(table), estimate.astype(float), id=1 + np.arange(len(table)), submit=submit.astype(float),
        processors=size, estimate=estimate.astype(float),
    )  # fmt: skip
    pool.arrive(np.arange(rows.start, len(running)))
    pool.enqueue(now)
    pool.start(np.arange(len(running)), now)
    pool.arrive(np.arange(len(running), len(table)))
    pool.enqueue(now)
    view = View(pool, {})
    view.look(pool, float(now))
    return view
