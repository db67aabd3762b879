"""Recipes as text, in TOML.

The fields of a recipe are the keys of the file, and its parts are tables. A part gives its `kind` and what differs
from the defaults of that kind. If it needs nothing else, the kind may be given as a string. Quantities are
numbers, such parts, or distributions of scipy.stats with their parameters:

    load = 0.7
    cycle = "daily"
    [model.arrivals]
    kind = "b-model"
    bias = 0.8
    [model.runtimes]
    distribution = "lognorm"
    s = 1.5
    scale = 600

`lines` writes a complete recipe, defaults included, which `read` reads back.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from thinktime.workloads.generators.kinds import PLAIN, SEVERAL, name_of
from thinktime.workloads.generators.recipe import Recipe
from thinktime.workloads.generators.tables import build
from thinktime.workloads.toml import as_toml


def read(text: str, where: str = "the recipe") -> Recipe:
    """Read a recipe; error messages begin with `where` and the place in the text."""
    return from_table(table(text, where), where)


def read_file(path: str | Path) -> Recipe:
    """Read a recipe from a TOML file."""
    return read(Path(path).read_text(encoding="utf-8"), Path(path).name)


def table(text: str, where: str = "the recipe") -> dict[str, Any]:
    """Parse the text into a table."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{where} is not valid TOML: {error}") from None


def from_table(content: Mapping[str, Any], where: str = "the recipe") -> Recipe:
    """Make a recipe from nested tables."""
    recipe: Recipe = build("recipe", content, where, (), None)
    return recipe


def lines(recipe: Recipe) -> list[str]:
    """The recipe in TOML, line by line."""
    return list(_table(recipe, "recipe", ()))[1:]


def _table(piece: Any, place: str, path: tuple[str, ...]) -> Iterator[str]:
    """A part as a table: its head, its plain values, then its nested tables."""
    yield f"[{'.'.join(path)}]" if place not in SEVERAL else f"[[{'.'.join(path)}]]"
    if place not in PLAIN:
        yield from _kind(piece, place)
    tables = []
    for name, slot, value in _parts(piece):
        if slot is not None and not isinstance(value, int | float):
            tables += [(each, slot, (*path, name)) for each in (value if slot in SEVERAL else (value,))]
        else:
            yield f"{name} = {as_toml(value)}"
    for each in tables:
        yield from _table(*each)


def _kind(piece: Any, place: str) -> Iterator[str]:
    word = name_of(place, piece)
    if word is not None:
        yield f"kind = {as_toml(word)}"
    elif hasattr(piece, "dist"):
        yield f"distribution = {as_toml(piece.dist.name)}"
    else:  # a user's own class: named here, but it cannot be read back
        own = piece if hasattr(piece, "__qualname__") else type(piece)
        yield f"kind = {as_toml(f'{own.__module__}.{own.__qualname__}')}"


def _parts(piece: Any) -> Iterator[tuple[str, str | None, Any]]:
    """Name, slot and value of each field of a part; None is left out."""
    if is_dataclass(piece):
        for each in fields(piece):
            if (value := getattr(piece, each.name)) is not None:
                yield each.name, each.metadata.get("slot"), value
    elif hasattr(piece, "dist"):
        shapes = [name.strip() for name in (piece.dist.shapes or "").split(",") if name.strip()]
        names = (*shapes, "loc", "scale") if hasattr(piece.dist, "pdf") else (*shapes, "loc")
        given = dict(zip(names, piece.args, strict=False)) | piece.kwds
        yield from ((name, None, float(value)) for name, value in given.items())
