"""Recipes as text, in TOML.

A recipe's fields are the keys of the file, its pieces are tables. A piece says of which `kind` it is, and
gives what differs from the defaults of that kind; a piece that needs nothing but its kind may be the word
alone. Quantities are numbers, such pieces, or distributions of scipy.stats with their parameters:

    load = 0.7
    cycle = "daily"
    [model.arrivals]
    kind = "b-model"
    bias = 0.8
    [model.runtimes]
    distribution = "lognorm"
    s = 1.5
    scale = 600

`lines` writes a recipe whole, defaults included, such that `read` gives the same recipe.
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
    """Read a recipe; an error is one sentence that begins with `where` and the place in the text."""
    return from_table(table(text, where), where)


def read_file(path: str | Path) -> Recipe:
    """Read a recipe from a TOML file."""
    return read(Path(path).read_text(encoding="utf-8"), Path(path).name)


def table(text: str, where: str = "the recipe") -> dict[str, Any]:
    """The text as a table, not yet a recipe."""
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
    """A piece as a table: its head, its plain values, then the tables in it."""
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
    else:  # a user's own: named, but only Python can make it again
        own = piece if hasattr(piece, "__qualname__") else type(piece)
        yield f"kind = {as_toml(f'{own.__module__}.{own.__qualname__}')}"


def _parts(piece: Any) -> Iterator[tuple[str, str | None, Any]]:
    """Name, slot and value of what a piece is made of; what is None is left out."""
    if is_dataclass(piece):
        for each in fields(piece):
            if (value := getattr(piece, each.name)) is not None:
                yield each.name, each.metadata.get("slot"), value
    elif hasattr(piece, "dist"):
        shapes = [name.strip() for name in (piece.dist.shapes or "").split(",") if name.strip()]
        names = (*shapes, "loc", "scale") if hasattr(piece.dist, "pdf") else (*shapes, "loc")
        given = dict(zip(names, piece.args, strict=False)) | piece.kwds
        yield from ((name, None, float(value)) for name, value in given.items())
