"""Structures: arrays and numbers under names, of which compiled code knows the types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thinktime.workloads.arrays import Codes, CodeTable, Floats, Ints, IntTable

EMPTY = {
    Ints: np.empty(0, np.int64), Floats: np.empty(0), Codes: np.empty(0, np.int8),
    IntTable: np.empty((0, 0), np.int64), CodeTable: np.empty((0, 0), np.int8),
}  # fmt: skip


class Structure:
    """What has arrays under the names in ``FIELDS``, and numbers under those in ``NUMBERS``."""

    FIELDS: tuple[str, ...] = ()
    KINDS: Mapping[str, Any] = {}
    """The types of arrays that are empty at first."""
    NUMBERS: Mapping[str, int | float] = {}
    """The numbers, and what they are at first."""

    def __init__(self, *arrays: Any) -> None:
        self.bind(**dict(zip(self.FIELDS, arrays, strict=True)))  # objects: when it is made

    def make_empty(self) -> None:
        """Let all arrays be empty and all numbers what they are at first."""
        for name, kind in self.KINDS.items():  # objects: when it is made
            setattr(self, name, EMPTY[kind])  # objects: when it is made
        for name, value in self.NUMBERS.items():  # objects: when it is made
            setattr(self, name, value)  # objects: when it is made

    def all_numbers(self) -> dict[str, Any]:
        """All numbers, by name."""
        return {name: getattr(self, name) for name in self.NUMBERS}  # objects: when it is copied

    def bind(self, **given: Any) -> None:
        """Refer to other arrays under some names, or let numbers be others."""
        for name, value in given.items():  # objects: when it is made
            setattr(self, name, value)  # objects: when it is made
