"""The matrices of penalties: few come, again and again, so what is known of them is kept."""

from functools import cache, lru_cache

import numpy as np

from thinktime.workloads.arrays import Floats


def log_determinant(times: float, penalty: Floats) -> float:
    """The logarithm of the determinant of so many times the matrix of a penalty."""
    return len(penalty) * float(np.log(times)) + _known(penalty.tobytes(), len(penalty))[1]


def inverse(penalty: Floats) -> Floats:
    """The inverse of the matrix of a penalty, which is not to be written to."""
    return _known(penalty.tobytes(), len(penalty))[0]


@lru_cache(256)
def _known(content: bytes, size: int) -> tuple[Floats, float]:
    """The inverse of a matrix and the logarithm of its determinant: a tenth of a fit to a small log, each time anew."""
    matrix = np.frombuffer(content, np.float64).reshape(size, size)
    found = np.array(np.linalg.inv(matrix), np.float64)
    found.flags.writeable = False
    return found, float(np.linalg.slogdet(matrix)[1])


@cache
def chained(size: int, blocks: int = 1, circle: int = 0, alone: float = 0.1) -> Floats:
    """A penalty for differences of neighbours in each of so many blocks, and for the values themselves.

    With a ``circle``, each block is made of circles of so many values.
    """
    each = size // blocks
    matrix = alone * np.eye(size)
    for place in range(size):
        first = place // circle * circle if circle else place // each * each
        last = first + (circle or each) - 1
        other = first if circle and place == last else place + 1
        if other <= last and other != place:
            matrix[[place, other], [place, other]] += 1.0
            matrix[[place, other], [other, place]] -= 1.0
    matrix.flags.writeable = False
    return matrix
