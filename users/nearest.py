"""The nearest of many points, found by a kernel: what a rule for think times asks at every pause.

Points are sorted by one coordinate. The search goes outwards from there, and ends where that coordinate alone is
farther away than the farthest of the nearest found so far. With SciPy's k-d tree a replay of 9,000 jobs that asks at
each of 5,400 pauses took twice as long: most of that passed between Python and the tree.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.compiler import Floats, Ints, Table, kernel


class NearPoints:
    """Points (one in each row), of which the ``count`` nearest of any place can be found; ``along`` sorts them."""

    def __init__(self, points: NDArray[np.float64], count: int, along: int) -> None:
        order = np.argsort(points[:, along], kind="stable")
        self._points, self._number = np.ascontiguousarray(points[order]), order
        self._along, self._sorted = along, self._points[:, along].copy()
        self._found, self._far = np.empty(min(count, len(points)), np.int64), np.empty(min(count, len(points)))

    def of(self, place: NDArray[np.float64]) -> NDArray[np.int64]:
        """The numbers of the nearest points, in no order; of equally near ones any."""
        search(self._points, self._sorted, place, place[self._along], self._found, self._far)
        return self._number[self._found]


@kernel
def search(points: Table, along: Floats, place: Floats, here: float, found: Ints, far: Floats) -> None:
    """Find the nearest points: ``found`` is a heap of them with the farthest first, ``far`` their squared distances.

    ``along`` is the coordinate of the points by which they are sorted, and ``here`` that of the place.
    """
    n, known = points.shape[0], 0
    right: Any = np.searchsorted(along, here)
    left = right - 1
    while left >= 0 or right < n:
        below = here - along[left] if left >= 0 else np.inf
        above = along[right] - here if right < n else np.inf
        if known == found.size and min(below, above) ** 2 > far[0]:
            return
        if below <= above:
            point = left
            left -= 1
        else:
            point = right
            right += 1
        away, i = 0.0, 0
        while i < place.size and (known < found.size or away < far[0]):
            away += (points[point, i] - place[i]) * (points[point, i] - place[i])
            i += 1
        if known < found.size:
            known += 1
            _rise(found, far, known - 1, point, away)
        elif away < far[0]:
            _sink(found, far, point, away)


@kernel
def _rise(found: Ints, far: Floats, place: int, point: int, away: float) -> None:
    """Put a point into the heap that has so many."""
    while place > 0 and far[(place - 1) // 2] < away:
        found[place], far[place] = found[(place - 1) // 2], far[(place - 1) // 2]
        place = (place - 1) // 2
    found[place], far[place] = point, away


@kernel
def _sink(found: Ints, far: Floats, point: int, away: float) -> None:
    """Put a point into the place of the farthest."""
    n, place = found.size, 0
    while 2 * place + 1 < n:
        child = 2 * place + 1
        if child + 1 < n and far[child + 1] > far[child]:
            child += 1
        if far[child] <= away:
            break
        found[place], far[place] = found[child], far[child]
        place = child
    found[place], far[place] = point, away
