"""The command as a process of its own: exit status, pipes, Ctrl-C, and what stands on which stream."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from thinktime.cli import main

COMMAND = [sys.executable, "-m", "thinktime"]


def test_error_without_traceback(tmp_path: Path) -> None:
    """A wrong input gives status 2 and one line on standard error."""
    done = subprocess.run([*COMMAND, "replay", "absent.swf"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("thinktime: error: there is no file absent.swf")


def test_traceback_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """With THINKTIME_TRACEBACK set, an error is not caught, so that Python shows its traceback."""
    monkeypatch.setenv("THINKTIME_TRACEBACK", "1")
    with pytest.raises(ValueError, match="there is no file absent"):
        main(["replay", "absent"])


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")
def test_closed_pipe_is_quiet() -> None:
    """A reader that stops reading, such as `head`, causes no complaint."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        done = subprocess.run([*COMMAND, "--version"], stdout=pipe, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, b"")


SLOW = """\
import os, time
def slow(view, now):
    print("running", flush=True)
    time.sleep(60)
"""


LOUD = """\
print("hello")
def loud(view, now):
    print("loud")
    return view.queue[:1]
"""


def test_what_a_policy_prints_is_not_beside_the_json(log: Path, tmp_path: Path) -> None:
    """With --json, standard output holds one object; what a user's policy prints goes to standard error."""
    (tmp_path / "mine.py").write_text(LOUD)
    words = ["replay", str(log), "--policy", "mine.py:loud", "--processors", "9", "--json", "--quiet"]
    done = subprocess.run([*COMMAND, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["policies"][0]["policy"] == "mine.py:loud"
    assert done.stderr.startswith("hello\nloud\n")


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")
def test_interrupt(log: Path, tmp_path: Path) -> None:
    """Ctrl-C ends a run with status 130 and one line, and leaves no files behind."""
    (tmp_path / "mine.py").write_text(SLOW)
    words = ["replay", str(log), "--policy", "mine.py:slow", "--quiet", "--out", "out"]
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests may ignore it
    with subprocess.Popen(
        [*COMMAND, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heard
    ) as process:
        assert process.stdout and process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "thinktime: interrupted\n")
    assert not (tmp_path / "out").exists()
