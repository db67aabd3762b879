"""`thinktime trace convert`: convert accounting data of a Slurm site, or a data set, to a log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli import errors, inputs, output_folders
from thinktime.cli.options import MaxSize, Quiet, Withdrawn, argument, flag, option, output, spread
from thinktime.cli.trace import data_sets
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.names import quoted, shortened

if TYPE_CHECKING:
    from thinktime.workloads.sacct import Converted


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What the columns of the files mean, if they are not accounting data of Slurm."""

    preset: Annotated[str | None, option("NAME", "The data set that the files are from.", shown="sacct")] = None
    mapping: Annotated[str | None, option("FILE.toml", "The same for a table of your own; see `trace guess`.")] = None
    presets: Annotated[bool, flag("--list-presets", "List the data sets that can be read.")] = False
    settings: Annotated[
        list[str] | None,
        option("KEY=VALUE", "Set a value of the mapping, such as columns.memory.unit=GB (repeatable).", "--set"),
    ] = None

    def __post_init__(self) -> None:
        if self.mapping is not None:
            if self.preset is not None:
                raise ValueError("--preset and --mapping both say what the columns mean; give one of them")
            if not self.mapping.endswith(".toml"):
                raise ValueError(f"--mapping {shortened(self.mapping)}: the name of a mapping must end with .toml")

    @property
    def of_tables(self) -> str | None:
        """The name of the mapping; None for the output of Slurm's commands."""
        from thinktime.workloads.read_log import SLURM

        return self.mapping if self.preset in SLURM else self.preset or self.mapping


@dataclass(frozen=True, kw_only=True)
class Unsaid:
    """What files may not say of their site."""

    zone: Annotated[str | None, option("ZONE", "The site's time zone, such as Europe/Berlin.", shown="UTC")] = None
    processors: Annotated[str | None, option("N", "Processors of the machine.", shown="most in use at once")] = None
    nodes: Annotated[str | None, option("N", "Nodes of the machine.", shown="most in use at once")] = None
    computer: Annotated[str | None, option("NAME", "The machine's name.", shown="the column Cluster")] = None
    time_limit: Annotated[
        str | None, option("TIME", "Time limit of jobs that have none, such as '7 d' or 7-00:00:00.", shown="none")
    ] = None

    @property
    def size(self) -> int | None:
        """The processors of the machine."""
        return None if self.processors is None else inputs.machine_size(self.processors)

    @property
    def limit(self) -> float | None:
        """The time limit of jobs that have none, s."""
        return None if self.time_limit is None else _limit(self.time_limit)


@dataclass(frozen=True, kw_only=True)
class Read:
    """How jobs are read."""

    allocated: Annotated[
        bool, flag("--allocated", "Requested processors are those allocated: for whole-node sites.")
    ] = False
    eligible: Annotated[bool, flag("--eligible", "Use the time of eligibility as the submit time.")] = False
    requests: Annotated[
        bool | None,
        flag(
            "--requests/--no-requests",
            "Write requests for nodes after field 18, for --site and --machines; by default if a job asks for GPUs.",
        ),
    ] = None
    delimiter: Annotated[str | None, option("TEXT", "Separator of values.", shown="as in the first line")] = None
    columns: Annotated[
        str | None, option("NAMES", "Columns of 'sacct --noheader', by commas.", shown="the first line")
    ] = None
    withdrawn: Withdrawn = "drop"

    @property
    def separator(self) -> str | None:
        """What stands between two values."""
        return None if self.delimiter is None else _separator(self.delimiter)


@spread
def convert(
    files: Annotated[
        list[str] | None,
        argument("FILE", "Output of 'sacct -P' or 'sacct --json', or with --preset files and folders of a data set."),
    ] = None,
    out: Annotated[Path, output("LOG", "The log to write: .swf, .swf.gz, or of a data set .parquet.")] = Path(
        "site.swf"
    ),
    *,
    meaning: Meaning,
    max_size: MaxSize = None,
    unsaid: Unsaid,
    read: Read,
    quiet: Quiet = False,
) -> None:
    """Convert the output of `sacct -P`, `sacct --json` or `squeue --json`, or a data set, to a log and its names.

    The side file, LOG.names.csv, has the names behind the log's numbers. It identifies people, so do not publish it
    with the log. Dependencies, arrays and holds of jobs, if there are any, go to LOG.conditions.csv, for
    `replay --dependencies`.
    """
    if meaning.presets:
        return data_sets.list_presets()
    if not files:
        raise ValueError("a FILE to convert is needed; --list-presets lists the data sets that can be read")
    if meaning.of_tables is None:
        return _of_slurm(files, out, meaning, unsaid, read, max_size)
    from thinktime.workloads.tables.mapping import mapping

    data_sets.refuse(
        {
            "--nodes": unsaid.nodes, "--computer": unsaid.computer, "--allocated": read.allocated,
            "--eligible": read.eligible, "--columns": read.columns,
        }
    )  # fmt: skip
    changes = data_sets.settings(meaning.settings or (), unsaid.zone, unsaid.limit, read.separator)
    how: dict[str, Any] = {
        "preset": mapping(meaning.of_tables, changes),
        "processors": unsaid.size,
        "withdrawn": errors.choice("--withdrawn", read.withdrawn, inputs.WITHDRAWN),
        "requests": read.requests,
        "max_size": inputs.file_size(max_size),
    }
    return data_sets.convert_tables(files, out, quiet, how)


def _of_slurm(
    files: Sequence[str], out: Path, meaning: Meaning, unsaid: Unsaid, read: Read, max_size: str | None
) -> None:
    """Convert the output of Slurm's commands."""
    from thinktime.workloads.conditions import beside
    from thinktime.workloads.read_log import TABLE
    from thinktime.workloads.sacct import ConversionOptions
    from thinktime.workloads.sacct import convert as convert_sacct
    from thinktime.workloads.sacct.read import log_of

    if meaning.settings:
        raise ValueError("--set changes the mapping of a data set; give --preset or --mapping as well")
    if read.withdrawn != "drop":
        raise ValueError("--withdrawn is for data sets; jobs that sacct lists are all kept")
    table = out.suffix == TABLE
    log, names = (out, out) if table else targets(out)
    options = ConversionOptions(
        zone=unsaid.zone,
        processors=unsaid.size,
        nodes=None if unsaid.nodes is None else inputs.whole("--nodes", unsaid.nodes),
        computer=unsaid.computer,
        limit=unsaid.limit,
        allocated=read.allocated,
        eligible=read.eligible,
        separator=read.separator,
        columns=tuple(read.columns.split(",")) if read.columns else (),
        requests=read.requests,
        max_size=inputs.file_size(max_size),
    )
    paths = [inputs.existing(file) for file in files]
    converted = convert_sacct(paths, options)
    if table:
        trace = log_of(converted, paths, options.processors)
        return data_sets.deliver(trace, out, converted.conditions)
    again = _write(converted, log, names)
    typer.echo(str(converted.report))
    typer.echo(f"\n{again}\n")
    for path in (log, names, *([beside(log)] if len(converted.conditions) else [])):
        typer.echo(path)


def targets(out: Path) -> tuple[Path, Path]:
    """The log and its side file."""
    from thinktime.workloads.sacct.name_file import beside

    stem = out.name.removesuffix(".gz")
    if not stem.endswith(".swf") or stem == ".swf":
        raise ValueError(f"--out {shortened(out)}: the name of a log must end with .swf or .swf.gz")
    return out, beside(out)


def _write(converted: Converted, log: Path, names: Path) -> CleaningReport:
    """Write both files or none, and return the report of reading the log back."""
    from thinktime.workloads import read_swf, write_swf
    from thinktime.workloads.conditions import beside

    with output_folders.staging(log.parent) as aside:
        draft = aside / log.name
        write_swf(converted.trace, draft)
        trace = read_swf(draft, max_size=2**62)  # our own file, so its size needs no limit
        trace.report.source = str(log)
        side = aside / names.name
        side.touch(mode=0o600)  # it has names of people
        side.write_text(converted.names.to_csv(), encoding="utf-8")
        if len(converted.conditions):
            converted.conditions.write(beside(draft))
        output_folders.deliver(aside, log.parent)
    return trace.report


def _limit(text: str) -> float:
    from thinktime.workloads import units
    from thinktime.workloads.sacct.values import duration

    try:
        seconds = duration(text, plain=60)
    except ValueError:
        try:
            seconds = units.seconds(text)
        except ValueError:
            seconds = None
    if not seconds:
        raise ValueError(
            f"--time-limit must be such as '7 d', or in Slurm's format, such as 7-00:00:00, not {quoted(text)}"
        )
    return seconds


def _separator(text: str) -> str:
    text = {"\\t": "\t"}.get(text, text)
    if not text:
        raise ValueError("--delimiter cannot be empty; sacct -P separates values by |")
    return text
