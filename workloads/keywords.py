"""Keyword arguments of a function that are meant for several of the things that it makes."""

from collections.abc import Mapping
from typing import Any, get_type_hints


def parted(given: Mapping[str, Any], kind: type) -> tuple[dict[str, Any], dict[str, Any]]:
    """Those that a `TypedDict` or a data class has, and the others.

    >>> from typing import TypedDict
    >>> parted({"seed": 1, "overrun": "kill"}, TypedDict("Drawing", {"seed": int}))
    ({'seed': 1}, {'overrun': 'kill'})
    """
    names = get_type_hints(kind)
    own = {name: value for name, value in given.items() if name in names}
    return own, {name: value for name, value in given.items() if name not in names}
