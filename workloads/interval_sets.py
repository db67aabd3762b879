"""Interval sets: sets of indices as ascending intervals and single numbers, such as `0-3 7`, as Batsim writes them."""

import re
from collections.abc import Sequence

import numpy as np

from thinktime.workloads.arrays import Whole
from thinktime.workloads.names import quoted, shortened

LARGEST = 2**24
"""Indices must be smaller. An interval set is kept as all its indices, and no machine has as many processors."""
_PART = re.compile(r"(\d{1,19})(?:-(\d{1,19}))?", re.ASCII)


def interval_set(indices: Sequence[int]) -> str:
    """Ascending indices as an interval set.

    >>> interval_set([0, 1, 2, 3, 5, 7, 8])
    '0-3 5 7-8'
    """
    at = np.asarray(indices, np.int64)
    parts = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1) if at.size else ()
    return " ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def indices_of(text: str) -> Whole:
    """The indices in an interval set, ascending, each once; intervals are separated by blanks.

    >>> indices_of("7 0-3").tolist()
    [0, 1, 2, 3, 7]
    """
    parts = [_ends(part, text) for part in text.split()]
    if not parts:
        raise ValueError("an interval set such as '0-3 7' must not be empty")
    return np.unique(np.concatenate([np.arange(low, high + 1, dtype=np.int64) for low, high in parts]))


def is_interval_set(text: str) -> bool:
    """Whether a text consists of numbers and intervals only, so that it is not a list of names."""
    return all(_PART.fullmatch(part) for part in text.split())


def _ends(part: str, text: str) -> tuple[int, int]:
    found = _PART.fullmatch(part)
    if not found:
        raise ValueError(
            f"{quoted(part)} in {quoted(text)} is not an index such as 7, or an interval of indices such as 0-3"
        )
    low, high = int(found[1]), int(found[2] or found[1])
    if max(low, high) >= LARGEST:
        raise ValueError(f"{quoted(part)} has an index that is not below {LARGEST:,}")
    if high < low:
        raise ValueError(f"the interval {shortened(part, 40)} goes backwards; write {high}-{low}")
    return low, high
