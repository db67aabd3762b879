"""Types of values in tables: how each is read and written.

Durations are texts such as ``"7d"`` or numbers of seconds, memory is a text such as ``"16G"`` (powers of 1024) or a
number of bytes, and names of nodes are a host list (``"n[1-4]"``) or a list.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from thinktime.workloads.host_lists import compress, expand
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import Codec
from thinktime.workloads.units import as_text, seconds

_MEMORY = re.compile(r"(\d+(?:\.\d+)?)([KMGTP]?)")
_UNITS = "KMGTP"
"""Each 1024 times the one before."""


def whole(wanted: str = "a whole number") -> Callable[[Any], int]:
    """A reader of whole numbers."""

    def found(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"must be {wanted}, not {quoted(value)}")
        return value

    return found


def number(value: Any) -> float:
    """A number, whole or not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be a number, not {quoted(value)}")
    return value


def duration(value: float) -> str | float:
    """A duration (s) as a text, where that is exact."""
    text = as_text(value)
    try:
        return text if value and seconds(text) == value else value
    except ValueError:
        return value


def names(value: Any) -> tuple[str, ...]:
    """A list of names."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"must be a list of names, not {quoted(value)}")
    return tuple(value)


def hosts(value: Any) -> tuple[str, ...]:
    """Names of nodes, from a host list or a list of names."""
    return expand(value) if isinstance(value, str) else names(value)


def host_list(value: tuple[str, ...]) -> str | list[str]:
    """Names of nodes as a host list, where that is exact."""
    try:
        return text if expand(text := compress(value)) == value else list(value)
    except ValueError:
        return list(value)


def memory_text(amount: int) -> str | int:
    """An amount of memory (bytes) in the largest unit that divides it.

    >>> memory_text(16 * 2**30), memory_text(1536 * 2**20), memory_text(1000)
    ('16G', '1536M', 1000)
    """
    power = next((power for power in range(len(_UNITS), 0, -1) if amount and amount % 1024**power == 0), 0)
    return f"{amount // 1024**power}{_UNITS[power - 1]}" if power else amount


def memory_of(value: Any) -> int:
    """An amount of memory in bytes: a whole number, or a text with a unit; ``ValueError`` for anything else.

    >>> memory_of("16G"), memory_of("1.5k"), memory_of(1000)
    (17179869184, 1536, 1000)
    """
    if isinstance(value, str) and (match := _MEMORY.fullmatch(value.strip().upper().removesuffix("B"))):
        value = float(match[1]) * 1024 ** (_UNITS.index(match[2]) + 1 if match[2] else 0)
        value = int(value) if value.is_integer() else None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"memory must be a number of bytes or a text such as '16G', not {quoted(value)}")
    return value


def by_name(such_as: str, read: Callable[[str, Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """A reader of tables of amounts by the names of what there is so much of."""

    def found(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table such as {such_as}, not {quoted(value)}")
        return {name: read(name, each) for name, each in value.items()}

    return found


SECONDS, NUMBER, NAMES = Codec(seconds, duration), Codec(number), Codec(names, list)
Seconds = Annotated[float, SECONDS]
"""A duration in seconds."""
Names = Annotated[tuple[str, ...], NAMES]
NameSet = Annotated[frozenset[str], Codec(lambda value: frozenset(names(value)), sorted)]
HostNames = Annotated[tuple[str, ...], Codec(hosts, host_list)]
"""The names of nodes, such as ``n[1-4]``, taken apart."""
