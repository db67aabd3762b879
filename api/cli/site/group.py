"""`thinktime site`: the configuration of a site, as a file."""

import typer

from thinktime.cli.options import show_help
from thinktime.cli.site.check import check
from thinktime.cli.site.import_site import import_site
from thinktime.cli.site.show import show
from thinktime.cli.site.snapshot import snapshot
from thinktime.cli.site.whatif import whatif

site = typer.Typer(
    help="Show, check and import the configuration of a site, and compare it with others.",
    callback=show_help,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)
site.command(short_help="Show nodes, partitions, QOS, accounts with shares, limits, weights.")(show)
site.command(short_help="List what looks wrong in a site's file.")(check)
site.command("import", short_help="Make a site's file out of the files of a Slurm site.")(import_site)
site.command(short_help="Take a snapshot of a running Slurm: a folder of what its commands print.")(snapshot)
site.command(short_help="Compare a site's configuration with changes of it on a log.")(whatif)
