"""`thinktime report`: the results of a sweep as one HTML page."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Kind(StrEnum):
    """The formats of pictures."""

    PDF = "pdf"
    SVG = "svg"
    PNG = "png"


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder written by 'thinktime run'.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the page here.", show_default="DIR/report.html"),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="POLICY", help="Compare with this policy.", show_default="the first one"),
    ] = None,
    picture: Annotated[
        list[Kind] | None,
        typer.Option(
            metavar="pdf|svg|png",
            help="Also write the pictures as files into DIR/pictures; repeat for more formats.",
            show_default="none",
        ),
    ] = None,
) -> None:
    """Write a sweep's tables, pictures, significant differences, pitfalls and failed runs as one HTML page.

    The page is a single file that works offline, on a phone and on paper.
    """
    from thinktime.analysis import reports
    from thinktime.analysis.experiments.sweep_results import Sweep

    sweep = Sweep(folder)
    page = folder / "report.html" if out is None else out
    if page.suffix not in (".html", ".htm") or page.is_dir():
        raise ValueError(f"--out {page}: the name of the page must end with .html")
    if not page.parent.is_dir():
        raise ValueError(f"--out {page}: there is no folder {page.parent}")
    typer.echo(reports.report(sweep, page, baseline=baseline))
    for path in (
        reports.write_pictures(sweep, folder / "pictures", picture, baseline=baseline) if picture else ()
    ):
        typer.echo(path)
