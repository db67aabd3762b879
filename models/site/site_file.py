"""The file of a site: TOML with what differs from Slurm's defaults.

    name = "saturn"
    nodes = [
        { name = "n", count = 4, resources = { processors = 32, memory = "128G" } },
    ]
    accounts = [
        { account = "physics", shares = 40 },
        { account = "physics", user = "ann" },
    ]

    [priority]
    type = "multifactor"
    fairshare = 10000
    half_life = "7d"

The keys are the fields of the parts; `thinktime.models.site.tables` says how values are written.
"""

import dataclasses
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from thinktime.models.site import tables
from thinktime.models.site.backfill import Backfill
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.time_limits import TimeLimits
from thinktime.models.site.usage import Usage
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.toml import as_toml

PARTS = {"priority": PriorityRules, "backfill": Backfill, "preemption": Preemption, "time_limits": TimeLimits}
"""The fields that are tables."""

LISTS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "nodes": (tables.nodes_table, tables.nodes_of),
    "partitions": (tables.tables_of, lambda given: tuple(tables.values_of(Partition, given, "partition"))),
    "qos": (tables.tables_of, lambda given: tuple(tables.values_of(QOS, given, "QOS"))),
    "accounts": (tables.tables_of, tables.accounts_of),
    "usage": (tables.tables_of, lambda given: tuple(tables.values_of(Usage, given, "usage of account"))),
}
"""The fields that are lists of tables: how they are written and read."""

ALWAYS = ("name", "nodes")
"""What every file says."""


def as_text(site: Any) -> str:
    """A site in TOML: plain values first, then a line for each part of a list, then tables."""
    scalars, lists, parts = [], [], []
    for field in dataclasses.fields(site):
        value = getattr(site, field.name)
        if value == tables.default_of(field) and field.name not in ALWAYS:
            continue
        if field.name in LISTS:
            rows = "".join(f"    {as_toml(row, bare=True)},\n" for row in LISTS[field.name][0](value))
            lists.append(f"{field.name} = [\n{rows}]\n")
        elif field.name in PARTS:
            rows = "".join(f"{key} = {as_toml(each, bare=True)}\n" for key, each in tables.table_of(value).items())
            parts.append(f"\n[{field.name}]\n{rows}")
        else:
            scalars.append(f"{field.name} = {as_toml(sorted(value) if isinstance(value, frozenset) else value)}\n")
    return "".join([*scalars, *lists, *parts])


def fields_of(text: str, known: dict[str, Any]) -> dict[str, Any]:
    """The fields of a site that a text describes; ``known`` are all fields with their types."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"this is not TOML: {error}") from None
    return fields_of_tables(given, known)


def fields_of_tables(given: Mapping[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """The fields of a site that plain tables describe."""
    for key in given:
        if key not in known:
            raise ValueError(f"a site has no key {quoted(key)}; {key_of(key, known, 'its keys')}")
    return {key: _field(key, value, known[key]) for key, value in given.items()}


def _field(key: str, value: Any, hint: Any) -> Any:
    if key in LISTS:
        return LISTS[key][1](value)
    if key in PARTS:
        return tables.value_of(PARTS[key], value, key)
    return tables.decoded(hint, value, key)
