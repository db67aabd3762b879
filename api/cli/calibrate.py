"""`thinktime calibrate`: fit users to a log, and say what it says of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinktime.cli import inputs, output_folders
from thinktime.cli.console import json_text, stdout
from thinktime.cli.layout import number, percentage, titled
from thinktime.cli.options import MaxSize, Processors, Told, argument, output, spread
from thinktime.cli.progress import StatusOutput

if TYPE_CHECKING:
    from rich.table import Table

    from thinktime.workloads.calibration.users import Users


@spread
def calibrate(
    file: Annotated[str, argument("LOG", "A log with wait times: .swf, .swf.gz, or PRESET:PATH of a data set.")],
    *,
    processors: Processors = None,
    max_size: MaxSize = None,
    out: Annotated[
        Path | None, output("DIR", "Write the users (users.npz, users.json), the numbers and pictures.")
    ] = None,
    told: Told,
) -> None:
    """Fit users to a log: when each submits next, who waits for results, and what the log does not say."""
    size = None if processors is None else inputs.machine_size(processors)
    trace = inputs.read(file, size, max_size)[0]
    from thinktime.analysis.calibration import report
    from thinktime.workloads.calibration.calibrate import calibrate as fit

    with StatusOutput(told.quiet).counting("fits") as progress:
        users = fit(trace, progress=progress)
    if out is not None:
        _write(users, out)
    if told.json:
        typer.echo(json_text(report.as_object(users)))
        return
    console = stdout()
    for place in range(len(users.classes)):
        console.print(_effects(users, place))
        console.print()
    if users.scores:
        console.print(_scores(users))
        console.print()
    console.print(report.residuals_in_words(users))
    for line in report.verdict(users):
        console.print(line)


def _effects(users: Users, place: int) -> Table:
    from thinktime.analysis.calibration import report
    from thinktime.workloads.calibration.effects import REACTING

    of = users.classes[place]
    count = int((users.class_of == place).sum())
    who = "who may look at results" if of.structure is REACTING else "who look at no result"
    shown = titled(f"{count:,} users {who}: factors of their hazard, with 95 % intervals", "", "curve", "known")
    shown.add_column("highest; lowest", justify="left")
    for effect in of.effects:
        found = report.curve(of, effect)
        shown.add_row(
            report.WORDS[effect], found.line[:24], percentage(of.free(effect)), report.strongest(found, effect)
        )
    return shown


def _scores(users: Users) -> Table:
    from thinktime.analysis.calibration import report

    shown = titled(
        "Foretelling the last third from the first two", "model", "nats per batch", "\N{PLUS-MINUS SIGN} to best"
    )
    for name, nats, error in report.score_rows(users):
        shown.add_row(name, number(nats, 3), number(None if error != error else error, 3))
    return shown


def _write(users: Users, out: Path) -> None:
    from thinktime.analysis.calibration import figures, report
    from thinktime.analysis.pictures import style
    from thinktime.workloads.calibration.users_file import write_users

    with output_folders.staging(out) as aside:
        write_users(users, aside)
        (aside / "calibration.json").write_text(json_text(report.as_object(users)) + "\n")
        style.save(figures.effects(users), aside / "effects.png")
        if len(users.residuals):
            style.save(figures.residuals(users.residuals), aside / "residuals.png")
        output_folders.deliver(aside, out)
