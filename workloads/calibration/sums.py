"""Sums over rows that have one level of each of some factors, and a group: by level, by two levels, by level and group.

Factors may be in *sets* of which few combinations occur, since some say in parts what others say, or are rarely
independent: the time since a submission, with the state and without; what a user has seen. Then rows are summed up by
combinations of two sets, or of a set and groups, and these few sums by the levels of their factors. In a log of a year,
half a million rows have ten factors, so 66 sums over all rows become six, in a fifth of the time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from thinktime.workloads.arrays import Floats, Whole

DENSE = 8
"""Codes up to so many times the number of rows are counted in an array, larger ones are sorted."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of two codes that rows have."""

    code: Whole
    """Of each row."""
    one: Whole
    """Of each pair, the first code."""
    other: Whole

    @classmethod
    def of(cls, one: Whole, other: Whole, sizes: tuple[int, int]) -> "Pairs":
        """The pairs of two columns of codes, each below its size."""
        key, size = one * sizes[1] + other, sizes[0] * sizes[1]
        if size <= DENSE * len(key):
            there = np.zeros(size, bool)
            there[key] = True
            found, code = np.flatnonzero(there), (np.cumsum(there) - 1)[key]
        else:
            found, code = np.unique(key, return_inverse=True)
        return cls(code, found // sizes[1], found % sizes[1])

    def sums(self, of: Floats) -> Floats:
        """Sums over rows, by pair."""
        return _by(self.code, of, len(self.one))


@dataclass(frozen=True, eq=False)
class _Set:
    """Factors as one: the combination of levels of each row, and the levels of each combination by factor."""

    code: Whole
    levels: Mapping[int, Whole]

    @property
    def size(self) -> int:
        """How many combinations occur."""
        return len(next(iter(self.levels.values())))


class Sums:
    """Sums over the same rows, again and again; factors go by their numbers."""

    def __init__(
        self, levels: Sequence[Whole], sizes: Sequence[int], sets: Sequence[Sequence[int]], group: Whole, groups: int
    ) -> None:
        self._sizes, self._group, self._groups = sizes, group, groups
        self._places = [slice(last - size, last) for last, size in zip(1 + np.cumsum(sizes), sizes, strict=True)]
        self._sets = [self._as_one(levels, each) for each in sets if each]
        self._with_groups = [Pairs.of(group, each.code, (groups, each.size)) for each in self._sets]
        self._two = [
            (one, other, Pairs.of(one.code, other.code, (one.size, other.size)))
            for one, other in combinations(self._sets, 2)
        ]

    def _as_one(self, levels: Sequence[Whole], factors: Sequence[int]) -> _Set:
        first = factors[0]
        found = _Set(np.asarray(levels[first]), {first: np.arange(self._sizes[first])})
        for each in factors[1:]:
            pairs = Pairs.of(found.code, levels[each], (found.size, self._sizes[each]))
            found = _Set(
                pairs.code, {number: of[pairs.one] for number, of in found.levels.items()} | {each: pairs.other}
            )
        return found

    def spread(self, values: Floats, groups: Floats) -> Floats:
        """The sum that each row has of the first of these values, and those of its levels and its group."""
        found: Floats = (values[0] + groups)[self._group]
        for each in self._sets:
            of_set = np.zeros(each.size)
            for number, level in each.levels.items():
                of_set += values[self._places[number]][level]
            found += of_set[each.code]
        return found

    def single(self, of: Floats) -> tuple[Floats, Floats]:
        """Sums over all rows, then by level; and by group."""
        by_value, by_group = np.full(1 + sum(self._sizes), of.sum()), _by(self._group, of, self._groups)
        for each in self._sets:
            of_set = _by(each.code, of, each.size)
            for number, level in each.levels.items():
                by_value[self._places[number]] = _by(level, of_set, self._sizes[number])
        return by_value, by_group

    def double(self, of: Floats) -> tuple[Floats, Floats, Floats]:
        """Sums by two levels (the first of which is one that all rows have), by level and group, and by group.

        Those by two equal levels are sums by level.
        """
        size, groups = 1 + sum(self._sizes), self._groups
        inner, across = np.zeros((size, size)), np.zeros((size, groups))
        across[0] = own = _by(self._group, of, groups)
        for one, pairs in zip(self._sets, self._with_groups, strict=True):
            by_pair = pairs.sums(of)
            for number, level in one.levels.items():
                cells = _by(level[pairs.other] * groups + pairs.one, by_pair, self._sizes[number] * groups)
                across[self._places[number]] = cells.reshape(self._sizes[number], groups)
            by_set = _by(pairs.other, by_pair, one.size)
            for first, second in combinations(one.levels, 2):
                self._enter(inner, first, second, one.levels[first], one.levels[second], by_set)
        for one, other, pairs in self._two:
            by_pair = pairs.sums(of)
            for first, level in one.levels.items():
                for second, beside in other.levels.items():
                    self._enter(inner, first, second, level[pairs.one], beside[pairs.other], by_pair)
        by_value = across.sum(axis=1)
        inner[0] = inner[:, 0] = inner[np.diag_indices(size)] = by_value
        return inner, across, own

    def _enter(self, inner: Floats, one: int, other: int, first: Whole, second: Whole, of: Floats) -> None:
        """Enter sums by the levels of two factors."""
        cells = _by(first * self._sizes[other] + second, of, self._sizes[one] * self._sizes[other])
        table = cells.reshape(self._sizes[one], self._sizes[other])
        inner[self._places[one], self._places[other]] = table
        inner[self._places[other], self._places[one]] = table.T


def _by(code: Whole, of: Floats, size: int) -> Floats:
    found: Floats = np.bincount(code, of, size).astype(np.float64, copy=False)
    return found
