"""Copies of what changes while a machine runs; what never changes is shared.

Every part of a machine can be copied by ``copy.deepcopy``. Parts that have something of their own to say of it
(closures, structures of the engine, labels of users) define ``__deepcopy__`` with the help of `but_for`.
"""

from copy import deepcopy
from typing import Any, TypeVar

T = TypeVar("T")


def but_for(part: T, memo: dict[int, Any], *names: str) -> T:
    """A copy of a part, or what the memo has for one, without the attributes ``names``, which are left out."""
    twin: T = memo.setdefault(id(part), type(part).__new__(type(part)))
    for name, value in vars(part).items():
        if name not in names:
            setattr(twin, name, deepcopy(value, memo))
    return twin
