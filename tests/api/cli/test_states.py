"""`thinktime replay` from the middle: states that are written, begun from, and left behind by a kill."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import thinktime as tt
from tests.frozen.cases import PROCESSORS, log

Run = Callable[..., Any]
POLICY = "conservative:order=sjf"


@pytest.fixture
def swf(tmp_path: Path) -> Path:
    """A log in SWF."""
    return _written(tmp_path / "a.swf", log(6))


def _written(path: Path, trace: tt.Trace) -> Path:
    tt.write_swf(trace, path)
    return path


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}


def _told(out: str) -> str:
    """What is told, but for how long it took."""
    return "\n".join(line for line in out.splitlines() if "seconds" not in line and "per_second" not in line)


@pytest.mark.parametrize("out", [True, False])
def test_a_replay_from_a_state_is_the_rest(swf, run, tmp_path, out):
    """What is written and told is, to the byte, what the whole replay writes and tells; also where jobs wait."""

    def replayed(name: str, *more: Any) -> Any:
        files = ["--out", tmp_path / name] if out else ["--dependencies"]
        return run("replay", swf, "--processors", PROCESSORS, "--json", "--policy", POLICY, *files, *more)

    whole = replayed("whole")
    saving = [f"--save-state={time}:{tmp_path / f'{time}.state'}" for time in (60, "2 min")]
    saved = run("replay", swf, "--processors", PROCESSORS, "--json", "--policy", POLICY, *saving) if out else None
    saved = saved or replayed("saved", *saving)
    begun = replayed("begun", "--begin", tmp_path / "60.state")
    assert [each.status for each in (whole, saved, begun)] == [0, 0, 0], begun.err
    assert _told(begun.out) == _told(whole.out) and _told(saved.out)
    assert not out or _files(tmp_path / "begun") == _files(tmp_path / "whole") != {}
    assert repr(tt.MachineState.read(tmp_path / "2 min.state")).startswith("<state at 120 s")


def test_another_log_branches(swf, run, tmp_path):
    """The jobs of another log from then on come in place of those that would have; the policy is that of the state."""
    june, trace = tmp_path / "june.state", log(6)
    words = ["--processors", PROCESSORS, "--json"]
    assert run("replay", swf, *words, "--policy", POLICY, f"--save-state=100:{june}").status == 0
    keep = (trace.submit < 100) | (trace.user != 2)
    fewer = _written(tmp_path / "b.swf", trace.select(keep))
    branch = run("replay", fewer, *words, "--begin", june)
    assert branch.status == 0, branch.err
    other = tt.run(tt.MachineSpec(begin=tt.MachineState.read(june).without_arrivals()), tt.read_swf(fewer).between(100))
    assert f'"finished": {int((other["state"] == tt.State.FINISHED).sum())}' in branch.out


def test_what_contradicts_a_state_is_one_sentence(swf, fails, run, tmp_path):
    """Another machine, policy or rule, several policies, another log that waits, no state, no time."""
    june, words = tmp_path / "june.state", ["replay", swf, "--processors", PROCESSORS]
    assert run(*words, "--policy", POLICY, f"--save-state=100:{june}").status == 0
    begin = [*words, "--begin", june]
    other = _written(tmp_path / "b.swf", log(7))
    for more, said in (
        (["--policy", "easy"], "here policy = easy"),
        (["--overrun", "extend"], "here overrun = extend"),
        (["--estimates", "exact"], "here estimates = exact"),
        (["--shake", "3"], "--shake replays other logs"),
        (["--policy", "easy", "--policy", "fcfs"], "a state is of one policy"),
        (["--save-state", "50:x"], "after the beginning of a run"),
        (["--save-state", "50"], "give TIME:FILE"),
    ):
        assert said in fails(*begin, *more, "--quiet"), more
    assert "here processors = 32" in fails("replay", swf, "--processors", 32, "--begin", june, "--quiet")
    assert "is no state of a machine" in fails(*words, "--begin", swf)
    assert "leave out --dependencies" in fails(
        "replay", other, "--processors", PROCESSORS, "--begin", june, "--dependencies"
    )
    june.rename(tmp_path / "left.state")
    wrong = ["replay", other, "--processors", PROCESSORS, "--policy", POLICY, "--resume", tmp_path / "left.state"]
    assert "is not the log whose jobs the state has" in fails(*wrong)


KILLED = """
import os, signal, sys
from thinktime.cli import main
from thinktime.models.machine.saved import file
written = file.write
def write(path, value, left=[7]):
    written(path, value)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
file.write = write
sys.exit(main(sys.argv[1:]))
"""


def test_a_policy_that_rehearses_goes_on(swf, run, tmp_path):
    """The mean wait that slack has measured in a run before is part of what was left behind."""
    words = ["replay", swf, "--processors", PROCESSORS, "--policy", "slack:awt=auto", "--json"]
    whole, left = run(*words), tmp_path / "r.state"
    assert run(*words, f"--save-state=100:{left}").status == 0
    resumed = run(*words, "--resume", left)
    assert resumed.status == 0 and _told(resumed.out) == _told(whole.out), resumed.err


def test_a_replay_goes_on_after_a_kill(swf, run, tmp_path):
    """After SIGKILL, the same command goes on from the last state, and writes and tells what it would have without."""
    words = ["replay", swf, "--processors", PROCESSORS, "--policy", POLICY, "--json"]
    whole = run(*words, "--out", tmp_path / "whole")
    again = [*words, "--out", tmp_path / "again", "--resume", tmp_path / "r.state", "--resume-every", "0"]
    killed = subprocess.run([sys.executable, "-c", KILLED, *map(str, again)], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert 0 < tt.MachineState.read(tmp_path / "r.state").time < 700 and not (tmp_path / "again" / POLICY).exists()
    resumed = run(*again)
    assert resumed.status == 0 and _told(resumed.out) == _told(whole.out)
    assert _files(tmp_path / "again") == _files(tmp_path / "whole")
    assert not (tmp_path / "r.state").exists()
