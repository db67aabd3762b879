"""`thinktime site snapshot`: the state of a Slurm at this moment, as a folder of what its commands print."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli.console import stdout
from thinktime.cli.layout import counted, listing
from thinktime.cli.options import flag, option, output
from thinktime.workloads.names import shortened


def snapshot(
    out: Annotated[Path, output("DIR", "The folder to make.")],
    history: Annotated[str | None, option("TIME", "Also the jobs of the past (sacct): 90d.", shown="none")] = None,
    anonymous: Annotated[
        bool, flag("--anonymous", "Numbers instead of names; their key is DIR.names.csv, for your eyes alone.")
    ] = False,
) -> None:
    """Take a snapshot of a Slurm: run its commands on this machine, and keep what they print.

    A read-only user's rights suffice; each command that is refused, or not there, is said.
    """
    from thinktime.models.snapshot.anonymous import anonymize, write_key
    from thinktime.models.snapshot.taking import take

    key = out.with_name(f"{out.name}.names.csv")
    if anonymous and key.exists():
        raise ValueError(f"{shortened(key)} is there already; give another --out")
    with folder_or_nothing(out) as aside:
        missing = take(aside, history)
        if anonymous:
            write_key(anonymize(aside), key)
        files = len(list(aside.iterdir()))
    if missing:
        rows = [(each.file, f"{each.command}: {each.why}") for each in missing]
        stdout().print(listing(f"{counted(len(missing), 'file')} could not be made:", rows))
        typer.echo()
    typer.echo(f"{out}: {counted(files, 'file')}")
    if anonymous:
        typer.echo(f"{key}: what the numbers stand for; keep it")


@contextmanager
def folder_or_nothing(out: Path) -> Iterator[Path]:
    """A folder beside ``out`` to write into, which becomes ``out`` at the end, and is removed after an error."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"--out {shortened(out)} is there already; give a folder that is not, or is empty")
    aside = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        aside.mkdir(parents=True)
        yield aside
        aside.replace(out)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
