"""`thinktime trace convert`: convert accounting data of a Slurm site, or a data set, to a log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinktime.cli import errors, inputs, output_folders
from thinktime.cli.options import MaxSize, Quiet, Withdrawn, argument, flag, option, output
from thinktime.cli.trace import data_sets
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.names import quoted, shortened

if TYPE_CHECKING:
    from thinktime.workloads.sacct import Converted


def convert(
    files: Annotated[
        list[str] | None,
        argument("FILE", "Output of 'sacct -P' or 'sacct --json', or with --preset files and folders of a data set."),
    ] = None,
    out: Annotated[Path, output("LOG", "The log to write: .swf, .swf.gz, or of a data set .parquet.")] = Path(
        "site.swf"
    ),
    preset: Annotated[str | None, option("NAME", "The data set that the files are from.", shown="sacct")] = None,
    mapping: Annotated[str | None, option("FILE.toml", "The same for a table of your own; see `trace guess`.")] = None,
    presets: Annotated[bool, flag("--list-presets", "List the data sets that can be read.")] = False,
    settings: Annotated[
        list[str] | None,
        option("KEY=VALUE", "Set a value of the mapping, such as columns.memory.unit=GB (repeatable).", "--set"),
    ] = None,
    max_size: MaxSize = None,
    zone: Annotated[str | None, option("ZONE", "The site's time zone, such as Europe/Berlin.", shown="UTC")] = None,
    processors: Annotated[str | None, option("N", "Processors of the machine.", shown="most in use at once")] = None,
    nodes: Annotated[str | None, option("N", "Nodes of the machine.", shown="most in use at once")] = None,
    computer: Annotated[str | None, option("NAME", "The machine's name.", shown="the column Cluster")] = None,
    time_limit: Annotated[
        str | None, option("TIME", "Time limit of jobs that have none, such as '7 d' or 7-00:00:00.", shown="none")
    ] = None,
    allocated: Annotated[
        bool, flag("--allocated", "Requested processors are those allocated: for whole-node sites.")
    ] = False,
    eligible: Annotated[bool, flag("--eligible", "Use the time of eligibility as the submit time.")] = False,
    requests: Annotated[
        bool | None,
        flag(
            "--requests/--no-requests",
            "Write requests for nodes after field 18, for --site and --machines; by default if a job asks for GPUs.",
        ),
    ] = None,
    delimiter: Annotated[str | None, option("TEXT", "Separator of values.", shown="as in the first line")] = None,
    columns: Annotated[
        str | None, option("NAMES", "Columns of 'sacct --noheader', by commas.", shown="the first line")
    ] = None,
    withdrawn: Withdrawn = "drop",
    quiet: Quiet = False,
) -> None:
    """Convert the output of `sacct -P`, `sacct --json` or `squeue --json`, or a data set, to a log and its names.

    The side file, LOG.names.csv, has the names behind the log's numbers. It identifies people, so do not publish it
    with the log. Dependencies, arrays and holds of jobs, if there are any, go to LOG.conditions.csv, for
    `replay --dependencies`.
    """
    from thinktime.workloads.conditions import beside
    from thinktime.workloads.read_log import SLURM, TABLE
    from thinktime.workloads.sacct import ConversionOptions
    from thinktime.workloads.sacct import convert as convert_sacct
    from thinktime.workloads.sacct.read import log_of

    if presets:
        return data_sets.list_presets()
    if not files:
        raise ValueError("a FILE to convert is needed; --list-presets lists the data sets that can be read")
    if preset is not None and mapping is not None:
        raise ValueError("--preset and --mapping both say what the columns mean; give one of them")
    limit = None if time_limit is None else _limit(time_limit)
    how = mapping if preset in SLURM else preset or mapping
    if how is not None:
        data_sets.refuse(
            {
                "--nodes": nodes,
                "--computer": computer,
                "--allocated": allocated,
                "--eligible": eligible,
                "--columns": columns,
            }
        )
        errors.choice("--withdrawn", withdrawn, inputs.WITHDRAWN)
        if mapping is not None and not mapping.endswith(".toml"):
            raise ValueError(f"--mapping {shortened(mapping)}: the name of a mapping must end with .toml")
        separator = None if delimiter is None else _separator(delimiter)
        return data_sets.convert_tables(
            files, how, out, data_sets.settings(settings or (), zone, limit, separator),
            processors=None if processors is None else inputs.machine_size(processors),
            requests=requests, withdrawn=withdrawn, max_size=inputs.file_size(max_size), quiet=quiet,
        )  # fmt: skip
    if settings:
        raise ValueError("--set changes the mapping of a data set; give --preset or --mapping as well")
    if withdrawn != "drop":
        raise ValueError("--withdrawn is for data sets; jobs that sacct lists are all kept")
    table = out.suffix == TABLE
    log, names = (out, out) if table else targets(out)
    options = ConversionOptions(
        zone=zone,
        processors=None if processors is None else inputs.machine_size(processors),
        nodes=None if nodes is None else inputs.whole("--nodes", nodes),
        computer=computer,
        limit=limit,
        allocated=allocated,
        eligible=eligible,
        separator=None if delimiter is None else _separator(delimiter),
        columns=tuple(columns.split(",")) if columns else (),
        requests=requests,
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
