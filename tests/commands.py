"""The command line, called in this process."""

from __future__ import annotations

import contextlib
import io

from thinktime.cli import main


def stdout_of(*words: object) -> str:
    """What a command prints that does its work."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([str(word) for word in words]) == 0, words
    return out.getvalue()


def refusal_of(*words: object) -> str:
    """The one sentence of a command that ends with status 2 and prints nothing else."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        assert main([str(word) for word in words]) == 2, words
    start, sentence = "thinktime: error: ", err.getvalue()
    assert out.getvalue() == "" and sentence.startswith(start) and sentence.endswith("\n") and sentence.count("\n") == 1
    return sentence.removeprefix(start).rstrip("\n")
