"""`thinktime trace`: logs of real machines."""

from __future__ import annotations

import typer

from thinktime.cli.trace_convert import convert
from thinktime.cli.trace_get import get
from thinktime.cli.trace_info import info
from thinktime.cli.trace_plot import plot
from thinktime.cli.trace_sessions import sessions

trace = typer.Typer(
    help="Download a log, look into one, or make one of a site's accounting.", rich_markup_mode=None
)
trace.command()(get)
trace.command()(info)
trace.command()(plot)
trace.command()(sessions)
trace.command()(convert)


@trace.callback(invoke_without_command=True)
def show_help(context: typer.Context) -> None:
    """Download a log, look into one, or make one of a site's accounting."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
