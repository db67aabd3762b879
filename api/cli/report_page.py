"""`thinktime report`: the results of a sweep as one HTML page."""

from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli import errors
from thinktime.cli.options import argument, option, output
from thinktime.workloads.names import shortened

KINDS = ("pdf", "svg", "png")
"""The formats of pictures."""


def report(
    folder: Annotated[Path, argument("DIR", "A folder written by 'thinktime run'.")],
    out: Annotated[Path | None, output("FILE", "Write the page here.", shown="DIR/report.html")] = None,
    baseline: Annotated[str | None, option("POLICY", "Compare with this policy.", shown="the first one")] = None,
    picture: Annotated[
        list[str] | None,
        option(
            "|".join(KINDS),
            "Also write the pictures as files into DIR/pictures; repeat for more formats.",
            shown="none",
        ),
    ] = None,
) -> None:
    """Write a sweep's tables, pictures, significant differences, pitfalls and failed runs as one HTML page.

    The page is a single file that works offline, on a phone and on paper.
    """
    for kind in picture or ():
        errors.choice("--picture", kind, KINDS)
    from thinktime.analysis import reports
    from thinktime.analysis.experiments.sweep_results import Sweep

    sweep = Sweep(folder)
    page = folder / "report.html" if out is None else out
    if page.suffix not in (".html", ".htm") or page.is_dir():
        raise ValueError(f"--out {shortened(page)}: the name of the page must end with .html")
    if not page.parent.is_dir():
        raise ValueError(f"--out {shortened(page)}: there is no folder {shortened(page.parent)}")
    typer.echo(reports.report(sweep, page, baseline=baseline))
    for path in reports.write_pictures(sweep, folder / "pictures", picture, baseline=baseline) if picture else ():
        typer.echo(path)
