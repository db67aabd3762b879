"""`thinktime trace`: logs of real machines, and `thinktime trace get`, which downloads one."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli.options import Quiet, argument, option, show_help
from thinktime.cli.trace.compare import compare
from thinktime.cli.trace.convert import convert
from thinktime.cli.trace.data_sets import guess
from thinktime.cli.trace.info import info
from thinktime.cli.trace.plot import plot
from thinktime.cli.trace.sessions import sessions


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


trace = typer.Typer(
    help="Download, inspect, compare and convert logs.",
    callback=show_help,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)
trace.command(short_help="Download a log of the Parallel Workloads Archive.")(get)
trace.command(short_help="Show a log's header, cleaning report and summary.")(info)
trace.command(short_help="Draw arrivals, run times, sizes, load and users.")(plot)
trace.command(short_help="Compare two logs side by side.")(compare)
trace.command(short_help="Print and draw sessions, batches and think times.")(sessions)
trace.command(short_help="Convert the output of sacct, or a data set, to a log.")(convert)
trace.command(short_help="Draft a mapping for a table of jobs.")(guess)
