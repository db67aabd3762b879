"""`thinktime generate outages`: when the processors of a machine fail and are repaired, as a log of outages."""

from pathlib import Path

import typer

from thinktime.cli import inputs
from thinktime.cli.layout import counted

OUTAGES = "outages"


def generate_outages(out: Path, failures: str | None, until: str | None, processors: int, seed: int) -> None:
    """Draw outages of so many processors that begin up to a time, and write them as CSV."""
    inputs.check_target(out, "a file FILE.csv or FILE.csv.gz", (".csv", ".csv.gz"))
    from thinktime.workloads.changes import Failures, write_outages
    from thinktime.workloads.units import in_one_unit, seconds

    if failures is None or until is None:
        missing = "--failures, such as mtbf=30d,mttr=4h" if failures is None else "--until, such as 365d"
        raise ValueError(f"outages need {missing}")
    try:
        end = seconds(until)
    except ValueError as error:
        raise ValueError(f"--until: {error}") from None
    try:
        model = Failures.parse(failures, seed)
    except ValueError as error:
        raise ValueError(f"--failures: {error}") from None
    found = model.outages(processors, end)
    write_outages(out, found)
    typer.echo(
        f"{out}: {counted(len(found), 'outage')} of {counted(processors, 'processor')} in {in_one_unit(end)}; "
        f"in the long run a processor is up {model.availability:.3%} of the time"
    )
