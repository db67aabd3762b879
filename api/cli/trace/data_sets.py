"""What `thinktime trace convert` does with the files of a data set, and `thinktime trace guess`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli import inputs, output_folders
from thinktime.cli.console import stdout
from thinktime.cli.layout import listing
from thinktime.cli.options import MaxSize, argument, output
from thinktime.cli.progress import StatusOutput
from thinktime.workloads.names import quoted, shortened

if TYPE_CHECKING:
    from thinktime.workloads.conditions import LogConditions
    from thinktime.workloads.trace import Trace


def guess(
    file: Annotated[str, argument("FILE", "A table of jobs: parquet, CSV or JSON lines.")],
    max_size: MaxSize = None,
    out: Annotated[Path | None, output("FILE.toml", "Where to write the mapping.", shown="print it")] = None,
) -> None:
    """Draft a mapping (FILE.toml) for `trace convert --mapping`, from a table's columns and first rows."""
    from thinktime.workloads.files import whole_or_nothing
    from thinktime.workloads.tables.guess import guess as draft

    if out is not None and out.suffix != ".toml":
        raise ValueError(f"--out {shortened(out)}: the name of a mapping must end with .toml")
    text = draft(file, inputs.file_size(max_size))
    if out is None:
        typer.echo(text, nl=False)
        return
    with whole_or_nothing(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    typer.echo(out)


def list_presets() -> None:
    """Print the presets, and what each is."""
    from thinktime.workloads.read_log import SLURM
    from thinktime.workloads.tables.mapping import mapping, presets

    known = {name: mapping(name).title for name in presets()} | SLURM
    stdout().print(listing("presets", sorted(known.items())))


def convert_tables(files: Sequence[str], out: Path, quiet: bool, how: Mapping[str, Any]) -> None:
    """Convert a data set to a log in SWF with its names beside it, or to a parquet file.

    ``how`` it is read are options of `thinktime.workloads.tables.reader.read_table`.
    """
    from thinktime.workloads.tables.mapping import FURTHER
    from thinktime.workloads.tables.reader import read_table

    swf = out.name.endswith((".swf", ".swf.gz"))
    if not swf and out.suffix != ".parquet":
        raise ValueError(f"--out {shortened(out)}: the name of a log must end with .swf, .swf.gz or .parquet")
    with StatusOutput(quiet).counting("rows") as progress:
        trace = read_table(files, further=("eligible",) if swf else FURTHER, progress=progress, **how)
    deliver(trace, out)


def deliver(trace: Trace, out: Path, conditions: LogConditions | None = None) -> None:
    """Write a log as SWF with its names beside it, or as parquet, and say what was cleaned and written.

    What its jobs wait for, if anything, is written beside it.
    """
    from thinktime.workloads.conditions import beside

    written = _parquet(trace, out) if out.suffix == ".parquet" else _swf(trace, out)
    if conditions:
        written.append(conditions.write(beside(out)))
    typer.echo(str(trace.report))
    typer.echo()
    for path in written:
        typer.echo(path)


def settings(words: Sequence[str], zone: str | None, limit: float | None, delimiter: str | None) -> dict[str, Any]:
    """What options change of a mapping, by key."""
    changes = dict(inputs.setting(each, "columns.memory.unit=GB") for each in words)
    changes |= {} if zone is None else {"zone": zone}
    changes |= {} if limit is None else {"limit_of_others": f"{limit:g} s"}
    return changes | ({} if delimiter is None else {"separator": delimiter})


def refuse(options: Mapping[str, Any]) -> None:
    """``ValueError`` for the first option that is for ``sacct`` alone."""
    for name, value in options.items():
        if value:
            raise ValueError(f"{name} is for the output of sacct; with a preset, give --set KEY=VALUE")


def _swf(trace: Trace, out: Path) -> list[Path]:
    """All files or none: the log, its names, and from when on jobs were eligible, if that was later."""
    from thinktime.workloads import write_swf
    from thinktime.workloads.conditions import beside as conditions_beside
    from thinktime.workloads.sacct.name_file import beside, write_names
    from thinktime.workloads.shapes.of_logs import beside as shapes_beside
    from thinktime.workloads.shapes.of_logs import write_shapes
    from thinktime.workloads.tables.eligible import conditions_of

    side, sizes = beside(out), shapes_beside(out)
    with output_folders.staging(out.parent) as aside:
        write_swf(trace, aside / out.name)
        draft = aside / side.name
        draft.touch(mode=0o600)  # it has names of people
        write_names(trace.names, draft)
        if len(conditions := conditions_of(trace)):
            conditions.write(conditions_beside(aside / out.name))
        shaped = write_shapes(trace, aside / sizes.name) is not None
        output_folders.deliver(aside, out.parent)
    return [out, side, *([conditions_beside(out)] if len(conditions) else []), *([sizes] if shaped else [])]


def _parquet(trace: Trace, out: Path) -> list[Path]:
    from thinktime.workloads.tables.own import write_own

    if not out.parent.is_dir():
        raise ValueError(f"--out {shortened(out)}: there is no folder {quoted(str(out.parent))}")
    write_own(trace, out)
    return [out]
