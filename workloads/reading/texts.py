"""Texts of tables: TOML, and ``KEY=VALUE``."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import Rows, Table, form_of
from thinktime.workloads.toml import as_toml


def tables_in(text: str, wrong: str = "this is not TOML") -> dict[str, Any]:
    """The tables of a text in TOML; ``ValueError`` begins with ``wrong``."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{wrong}: {error}") from None


def value_in(text: str) -> Any:
    """A value in TOML, or a bare word."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def pairs_in(text: str, wrong: str) -> list[tuple[str, str]]:
    """The pairs of a text such as ``mtbf=30d,mttr=4h``; ``ValueError`` begins with ``wrong``."""
    pairs = [tuple(word.strip() for word in part.partition("=")[::2]) for part in text.split(",")]
    for part, (key, value) in zip(text.split(","), pairs, strict=True):
        if not key or not value:
            raise ValueError(f"{wrong}, so {quoted(part)} is not understood")
    return [(key, value) for key, value in pairs]


def put(tables: Any, path: list[str], value: Any, kinds: bool = False) -> dict[str, Any]:
    """Nested tables with one value changed or added; with ``kinds``, a word is a table of this kind."""
    inside = dict(tables) if isinstance(tables, Mapping) else {}
    if kinds and isinstance(tables, str):
        inside = {"kind": tables}
    inside[path[0]] = value if len(path) == 1 else put(inside.get(path[0]), path[1:], value, kinds)
    return inside


def text_of(value: Any, always: Sequence[str] = ()) -> str:
    """An object in TOML: plain values first, then a line for each part of a list, then tables."""
    form = form_of(type(value))
    scalars, lists, parts = [], [], []
    for name, each in form.table(value, always).items():
        kind = form.keys[name].of
        if isinstance(kind, Rows):
            rows = "".join(f"    {as_toml(row, bare=True)},\n" for row in each)
            lists.append(f"{name} = [\n{rows}]\n")
        elif isinstance(kind, type) and issubclass(kind, Table):
            rows = "".join(f"{key} = {as_toml(inside, bare=True)}\n" for key, inside in each.items())
            parts.append(f"\n[{name}]\n{rows}")
        else:
            scalars.append(f"{name} = {as_toml(each)}\n")
    return "".join([*scalars, *lists, *parts])
