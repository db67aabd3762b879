"""What a command that was killed left half done goes away when the next one writes there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from thinktime.cli import output_folders

from .test_process import COMMAND, SLOW


@pytest.mark.skipif(os.name == "nt", reason="signals and locks of POSIX")
def test_after_sigterm(log: Path, tmp_path: Path, run: Callable[..., object]) -> None:
    """A replay removes the folder that one ended by SIGTERM left unfinished."""
    (tmp_path / "mine.py").write_text(SLOW)
    words = ["replay", str(log), "--policy", "mine.py:slow", "--quiet", "--out", "out"]
    with subprocess.Popen([*COMMAND, *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGTERM)
    assert len(list((tmp_path / "out").glob(".unfinished-*"))) == 1
    run("replay", log, "--policy", "easy", "--quiet", "--out", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "bounded-slowdown.png",
        "easy",
        "wait-by-width.png",
    ]


@pytest.mark.skipif(os.name == "nt", reason="signals and locks of POSIX")
def test_what_is_being_written_stays(tmp_path: Path) -> None:
    """Of two commands that write to one folder at a time, neither removes what the other is writing."""
    script = (
        "import sys; from pathlib import Path; from thinktime.cli import output_folders\n"
        "with output_folders.staging(Path(sys.argv[1])) as aside:\n"
        "    print(aside.name, flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout and other.stdin
        name = other.stdout.readline().strip()
        with output_folders.staging(tmp_path):
            assert (tmp_path / name).is_dir()
        other.stdin.close()
    assert list(tmp_path.iterdir()) == []
