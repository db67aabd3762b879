"""Amounts of trackable resources (TRES), by the names that Slurm gives them.

``cpu`` (processors), ``mem`` (bytes), ``node``, ``billing``, ``energy``, ``gres/NAME`` and ``gres/NAME:TYPE``,
``license/NAME``, …
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, TypeVar

from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.nodes import MEMORY, PROCESSORS
from thinktime.workloads.reading.table import Codec, short
from thinktime.workloads.reading.values import by_name, duration, memory_of, memory_text, number, whole
from thinktime.workloads.units import seconds

Amount = TypeVar("Amount", int, float)

PLAIN = ("cpu", "mem", "node", "billing", "energy", "vmem", "pages")
_OTHERS = re.compile(r"(gres|license|fs|bb|ic)/\S+")


class Tres(Mapping[str, Amount]):
    """An immutable mapping from names to amounts, which can be hashed: ``Tres({"cpu": 8, "mem": 16 * 2**30})``."""

    __slots__ = ("_amounts",)

    def __init__(self, amounts: Mapping[str, Amount] | None = None) -> None:
        self._amounts: dict[str, Amount] = dict(amounts or {})
        for name, amount in self._amounts.items():
            check_name(name)
            if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < float("inf"):
                raise ValueError(f"an amount of {name} must be a number of at least 0, not {quoted(amount)}")

    def __getitem__(self, name: str) -> Amount:
        return self._amounts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._amounts)

    def __len__(self) -> int:
        return len(self._amounts)

    def __eq__(self, other: object) -> bool:
        return self._amounts == (other._amounts if isinstance(other, Tres) else other)

    def __hash__(self) -> int:
        return hash(frozenset(self._amounts.items()))

    def __repr__(self) -> str:
        return f"Tres({self._amounts!r})"


def check_name(name: str) -> None:
    """``ValueError`` if Slurm has no trackable resource of this name."""
    if name not in PLAIN and not _OTHERS.fullmatch(name):
        raise ValueError(f"{quoted(name)} is no trackable resource; {key_of(name, (*PLAIN, 'gres/NAME'), 'they')}")


def typed(name: str) -> tuple[str, str]:
    """A trackable resource without its type, and the type: a property of the nodes that have it.

    >>> typed("gres/gpu:a100"), typed("cpu")
    (('gres/gpu', 'a100'), ('cpu', ''))
    """
    plain, _, type_ = name.partition(":")
    return (plain, type_) if name.startswith("gres/") else (name, "")


def resource_of(name: str) -> str:
    """What a trackable resource is called on nodes: ``processors``, ``memory``, ``gpus`` or the name of a gres.

    >>> resource_of("cpu"), resource_of("mem"), resource_of("gres/gpu"), resource_of("gres/shard")
    ('processors', 'memory', 'gpus', 'shard')
    """
    return {"cpu": PROCESSORS, "mem": MEMORY, "gres/gpu": "gpus"}.get(name, name.removeprefix("gres/"))


def _amount(name: str, value: Any) -> int:
    return memory_of(value) if name == "mem" else whole(f"a whole number of {name}")(value)


def _amount_seconds(name: str, value: Any) -> int:
    if name == "mem":
        return whole("bytes times seconds, a whole number")(value)
    found = seconds(value)
    if not found.is_integer():
        raise ValueError(f"{name} must be whole seconds, not {quoted(value)}")
    return int(found)


def _codec(read: Callable[[str, Any], Any], write: Callable[[str, Any], Any]) -> Codec:
    amounts = by_name("{ cpu = 8, mem = '16G' }", read)
    return Codec(lambda value: Tres(amounts(value)), lambda value: {name: write(name, value[name]) for name in value})


Amounts = Annotated[Tres[int], _codec(_amount, lambda name, each: memory_text(each) if name == "mem" else each)]
Weights = Annotated[Tres[float], _codec(lambda _, each: float(number(each)), lambda _, each: short(each))]
TresSeconds = Annotated[
    Tres[int], _codec(_amount_seconds, lambda name, each: each if name == "mem" else duration(each))
]
"""Amounts times seconds; Slurm's own numbers are minutes."""
