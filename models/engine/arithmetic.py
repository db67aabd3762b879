"""What C and NumPy both do, under one name, for numbers and short arrays."""

from __future__ import annotations

import math

import numpy as np

from thinktime.workloads.arrays import Floats, Ints


def floor(x: float) -> float:
    """The largest whole number that is not above ``x``, as a float."""
    return float(math.floor(x)) if math.isfinite(x) else x


def ceil(x: float) -> float:
    """The smallest whole number that is not below ``x``, as a float."""
    return float(math.ceil(x)) if math.isfinite(x) else x


def rint(x: float) -> float:
    """The nearest whole number, the even one of two, as a float."""
    large = 4503599627370496.0  # 2^52: from there on all numbers are whole
    if x >= 0.0:
        return (x + large) - large if x < large else x
    return (x - large) + large if x > -large else x


def on_grid(time: float) -> float:
    """The nearest multiple of 2⁻¹⁰ s."""
    return floor(1024.0 * time + 0.5) / 1024.0


def first_from(values: Floats, n: int, x: float) -> int:
    """The first of ``n`` ascending values that is not below ``x`` (n: none); `numpy.searchsorted` from the left."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if values[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def first_above(values: Floats, n: int, x: float) -> int:
    """The first of ``n`` ascending values that is above ``x`` (n: none); `numpy.searchsorted` from the right."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if values[middle] <= x:
            low = middle + 1
        else:
            high = middle
    return low


def sort_by(keys: Floats, order: Ints, spare: Ints, n: int) -> None:
    """Write the places of the ``n`` first keys to ``order``, in order of keys, equal keys by place: a merge sort.

    NaN counts as larger than all others. ``spare`` has room for as many.
    """
    for i in range(n):
        order[i] = i
    width, turned = 1, False
    while width < n:
        begin = 0
        while begin < n:
            middle, end = min(begin + width, n), min(begin + 2 * width, n)
            i, j = begin, middle
            for k in range(begin, end):
                if turned:
                    if j >= end or (i < middle and not _before(keys, spare[j], spare[i])):
                        order[k] = spare[i]
                        i += 1
                    else:
                        order[k] = spare[j]
                        j += 1
                elif j >= end or (i < middle and not _before(keys, order[j], order[i])):
                    spare[k] = order[i]
                    i += 1
                else:
                    spare[k] = order[j]
                    j += 1
            begin = end
        width, turned = 2 * width, not turned
    if turned:
        order[:n] = spare[:n]


def _before(keys: Floats, one: int, other: int) -> bool:
    """Whether a place comes before another by its key alone."""
    if math.isnan(keys[other]):
        return not math.isnan(keys[one])
    return bool(keys[one] < keys[other])


def sorted_places(keys: Floats, n: int) -> Ints:
    """The places of the first ``n`` keys as `sort_by` sorts them, in a new array."""
    order, spare = np.empty(n, np.int64), np.empty(n, np.int64)
    sort_by(keys, order, spare, n)
    return order


def taken(values: Floats, rows: Ints) -> Floats:
    """The values of some rows, in a new array."""
    found = np.empty(len(rows))
    for i in range(len(rows)):
        found[i] = values[rows[i]]
    return found


def taken_whole(values: Ints, rows: Ints) -> Ints:
    """As `taken`, for whole numbers."""
    found = np.empty(len(rows), np.int64)
    for i in range(len(rows)):
        found[i] = values[rows[i]]
    return found


def fill(values: Floats, rows: Ints, value: float) -> None:
    """Let some rows have a value."""
    for i in range(len(rows)):
        values[rows[i]] = value


def fill_all(values: Floats, value: float) -> None:
    """Let all numbers be the same."""
    for i in range(len(values)):
        values[i] = value


def sort_values(values: Floats, n: int) -> None:
    """Sort the first ``n`` numbers, NaN last."""
    order, old = sorted_places(values, n), np.empty(n)
    for i in range(n):
        old[i] = values[i]
    for i in range(n):
        values[i] = old[order[i]]


def first_least(values: Floats) -> int:
    """The place of the first of the least numbers, none of which is NaN."""
    place = 0
    for i in range(1, len(values)):
        if values[i] < values[place]:
            place = i
    return place


def has(values: Ints, n: int, value: int) -> bool:
    """Whether a whole number is among the first ``n``."""
    found = False
    for i in range(n):
        found = found or values[i] == value
    return found


def rows_copied(rows: Ints) -> Ints:
    """Whole numbers in a new array; a typed memoryview's own ``copy`` cannot be empty."""
    found = np.empty(len(rows), np.int64)
    for i in range(len(rows)):
        found[i] = rows[i]
    return found
