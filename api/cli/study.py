"""`thinktime study`: the group of the studies' commands."""

import typer

from thinktime.cli.study_cplant import cplant
from thinktime.cli.study_expectations import expectations
from thinktime.cli.study_feedback import feedback
from thinktime.cli.study_goal import goal
from thinktime.cli.study_ostrich import ostrich
from thinktime.cli.study_slack import slack

study = typer.Typer(help="Run the study of a paper again.", rich_markup_mode=None)


@study.callback(invoke_without_command=True)
def show_help(context: typer.Context) -> None:
    """Run the study of a paper again."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


study.command()(expectations)
study.command()(goal)
study.command()(cplant)
study.command()(ostrich)
study.command()(slack)
study.command()(feedback)
