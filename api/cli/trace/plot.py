"""`thinktime trace plot`: pictures of the jobs of a log."""

from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli import inputs, output_folders
from thinktime.cli.options import MaxSize, Processors, argument, output
from thinktime.workloads import Trace

SUFFIXES = (".gz", ".swf")


def plot(
    file: Annotated[str, argument("FILE", "A log: .swf, .swf.gz, or PRESET:PATH of a data set.")],
    out: Annotated[
        Path | None,
        output(
            "DIR",
            "Write the pictures here, including one for each panel.",
            shown="FILE-overview.png alone, in the current folder",
        ),
    ] = None,
    max_size: MaxSize = None,
    processors: Processors = None,
) -> None:
    """Draw arrivals, run times, sizes, load and users of a log, and print the paths of the pictures."""
    size = None if processors is None else inputs.machine_size(processors)
    trace, _ = inputs.read(file, size, max_size)
    if size is not None:
        trace = trace.with_header(trace.header.set("MaxProcs", size))
    with output_folders.staging(Path() if out is None else out) as aside:
        write(trace, stem(file), aside, each=out is not None)
        for path in output_folders.deliver(aside, Path() if out is None else out):
            typer.echo(path)


def write(trace: Trace, name: str, aside: Path, each: bool) -> None:
    """Write the overview and, if wanted, `each` panel by itself."""
    from thinktime.analysis.trace import figures as pictures

    pictures.save(pictures.trace_sheet(trace), aside / f"{name}-overview.png")
    for panel, draw in pictures.panels(trace).items() if each else ():
        pictures.save(draw(trace), aside / f"{name}-{panel}.png")


def stem(file: str) -> str:
    """The name of a log without folder and suffixes.

    >>> stem("logs/KTH-SP2-1996-2.1-cln.swf.gz")
    'KTH-SP2-1996-2.1-cln'
    """
    name = Path(file).name
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix) or name
    return name
