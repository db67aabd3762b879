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

The named recipes are offered on the command line. `short-long` are the campaigns of the ostrich paper, `lublin` is the
Lublin–Feitelson model, and the others combine their arrivals with its sizes and run times of all jobs (ours).
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from thinktime.workloads.generators import tables
from thinktime.workloads.generators.job_streams import Stream
from thinktime.workloads.generators.recipe import Recipe
from thinktime.workloads.generators.tables import KINDS, PLAIN, SEVERAL, name_of
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.reading.texts import put, tables_in
from thinktime.workloads.text_files import text_of
from thinktime.workloads.toml import as_toml


def read(text: str, where: str = "the recipe") -> Recipe:
    """Read a recipe; error messages begin with `where` and the place in the text."""
    return from_table(table(text, where), where)


def read_file(path: str | Path) -> Recipe:
    """Read a recipe from a TOML file."""
    return read(text_of(Path(path)), Path(path).name)


def table(text: str, where: str = "the recipe") -> dict[str, Any]:
    """Parse the text into a table."""
    return tables_in(text, f"{where} is not valid TOML")


def from_table(content: Mapping[str, Any], where: str = "the recipe") -> Recipe:
    """Make a recipe from nested tables."""
    recipe: Recipe = tables.read("recipe", content, where)
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


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "short-long": {"model": "campaigns"},
    "lublin": {"model": "lublin"},
    **{name: {"model": {"kind": "stream", "arrivals": name}} for name in ("poisson", "mmpp", "weibull", "b-model")},
}
"""The recipes that have a name, as tables of TOML."""


def preset(name: str) -> Recipe:
    """Return the recipe called `name`."""
    if name not in PRESETS:
        raise ValueError(f"there is no recipe {quoted(name)}; {key_of(name, PRESETS, 'the recipes')}")
    return from_table(PRESETS[name], f"the recipe {name}")


def changed(table: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The tables of a recipe with one value changed.

    The key is a path in the recipe (`requested.factor`) or below its model (`sizes.serial`). The keys of a
    stream's arrivals need no path (`bias`).
    """
    return put(table, _path(table, key.split(".")), value, kinds=True)


def _path(table: Mapping[str, Any], words: list[str]) -> list[str]:
    if words[0] in Recipe.__dataclass_fields__:
        return words
    model = KINDS["model"].get(_kind_in(table.get("model"), "stream"))
    arrivals = model is Stream and len(words) == 1 and words[0] not in Stream.__dataclass_fields__
    return ["model", "arrivals", *words] if arrivals else ["model", *words]


def _kind_in(piece: Any, default: str) -> str:
    return piece if isinstance(piece, str) else (piece or {}).get("kind", default)
