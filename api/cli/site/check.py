"""`thinktime site check`: what looks wrong in a site's file."""

from typing import Annotated

import typer

from thinktime.cli.console import stdout
from thinktime.cli.layout import counted, listing
from thinktime.cli.options import argument


def check(file: Annotated[str, argument("FILE", "A site's file: site.toml.")]) -> None:
    """List contradictions, settings that do nothing, and traps. A file that is wrong ends with status 2."""
    from thinktime.models.site.checks import remarks
    from thinktime.models.site.site import Site

    found = remarks(Site.read(file))
    if not found:
        typer.echo(f"{file}: nothing looks wrong")
        return
    stdout().print(listing(f"{file}: {counted(len(found), 'warning')}", found))
