"""`thinktime calibrate`: fit users to a log, and say what it says of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from thinktime.cli import inputs, output_folders
from thinktime.cli.console import tell
from thinktime.cli.layout import number, titled
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
    from thinktime.analysis.calibration import figures, report
    from thinktime.analysis.report import Report
    from thinktime.workloads.calibration.calibrate import calibrate as fit
    from thinktime.workloads.calibration.users_file import write_users

    with StatusOutput(told.quiet).counting("fits") as progress:
        users = fit(trace, progress=progress)
    found = Report(page=lambda: _page(users), values=lambda: report.as_object(users), figures=lambda: figures.of(users))
    if out is not None:
        with output_folders.staging(out) as aside:
            write_users(users, aside)
            found.write(aside, "calibration")
            output_folders.deliver(aside, out)
    tell(found, told.json)


def _page(users: Users) -> Iterator[Any]:
    """Tables and sentences."""
    from thinktime.analysis.calibration import report

    for place in range(len(users.classes)):
        yield _effects(users, place)
        yield ""
    yield report.LEGEND
    yield ""
    if users.scores:
        yield _scores(users)
        yield ""
    yield report.residuals_in_words(users)
    yield from report.verdict(users)


def _effects(users: Users, place: int) -> Table:
    from thinktime.analysis.calibration import report
    from thinktime.workloads.calibration.effects import REACTING

    of = users.classes[place]
    count = int((users.class_of == place).sum())
    who = "who may look at results" if of.structure is REACTING else "who look at no result"
    which = f"Class {place + 1}: " if len(users.classes) > 1 else ""
    shown = titled(f"{which}{count:,} users {who}: factors of their hazard, with 95 % intervals")
    shown.columns[0].no_wrap = True
    shown.add_column("curve", no_wrap=True)
    shown.add_column("known", justify="right", no_wrap=True)
    shown.add_column("highest and lowest", no_wrap=True)
    for effect in of.effects:
        found = report.curve(of, effect)
        shown.add_row(report.WORDS[effect], found.line[:24], f"{of.free(effect):.0%}", report.strongest(found, effect))
    return shown


def _scores(users: Users) -> Table:
    from thinktime.analysis.calibration import report

    shown = titled("Predicting the last third of the log from the rest", "model", "nats per batch", "beside calibrated")
    for name, nats, beside in report.score_rows(users):
        shown.add_row(name, number(nats, 3), beside)
    return shown
