"""`thinktime now`: when waiting jobs will start, and what if; `thinktime now score`: how good such forecasts were."""

from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli.now.options import Asked, Drawn, Given
from thinktime.cli.now.score import score
from thinktime.cli.options import Told, output, spread

now = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Forecast from the present state of a machine: when waiting jobs will start, and what if.",
)


@now.callback(invoke_without_command=True)
@spread
def forecast(
    context: typer.Context,
    *,
    given: Given,
    asked: Asked,
    drawn: Drawn,
    out: Annotated[
        Path | None, output("DIR", "Write the forecast (now.json, starts.npz) and a page (now.html).")
    ] = None,
    told: Told,
) -> None:
    """Forecast when waiting jobs will start, from the state of a machine at this moment.

    Draws of the rest of the schedule, under the machine's own rule: run times, the next jobs of users and withdrawals
    are drawn from the history.
    """
    if context.invoked_subcommand is not None:
        return
    from thinktime.cli.now import run

    run.forecast(given, asked, drawn, out, told)


now.command("score", short_help="Score forecasts against what came.")(score)
