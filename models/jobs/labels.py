"""Who jobs belong to: users, groups, queues and partitions, as codes into lists of names."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thinktime.models.jobs.columns import Requests

LABELLED = ("user", "group", "queue", "partition")
NAMELESS: Mapping[int, str] = MappingProxyType({})


class Labels:
    """The names of one machine, for each column of `LABELLED` in the order in which they came up; -1 codes none."""

    def __init__(self) -> None:
        self.names: dict[str, list[Any]] = {column: [] for column in LABELLED}
        self._codes: dict[str, dict[Any, int]] = {column: {} for column in LABELLED}

    def code(self, column: str, label: Any) -> int:
        """The code of one label, which is new or known."""
        if label is None:
            return -1
        codes = self._codes[column]
        code = codes.get(label)
        if code is None:
            code = codes[label] = len(codes)
            self.names[column].append(label)
        return code

    def codes(self, column: str, labels: NDArray[Any], names: Mapping[int, str] = NAMELESS) -> Any:
        """The codes of a log's labels: numbers, of which -1 is none and others may have names, or texts and None."""
        if labels.dtype == object:
            code = {label: self.code(column, label) for label in sorted(set(labels.tolist()) - {None})}
            return np.array([code.get(label, -1) for label in labels.tolist()], np.int64)
        least = int(labels.min(initial=0))
        span = int(labels.max(initial=0)) - least + 1
        if span > 4 * len(labels) + 64:  # sort them; otherwise there is a table of all numbers, which is faster
            unique = np.unique(labels)
            return self._made(column, unique, names)[np.searchsorted(unique, labels)]
        table, places = np.zeros(span, np.int64), labels - least
        table[places] = 1
        found = np.flatnonzero(table)
        table[found] = self._made(column, found + least, names)
        return table[places]

    def _made(self, column: str, labels: NDArray[Any], names: Mapping[int, str]) -> NDArray[np.int64]:
        """The codes of numbers that differ."""
        called = [None if number == -1 else names.get(number, number) for number in labels.tolist()]
        return np.array([self.code(column, label) for label in called], np.int64)


class Kind(NamedTuple):
    """Jobs that belong to the same user, group, queue and partition: their codes, and the labels behind these."""

    codes: tuple[int, ...]
    labels: tuple[Any, ...]


def distinct(jobs: Requests, names: dict[str, list[Any]], rows: NDArray[np.int64]) -> tuple[list[Kind], NDArray[Any]]:
    """The kinds of the jobs in some rows, and which of them each job is."""
    counts = [1 + len(names[column]) for column in LABELLED]
    codes = np.ravel_multi_index([1 + getattr(jobs, column)[rows] for column in LABELLED], counts)
    found, place = np.unique(codes, return_inverse=True)
    kinds = []
    for places in zip(*(each.tolist() for each in np.unravel_index(found, counts)), strict=True):
        numbered = zip(LABELLED, places, strict=True)
        labels = tuple(names[column][number - 1] if number else None for column, number in numbered)
        kinds.append(Kind(tuple(number - 1 for number in places), labels))
    return kinds, place
