"""`thinktime view`: results as one page to look into, with jobs and users over time."""

from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli.options import argument, flag, option, output
from thinktime.workloads.names import shortened


def view(
    results: Annotated[
        list[Path],
        argument("RESULT…", "Folders of 'replay --out', 'feedback --out' or 'run'; files of Result.save; logs."),
    ],
    out: Annotated[Path | None, output("FILE", "Write the page here.", shown="RESULT/view.html or view.html")] = None,
    run: Annotated[
        str | None, option("KEY", "The run of a sweep whose point and seed are shown.", shown="the first one")
    ] = None,
    trust: Annotated[bool, flag("--trust", "Import the Python files that a sweep names, which runs them.")] = False,
    title: Annotated[str | None, option("TEXT", "The title of the page.", shown="the names of the policies")] = None,
) -> None:
    """Write one HTML page to look into results: processors, queue, jobs and users over one axis of time.

    The page is a single file that works offline: zoom, pan, pick users, see why a job waited, and compare two policies
    with the same jobs or users. It needs Bokeh: pip install 'thinktime[view]'.
    """
    from thinktime.analysis.view.page import NAME

    page = (results[0] if results[0].is_dir() else Path()) / NAME if out is None else out
    if page.suffix not in (".html", ".htm") or page.is_dir():
        raise ValueError(f"--out {shortened(page)}: the name of the page must end with .html")
    if not page.parent.is_dir():
        raise ValueError(f"--out {shortened(page)}: there is no folder {shortened(page.parent)}")
    from thinktime.analysis import view as explorer
    from thinktime.analysis.view.plots import need_bokeh

    need_bokeh()
    typer.echo(explorer.view(explorer.opened(results, run, trust=trust, say=_say), title).write(page))


def _say(note: str) -> None:
    typer.echo(f"thinktime: {note}", err=True)
