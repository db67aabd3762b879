"""The commands and their one-line help.

A command is imported when it is asked for, so that `--help` of the program imports none.
"""

import pkgutil
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from thinktime.cli.width import WIDTH

COMMANDS = {
    "replay": ("replay:replay", "Replay a log under one or more policies and compare them."),
    "feedback": ("feedback:feedback", "Run policies on a log whose users react, and compare them."),
    "calibrate": ("calibrate:calibrate", "Fit users to a log: when they submit, and whether they wait for results."),
    "demo": ("demo:demo", "Simulate twelve users in the loop under several policies."),
    "expectations": ("expectations:expectations", "Compute expected end times of jobs, and which schedules meet them."),
    "policies": ("policies:policies", "List the rules and orders, with the source of each."),
    "generate": ("generate:generate", "Generate a synthetic workload as a log, or outages."),
    "new": ("new:new", "Write a commented scenario to start from."),
    "run": ("run:run", "Run a scenario: every point, every policy, every seed."),
    "report": ("report_page:report", "Write the results of a scenario as one HTML page."),
    "view": ("view:view", "Write a page to look into results: jobs and users over time."),
    "trace": ("trace.group:trace", "Download, inspect, compare and convert logs."),
    "site": ("site.group:site", "Show, check and import the configuration of a site."),
    "now": ("now.group:now", "Forecast when waiting jobs will start, from the state of a machine."),
    "study": ("study:study", "Run the study of a paper, of feedback, or of urgent jobs."),
}
"""Where every command is, and what help says of it, in this order."""


class Commands(TyperGroup):
    """The group of all commands."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name; None if there is none."""
        return _built(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """What help says of the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@cache
def _built(name: str) -> Any:
    """A Typer app of one function is that function's command."""
    place, line = COMMANDS[name]
    found = pkgutil.resolve_name(f"thinktime.cli.{place}")
    if not isinstance(found, typer.Typer):
        one = typer.Typer(add_completion=False, rich_markup_mode=None)
        one.command(name, short_help=line)(found)
        return typer.main.get_command(one)
    group = typer.main.get_command(found)
    group.name, group.short_help = name, line
    return group


app = typer.Typer(
    cls=Commands,
    help="Model parallel job scheduling with the users in the loop.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": WIDTH},
)


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        import thinktime
        from thinktime.compiled import how

        typer.echo(f"thinktime {thinktime.__version__} ({how()})")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def thinktime(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Show the version, and whether it is compiled."
        ),
    ] = False,
) -> None:
    """Model parallel job scheduling with the users in the loop."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
