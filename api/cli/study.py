"""`thinktime study`: the group of the studies' commands."""

import typer

from thinktime.cli.study_cplant import cplant
from thinktime.cli.study_expectations import expectations
from thinktime.cli.study_feedback import feedback
from thinktime.cli.study_goal import goal
from thinktime.cli.study_ostrich import ostrich
from thinktime.cli.study_slack import slack

study = typer.Typer(help="Run the study of a paper again, or the one of feedback.", rich_markup_mode=None)


@study.callback(invoke_without_command=True)
def show_help(context: typer.Context) -> None:
    """Run the study of a paper again, or the one of feedback."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


study.command(short_help="FIFO and backfilling by the expectations of users.")(expectations)
study.command(short_help="Backfilling, relative fairshare and search by month.")(goal)
study.command(short_help="The CPlant paper's nine schedulers: unfairness, response time.")(cplant)
study.command(short_help="OStrich against FCFS on synthetic campaigns.")(ostrich)
study.command(short_help="Slack-based against conservative backfilling.")(slack)
study.command(short_help="Open loop, feedback and drawn users at several loads.")(feedback)
