"""Who jobs belong to: users, groups, queues and partitions, as codes into lists of names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

LABELLED = ("user", "group", "queue", "partition")


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

    def codes(self, column: str, labels: NDArray[Any]) -> Any:
        """The codes of a log's labels: numbers, of which -1 is none, or texts and None."""
        if labels.dtype == object:
            code = {label: self.code(column, label) for label in sorted(set(labels.tolist()) - {None})}
            return np.array([code.get(label, -1) for label in labels.tolist()], np.int64)
        least = int(labels.min(initial=0))
        span = int(labels.max(initial=0)) - least + 1
        if span > 4 * len(labels) + 64:  # sort them; otherwise there is a table of all numbers, which is faster
            unique = np.unique(labels)
            return self._made(column, unique)[np.searchsorted(unique, labels)]
        table, places = np.zeros(span, np.int64), labels - least
        table[places] = 1
        found = np.flatnonzero(table)
        table[found] = self._made(column, found + least)
        return table[places]

    def _made(self, column: str, labels: NDArray[Any]) -> NDArray[np.int64]:
        """The codes of numbers that differ."""
        return np.array([self.code(column, None if label == -1 else label) for label in labels.tolist()], np.int64)
