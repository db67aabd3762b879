"""`thinktime generate`: a synthetic workload as an SWF file, from a recipe by name or in a TOML file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli import errors, inputs
from thinktime.cli.durations import counted, duration, percentage

if TYPE_CHECKING:
    from thinktime.workloads import Trace

NAMES = ("short-long", "lublin", "poisson", "mmpp", "weibull", "b-model")
ESTIMATES = ("exact", "factor:F", "tsafrir")
CYCLES = ("daily", "weekly", "none")

Tables = dict[str, Any]


def generate(
    recipe: Annotated[
        str, typer.Argument(metavar="RECIPE", help=f"{', '.join(NAMES)}, or FILE.toml with a recipe.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE.swf[.gz]", help="The log to write.")],
    jobs: Annotated[str, typer.Option(metavar="N", help="Number of jobs.")] = "10000",
    users: Annotated[str, typer.Option(metavar="U", help="Number of users.")] = "26",
    processors: Annotated[str, typer.Option(metavar="P", help="Size of the machine.")] = "64",
    seed: Annotated[str, typer.Option(metavar="S", help="The same seed gives the same file.")] = "1",
    load: Annotated[
        str | None,
        typer.Option(metavar="L", help="Scale to this offered load.", show_default="as it comes"),
    ] = None,
    estimates: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(ESTIMATES), help="What users declare.", show_default="as in the recipe"
        ),
    ] = None,
    cycle: Annotated[
        str | None,
        typer.Option(metavar="|".join(CYCLES), help="A cycle on arrivals.", show_default="as in the recipe"),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change the recipe, such as bias=0.8; repeatable."),
    ] = None,
) -> None:
    """Make up a workload and write it as a log; its header holds the recipe and the seed."""
    _check_target(out)
    extent = {
        "jobs": inputs.whole("--jobs", jobs),
        "users": inputs.whole("--users", users),
        "processors": inputs.machine_size(processors),
        "seed": _seed(seed),
    }
    tables, where = _tables(recipe)
    for setting in settings or ():
        tables = _set(tables, setting)
    tables |= _options(load, estimates, cycle)
    if cycle == "none":
        tables.pop("cycle", None)
    _write(tables, where, extent, out)


def _write(tables: Tables, where: str, extent: dict[str, int], out: Path) -> None:
    from thinktime.workloads import write_swf
    from thinktime.workloads.generators import generate as make
    from thinktime.workloads.generators.recipe_text import from_table

    trace = make(from_table(tables, where), **extent)
    write_swf(trace, out)
    typer.echo(_summary(trace, out))


def _summary(trace: Trace, out: Path) -> str:
    from thinktime.workloads.generators import offered_load

    users = len(set(trace.user.tolist()))
    span = duration(float(trace.submit[-1] - trace.submit[0]))
    load = offered_load(trace)
    share = f"; offered load {percentage(load)} of the machine" if math.isfinite(load) else ""
    return f"{out}: {counted(len(trace), 'job')} of {counted(users, 'user')}, submitted over {span}{share}"


def _tables(recipe: str) -> tuple[Tables, str]:
    """The recipe as tables, and what an error calls it."""
    from thinktime.workloads.generators import PRESETS, recipe_text

    if not recipe.endswith(".toml"):
        name = errors.choice("the recipe", recipe, (*PRESETS, "FILE.toml"))
        return dict(PRESETS[name]), f"the recipe {name}"
    if not Path(recipe).is_file():
        raise ValueError(f"there is no file {recipe}; without .toml, the recipes are {', '.join(NAMES)}")
    try:
        return recipe_text.table(Path(recipe).read_text(encoding="utf-8"), recipe), recipe
    except UnicodeDecodeError:
        raise ValueError(f"{recipe} is not a text in UTF-8, so it is not in TOML") from None


def _options(load: str | None, estimates: str | None, cycle: str | None) -> Tables:
    """What the options change in the recipe."""
    tables: Tables = {}
    if load is not None:
        tables["load"] = _number("--load", load)
    if estimates is not None:
        tables["estimates"] = _estimates(estimates)
    if cycle is not None and errors.choice("--cycle", cycle, CYCLES) != "none":
        tables["cycle"] = cycle
    return tables


def _estimates(text: str) -> Tables:
    kind, colon, factor = text.partition(":")
    if kind == "factor" and colon:
        return {"kind": kind, "factor": _number("--estimates factor:F", factor)}
    if text not in ("exact", "tsafrir"):
        raise ValueError(f"--estimates must be one of {', '.join(ESTIMATES)}, not {text!r}")
    return {"kind": text}


def _set(tables: Tables, setting: str) -> Tables:
    from thinktime.workloads.generators.presets import changed

    key, value = inputs.setting(setting, "bias=0.8")
    return changed(tables, key, value)


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option} must be a number, not {text!r}") from None


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"--seed must be a whole number of at least 0, not {text!r}")
    return int(text)


def _check_target(out: Path) -> None:
    """Refuse before the work is done what could not be written after it."""
    if not out.name.endswith((".swf", ".swf.gz")):
        raise ValueError(f"--out must be a file FILE.swf or FILE.swf.gz, not {str(out)!r}")
    if not out.parent.is_dir():
        raise ValueError(f"--out: there is no folder {out.parent}")
