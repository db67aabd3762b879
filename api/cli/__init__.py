"""The command line, with one file per command.

An error in the input is reported in one sentence on standard error, with exit status 2 (`errors`). Numbers and tables
go to standard output, progress and notes to standard error. pandas, matplotlib and scipy are imported inside
the commands that need them, so that `--help` responds at once.
"""

from thinktime.cli.entry import main

__all__ = ["main"]
