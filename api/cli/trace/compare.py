"""`thinktime trace compare`: two logs side by side, the distances between them, and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from thinktime.cli import inputs
from thinktime.cli.console import tell
from thinktime.cli.layout import NONE, duration, number, percentage, titled
from thinktime.cli.options import Json, MaxSize, argument, option, output
from thinktime.cli.trace.plot import stem

if TYPE_CHECKING:
    from thinktime.analysis.report import Report
    from thinktime.workloads import Trace

PICTURES = (".png", ".pdf", ".svg")


def compare(
    a: Annotated[str, argument("A", "A log: .swf, .swf.gz, or PRESET:PATH of a data set.")],
    b: Annotated[str, argument("B", "Another log, such as one generated from A.")],
    max_size: MaxSize = None,
    out: Annotated[
        Path | None,
        output(
            "FILE.png",
            "The picture to write: .png, .pdf or .svg.",
            shown="A-B.png in the current folder; none with --json",
        ),
    ] = None,
    processors: Annotated[str | None, option("N", "Size of both machines.", shown="from the logs' headers")] = None,
    json: Json = False,
) -> None:
    """Compare two logs: their characteristics, the distances between them, and a picture of both."""
    if out is not None:
        inputs.check_target(out, f"a picture, FILE{', FILE'.join(PICTURES)}", PICTURES)
    size = None if processors is None else inputs.machine_size(processors)
    logs = [inputs.read(path, size, max_size)[0] for path in (a, b)]
    names = _names(a, b)
    made = report(logs, names, size)
    path = None if json and out is None else out or Path(f"{names[0]}-{names[1]}.png")
    if path is not None:
        from thinktime.analysis.pictures import style

        style.save(made.figures()["comparison"], path)
    tell(made, json)
    if not json:
        typer.echo(path)


def report(logs: Sequence[Trace], names: tuple[str, str], size: int | None) -> Report:
    """Characteristics, distances, and a picture of both."""
    from thinktime.analysis.report import Report
    from thinktime.analysis.trace import likeness
    from thinktime.analysis.trace.likeness_figure import comparison_sheet

    values = likeness.as_object(logs[0], logs[1], names, size)

    def page() -> Iterator[Table | str]:
        for table in (_numbers(values), _distances(values)):
            yield table
            yield ""
        if undated := [name for name, log in zip(names, logs, strict=True) if log.unix_start is None]:
            yield f"Weeks of {' and '.join(undated)} are counted from t = 0: the header has no start date."

    return Report(
        page, lambda: values, figures=lambda: {"comparison": comparison_sheet(dict(zip(names, logs, strict=True)))}
    )


def _names(a: str, b: str) -> tuple[str, str]:
    """The names of the logs: those of their files, with (A) and (B) if they are the same."""
    first, second = stem(a), stem(b)
    if first != second:
        return first, second
    return f"{first} (A)", f"{second} (B)"


def _table(title: str, *columns: str) -> Table:
    table = titled(title)
    table.columns[0].no_wrap = True
    for column in columns:
        table.add_column(column, justify="right", overflow="fold", max_width=32)
    return table


def _numbers(values: dict[str, Any]) -> Table:
    table = _table("Characteristics", values["a"]["log"], values["b"]["log"])
    for name in values["a"]:
        if name != "log":
            table.add_row(name, *(_shown(name, values[log][name]) for log in ("a", "b")))
    return table


def _distances(values: dict[str, Any]) -> Table:
    table = _table("Distances", "measure", "A to B", "halves of A")
    for each in values["distances"]:
        of = each["of"]
        shown = [
            _unit(of, value) if each["measure"] == "Wasserstein" else NONE if value is None else f"{value:.3f}"
            for value in (each["a_to_b"], each["halves_of_a"])
        ]
        table.add_row(of, each["measure"], *shown)
    return table


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return NONE
    if name.startswith("median "):
        return _unit(name.removeprefix("median "), value)
    if name == "time span":
        return duration(value)
    if name.startswith(("share", "offered")):
        return percentage(value)
    return number(value, 0 if name in ("jobs", "users") else 2)


def _unit(of: str, value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:,.4g}" if of == "processors" else duration(value)
