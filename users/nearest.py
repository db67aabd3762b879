"""The pauses of a log that began most like another one: what the rule ``reacting`` asks at every pause.

How unlike two pauses begin is a distance between points (`features`). Points are kept by kind of day and hour, and
sorted by response in each. The search begins at the hour of the pause and goes outwards, while hours, and responses in
them, can be near enough. Of equally near pauses those that come first in the log are nearer.

On KTH-SP2, with 16,000 pauses, a question looks at some 100 of them; a search by response alone looked at 3,000, and
took as long as SciPy's k-d tree.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.compiler import Floats, Ints, Table, kernel
from thinktime.workloads.units import DAY, HOUR, MINUTE

HOURS = 24
KINDS = 4
"""Of days, by whether they and the days after are on a weekend."""
RESPONSE, WEEKEND, EVE = 2, 3, 4
"""Coordinates."""
ROUNDING = 1e-9
"""Added to squared distances before they count as too far."""


class NearPauses:
    """Pauses by the local time (s) at which they began and the response time (s) before: the ``count`` nearest ones."""

    def __init__(self, wall: NDArray[np.float64], response: NDArray[np.float64], count: int) -> None:
        places = features(wall, response)
        drawer = HOURS * kind_of(places[:, WEEKEND], places[:, EVE]) + wall % DAY // HOUR
        self._number: Ints = np.lexsort((places[:, RESPONSE], drawer))
        self._places = places[self._number]
        self._first: Ints = np.searchsorted(drawer[self._number], np.arange(KINDS * HOURS + 1))
        size = min(count, len(places))
        self._found, self._far = np.empty(size, np.int64), np.empty(size)

    def of(self, wall: float, response: float) -> NDArray[np.int64]:
        """The numbers of the nearest pauses, in no order."""
        here = place_of(wall, response)
        search(self._places, self._number, self._first, here, wall % DAY / HOUR, self._found, self._far)
        return self._found


def features(wall: NDArray[np.float64], response: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points whose distance says how unlike two pauses begin; ``wall`` is the local time (s), ``response`` is in s.

    A distance of about 1/2 is two hours of the day, or a factor of four in the response (above minutes); the other is 1
    where only one begins on, or on the day before, a day of the weekend.
    """
    turn = wall * (2 * np.pi / DAY)
    day = np.floor(wall / DAY) % 7
    return np.column_stack(
        [np.cos(turn), np.sin(turn), np.log2(response + MINUTE) / 4, day >= 5, (day == 4) | (day == 5)]
    ).astype(np.float64)


def place_of(wall: float, response: float) -> NDArray[np.float64]:
    """The same of one pause, since arithmetic with arrays of one number is slow."""
    turn, day = wall * (2 * math.pi / DAY), wall // DAY % 7
    return np.array((math.cos(turn), math.sin(turn), math.log2(response + MINUTE) / 4, day >= 5, 4 <= day <= 5), float)


@kernel
def kind_of(weekend: Any, eve: Any) -> Any:
    """The kind of day."""
    return 2 * weekend + eve


@kernel
def search(places: Table, number: Ints, first: Ints, here: Floats, hour: float, found: Ints, far: Floats) -> None:
    """Find the nearest pauses: ``found`` is a heap of them, the farthest first, ``far`` their squared distances."""
    known, own = 0, int(kind_of(here[WEEKEND], here[EVE]))
    for turn in range(KINDS):
        kind = (own + turn) % KINDS
        away = (kind // 2 - here[WEEKEND]) ** 2 + (kind % 2 - here[EVE]) ** 2
        up = down = True
        for step in range(HOURS // 2 + 1):
            if step > 0:
                down = down and not _too_far(away, hour - (int(hour) - step + 1), known, far)
            up = up and not _too_far(away, int(hour) + step - hour, known, far)
            if up:
                drawer = HOURS * kind + (int(hour) + step) % HOURS
                known = _look(places, number, first[drawer], first[drawer + 1], here, known, found, far)
            if down and 0 < step < HOURS // 2:
                drawer = HOURS * kind + (int(hour) - step) % HOURS
                known = _look(places, number, first[drawer], first[drawer + 1], here, known, found, far)


@kernel
def _too_far(away: float, hours: float, known: int, far: Floats) -> bool:
    """Whether nothing counts that is so many hours away, and as far in other coordinates."""
    if known < far.size:
        return False
    return bool(away + 2.0 - 2.0 * np.cos(max(0.0, hours) * (2 * np.pi / HOURS)) > far[0] + ROUNDING)


@kernel
def _look(
    places: Table, number: Ints, begin: int, stop: int, here: Floats, known: int, found: Ints, far: Floats
) -> int:
    """Look at the pauses of one hour, from the nearest response on; returns how many are known then."""
    right = begin
    top = stop
    while right < top:
        middle = (right + top) // 2
        if places[middle, RESPONSE] < here[RESPONSE]:
            right = middle + 1
        else:
            top = middle
    left = right - 1
    while left >= begin or right < stop:
        below = here[RESPONSE] - places[left, RESPONSE] if left >= begin else np.inf
        above = places[right, RESPONSE] - here[RESPONSE] if right < stop else np.inf
        if known == found.size and min(below, above) * min(below, above) > far[0]:
            break
        if below <= above:
            place = left
            left -= 1
        else:
            place = right
            right += 1
        away = 0.0
        for i in range(here.size):
            away += (places[place, i] - here[i]) * (places[place, i] - here[i])
        if known < found.size:
            known += 1
            _rise(found, far, known - 1, number[place], away)
        elif away < far[0] or (away == far[0] and number[place] < found[0]):
            _sink(found, far, number[place], away)
    return known


@kernel
def _rise(found: Ints, far: Floats, place: int, pause: int, away: float) -> None:
    """Put a pause into a heap that has so many."""
    while place > 0 and _after(away, pause, far[(place - 1) // 2], found[(place - 1) // 2]):
        found[place], far[place] = found[(place - 1) // 2], far[(place - 1) // 2]
        place = (place - 1) // 2
    found[place], far[place] = pause, away


@kernel
def _sink(found: Ints, far: Floats, pause: int, away: float) -> None:
    """Put a pause into the place of the farthest."""
    n, place = found.size, 0
    while 2 * place + 1 < n:
        child = 2 * place + 1
        if child + 1 < n and _after(far[child + 1], found[child + 1], far[child], found[child]):
            child += 1
        if not _after(far[child], found[child], away, pause):
            break
        found[place], far[place] = found[child], far[child]
        place = child
    found[place], far[place] = pause, away


@kernel
def _after(away: float, pause: int, other: float, another: int) -> bool:
    """Whether one pause is farther away than another, or as far and later in the log."""
    return away > other or (away == other and pause > another)
