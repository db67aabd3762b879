"""The entry point: run a command line and return its exit status.

0: success. 1: the reader of a pipe closed it, or some runs of a sweep failed. 2: one sentence on standard error
explains what is wrong. 130: interrupted. Any other error is a bug in this package and keeps its traceback.
"""

import os
import sys
from collections.abc import Sequence

from thinktime.cli import errors

INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    if sys.stderr is None:  # closed, as in 2>&-
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        print(
            "thinktime: error: standard output is closed; redirect it to /dev/null to discard the output",
            file=sys.stderr,
        )
        return 2
    # Matrices here are small: threads of linear algebra, one for each core, would mostly wait for each other.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        status = _run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        # Python would raise the error again when it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        status = INTERRUPTED
    if status == INTERRUPTED:
        print("thinktime: interrupted", file=sys.stderr)
    return status


def _run(arguments: list[str]) -> int:
    from thinktime.cli.app import app

    try:
        # Typer returns 130 for Ctrl-C, the status of an Exit, or what the command returned: None.
        return app(args=arguments, prog_name="thinktime", standalone_mode=False) or 0
    except Exception as error:
        sentence = errors.sentence(error)
        if sentence is None or os.environ.get("THINKTIME_TRACEBACK"):
            raise
        print(f"thinktime: error: {sentence}", file=sys.stderr)
        return 2
