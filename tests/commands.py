"""The command line, called in this process."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

from thinktime.cli import main


def stdout_of(*words: object) -> str:
    """What a command prints that does its work."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([str(word) for word in words]) == 0, words
    return out.getvalue()


def quick_study(name: str, out: Path, *words: object) -> tuple[str, set[str], dict[str, Any]]:
    """What a quick study prints, all of it within 100 columns; the files that it writes; and its numbers."""
    shown = stdout_of("study", name, "--quick", "--quiet", "--workers", 1, "--out", out, *words)
    assert all(len(line) <= 100 for line in shown.splitlines())
    return shown, {path.name for path in out.iterdir()}, json.loads((out / "study.json").read_text())


def refusal_of(*words: object) -> str:
    """The one sentence of a command that ends with status 2 and prints nothing else."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        assert main([str(word) for word in words]) == 2, words
    start, sentence = "thinktime: error: ", err.getvalue()
    assert out.getvalue() == "" and sentence.startswith(start) and sentence.endswith("\n") and sentence.count("\n") == 1
    return sentence.removeprefix(start).rstrip("\n")
