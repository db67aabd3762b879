"""A site's parts as tables of plain values, as they stand in its file; and back.

A table has the fields of its class, without those that have their default. Limits stand in the table of their QOS or
association. Durations are texts such as ``"7d"`` or numbers of seconds, memory is a text such as ``"16G"`` (powers of
1024) or a number of bytes, and names of nodes are a host list (``"n[1-4]"``) or a list.
"""

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from thinktime.models.site.accounts import PARENT, AccountTree, Association
from thinktime.models.site.host_lists import HostNames, compress, expand
from thinktime.models.site.limits import Limits
from thinktime.models.site.tres import Seconds, Tres, TresSeconds
from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.nodes import MEMORY, Cluster, Nodes
from thinktime.workloads.units import as_text, seconds

T = TypeVar("T")

_MEMORY = re.compile(r"(\d+(?:\.\d+)?)([KMGTP]?)")
_UNITS = "KMGTP"
"""Each 1024 times the one before."""


def table_of(value: Any) -> dict[str, Any]:
    """The fields of a part that differ from their defaults, as plain values."""
    table: dict[str, Any] = {}
    hints = _form(type(value)).types
    for field in dataclasses.fields(value):
        found = getattr(value, field.name)
        if found == default_of(field):
            continue
        if isinstance(found, Limits):
            table |= table_of(found)
        else:
            table[field.name] = _codec(hints[field.name])[0](found)
    return table


def value_of(kind: type[T], table: Any, what: str) -> T:
    """The part that a table describes; ``ValueError`` names ``what`` and the key."""
    if not isinstance(table, Mapping):
        raise ValueError(f"{what} must be a table, not {quoted(table)}")
    hints, needed = _form(kind)
    limits = set(_form(Limits).types) if hints.get("limits") is Limits else set()
    if unknown := [key for key in table if (key not in hints or (limits and key == "limits")) and key not in limits]:
        for key in unknown:
            if said := getattr(kind, "refused", lambda _: "")(key):
                raise ValueError(f"{what}: {said}")
        _check_keys(unknown, [*(name for name in hints if name != "limits"), *sorted(limits)], what)
    own = {name: decoded(hints[name], value, f"{what}: {name}") for name, value in table.items() if name not in limits}
    if missing := [name for name in needed if name not in own]:
        raise ValueError(f"{what} needs {' and '.join(missing)}")
    try:
        if given := {name: table[name] for name in table if name in limits}:
            own["limits"] = value_of(Limits, given, what)
        return kind(**own)
    except ValueError as error:
        raise ValueError(_at(what, error)) from None


def tables_of(values: Sequence[Any]) -> list[dict[str, Any]]:
    """Each of several parts as a table."""
    return [table_of(each) for each in values]


def values_of(kind: type[T], tables: Any, what: str) -> list[T]:
    """Several parts; ``what`` is what one of them is called."""
    if not isinstance(tables, Sequence) or isinstance(tables, str):
        raise ValueError(f"{what}: must be a list of tables, not {quoted(tables)}")
    return [value_of(kind, each, _called(what, number, each)) for number, each in enumerate(tables, start=1)]


def nodes_table(nodes: Nodes) -> list[dict[str, Any]]:
    """The clusters of nodes."""
    return [_cluster_table(cluster) for cluster in nodes.clusters]


def nodes_of(tables: Any) -> Nodes:
    """The nodes that tables of clusters describe."""
    if not isinstance(tables, Sequence) or isinstance(tables, str):
        raise ValueError(f"nodes must be a list of tables, one for each kind of nodes, not {quoted(tables)}")
    return Nodes([_cluster(each, _called("cluster", number, each)) for number, each in enumerate(tables, start=1)])


def accounts_of(tables: Any) -> AccountTree:
    """The tree of the associations that tables describe."""
    return AccountTree(values_of(Association, tables, "account"))


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


def default_of(field: "dataclasses.Field[Any]") -> Any:
    """The default of a field; `dataclasses.MISSING` if it has none."""
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def decoded(hint: Any, value: Any, what: str) -> Any:
    """The value of a field of this type; ``ValueError`` names ``what``."""
    try:
        return _codec(hint)[1](value)
    except ValueError as error:
        raise ValueError(f"{what} {error}") from None


class _Form(NamedTuple):
    """The types of a class's fields, and which of them have no default."""

    types: dict[str, Any]
    needed: tuple[str, ...]


_FORMS: dict[Any, _Form] = {}
"""What was found out about classes: a site may have ten thousands of associations."""


def _form(kind: Any) -> _Form:
    if kind not in _FORMS:
        needed = (each.name for each in dataclasses.fields(kind) if default_of(each) is dataclasses.MISSING)
        _FORMS[kind] = _Form(typing.get_type_hints(kind, include_extras=True), tuple(needed))
    return _FORMS[kind]


def _called(what: str, number: int, table: Any) -> str:
    """What one of several tables is called: by its name, else by its place."""
    named = isinstance(table, Mapping) and (table.get("name") or table.get("account"))
    user = f"user {table['user']} of " if named and "user" in table else ""
    return f"{user}{what} {shortened(named, 40)}" if isinstance(named, str) else f"{what} number {number}"


def _at(what: str, error: ValueError) -> str:
    """The message with the part it belongs to, unless it says so itself."""
    return str(error) if str(error).startswith((what, "cluster '")) else f"{what}: {error}"


def _check_keys(table: Iterable[str], known: Sequence[str], what: str) -> None:
    for key in table:
        if key not in known:
            raise ValueError(f"{what} has no key {quoted(key)}; {key_of(key, known, 'its keys')}")


def _cluster_table(cluster: Cluster) -> dict[str, Any]:
    amounts: dict[str, str | int] = {name: int(each) for name, each in cluster.resources.items()}
    if MEMORY in amounts:
        amounts[MEMORY] = memory_text(int(cluster.resources[MEMORY]))
    table: dict[str, Any] = {"name": cluster.name, "count": cluster.count, "resources": amounts}
    if cluster.properties:
        table["properties"] = sorted(cluster.properties)
    if cluster.names:
        table["names"] = _hosts(cluster.names)
    return table


def _cluster(table: Any, what: str) -> Cluster:
    if not isinstance(table, Mapping):
        raise ValueError(f"{what} must be a table, not {quoted(table)}")
    _check_keys(table, [each.name for each in dataclasses.fields(Cluster)], what)
    amounts = table.get("resources")
    if "name" not in table or not isinstance(amounts, Mapping):
        raise ValueError(f"{what} needs a name and resources such as {{ processors = 8, memory = '16G' }}")
    try:
        names = _names(table["names"]) if "names" in table else ()
        count = _is(int, "a whole number")(table.get("count", len(names)))
        amounts = {name: memory_of(each) if name == MEMORY else each for name, each in amounts.items()}
        return Cluster(table["name"], count, amounts, frozenset(_texts(table.get("properties", ()))), names)
    except ValueError as error:
        raise ValueError(_at(what, error)) from None


def _codec(hint: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """How a field of a type is written and read; ``X | None`` is written as X, since None is never written."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        parts = [each for each in typing.get_args(hint) if each is not types.NoneType]
        hint = parts[0] if len(parts) == 1 else SHARES
    return CODECS[hint]


def _plain(value: Any) -> Any:
    return value


def _is(kind: type, wanted: str) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ValueError(f"must be {wanted}, not {quoted(value)}")
        return value

    return checked


def _number(value: Any) -> float:
    return float(_is(int | float, "a number")(value))  # type: ignore[arg-type]


def _short(value: float) -> float:
    """A number, without a fraction if it is whole and not too large for that."""
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else value


def _duration(value: float) -> str | float:
    """A duration as a text, where that is exact."""
    text = as_text(value)
    try:
        return text if value and seconds(text) == value else value
    except ValueError:
        return value


def _seconds(value: Any) -> float:
    try:
        return seconds(value)
    except ValueError as error:
        raise ValueError(f"is wrong: {error}") from None


def _amounts(write: Callable[[str, Any], Any]) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {name: write(name, each) for name, each in value.items()}


def _tres(read: Callable[[str, Any], Any]) -> Callable[[Any], Tres[Any]]:
    def found(value: Any) -> Tres[Any]:
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table such as {{ cpu = 8, mem = '16G' }}, not {quoted(value)}")
        try:
            return Tres({name: read(name, each) for name, each in value.items()})
        except ValueError as error:
            raise ValueError(f"is wrong: {error}") from None

    return found


def _amount(name: str, value: Any) -> int:
    if name == "mem":
        return memory_of(value)
    return int(_is(int, f"a whole number of {name}")(value))


def _amount_seconds(name: str, value: Any) -> int:
    if name == "mem":
        return int(_is(int, "bytes times seconds, a whole number")(value))
    found = seconds(value)
    if not found.is_integer():
        raise ValueError(f"{name} must be whole seconds, not {quoted(value)}")
    return int(found)


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"must be a list of names, not {quoted(value)}")
    return tuple(value)


def _hosts(names: tuple[str, ...]) -> str | list[str]:
    """Names of nodes as a host list, where that is exact."""
    try:
        return text if expand(text := compress(names)) == names else list(names)
    except ValueError:
        return list(names)


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, str):
        return _texts(value)
    try:
        return expand(value)
    except ValueError as error:
        raise ValueError(f"is wrong: {error}") from None


def _shares(value: Any) -> Any:
    return value if value == PARENT else _is(int, f"a whole number or {quoted(PARENT)}")(value)


SHARES = "shares"

CODECS: dict[Any, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    bool: (_plain, _is(bool, "true or false")),
    int: (_plain, _is(int, "a whole number")),
    str: (_plain, _is(str, "a text")),
    float: (_short, _number),
    Seconds: (_duration, _seconds),
    tuple[str, ...]: (list, _texts),
    frozenset[str]: (sorted, lambda value: frozenset(_texts(value))),
    HostNames: (_hosts, _names),
    SHARES: (_plain, _shares),
    Tres[int]: (_amounts(lambda name, each: memory_text(each) if name == "mem" else each), _tres(_amount)),
    Tres[float]: (_amounts(lambda _, each: _short(each)), _tres(lambda _, each: _number(each))),
    TresSeconds: (_amounts(lambda name, each: each if name == "mem" else _duration(each)), _tres(_amount_seconds)),
}
"""How fields are written and read, by their types."""
