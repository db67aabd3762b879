"""How fast jobs work that may have several sizes (`thinktime.workloads.shapes`).

Their speed-ups s(n) are the true ones; of rigid jobs, none is known.
"""

import numpy as np

from thinktime.models.results.schedule import Schedule
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.shapes.shape import Shape
from thinktime.workloads.shapes.speedup import SpeedUp


def shape_codes(result: Schedule) -> Whole:
    """The number of each job's shape; -1 for a rigid job, and where no policy chooses sizes."""
    return result.columns.get("shape", np.full(len(result), -1))


def speeds(result: Schedule, codes: Whole, sizes: Whole) -> Floats:
    """The speed-up of each of these shapes on a size; 0 for a code of a rigid job."""
    found = np.zeros(len(codes))
    order = np.argsort(codes, kind="stable")
    numbers, first = np.unique(codes[order], return_index=True)
    for number, rows in zip(numbers.tolist(), np.split(order, first)[1:], strict=True):
        if number >= 0:
            speedup = SpeedUp(Shape.parse(result.names["shape"][number]).speedup)
            found[rows] = speedup.at(sizes[rows])
    return found


def paces(result: Schedule, rows: Whole, sizes: Whole) -> Floats:
    """s(n) / s(n0): how fast these jobs work with sizes n, against those that they prefer, n0; 1 of rigid ones."""
    codes = shape_codes(result)[rows]
    usual = speeds(result, codes, result["processors"][rows])
    return np.divide(speeds(result, codes, sizes), usual, out=np.ones(len(rows)), where=usual > 0)
