"""`thinktime trace get`: a log of the Parallel Workloads Archive, downloaded once."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import typer


def get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as KTH-SP2-1996-2.1-cln.")],
    cache: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder to keep it in.", show_default="your cache folder"),
    ] = None,
    mirror: Annotated[
        str | None, typer.Option(metavar="URL", help="Take it from here.", show_default="the archive")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Download a log of the Parallel Workloads Archive and print where it lies."""
    from thinktime.workloads import archive

    url = mirror or archive.BASE_URL
    # Standard output is for the path alone, so the bar goes to standard error.
    with redirect_stdout(sys.stderr):
        path = archive.fetch(name, base_url=url, cache=cache, progress=sys.stderr.isatty() and not quiet)
    typer.echo(path)
