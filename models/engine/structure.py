"""Structures: arrays under names, of which compiled code knows the types."""

from __future__ import annotations

from typing import Any


class Structure:
    """What has arrays under the names in ``FIELDS``."""

    FIELDS: tuple[str, ...] = ()

    def __init__(self, *arrays: Any) -> None:
        self.bind(self.FIELDS, arrays)

    def bind(self, names: Any, arrays: Any) -> None:
        """Refer to other arrays under some names."""
        for name, array in zip(names, arrays, strict=True):  # objects: when it is made
            setattr(self, name, array)  # objects: when it is made
