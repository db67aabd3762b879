"""`thinktime site import`: a site's file out of the files of a Slurm site."""

from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli.console import stdout
from thinktime.cli.layout import counted, listing
from thinktime.cli.options import option, output


def import_site(
    conf: Annotated[
        list[str], option("FILE", "slurm.conf; or the output of 'scontrol show config'; or both, each with --conf.")
    ],
    associations: Annotated[
        str | None, option("FILE", "Output of 'sacctmgr dump' or 'sacctmgr -P show assoc tree'.")
    ] = None,
    qos: Annotated[str | None, option("FILE", "Output of 'sacctmgr -P show qos'.")] = None,
    partitions: Annotated[
        str | None, option("FILE", "Output of 'scontrol -o show partition'.", shown="from slurm.conf")
    ] = None,
    nodes: Annotated[str | None, option("FILE", "Output of 'scontrol -o show node'.", shown="from slurm.conf")] = None,
    usage: Annotated[str | None, option("FILE", "Output of 'sshare -a -l -P': usage at the start.")] = None,
    out: Annotated[Path, output("FILE", "The file to write.")] = Path("site.toml"),
) -> None:
    """Make a site's file out of the files of a Slurm site, and list what cannot be used, with line and reason."""
    from thinktime.models.site.slurm.importing import SlurmFiles
    from thinktime.models.site.slurm.importing import import_site as import_files

    given = [None if each is None else Path(each) for each in (associations, qos, partitions, nodes, usage)]
    imported = import_files(SlurmFiles([Path(each) for each in conf], *given))
    imported.site.write(out)
    if imported.notes:
        title = f"{counted(len(imported.notes), 'thing')} could not be used:"
        stdout().print(listing(title, imported.notes))
        typer.echo()
    if imported.passed_over:
        names = ", ".join(imported.passed_over)
        stdout().print(f"{counted(len(imported.passed_over), 'setting')} of no effect on schedules: {names}")
        typer.echo()
    typer.echo(out)
