"""`thinktime new`: write a commented scenario to start from, one of those in the folder `starters`."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli import errors
from thinktime.cli.options import argument, option
from thinktime.workloads.names import quoted, shortened

KINDS = ("users", "trace", "workload")


def new(
    scenario: Annotated[Path, argument("SCENARIO.toml", "The file to write.")],
    kind: Annotated[
        str, option("|".join(KINDS), "Where jobs come from: users in the loop, a log, a recipe.")
    ] = "users",
) -> None:
    """Write a commented scenario to start from."""
    errors.choice("--kind", kind, KINDS)
    target = scenario if scenario.suffix else scenario.with_suffix(".toml")
    if target.suffix != ".toml":
        raise ValueError(f"a scenario must be a file NAME.toml, not {quoted(str(scenario))}")
    if not target.parent.is_dir():
        raise ValueError(f"there is no folder {shortened(target.parent)}")
    from thinktime.workloads.toml import as_toml

    starter = files("thinktime.cli").joinpath("starters", f"{kind}.toml").read_text(encoding="utf-8")
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(starter.replace('"NAME"', as_toml(target.stem), 1))
    except FileExistsError:
        raise ValueError(f"{shortened(target)} already exists; give another name, or remove it first") from None
    typer.echo(f"{target}: a scenario to start from; `thinktime run {target}` runs it")
