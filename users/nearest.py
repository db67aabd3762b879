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

from thinktime.workloads.units import DAY, HOUR, MINUTE

HOURS = 24
KINDS = 4
"""Of days, by whether they and the days after are on a weekend."""
RESPONSE, WEEKEND, EVE = 2, 3, 4
"""Places of three coordinates of a pause: its response, and whether its day and the next are on a weekend."""
COORDINATES = 5
TURN = 2 * np.pi / HOURS
"""The angle of an hour."""
ROUNDING = 1e-9
"""Added to squared distances before they count as too far."""
INF = np.inf


class NearPauses:
    """Pauses by the local time (s) at which they began and the response time (s) before: the ``count`` nearest ones."""

    def __init__(self, wall: NDArray[np.float64], response: NDArray[np.float64], count: int) -> None:
        places = features(wall, response)
        drawer = HOURS * kind_of(places[:, WEEKEND], places[:, EVE]) + wall % DAY // HOUR
        number = np.lexsort((places[:, RESPONSE], drawer))
        self._number, self._places = number, places[number]
        self._first = np.searchsorted(drawer[number], np.arange(KINDS * HOURS + 1))
        self._size = min(count, len(places))
        self._nearest: NDArray[np.int64] = np.empty(self._size, np.int64)
        self._found = self._nearest  # a heap, the farthest first
        self._far = np.empty(self._size)  # their squared distances
        self._known = 0

    def of(self, wall: float, response: float) -> NDArray[np.int64]:
        """The numbers of the nearest pauses, in no order."""
        self._here = place_of(wall, response)
        self._search(wall % DAY / HOUR)
        return self._nearest

    def _search(self, hour: float) -> None:
        """Find the nearest pauses."""
        weekend, eve, full = self._here[WEEKEND], self._here[EVE], int(hour)
        own = int(kind_of(weekend, eve))  # objects: once in a search
        self._known = 0
        for turn in range(KINDS):
            kind = (own + turn) % KINDS
            one, other = kind // 2 - weekend, kind % 2 - eve
            away = one * one + other * other
            up = down = True
            for step in range(HOURS // 2 + 1):
                if step > 0:
                    down = down and not self._too_far(away, hour - (full - step + 1))
                up = up and not self._too_far(away, full + step - hour)
                if up:
                    self._look(HOURS * kind + (full + step) % HOURS)
                if down and 0 < step < HOURS // 2:
                    self._look(HOURS * kind + (full - step) % HOURS)

    def _too_far(self, away: float, hours: float) -> bool:
        """Whether nothing counts that is so many hours away, and as far in other coordinates."""
        if self._known < self._size:
            return False
        return bool(away + 2.0 - 2.0 * math.cos(max(0.0, hours) * TURN) > self._far[0] + ROUNDING)

    def _look(self, drawer: int) -> None:
        """Look at the pauses of one hour, from the nearest response on."""
        begin, stop, response = self._first[drawer], self._first[drawer + 1], self._here[RESPONSE]
        right, top = begin, stop
        while right < top:
            middle = (right + top) // 2
            if self._places[middle, RESPONSE] < response:
                right = middle + 1
            else:
                top = middle
        left = right - 1
        while left >= begin or right < stop:
            below = response - self._places[left, RESPONSE] if left >= begin else INF
            above = self._places[right, RESPONSE] - response if right < stop else INF
            if self._known == self._size and min(below, above) * min(below, above) > self._far[0]:
                break
            if below <= above:
                place = left
                left -= 1
            else:
                place = right
                right += 1
            self._consider(place)

    def _consider(self, place: int) -> None:
        """Keep the pause at a place if it is among the nearest so far."""
        away = 0.0
        for i in range(COORDINATES):
            apart = self._places[place, i] - self._here[i]
            away += apart * apart
        if self._known < self._size:
            self._known += 1
            self._rise(self._known - 1, self._number[place], away)
        elif _after(self._far[0], self._found[0], away, self._number[place]):
            self._sink(self._number[place], away)

    def _rise(self, place: int, pause: int, away: float) -> None:
        """Put a pause into a heap that has so many."""
        while place > 0 and _after(away, pause, self._far[(place - 1) // 2], self._found[(place - 1) // 2]):
            self._found[place], self._far[place] = self._found[(place - 1) // 2], self._far[(place - 1) // 2]
            place = (place - 1) // 2
        self._found[place], self._far[place] = pause, away

    def _sink(self, pause: int, away: float) -> None:
        """Put a pause into the place of the farthest."""
        place = 0
        while 2 * place + 1 < self._size:
            child = 2 * place + 1
            if child + 1 < self._size and _after(
                self._far[child + 1], self._found[child + 1], self._far[child], self._found[child]
            ):
                child += 1
            if not _after(self._far[child], self._found[child], away, pause):
                break
            self._found[place], self._far[place] = self._found[child], self._far[child]
            place = child
        self._found[place], self._far[place] = pause, away


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
    turn, day = wall * (2 * np.pi / DAY), wall // DAY % 7
    return np.array((math.cos(turn), math.sin(turn), math.log2(response + MINUTE) / 4, day >= 5, 4 <= day <= 5), float)


def kind_of(weekend: Any, eve: Any) -> Any:
    """The kind of day."""
    return 2 * weekend + eve


def _after(away: float, pause: int, other: float, another: int) -> bool:
    """Whether one pause is farther away than another, or as far and later in the log."""
    return away > other or (away == other and pause > another)
