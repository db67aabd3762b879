"""The commands and their one-line help."""

from __future__ import annotations

from typing import Annotated

import typer

from thinktime.cli.demo import demo
from thinktime.cli.expectations import expectations
from thinktime.cli.feedback import feedback
from thinktime.cli.generate import generate
from thinktime.cli.new import new
from thinktime.cli.policies import policies
from thinktime.cli.replay import replay
from thinktime.cli.report_page import report
from thinktime.cli.run import run
from thinktime.cli.study import study
from thinktime.cli.trace import trace

app = typer.Typer(
    help="Model parallel job scheduling with the users in the loop.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(replay)
app.command()(feedback)
app.command()(demo)
app.command()(expectations)
app.command()(policies)
app.command()(generate)
app.command()(new)
app.command()(run)
app.command()(report)
app.add_typer(trace, name="trace")
app.add_typer(study, name="study")


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        import thinktime

        typer.echo(f"thinktime {thinktime.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def thinktime(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Model parallel job scheduling with the users in the loop."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
