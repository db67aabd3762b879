"""`thinktime report`: one page of what a sweep found."""

from __future__ import annotations

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
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that `thinktime run` wrote.")],
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
            help="Write the pictures as files as well, into DIR/pictures; repeat it.",
            show_default="none",
        ),
    ] = None,
) -> None:
    """Make one HTML page of a sweep: tables, pictures, what differs significantly, pitfalls, failed runs.

    The page is one file that works offline, on a phone and on paper.
    """
    from thinktime.analysis import reports
    from thinktime.analysis.experiments.sweep_results import Sweep

    sweep = Sweep(folder)
    page = folder / "report.html" if out is None else out
    if page.suffix not in (".html", ".htm") or page.is_dir():
        raise ValueError(f"--out {page}: a page is a file whose name ends with .html")
    if not page.parent.is_dir():
        raise ValueError(f"--out {page}: there is no folder {page.parent}")
    typer.echo(reports.report(sweep, page, baseline=baseline))
    for path in (
        reports.write_pictures(sweep, folder / "pictures", picture, baseline=baseline) if picture else ()
    ):
        typer.echo(path)
