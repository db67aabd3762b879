"""`thinktime trace get`: download a log of the Parallel Workloads Archive, once."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli.options import Quiet, argument, option


def get(
    name: Annotated[str, argument("NAME", "Name of the log, such as KTH-SP2-1996-2.1-cln.")],
    cache: Annotated[Path | None, option("DIR", "Folder to store the log in.", shown="your cache folder")] = None,
    mirror: Annotated[str | None, option("URL", "Where to download from.", shown="the archive")] = None,
    quiet: Quiet = False,
) -> None:
    """Download a log of the Parallel Workloads Archive and print its path."""
    from thinktime.workloads import archive

    url = mirror or archive.BASE_URL
    # Only the path goes to standard output; the bar goes to standard error.
    with redirect_stdout(sys.stderr):
        path = archive.fetch(name, base_url=url, cache=cache, progress=sys.stderr.isatty() and not quiet)
    typer.echo(path)
