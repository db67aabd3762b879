"""The command line: `thinktime replay`, `demo`, `policies`, `trace get`, `trace info`.

One file per command. What is wrong with an input is said in one sentence on standard error, with exit
status 2 (`errors`). Numbers and tables go to standard output, progress and notes to standard error. pandas,
numba, matplotlib and scipy are imported inside the commands that need them, so that `--help` answers at once.
"""

from thinktime.cli.entry import main

__all__ = ["main"]
