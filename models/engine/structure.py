"""Structures: arrays and numbers under names, of which compiled code knows the types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from thinktime.workloads.arrays import Codes, CodeTable, Floats, Ints, IntTable

EMPTY = {
    Ints: np.empty(0, np.int64), Floats: np.empty(0), Codes: np.empty(0, np.int8),
    IntTable: np.empty((0, 0), np.int64), CodeTable: np.empty((0, 0), np.int8),
}  # fmt: skip


class Structure:
    """What has arrays under the names in ``FIELDS``, and numbers under those in ``NUMBERS``."""

    FIELDS: Mapping[str, Any] = {}
    """The arrays, which are empty at first, and their types."""
    NUMBERS: Mapping[str, int | float] = {}
    """The numbers, and what they are at first."""
    PARTS: tuple[str, ...] = ()
    """Other structures that belong to this one."""

    def __init__(self, **given: Any) -> None:
        self.make_empty()
        self.bind(**given)

    def make_empty(self) -> None:
        """Let all arrays be empty and all numbers what they are at first."""
        for name, kind in self.FIELDS.items():  # objects: when it is made
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

    def lengthen(self, size: int, *names: str, fill: float = 0) -> None:
        """Let some arrays be at least so long; what is new is ``fill``."""
        for name in names:  # objects: when it is made
            array = np.asarray(getattr(self, name))  # objects: when it is made
            if len(array) < size:  # objects: when it is made
                longer = np.full((size, *array.shape[1:]), fill, array.dtype)  # objects: when it is made
                longer[: len(array)] = array  # objects: when it is made
                setattr(self, name, longer)  # objects: when it is made

    def contents(self) -> dict[str, Any]:
        """Copies of all arrays and parts, and all numbers, by name."""
        arrays = {name: np.array(getattr(self, name)) for name in self.FIELDS}  # objects: when it is copied
        parts = {name: getattr(self, name).copied() for name in self.PARTS}  # objects: when it is copied
        return arrays | self.all_numbers() | parts

    def without_arrays(self) -> Self:
        """One with the same numbers, whose arrays somebody else has and will bind."""
        return type(self)(**self.all_numbers())

    def copied(self) -> Self:
        """An independent one in the same state."""
        return type(self)(**self.contents())

    def __deepcopy__(self, memo: Any) -> Self:
        return self.copied()

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (type(self), self.contents())


def restored(kind: type[Structure], contents: dict[str, Any]) -> Structure:
    """A structure that was saved."""
    return kind(**contents)


def to_copy(owner: dict[str, Any]) -> dict[str, Any]:
    """What a copy of an owner of structures begins with; where it is ``_bound``, the owner binds its arrays again."""
    if "_bound" not in owner:
        return owner
    bound = {name: each.without_arrays() for name, each in owner.items() if isinstance(each, Structure)}
    return {name: value for name, value in owner.items() if name != "_bound"} | bound
