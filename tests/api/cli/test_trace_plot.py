"""`thinktime trace plot`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome

Run = Callable[..., Outcome]
PANELS = ("arrivals", "inter-arrival", "load", "overview", "run-times", "sizes", "users")


def test_one_sheet_in_the_current_folder(log: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --out there is one picture, named after the log, and its name is printed."""
    folder = log.parent / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert run("trace", "plot", log) == (0, "tiny-overview.png\n", "")
    assert [path.name for path in folder.iterdir()] == ["tiny-overview.png"]
    assert Path("tiny-overview.png").read_bytes().startswith(b"\x89PNG")


def test_every_panel_in_a_folder(log: Path, run: Run, tmp_path: Path) -> None:
    """With --out each panel is a file too, and their names are printed."""
    out = tmp_path / "made" / "pictures"
    outcome = run("trace", "plot", log, "--out", out)
    assert outcome.status == 0
    assert outcome.out.splitlines() == [str(out / f"tiny-{panel}.png") for panel in PANELS]
    assert sorted(path.name for path in out.iterdir()) == [f"tiny-{panel}.png" for panel in PANELS]


def test_processors_stand_in_for_the_header(log: Path, run: Run, tmp_path: Path) -> None:
    """Without a size in the header there is a picture of the load if --processors gives one."""
    log.write_text(log.read_text().replace("; MaxProcs: 4\n", ""))
    given = run("trace", "plot", log, "--out", tmp_path / "b", "--processors", 4).out.splitlines()
    assert len(given) == len(PANELS)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("no.swf",), "there is no file"),
        (("tiny.swf", "--processors", "0"), "--processors must be a whole number of at least 1"),
        (("tiny.swf", "--processors", "0.5"), "--processors must be a whole number of at least 1"),
        (("tiny.swf", "--out", "tiny.swf"), "a file is in the way"),
        (("tiny.swf", "--output", "x"), "has no option --output; did you mean '--out'"),
        (("none.swf",), "has no jobs"),
    ],
)
def test_what_cannot_be_drawn(
    log: Path, fails: Callable[..., str], words: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be drawn is refused in one sentence, and no file is left."""
    monkeypatch.chdir(log.parent)
    Path("none.swf").write_text("; Version: 2.2\n")
    assert says in fails("trace", "plot", *words)
    assert sorted(path.name for path in log.parent.iterdir()) == ["none.swf", "tiny.swf"]
