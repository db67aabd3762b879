"""A site with other settings: what its file would say after a change, such as ``qos.short.priority=50``.

A change is a dotted path into the site's file and a value in TOML (or a bare word). Several are separated by commas.

    backfill.job_part_count_reserve=1             a key of a table
    qos.short.max_tres_per_user.cpu=64            a key of the QOS short
    partitions.debug=none                         no such partition
    priority.half_life=none                       the default of the key
    qos.express={ priority = 90, max_wall = "1h" }    another QOS
    accounts.physics.shares=50, accounts.physics/ann.max_jobs=4    an account, and a user in it

Slurm's names of backfill options (``backfill.bf_window``) and weights (``priority.weights.age``) are known as well, and
a number of a resource is one of processors. What goes by something that is no longer there loses it.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thinktime.models.site.limits import Limits
from thinktime.models.site.site import Site
from thinktime.models.site.site_file import LISTS, PARTS
from thinktime.workloads.names import key_of, quoted

Setting = tuple[str, Any]
"""The path of a key, and its value."""

NONE = "none"
"""The value that takes something away."""
NAMED = {"nodes": "cluster", "partitions": "partition", "qos": "QOS", "accounts": "account"}
"""Lists whose parts have names, and what one of them is called."""
FORMER = {"backfill": "bf_", "priority": "weights."}
"""What may stand before a key of a table."""
OF_TRES = {name for name in Limits.__slots__ if "tres" in name}
_COMMA = re.compile(r",(?=\s*[^\s,={}\[\]\"']+\s*=)")


def settings_of(text: str) -> list[Setting]:
    """The settings of a change; ``ValueError`` if it is no list of PATH=VALUE."""
    found = []
    for part in _parts(text):
        path, equals, value = part.strip().partition("=")
        if not equals or not all(path.strip().split(".")) or not value.strip():
            raise ValueError(f"a change must be PATH=VALUE, such as priority.age=1000, not {quoted(part.strip())}")
        found.append((path.strip(), _value(value.strip())))
    return found


def changed(site: Site, settings: Iterable[Setting]) -> Site:
    """The site with these settings; ``ValueError`` names what is unknown or wrong, and what would be right."""
    table: dict[str, Any] = {key: list(LISTS[key][0](getattr(site, key))) for key in NAMED}
    table |= tomllib.loads(site.to_toml())
    for path, value in settings:
        key, _, rest = path.partition(".")
        if key in NAMED and rest:
            table[key] = _in_list(key, table[key], rest, value)
            if value == NONE and key in ("partitions", "qos"):
                _forget(table, key, rest)
        elif key in PARTS and rest:
            table[key] = _put(table.get(key, {}), rest.removeprefix(FORMER.get(key, "")).split("."), value)
        else:
            _put(table, path.split("."), value, into=table)
    return type(site).of_tables(table)


def _parts(text: str) -> list[str]:
    """The settings one by one: a comma inside brackets or quotes is part of a value."""
    parts, begin = [], 0
    for comma in _COMMA.finditer(text):
        before = text[begin : comma.start()]
        if (
            before.count("{") == before.count("}")
            and before.count("[") == before.count("]")
            and not before.count('"') % 2
        ):
            parts.append(before)
            begin = comma.end()
    return [*parts, text[begin:]]


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _called(key: str, row: Mapping[str, Any]) -> str:
    """What a part of a list is called in paths."""
    if key != "accounts":
        return str(row["name"])
    return f"{row['account']}/{row['user']}" if "user" in row else str(row["account"])


def _in_list(key: str, rows: Sequence[Mapping[str, Any]], path: str, value: Any) -> list[Mapping[str, Any]]:
    """The parts of a list, of which one is changed, added or taken away."""
    names = {_called(key, row) for row in rows}
    found = max((name for name in names if path == name or path.startswith(f"{name}.")), key=len, default=None)
    if found is None:
        if not isinstance(value, Mapping) or "." in path:
            raise ValueError(f"there is no {NAMED[key]} {quoted(path.split('.')[0])}; {_meant(path, names, key)}")
        return [*rows, _new(key, path) | dict(value)]
    inside = path.removeprefix(found).removeprefix(".")
    if not inside and value != NONE and not isinstance(value, Mapping):
        raise ValueError(f"{NAMED[key]} {found} must be a table of keys, or none, not {quoted(value)}")
    made = []
    for row in rows:
        if _called(key, row) != found:
            made.append(row)
        elif inside:
            made.append(_put(row, inside.split(".", 1), value))
        elif value != NONE:
            made.append(_new(key, found) | dict(value))
    return made


def _meant(path: str, names: Iterable[str], key: str) -> str:
    return key_of(path.split(".")[0], sorted(names), f"the {'QOS' if key == 'qos' else NAMED[key] + 's'}")


def _new(key: str, name: str) -> dict[str, Any]:
    """The table of a part with nothing but its name."""
    if key != "accounts":
        return {"name": name}
    account, slash, user = name.partition("/")
    return {"account": account} | ({"user": user} if slash else {})


def _put(
    table: Mapping[str, Any], path: Sequence[str], value: Any, into: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A table with one key changed, or taken away."""
    made = dict(table) if into is None else into
    key, *rest = path
    if rest:
        inside = made.get(key, {})
        if not isinstance(inside, Mapping):
            raise ValueError(f"{key} is {quoted(inside)}, which has no keys such as {quoted(rest[0])}")
        made[key] = _put(inside, rest, value)
    elif value == NONE:
        made.pop(key, None)
    else:
        number = isinstance(value, int) and not isinstance(value, bool)
        made[key] = {"cpu": value} if number and key in OF_TRES else value
    return made


def _forget(table: dict[str, Any], key: str, name: str) -> None:
    """Take a partition or a QOS out of what goes by it."""
    if key == "partitions":
        table["accounts"] = [row for row in table["accounts"] if row.get("partition") != name]
        return
    for rows in (table["accounts"], table["partitions"], table["qos"]):
        for row in rows:
            for field in ("qos", "default_qos", "allow_qos", "deny_qos", "preempts"):
                if row.get(field) == name:
                    del row[field]
                elif isinstance(row.get(field), list):
                    row[field] = [each for each in row[field] if each != name]
