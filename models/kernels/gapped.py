"""Sorted rows with gaps, so that to insert or remove one costs little even where tens of thousands of jobs run.

The rows stand in ``rows[first:stop]``, sorted by a key and then by ``tie[row]`` (by row if ``tie`` is empty), where
``first`` and ``stop`` are ``counts[at]`` and ``counts[at + 1]``. A removed row leaves a gap: its place holds -1 - row,
and keeps its key. An insertion moves the rows up to the nearest gap. If that is far, all rows are spread evenly. The
places ``first`` and ``stop - 1`` are never gaps.

Bender and Hu, An adaptive packed-memory array (TODS 2007), have the analysis.
"""

from thinktime.workloads.compiler import Floats, Ints, kernel

FAR = 256
"""How many rows an insertion may move."""


@kernel
def _label(row: int, tie: Ints) -> int:
    """What breaks a tie of the row that a place holds, or has held."""
    row = row if row >= 0 else -1 - row
    return int(tie[row]) if tie.size else row


@kernel
def position(key: float, label: int, tie: Ints, rows: Ints, keys: Floats, first: int, stop: int) -> int:
    """The first place whose key and tie are not smaller."""
    low, high = first, stop
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        elif keys[middle] > key:
            high = middle
        else:
            if _label(rows[middle], tie) < label:
                low = middle + 1
            else:
                high = middle
    return low


@kernel
def remove(row: int, key: float, tie: Ints, rows: Ints, keys: Floats, counts: Ints, at: int) -> None:
    """Take out a row that is there with this key."""
    first, stop = counts[at], counts[at + 1]
    i = position(key, _label(row, tie), tie, rows, keys, first, stop)
    while i < stop and rows[i] != row:
        i += 1
    if i == stop:  # ties have been changed
        i = first
        while rows[i] != row:
            i += 1
    rows[i] = -1 - row
    while first < stop and rows[first] < 0:
        first += 1
    while first < stop and rows[stop - 1] < 0:
        stop -= 1
    counts[at], counts[at + 1] = first, stop


@kernel
def insert(row: int, key: float, tie: Ints, rows: Ints, keys: Floats, counts: Ints, at: int) -> None:
    """Put in a row; there must be room for one more."""
    first, stop = counts[at], counts[at + 1]
    if first == stop:
        first = stop = 0
    i = position(key, _label(row, tie), tie, rows, keys, first, stop)
    gap, step = _nearest(i, rows, first, stop)
    if gap < 0:
        counts[at], counts[at + 1] = first, stop
        _spread(rows, keys, counts, at)
        first, stop = counts[at], counts[at + 1]
        i = position(key, _label(row, tie), tie, rows, keys, first, stop)
        gap, step = _nearest(i, rows, first, stop)
    if step > 0:
        for j in range(gap, i, -1):
            rows[j], keys[j] = rows[j - 1], keys[j - 1]
    else:
        i -= 1
        for j in range(gap, i):
            rows[j], keys[j] = rows[j + 1], keys[j + 1]
    rows[i], keys[i] = row, key
    counts[at], counts[at + 1] = min(first, gap), max(stop, gap + 1)


@kernel
def close_gaps(rows: Ints, keys: Floats, counts: Ints, at: int) -> int:
    """Move all rows to the beginning and return how many they are."""
    n = 0
    for i in range(counts[at], counts[at + 1]):
        if rows[i] >= 0:
            rows[n], keys[n] = rows[i], keys[i]
            n += 1
    counts[at], counts[at + 1] = 0, n
    return n


@kernel
def _nearest(i: int, rows: Ints, first: int, stop: int) -> tuple[int, int]:
    """The nearest gap and its direction for a row that belongs before place ``i``; -1 if it is far.

    Every place outside of the rows is a gap.
    """
    size = rows.size
    reach = FAR if size > 4 * FAR else size
    for distance in range(reach):
        right, left = i + distance, i - 1 - distance
        if right < size and (right >= stop or rows[right] < 0):
            return right, 1
        if left >= 0 and (left < first or rows[left] < 0):
            return left, -1
    return -1, 0


@kernel
def _spread(rows: Ints, keys: Floats, counts: Ints, at: int) -> None:
    """Spread the rows evenly; a gap gets the key of the row before it."""
    n = close_gaps(rows, keys, counts, at)
    until = rows.size
    for i in range(n - 1, -1, -1):
        row, key = rows[i], keys[i]
        place = i * rows.size // n
        for j in range(place + 1, until):
            rows[j], keys[j] = -1 - row, key
        rows[place], keys[place] = row, key
        until = place
    counts[at + 1] = (n - 1) * rows.size // n + 1
