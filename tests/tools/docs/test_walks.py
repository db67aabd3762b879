"""The picture of walks shows what happens."""

import ast
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import thinktime as tt
from thinktime.cli import main
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.site.slurm.importing import SlurmFiles, import_site
from tools.docs.walks import PICTURE, ROOT, WALKS, Step, Walk, draw

LOG = """\
; MaxProcs: 1009
1 0 0 100 1009 -1 -1 1009 300 -1 1 1 -1 -1 -1 -1 -1 -1
2 5 0 100 1009 -1 -1 1009 200 -1 1 1 -1 -1 -1 -1 -1 -1
3 6 0 50 9 -1 -1 9 400 -1 1 2 -1 -1 -1 -1 -1 -1
"""
CONF = """\
ClusterName=small
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=associations,limits,qos
NodeName=n[1-4] CPUs=4
PartitionName=main Nodes=ALL Default=YES
"""


def replayed(folder: Path, *words: str) -> None:
    (folder / "tiny.swf").write_text(LOG)
    assert main(["replay", str(folder / "tiny.swf"), "--policy", "easy:order=lxf", "--quiet", *words]) == 0


def predicted(folder: Path) -> None:
    """Replay a log by an order, with predicted estimates."""
    replayed(folder, "--estimates", "last-two")


def changing(folder: Path) -> None:
    """Replay a log on a machine with a window."""
    (folder / "events.csv").write_text("kind,start,end,processors\nwindow,500,600,4\n")
    replayed(folder, "--events", str(folder / "events.csv"))


def profile(folder: Path) -> None:
    """Let a user think by the response time."""
    users = {"ann": tt.Profile(runtime=60, jobs=2, think_time=600, behaviours=(tt.behaviours.LinearThinking(),))}
    tt.run(tt.MachineSpec(processors=1), tt.sources.campaigns(users, seed=1), until=4000)


def feedback(folder: Path) -> None:
    """Let the user of a log think by the clock."""
    columns = {"submit": [0, 130], "runtime": [100, 60], "allocated": [2, 2], "wait": [0, 0], "user": [1, 1]}
    tt.replay_with_feedback(tt.Trace(columns), "fcfs", 2, think="clock")


def limit(folder: Path) -> None:
    """Run jobs at a site where each user has one at a time."""
    conf, qos = folder / "slurm.conf", folder / "qos.psv"
    conf.write_text(CONF)
    qos.write_text("Name|Priority|MaxJobsPU\nnormal|0|1\n")
    log = tt.Trace({"submit": [0, 5], "runtime": [60, 60], "allocated": [1, 1], "user": [1, 1]})
    result = tt.replay(log, MachineSpec.of_site(import_site(SlurmFiles([conf], qos=qos)).site))
    assert result["start"].tolist() == [0, 60]


ESTIMATE, OF_PROFILE, OF_LOG, ORDER, WINDOW, LIMIT = WALKS
RUNS: list[tuple[Callable[[Path], None], tuple[Walk, ...]]] = [
    (predicted, (ESTIMATE, ORDER)), (changing, (WINDOW,)), (profile, (OF_PROFILE,)), (feedback, (OF_LOG,)),
    (limit, (LIMIT,)),
]  # fmt: skip


def is_compiled(step: Step) -> bool:
    """Whether compiled code does it, which tells nothing of its calls."""
    return (ROOT / step.file).with_suffix(".pxd").exists()


def is_of(step: Step, file: str, name: str) -> bool:
    return file == step.file and (name == step.name or name.startswith(f"{step.name}."))


def calls(run: Callable[[Path], None], folder: Path, files: set[str]) -> list[tuple[str, str]]:
    """The functions of some files that are called and returned from, in order: a value goes in, or comes out."""
    known: dict[str, str] = {}
    found: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event in ("call", "return") and code.co_flags & inspect.CO_OPTIMIZED:  # no body of a class
            path = code.co_filename
            if path not in known:
                known[path] = str(Path(path).resolve()).removeprefix(f"{ROOT}/")
            if known[path] in files:
                found.append((known[path], code.co_qualname))

    sys.setprofile(note)
    try:
        run(folder)
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize(("run", "walks"), RUNS, ids=[run.__name__ for run, _ in RUNS])
def test_a_value_goes_through_the_files_in_this_order(
    run: Callable[[Path], None], walks: tuple[Walk, ...], tmp_path: Path
) -> None:
    """In a run, the steps that are Python are among the calls and returns, one after the other."""
    found = calls(run, tmp_path, {file for walk in walks for file in walk.files})
    for walk in walks:
        seen = iter(found)
        missed = [step for step in walk.steps if not is_compiled(step) and not any(is_of(step, *each) for each in seen)]
        assert missed == [], walk.title


def test_every_file_of_a_walk_is_there() -> None:
    """Each file exists, and has what does the step; what is handed on changes nowhere else."""
    for walk in WALKS:
        assert [file for file in (*walk.files, *walk.handed_on) if not (ROOT / file).is_file()] == []
        assert not set(walk.files) & set(walk.handed_on)
        assert [step for step in walk.steps if step.name not in defined(step.file)] == []


def defined(file: str) -> set[str]:
    """The functions and classes of a file, and the methods."""
    names = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
            if isinstance(node, ast.ClassDef):
                names |= {f"{node.name}.{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
    return names


def test_the_picture_is_what_the_tool_draws() -> None:
    """docs/images/walks.svg is written by `python -m tools.docs.walks`."""
    assert PICTURE.read_text(encoding="utf-8") == draw()


def test_windows_and_limits_go_straight() -> None:
    """A window has no way back, and a limit of a QOS goes through eight files."""
    assert (WINDOW.ways_back, LIMIT.ways_back, len(LIMIT.files)) == (0, 0, 8)
