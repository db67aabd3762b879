"""Named recipes, as offered on the command line, and changes to a recipe's tables by key.

`short-long` are the campaigns of the ostrich paper, and `lublin` is the Lublin–Feitelson model. `poisson`, `mmpp`,
`weibull` and `b-model` combine these arrivals with the sizes and run times of all jobs of the Lublin–Feitelson
model (ours).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thinktime.workloads.generators.job_streams import Stream
from thinktime.workloads.generators.kinds import KINDS
from thinktime.workloads.generators.recipe import Recipe
from thinktime.workloads.generators.recipe_text import from_table

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "short-long": {"model": "campaigns"},
    "lublin": {"model": "lublin"},
    **{
        name: {"model": {"kind": "stream", "arrivals": name}}
        for name in ("poisson", "mmpp", "weibull", "b-model")
    },
}


def preset(name: str) -> Recipe:
    """Return the recipe called `name`."""
    if name not in PRESETS:
        raise ValueError(f"a recipe must be one of {', '.join(PRESETS)}, not {name!r}")
    return from_table(PRESETS[name], f"the recipe {name}")


def changed(table: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The tables of a recipe with one value changed.

    The key is a path in the recipe (`requested.factor`) or below its model (`sizes.serial`). The keys of a
    stream's arrivals need no path (`bias`).
    """
    return _put(table, _path(table, key.split(".")), value)


def _path(table: Mapping[str, Any], words: list[str]) -> list[str]:
    if words[0] in Recipe.__dataclass_fields__:
        return words
    model = KINDS["model"].get(_kind(table.get("model"), "stream"))
    arrivals = model is Stream and len(words) == 1 and words[0] not in Stream.__dataclass_fields__
    return ["model", "arrivals", *words] if arrivals else ["model", *words]


def _put(table: Any, path: list[str], value: Any) -> dict[str, Any]:
    inside = {"kind": table} if isinstance(table, str) else dict(table) if isinstance(table, Mapping) else {}
    inside[path[0]] = value if len(path) == 1 else _put(inside.get(path[0]), path[1:], value)
    return inside


def _kind(piece: Any, default: str) -> str:
    return piece if isinstance(piece, str) else (piece or {}).get("kind", default)
