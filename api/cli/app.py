"""The commands and their one-line help."""

from typing import Annotated

import typer

from thinktime.cli.console import WIDTH
from thinktime.cli.demo import demo
from thinktime.cli.expectations import expectations
from thinktime.cli.feedback import feedback
from thinktime.cli.generate import generate
from thinktime.cli.new import new
from thinktime.cli.options import show_help
from thinktime.cli.policies import policies
from thinktime.cli.replay import replay
from thinktime.cli.report_page import report
from thinktime.cli.run import run
from thinktime.cli.site.group import site
from thinktime.cli.study import study
from thinktime.cli.trace.group import trace
from thinktime.cli.view import view

app = typer.Typer(
    help="Model parallel job scheduling with the users in the loop.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": WIDTH},
)
app.command()(replay)
app.command(short_help="Run policies on a log whose users react, and compare them.")(feedback)
app.command(short_help="Simulate twelve users in the loop under several policies.")(demo)
app.command(short_help="Compute expected end times of jobs, and which schedules meet them.")(expectations)
app.command(short_help="List the rules and orders, with the source of each.")(policies)
app.command(short_help="Generate a synthetic workload as a log, or outages.")(generate)
app.command()(new)
app.command(short_help="Run a scenario: every point, every policy, every seed.")(run)
app.command(short_help="Write the results of a scenario as one HTML page.")(report)
app.command(short_help="Write a page to look into results: jobs and users over time.")(view)
app.add_typer(trace, name="trace", short_help="Download, inspect, compare and convert logs.")
app.add_typer(site, name="site", short_help="Show, check and import the configuration of a site.")
app.add_typer(study, name="study", short_help="Run the study of a paper, of feedback, or of urgent jobs.")


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
    show_help(context)
