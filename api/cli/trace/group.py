"""`thinktime trace`: logs of real machines."""

import typer

from thinktime.cli.options import show_help
from thinktime.cli.trace.compare import compare
from thinktime.cli.trace.convert import convert
from thinktime.cli.trace.get import get
from thinktime.cli.trace.info import info
from thinktime.cli.trace.plot import plot
from thinktime.cli.trace.sessions import sessions

trace = typer.Typer(
    help="Download, inspect, compare and convert logs.",
    callback=show_help,
    invoke_without_command=True,
    rich_markup_mode=None,
)
trace.command(short_help="Download a log of the Parallel Workloads Archive.")(get)
trace.command(short_help="Show a log's header, cleaning report and summary.")(info)
trace.command(short_help="Draw arrivals, run times, sizes, load and users.")(plot)
trace.command(short_help="Compare two logs side by side.")(compare)
trace.command(short_help="Print and draw sessions, batches and think times.")(sessions)
trace.command(short_help="Convert the output of `sacct -P` to a log in SWF.")(convert)
